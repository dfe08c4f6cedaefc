import { type Steps } from '../../text/steps.js';
import { inOneTurn } from './one-turn.js';

/** Milliseconds for which a piece of work may hold the event loop in one turn, and the most pieces of work that run in one turn. */
const heldMs = 5;
const mostInTurn = 2;

/** The pieces of work that wait for their next turn, first come first served. */
const waiting: (() => void)[] = [];
let called = 0;

/**
 * Waits for the next turn of the event loop that has room for this piece of work. All waiting work together takes some 10 ms of a turn, so
 * that other requests are served in between. `setImmediate` alone would run all waiting work in one turn.
 */
function nextTurn(): Promise<void> {
  return new Promise(resolve => {
    waiting.push(resolve);
    callNext();
  });
}

function callNext(): void {
  for (; called < Math.min(mostInTurn, waiting.length); called++) setImmediate(goOn);
}

function goOn(): void {
  called--;
  waiting.shift()?.();
  callNext();
}

/** Does the work in steps and yields the event loop between them. */
export function inTurns<T>(steps: Steps<T>, pace = new Pace()): Promise<T> {
  return turnByTurn(steps, pace, work => work());
}

/**
 * Does work on texts of a caller (mappings, SQL, formulas) in steps, and yields the event loop between them. A turn that takes too long is
 * ended.
 * @throws as `inOneTurn` does
 */
export function inLimitedTurns<T>(steps: Steps<T>, pace = new Pace()): Promise<T> {
  return turnByTurn(steps, pace, inOneTurn);
}

async function turnByTurn<T>(steps: Steps<T>, pace: Pace, take: <S>(turn: () => S) => S): Promise<T> {
  for (;;) {
    const step = take(() => stepsOfTurn(steps, pace));
    if (step.done) return step.value;
    await pace.turn();
  }
}

function stepsOfTurn<T>(steps: Steps<T>, pace: Pace): IteratorResult<undefined, T> {
  for (;;) {
    const step = steps.next();
    if (step.done || pace.isOverdue) return step;
  }
}

/** Applies `map` to each item, and yields the event loop on the way. */
export function mapInTurns<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  return inTurns(mapInSteps(items, map));
}

/**
 * Applies `map` to each item of a caller's text, and yields the event loop on the way. A turn that takes too long is ended.
 * @throws as `inOneTurn` does
 */
export function mapInLimitedTurns<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  return inLimitedTurns(mapInSteps(items, map));
}

function* mapInSteps<T, R>(items: readonly T[], map: (item: T) => R): Steps<R[]> {
  const made: R[] = [];
  for (const item of items) {
    made.push(map(item));
    yield;
  }
  return made;
}

/**
 * Makes long work yield. The work checks `isDue` at every point where it may pause. Once it has held the event loop for 5 ms, it waits for
 * another turn. `if (pace.isDue) await pace.turn()` costs a comparison in a loop that runs a million times.
 */
export class Pace {
  private since = performance.now();
  private asked = 0;

  /** @param signal ends the work at its next pause */
  constructor(private readonly signal?: AbortSignal) {}

  /** Whether the work should pause now. Reads the clock only every 64th time. */
  get isDue(): boolean {
    return (++this.asked & 63) === 0 && this.isOverdue;
  }

  /** Whether the work should pause now. Reads the clock every time, for pieces of work that each take long. */
  get isOverdue(): boolean {
    return performance.now() - this.since >= heldMs;
  }

  /** Waits for the next turn. @throws the signal's reason */
  async turn(): Promise<void> {
    await nextTurn();
    this.signal?.throwIfAborted();
    this.since = performance.now();
  }
}
