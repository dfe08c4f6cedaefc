import vm from 'node:vm';
import { TurnEndedError, TurnTooLongError } from '../errors/common-errors.js';

/** Milliseconds after which work in one turn is ended. Normal work holds the event loop for some 5 ms, and for 0.1 s in one go at most. */
const longestMs = 2_000;
/** If the process got less CPU time than this share of the elapsed time, the machine was busy, and the work itself may not be too long. */
const leastShare = 0.25;

/** The script finds the work in this global variable. Node can end only a script, with everything that the script calls. */
const name = 'graphServiceTurn';
const holder = globalThis as { [name]?: (() => unknown) | undefined };
const script = new vm.Script(`${name}()`);

const listeners: (() => void)[] = [];

/**
 * Calls `listener` whenever a turn was ended. The ended code may have left its module's state half changed, so the listener resets that
 * state.
 */
export function whenTurnEnds(listener: () => void): void {
  listeners.push(listener);
}

/** The error for work that cannot be done now because a turn was ended a moment ago. */
export function turnEnded(): Error {
  return new TurnEndedError();
}

/**
 * Does work that holds the event loop, and ends it after two seconds, so that no text of a caller can hold up all others, even through a
 * weakness that is not known yet. The work is ended wherever it is, even in regular expressions, sorting and WebAssembly, and none of its
 * `catch` and `finally` blocks run. So the work must be of a kind that can be thrown away, and it must not use `AsyncLocalStorage.run`. A
 * turn within a turn ends with the outer turn. A turn costs some 0.1 ms.
 * @throws TurnTooLongError; TurnEndedError when the machine has not let the process work; what the work throws
 */
export function inOneTurn<T>(work: () => T, mostMs = longestMs): T {
  if (holder[name]) return work();
  const before = process.cpuUsage();
  holder[name] = work;
  try {
    return script.runInThisContext({ timeout: mostMs, displayErrors: false }) as T;
  } catch (error) {
    if ((error as NodeJS.ErrnoException | null)?.code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw error;
    for (const listener of listeners) listener();
    // The time of all threads of the process is counted. Only from Node 23.9 on can the CPU time of a single thread be read.
    const { user, system } = process.cpuUsage(before);
    throw (user + system) / 1_000 < mostMs * leastShare ? new TurnEndedError() : new TurnTooLongError();
  } finally {
    holder[name] = undefined;
  }
}
