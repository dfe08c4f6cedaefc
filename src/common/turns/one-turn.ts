import vm from 'node:vm';
import { TurnEndedError, TurnTooLongError } from '../errors/common-errors.js';

/** Work that keeps to its turn holds the event loop for some 5 ms, and for 0.1 s in one go at most. */
const longestMs = 2_000;
/** Work may well have kept to its turn where the process had less of this time from the machine. */
const leastShare = 0.25;

/** The script finds the work under this name. Node ends a script, and what it calls, only by what the script itself runs. */
const name = 'graphServiceTurn';
const holder = globalThis as { [name]?: (() => unknown) | undefined };
const script = new vm.Script(`${name}()`);

const listeners: (() => void)[] = [];

/** Tells whenever a turn was ended, to those whose state may be as it was in the middle of their work. */
export function whenTurnEnds(listener: () => void): void {
  listeners.push(listener);
}

/** For work that cannot be done now since a turn was ended a moment ago. */
export function turnEnded(): Error {
  return new TurnEndedError();
}

/**
 * Does work that holds the event loop, and ends it after two seconds: nothing that a caller writes may hold up all others, for a
 * reason that nobody has thought of. The work is ended wherever it is, also in regular expressions, sorting and WebAssembly, and none of
 * its `catch` and `finally` run. So it must be of a kind that can be thrown away, and `AsyncLocalStorage.run` has no place in it. A turn
 * within a turn ends with the outer one. One costs some 0.1 ms.
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
    // All threads of the process count. That of the turn alone has a clock from Node 23.9 on.
    const { user, system } = process.cpuUsage(before);
    throw (user + system) / 1_000 < mostMs * leastShare ? new TurnEndedError() : new TurnTooLongError();
  } finally {
    holder[name] = undefined;
  }
}
