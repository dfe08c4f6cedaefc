import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sever } from './sever-connection.js';

export interface PulseTimes {
  /** Between two beats while the server answers. */
  everyMs: number;
  /** How long one beat may take before the server counts as lost. */
  patienceMs: number;
  /** Between two attempts while it is lost, and how long each may take. */
  retryEveryMs: number;
  retryPatienceMs: number;
}

/** A hang is known after 5 s at the latest, the return of the server after 1.2 s. */
const usualTimes: PulseTimes = { everyMs: 1_000, patienceMs: 4_000, retryEveryMs: 200, retryPatienceMs: 1_000 };

/** The server speaks, but lets nobody in yet or any more: starting up, recovering, shutting down. */
const notServing = '57P03';

/**
 * Asks the server every second, on a connection of its own, whether it still answers. TCP does not tell: a host that hangs or
 * a network that drops packets looks like a long statement for a quarter of an hour, and pg waits without a bound.
 */
export class DatabasePulse {
  private up = true;
  private stopped = false;
  private client: pg.Client | null = null;

  constructor(
    private readonly url: string,
    private readonly onChange: (isUp: boolean, cause: unknown) => void,
    private readonly times: PulseTimes = usualTimes,
  ) {}

  /** True until the first beat is missed. */
  get isUp(): boolean {
    return this.up;
  }

  start(): void {
    void this.run();
  }

  stop(): void {
    this.stopped = true;
    if (this.client) sever(this.client);
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      try {
        await this.connect();
      } catch (error) {
        if (this.stopped) return;
        this.note(isRefusalBySpeech(error), error);
        await sleep(this.up ? this.times.everyMs : this.times.retryEveryMs, undefined, { ref: false });
        continue;
      }
      await this.beatUntilLost();
    }
  }

  private async connect(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url, application_name: 'graph-service pulse', keepAlive: true });
    client.on('error', () => undefined);
    this.client = client;
    try {
      await this.bounded(client.connect());
    } catch (error) {
      sever(client);
      throw error;
    }
  }

  /** Ends when the connection does. Whether the server has gone with it is for the next attempt to say. */
  private async beatUntilLost(): Promise<void> {
    const client = this.client!;
    const gone = new AbortController();
    client.once('end', () => gone.abort());
    try {
      while (!this.stopped) {
        await this.bounded(client.query('SELECT 1'));
        this.note(true, null);
        await sleep(this.times.everyMs, undefined, { ref: false, signal: gone.signal });
      }
    } catch (error) {
      if (error instanceof MissedBeatError && !this.stopped) this.note(false, error);
    } finally {
      sever(client);
    }
  }

  private note(isUp: boolean, cause: unknown): void {
    if (isUp === this.up) return;
    this.up = isUp;
    this.onChange(isUp, cause);
  }

  /** @throws MissedBeatError when the answer does not come in time. */
  private async bounded<T>(answer: Promise<T>): Promise<T> {
    const patienceMs = this.up ? this.times.patienceMs : this.times.retryPatienceMs;
    let timer: NodeJS.Timeout | undefined;
    const missed = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        // After a long turn of our own event loop the timer comes before the answer that lies in the socket: that is read first.
        setImmediate(() => setImmediate(() => reject(new MissedBeatError(patienceMs))));
      }, patienceMs).unref();
    });
    try {
      return await Promise.race([answer, missed]);
    } finally {
      clearTimeout(timer);
    }
  }
}

class MissedBeatError extends Error {
  constructor(patienceMs: number) {
    super(`The database did not answer within ${patienceMs} ms`);
  }
}

/** An error with an SQLSTATE comes from a server that lives, such as `too many connections`. */
function isRefusalBySpeech(error: unknown): boolean {
  const { code, severity } = error as { code?: unknown; severity?: unknown };
  return typeof severity === 'string' && code !== notServing;
}
