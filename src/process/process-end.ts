import { type Logger } from 'pino';

export interface EndOptions {
  log: Logger;
  /** Ends what is under way, then everything else. */
  stop: () => Promise<void>;
  /** Lets go of everything at once; must not wait. */
  abandon: () => void;
  /** How long `stop` may take. */
  boundMs: number;
}

/**
 * `npm start` passes Ctrl-C on to a process that has got it from the terminal already: what comes this soon is the same key
 * press, and only a later signal means that somebody has lost patience.
 */
const samePressMs = 1_000;

/** Ends the process on SIGTERM and SIGINT: with 0 when it stopped in order, with 1 when it was forced to. */
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
 * A fault nobody caught leaves the process in a state nobody knows: it is logged once, with its stack, and ends the process,
 * so that whoever supervises it starts a new one. Covers rejected promises too: Node raises them as exceptions.
 */
export function endOnFault(log: Logger, abandon: () => void): void {
  let ending = false;
  process.on('uncaughtException', (error, origin) => {
    if (ending) return;
    ending = true;
    log.fatal({ cause: error, origin }, 'A fault that nobody caught: the process ends');
    abandon();
    process.exit(1);
  });
}
