import { setTimeout as sleep } from 'node:timers/promises';
import { rankProcesses } from './rank-processes.js';
import { type RetrievalPeer } from './retrieval-peer.js';

const lookEveryMs = 50;

/** The retrieval processes of this service: its own, or those that were deployed apart. */
export class RetrievalPeers {
  constructor(readonly all: readonly RetrievalPeer[]) {}

  /** The process for a graph: the first in the graph's order that answers, other than `except`. Null if there is none. */
  choose(graphId: number, except: RetrievalPeer | null = null): RetrievalPeer | null {
    const others = rankProcesses(graphId, this.all).filter(peer => peer !== except);
    return others.find(peer => peer.isAnswering) ?? others[0] ?? null;
  }

  /**
   * Chooses another process for a query that may have ended the process `ended`. Waits until a further process answers too, so that such a
   * query never ends the last one. Null if no further process answers before `untilMs` of performance.now().
   */
  async chooseWithSpare(graphId: number, ended: RetrievalPeer, untilMs: number): Promise<RetrievalPeer | null> {
    if (this.all.length < 2) return null;
    while (this.all.filter(peer => peer.isAnswering).length < 2) {
      if (performance.now() >= untilMs) return null;
      await sleep(lookEveryMs);
    }
    return this.choose(graphId, ended);
  }
}
