import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { RetrievalClient } from './retrieval.client.js';
import { RetrievalSupervisor } from './retrieval.supervisor.js';

/** A process that hangs is noticed after some 7 s. No work of ours blocks its event loop for a hundredth of that. */
const everyMs = 500;
const patienceMs = 2_000;
const misses = 3;

/**
 * Distinguishes a retrieval process that hangs from one that is busy, by asking for its health all the time; a busy one answers. A
 * process of our own that hangs is killed and started again. One deployed apart is left alone, and its callers get an error at once
 * until it answers again. It counts beats instead of time, because this process may have stood still itself.
 */
@Injectable()
export class RetrievalPulse implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('RetrievalPulse');
  private readonly stop = new AbortController();

  constructor(
    private readonly client: RetrievalClient,
    private readonly supervisor: RetrievalSupervisor,
  ) {}

  onApplicationBootstrap(): void {
    this.run().catch((error: unknown) => {
      if (!this.stop.signal.aborted) this.log.error(`检索心跳中断 / retrieval pulse ended: ${String(error)}`);
    });
  }

  onApplicationShutdown(): void {
    this.stop.abort();
  }

  private async run(): Promise<void> {
    let missed = 0;
    let place = this.supervisor.generation;
    for (;;) {
      await sleep(everyMs, undefined, { ref: false, signal: this.stop.signal });
      // A new process has missed nothing, and a process that does not listen yet cannot answer.
      if (this.supervisor.generation !== place || !this.supervisor.isListening) {
        missed = 0;
        place = this.supervisor.generation;
        continue;
      }
      missed = (await this.client.isAlive(patienceMs)) ? 0 : missed + 1;
      if (missed === 0) this.supervisor.markAnswering();
      else if (missed >= misses && this.supervisor.generation === place) {
        this.supervisor.markHanging();
        this.client.dropConnections();
      }
    }
  }
}
