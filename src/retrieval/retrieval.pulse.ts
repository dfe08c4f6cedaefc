import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Telemetry } from '../telemetry/telemetry.service.js';
import { type PeerState, type RetrievalPeer } from './retrieval-peer.js';
import { RetrievalPeers } from './retrieval-peers.js';

/**
 * The interval, in milliseconds, between two health checks of a process. A process that hangs is noticed after some 7 s. No piece of our
 * work blocks its event loop for a hundredth of that time.
 */
const everyMs = 500;
const lookEveryMs = 100;
const patienceLooks = 20;
const misses = 3;
/**
 * Milliseconds for which a late answer is awaited. An answer that comes later than the patience counts as a miss, but still shows that the
 * process does not hang.
 */
const longestMs = 10_000;

/**
 * Distinguishes retrieval processes that hang from those that are busy, by asking for their health all the time: a busy process answers. A
 * process of our own that hangs is killed and started again. A process that was deployed apart is left alone, and its callers get an error
 * at once until it answers again. This class counts beats and looks instead of time, because this API process may itself have been
 * suspended. An answer that arrived in that time is found at the next look.
 */
@Injectable()
export class RetrievalPulse implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('RetrievalPulse');
  private readonly stop = new AbortController();

  constructor(
    private readonly peers: RetrievalPeers,
    telemetry: Telemetry,
  ) {
    // A process on its first start has no series yet: a 0 would look like an outage.
    telemetry.watchEach('retrieval_up', 'Whether each retrieval process answers: 1 or 0; absent during its first start', 'process', () =>
      peers.all.flatMap(({ name, state }): [string, number][] => (state === null ? [] : [[name, Number(state === 'ok')]])),
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
      // The misses of the former process do not count for a new one, and a process that does not listen yet cannot answer.
      if (process.generation !== generation || !process.isListening) {
        missed = 0;
        generation = process.generation;
        if (process.hasEnded) peer.noteFailure();
        continue;
      }
      missed = (await this.beat(peer)) === 'unavailable' ? missed + 1 : 0;
      // From the first miss on, queries go to other processes.
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
