import { Module } from '@nestjs/common';
import { EgressModule } from '../egress/egress.module.js';
import { SecretsModule } from '../secrets/secrets.module.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { PostingThreads } from './posting-thread.js';
import { WebhooksRepository } from './webhooks.repository.js';
import { WebhooksService } from './webhooks.service.js';
import { WebhooksWorker } from './webhooks.worker.js';

@Module({
  imports: [EgressModule, SecretsModule],
  providers: [DeliveriesRepository, PostingThreads, WebhooksRepository, WebhooksService, WebhooksWorker],
  exports: [WebhooksService, WebhooksWorker],
})
export class WebhooksModule {}
