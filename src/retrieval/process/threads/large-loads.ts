import { FairShare } from '../../../common/turns/fair-share.js';
import { type Owner } from './shared-parts.js';

/** A load waits for its turn as long as it takes: the queries that wait for it have time-outs. */
const patienceMs = 2_147_483_647;

interface Load {
  by: Owner;
  /** The number of the question of its thread. */
  asked: number;
  graphId: number;
  bytes: number;
  gone: AbortController;
  leave: (() => void) | null;
}

/** The large loads of all threads: one at a time, of each caller in turn, since what a load takes is counted when it has taken it. */
export class LargeLoads {
  private readonly turns = new FairShare({
    places: 1,
    waitingPerCaller: Infinity,
    patienceMs,
    refuse: () => new Error('A load waits for its turn without end'),
  });
  private readonly loads = new Set<Load>();

  /** The load that is going on. */
  get going(): { graphId: number; bytes: number } | null {
    return [...this.loads].find(({ leave }) => leave) ?? null;
  }

  /** Calls `begin` when the load may go on. */
  ask(question: { by: Owner; asked: number; graphId: number; caller: string }, begin: () => void): void {
    const load: Load = { ...question, bytes: 0, gone: new AbortController(), leave: null };
    this.loads.add(load);
    this.turns.enter({ caller: question.caller, signal: load.gone.signal }).then(
      leave => {
        // Its thread may have ended with the load before it.
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

  /** A thread has ended. */
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
