import { Injectable, type OnModuleInit } from '@nestjs/common';
import { RunsService } from '../ingestion/runs.service.js';
import { RetrievalClient } from '../retrieval/retrieval.client.js';

/**
 * Makes retrieval load a new version of a graph as soon as a run of this process has made it. Until it is loaded, retrieval answers from
 * the version before.
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
