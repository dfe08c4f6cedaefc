import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Telemetry } from '../telemetry/telemetry.service.js';
import { type PeerState, type RetrievalPeer } from './retrieval-peer.js';
import { RetrievalPeers } from './retrieval-peers.js';

/** A process that hangs is noticed after some 7 s. No work of ours blocks its event loop for a hundredth of that. */
const everyMs = 500;
const lookEveryMs = 100;
const patienceLooks = 20;
const misses = 3;
/** An answer that comes later than the patience is a miss, but shows callers that the process goes on. */
const longestMs = 10_000;

/**
 * Distinguishes retrieval processes that hang from those that are busy, by asking for their health all the time; a busy one answers. A
 * process of our own that hangs is killed and started again. One deployed apart is left alone, and its callers get an error at once
 * until it answers again. It counts beats and looks instead of time, because this process may have stood still itself, and finds an answer
 * that has come meanwhile at its next look.
 */
@Injectable()
export class RetrievalPulse implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('RetrievalPulse');
  private readonly stop = new AbortController();

  constructor(
    private readonly peers: RetrievalPeers,
    telemetry: Telemetry,
  ) {
    telemetry.watchEach('retrieval_up', 'Whether each retrieval process answers: 1 or 0', 'process', () =>
      peers.all.map(({ name, state }) => [name, Number(state === 'ok')]),
    );
  }

  onApplicationBootstrap(): void {
    for (const peer of this.peers.all) {
      this.watch(peer).catch((error: unknown) => {
        if (!this.stop.signal.aborted) this.log.error(`检索心跳中断 / retrieval pulse ended: ${String(error)}`);
      });
    }
  }

  onApplicationShutdown(): void {
    this.stop.abort();
  }

  private async watch(peer: RetrievalPeer): Promise<void> {
    const { process } = peer;
    let missed = 0;
    let { generation } = process;
    for (;;) {
      await sleep(everyMs, undefined, { ref: false, signal: this.stop.signal });
      // A new process has missed nothing, and a process that does not listen yet cannot answer.
      if (process.generation !== generation || !process.isListening) {
        missed = 0;
        generation = process.generation;
        peer.noteFailure();
        continue;
      }
      missed = (await this.beat(peer)) === 'unavailable' ? missed + 1 : 0;
      // Others are asked from the first miss on.
      if (missed > 0) peer.noteFailure();
      if (missed >= misses && process.generation === generation) {
        process.markHanging();
        peer.dropConnections();
      }
    }
  }

  private async beat(peer: RetrievalPeer): Promise<PeerState> {
    let isAnswered = false;
    const looks = async (): Promise<PeerState> => {
      for (let look = 0; look < patienceLooks && !isAnswered; look++)
        await sleep(lookEveryMs, undefined, { ref: false, signal: this.stop.signal });
      return 'unavailable';
    };
    try {
      return await Promise.race([peer.check(longestMs), looks()]);
    } finally {
      isAnswered = true;
    }
  }
}
