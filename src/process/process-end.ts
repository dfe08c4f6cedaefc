import { type Logger } from 'pino';

export interface EndOptions {
  log: Logger;
  /** Ends the work under way, and then closes everything else. */
  stop: () => Promise<void>;
  /** Drops all work and connections at once. It must not wait. */
  abandon: () => void;
  /** Milliseconds that `stop` may take. */
  boundMs: number;
}

/**
 * Milliseconds within which a second signal counts as the same key press. On Ctrl-C the process may get the signal twice: from the
 * terminal, and from `npm start`. A later signal means that the user wants to end at once.
 */
const samePressMs = 1_000;

/** Ends the process on SIGTERM and SIGINT: with exit code 0 after an orderly stop, with 1 after a forced one. */
export function endOnSignal({ log, stop, abandon, boundMs }: EndOptions): void {
  let startedAt: number | undefined;
  const force = (reason: string): never => {
    log.fatal(reason);
    abandon();
    process.exit(1);
  };
  const begin = (signal: NodeJS.Signals) => {
    if (startedAt !== undefined) {
      if (performance.now() - startedAt > samePressMs) force('A second signal: stopping at once');
      return;
    }
    startedAt = performance.now();
    log.info({ signal }, 'Stopping');
    setTimeout(() => force('Stopping takes too long: giving up'), boundMs).unref();
    stop().then(
      () => process.exit(0),
      (error: unknown) => {
        log.fatal({ cause: error }, 'Stopping failed');
        abandon();
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, begin);
}

/**
 * Logs an uncaught error once, with its stack, and ends the process. The state of the process is unknown, so a supervisor should start a
 * new one. Rejected promises are covered: Node raises them as exceptions.
 */
export function endOnFault(log: Logger, abandon: () => void): void {
  let ending = false;
  process.on('uncaughtException', (error, origin) => {
    if (ending) return;
    ending = true;
    log.fatal({ cause: error, origin }, 'Uncaught fault: the process ends');
    abandon();
    process.exit(1);
  });
}
