import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sever } from './sever-connection.js';
import { SQLSTATE, sqlstateOf } from '../sql/sqlstate.js';

export interface PulseTimes {
  /** Between two beats while the server answers. */
  everyMs: number;
  /** How long one beat may take before the server counts as lost. */
  patienceMs: number;
  /** How long one beat may take before new connections are tried as well, and what such an attempt may take. */
  doubtMs: number;
  /** Between two attempts while it is lost, and how long each may take. */
  retryEveryMs: number;
  retryPatienceMs: number;
}

/**
 * A hang is known after 4.5 s at the latest, the return of the server after 1.2 s, and that open connections are lost while new
 * ones are not after 1 s.
 */
const usualTimes: PulseTimes = { everyMs: 500, patienceMs: 4_000, doubtMs: 300, retryEveryMs: 200, retryPatienceMs: 1_000 };

/**
 * Asks the server twice a second, on a connection of its own, whether it still answers. TCP does not tell: a host that hangs
 * or a network that drops packets looks like a long statement for a quarter of an hour, and pg waits without a bound. A beat
 * that is late may mean a server that is slow, which takes patience, or a way that has forgotten the connections that were
 * open, which no patience brings back: then the server answers on a new one.
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
        await this.beat(client);
        this.note(true, null);
        await sleep(this.times.everyMs, undefined, { ref: false, signal: gone.signal });
      }
    } catch (error) {
      if (error instanceof MissedBeatError && !this.stopped) this.note(false, error);
    } finally {
      sever(client);
    }
  }

  /** @throws MissedBeatError when no answer comes in time, or when one comes on a new connection first. */
  private async beat(client: pg.Client): Promise<void> {
    const answered = new AbortController();
    try {
      await Promise.race([this.bounded(client.query('SELECT 1')), this.lostWay(answered.signal)]);
    } finally {
      answered.abort();
    }
  }

  /** Rejects once the server has answered on a new connection, and half as long as this one was in doubt has passed since. */
  private async lostWay(answered: AbortSignal): Promise<never> {
    for (;;) {
      await sleep(this.times.doubtMs, undefined, { ref: false });
      const isReachable = !answered.aborted && (await this.answersAnew());
      if (isReachable) await sleep(this.times.doubtMs / 2, undefined, { ref: false }).then(pollOnce);
      if (isReachable || answered.aborted) throw new MissedBeatError('answers on a new connection, but not on those that were open');
    }
  }

  private async answersAnew(): Promise<boolean> {
    const client = new pg.Client({ connectionString: this.url, application_name: 'graph-service pulse' });
    client.on('error', () => undefined);
    try {
      // A statement too: a pooler lets in by itself while the server behind it is slow.
      await within(
        this.times.doubtMs,
        client.connect().then(() => client.query('SELECT 1')),
      );
      return true;
    } catch {
      return false;
    } finally {
      sever(client);
    }
  }

  private note(isUp: boolean, cause: unknown): void {
    if (isUp === this.up) return;
    this.up = isUp;
    this.onChange(isUp, cause);
  }

  private bounded<T>(answer: Promise<T>): Promise<T> {
    return within(this.up ? this.times.patienceMs : this.times.retryPatienceMs, answer);
  }
}

/** @throws MissedBeatError when the answer does not come in time. */
async function within<T>(patienceMs: number, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const missed = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      void pollOnce().then(() => reject(new MissedBeatError(`did not answer within ${patienceMs} ms`)));
    }, patienceMs).unref();
  });
  try {
    return await Promise.race([answer, missed]);
  } finally {
    clearTimeout(timer);
  }
}

/** After a long turn of our own event loop a timer comes before the answer that lies in the socket: that is read first. */
async function pollOnce(): Promise<void> {
  await immediate();
  await immediate();
}

class MissedBeatError extends Error {
  constructor(what: string) {
    super(`The database ${what}`);
  }
}

/** An error with an SQLSTATE comes from a server that lives, such as `too many connections`. */
function isRefusalBySpeech(error: unknown): boolean {
  const { severity } = error as { severity?: unknown };
  // A server that is starting up, recovering or shutting down speaks, but lets nobody in.
  return typeof severity === 'string' && sqlstateOf(error) !== SQLSTATE.cannotConnectNow;
}
