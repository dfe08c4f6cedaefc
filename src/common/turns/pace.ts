import { type Steps } from '../../text/steps.js';
import { inOneTurn } from './one-turn.js';

/** The time that a piece of work holds the event loop in one turn, and how many pieces of the process go on in one turn. */
const heldMs = 5;
const mostInTurn = 2;

/** The work that waits for its next turn, first come first served. */
const waiting: (() => void)[] = [];
let called = 0;

/**
 * However much work waits, it takes some 10 ms of a turn of the event loop, so requests of others are served in between. `setImmediate`
 * alone would let all of it go on in one turn.
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
 * The same for what is made of the texts of a caller: mappings, SQL, formulas. Each turn is ended that takes too long.
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

/** Makes something of each item, in turns. */
export function mapInTurns<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  return inTurns(mapInSteps(items, map));
}

/** The same for texts of a caller. @throws as `inOneTurn` does */
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
 * Makes long work yield: it asks at every point where it may pause, and waits one turn of the event loop once it has held it for 5
 * ms. `if (pace.isDue) await pace.turn()` costs a comparison in a loop that runs a million times.
 */
export class Pace {
  private since = performance.now();
  private asked = 0;

  /** @param signal ends the work at its next pause */
  constructor(private readonly signal?: AbortSignal) {}

  /** Reads the clock only every 64th time. */
  get isDue(): boolean {
    return (++this.asked & 63) === 0 && this.isOverdue;
  }

  /** Reads the clock every time, for pieces that take long themselves. */
  get isOverdue(): boolean {
    return performance.now() - this.since >= heldMs;
  }

  /** @throws the signal's reason */
  async turn(): Promise<void> {
    await nextTurn();
    this.signal?.throwIfAborted();
    this.since = performance.now();
  }
}
