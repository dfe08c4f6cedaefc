import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { sever } from './sever-connection.js';
import { sqlstates, sqlstateOf } from '../sql/sqlstate.js';

export interface PulseTimes {
  /** Milliseconds between two beats while the server answers. */
  everyMs: number;
  /** Milliseconds that one beat may take before the server counts as lost. */
  patienceMs: number;
  /** Milliseconds that one beat may take before a new connection is tried, and that this attempt may take. */
  doubtMs: number;
  /** Milliseconds between two attempts to connect while the server is lost, and milliseconds that each attempt may take. */
  retryEveryMs: number;
  retryPatienceMs: number;
}

/**
 * With these times a hang of the server is noticed after at most 4.5 s, and its return after 1.2 s. If open connections are lost while new
 * connections work, this is noticed after 1 s.
 */
const usualTimes: PulseTimes = { everyMs: 500, patienceMs: 4_000, doubtMs: 300, retryEveryMs: 200, retryPatienceMs: 1_000 };

/**
 * Asks the server twice a second, on a separate connection, whether it still answers. TCP does not report a host that hangs, or a network
 * that drops packets, for a quarter of an hour: until then it looks like a long statement, and pg waits without limit. A late beat has two
 * possible causes. A slow server needs patience. A network that has forgotten the open connections never recovers them, but the server
 * answers on a new connection.
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

  /** False from a missed beat until the server answers again. */
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

  /** Sends beats until the connection is lost. The next attempt to connect finds out whether the server is gone too. */
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

  /** Sends one beat. @throws MissedBeatError when no answer comes in time, or when a new connection gets an answer first. */
  private async beat(client: pg.Client): Promise<void> {
    const answered = new AbortController();
    try {
      await Promise.race([this.bounded(client.query('SELECT 1')), this.lostWay(answered.signal)]);
    } finally {
      answered.abort();
    }
  }

  /**
   * Rejects once the open connection counts as lost: the server has answered on a new connection, and the open one has stayed silent for
   * another half of `doubtMs`.
   */
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
      // Connecting is not enough, so a statement is sent: a pooler accepts logins by itself while the server behind it is slow.
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

/** Waits for an answer. @throws MissedBeatError when the answer does not come in time. */
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

/**
 * Lets the event loop read sockets first. After a long turn of the event loop, a timer would otherwise fire before an answer that has
 * already arrived is read.
 */
async function pollOnce(): Promise<void> {
  await immediate();
  await immediate();
}

class MissedBeatError extends Error {
  constructor(what: string) {
    super(`The database ${what}`);
  }
}

/** Whether an error was sent by a server that is alive: it has a severity and a SQLSTATE, such as that of `too many connections`. */
function isRefusalBySpeech(error: unknown): boolean {
  const { severity } = error as { severity?: unknown };
  // A server that is starting up, recovering or shutting down answers, but accepts no login.
  return typeof severity === 'string' && sqlstateOf(error) !== sqlstates.cannotConnectNow;
}
