import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RunsService } from '../ingestion/runs.service.js';
import { RetrievalClient } from '../retrieval/retrieval.client.js';

/**
 * Has retrieval load the new version of a graph once a run of this process has made it, and answer from the version before until the new
 * one is loaded.
 */
@Injectable()
export class GraphWarming implements OnModuleInit {
  constructor(
    private readonly runs: RunsService,
    private readonly retrieval: RetrievalClient,
  ) {}

  onModuleInit(): void {
    this.runs.onCommitting(graphId => this.retrieval.hold(graphId));
    this.runs.onSucceeded(graphId => void this.retrieval.warm(graphId));
  }
}
