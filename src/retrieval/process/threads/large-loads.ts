import { FairShare } from '../../../common/turns/fair-share.js';
import { type Owner } from './shared-parts.js';

/**
 * Milliseconds that a load may wait for its turn: the largest delay of a timer, which is 24 days. The queries that wait for the load have
 * time-outs of their own.
 */
const patienceMs = 2_147_483_647;

interface Load {
  by: Owner;
  /** The number of the thread's message that asked for the turn. */
  asked: number;
  graphId: number;
  bytes: number;
  gone: AbortController;
  leave: (() => void) | null;
}

/**
 * Gives turns to the large loads of all threads, one load at a time, because the memory of a load is known only as the load takes it.
 * Callers take turns.
 */
export class LargeLoads {
  private readonly turns = new FairShare({
    places: 1,
    waitingPerCaller: Infinity,
    patienceMs,
    refuse: () => new Error('A load waits for its turn without end'),
  });
  private readonly loads = new Set<Load>();

  /** The load that has its turn; null if there is none. */
  get going(): { graphId: number; bytes: number } | null {
    return [...this.loads].find(({ leave }) => leave) ?? null;
  }

  /** Requests a turn for a load. Calls `begin` when the load may begin. */
  ask(question: { by: Owner; asked: number; graphId: number; caller: string }, begin: () => void): void {
    const load: Load = { ...question, bytes: 0, gone: new AbortController(), leave: null };
    this.loads.add(load);
    this.turns.enter({ caller: question.caller, signal: load.gone.signal }).then(
      leave => {
        // The thread of this load may have ended while it waited.
        if (!this.loads.has(load)) return leave();
        load.leave = leave;
        begin();
      },
      () => undefined,
    );
  }

  grow(by: Owner, asked: number, bytes: number): void {
    for (const load of this.of(by, asked)) load.bytes = bytes;
  }

  end(by: Owner, asked: number): void {
    for (const load of this.of(by, asked)) this.remove(load);
  }

  /** Removes the loads of a thread that has ended, and ends the turn that one of them had. */
  ended(by: Owner): void {
    for (const load of [...this.loads]) if (load.by === by) this.remove(load);
  }

  private of(by: Owner, asked: number): Load[] {
    return [...this.loads].filter(load => load.by === by && load.asked === asked);
  }

  private remove(load: Load): void {
    this.loads.delete(load);
    load.gone.abort();
    load.leave?.();
  }
}
