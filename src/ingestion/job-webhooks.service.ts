import { Injectable, type OnModuleInit } from '@nestjs/common';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { WebhooksWorker } from '../webhooks/webhooks.worker.js';
import { jobKind } from './run-message.js';

/** Decides which users still get messages about the runs of a job: the users who could create a webhook of the job now. */
@Injectable()
export class JobWebhooksService implements OnModuleInit {
  constructor(
    private readonly worker: WebhooksWorker,
    private readonly access: GraphAccessService,
  ) {}

  onModuleInit(): void {
    this.worker.register(jobKind, async (userId, jobId) =>
      this.access.mayStill(userId, await this.access.findGraphOf('job', jobId), 'editor'),
    );
  }
}
