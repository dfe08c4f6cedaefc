import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Steps } from '../../text/steps.js';

/** Eight pieces of work that hold the event loop this long each in one turn still leave it within 50 ms. */
const HELD_MS = 5;

/** Does the work in turns, so that the event loop is left in between. */
export async function inTurns<T>(steps: Steps<T>, pace = new Pace()): Promise<T> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (pace.isOverdue) await pace.turn();
  }
}

/**
 * Lets long work give way: it asks wherever it may pause, and waits a turn of the event loop once it has held it for 5 ms.
 * `if (pace.isDue) await pace.turn()` costs a comparison in a loop that runs a million times.
 */
export class Pace {
  private since = performance.now();
  private asked = 0;

  /** @param signal ends the work at its next pause */
  constructor(private readonly signal?: AbortSignal) {}

  /** The clock is read every 64th time only. */
  get isDue(): boolean {
    return (++this.asked & 63) === 0 && this.isOverdue;
  }

  /** For pieces that take long themselves. */
  get isOverdue(): boolean {
    return performance.now() - this.since >= HELD_MS;
  }

  /** @throws the signal's reason */
  async turn(): Promise<void> {
    await nextTurn();
    this.signal?.throwIfAborted();
    this.since = performance.now();
  }
}
