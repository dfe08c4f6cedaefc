import { type ChildProcess, fork } from 'node:child_process';
import { type Readable, Transform } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { builtFile } from '../../../common/built-file.js';
import { type LRUCache } from 'lru-cache';
import {
  type Failure,
  type FileSource,
  type Outcome,
  outOfMemorySignal,
  type Reply,
  type Row,
  type RowsAnswer,
  type Work,
} from './protocol.js';

/** The SQL that reads a text file, by the file and its version (see `Readers`). */
export type KnownReaders = LRUCache<string, string>;

const longestStartMs = 20_000;
/**
 * Failures after which the process is killed, because rows are still unread. DuckDB keeps the file open until all rows are read, which
 * keeps other programs from writing it.
 */
const unread: ReadonlySet<Failure['code']> = new Set(['too_large', 'unreadable_value']);

/** Work that the process reported as failed. */
export class FailedWorkError extends Error {
  constructor(readonly failure: Failure) {
    super(failure.message);
  }
}

/** The DuckDB process ended before its work was done. */
export class ProcessEndedError extends Error {
  constructor(readonly isOutOfMemory: boolean) {
    super('the DuckDB process ended');
  }
}

/**
 * A process that runs DuckDB and does one piece of work at a time. It inherits no environment variable of the service, and so no secret.
 */
export class DuckdbProcess {
  private readonly child: ChildProcess;
  private waiting: { resolve: (reply: Reply) => void; reject: (error: Error) => void } | null = null;
  private end: ProcessEndedError | null = null;
  private isKilled = false;
  /** Rows that the current work has sent so far. */
  private rowsSoFar: Row[][] = [];

  /** @param readers the SQL readers that earlier work has found, shared by all processes of the connection */
  private constructor(private readonly readers: KnownReaders) {
    this.child = fork(fileURLToPath(builtFile(import.meta.url, './process/main.js')), [], {
      execArgv: ['--max-old-space-size=128'],
      // The environment is empty; Node adds the variables that Windows needs to start a process.
      env: {},
      serialization: 'advanced',
      stdio: ['ignore', 'pipe', 'ignore', 'ipc'],
    });
    this.child.on('message', (reply: Reply) => {
      if ('rows' in reply) return void this.rowsSoFar.push(reply.rows);
      const waiting = this.waiting;
      this.waiting = null;
      waiting?.resolve(reply);
    });
    this.child.once('exit', (_code, signal) => this.ended(signal));
    this.child.once('error', () => this.ended(null));
  }

  /** Starts a process. @returns null if the DuckDB driver is not installed */
  static async start(readers: KnownReaders): Promise<DuckdbProcess | null> {
    const started = new DuckdbProcess(readers);
    const late = setTimeout(() => started.kill(), longestStartMs);
    try {
      const reply = await started.reply();
      if (!('noDriver' in reply)) return started;
      started.kill();
      return null;
    } finally {
      clearTimeout(late);
    }
  }

  get isAlive(): boolean {
    return this.end === null && !this.isKilled;
  }

  get pid(): number | undefined {
    return this.child.pid;
  }

  /** @throws FailedWorkError, ProcessEndedError */
  async do(source: FileSource, work: Work): Promise<unknown> {
    const reply = this.reply();
    this.rowsSoFar = [];
    this.child.send({ source, work, known: Object.fromEntries(this.readers.entries()) }, error => {
      if (error) this.kill();
    });
    const answer = (await reply) as Outcome;
    for (const [version, reader] of Object.entries(answer.found)) this.readers.set(version, reader);
    if ('failed' in answer) {
      if (unread.has(answer.failed.code)) this.kill();
      throw new FailedWorkError(answer.failed);
    }
    const done = answer.done as object;
    return this.rowsSoFar.length === 0 ? done : { ...done, rows: this.rowsSoFar.flat() };
  }

  /**
   * Streams the bytes of one piece of work of the kind `rows`. The process waits while nobody reads the stream. The stream fails with the
   * errors of `do`.
   */
  rows(source: FileSource, work: Work & { do: 'rows' }): Readable {
    let received = 0;
    let total: number | null = null;
    const stdout = this.child.stdout!;
    const endIfComplete = (): void => {
      if (received !== total) return;
      stdout.unpipe(rows);
      rows.end();
    };
    const rows = new Transform({
      transform: (chunk: Buffer, _, done) => {
        received += chunk.length;
        done(null, chunk);
        endIfComplete();
      },
    });
    stdout.pipe(rows, { end: false });
    this.do(source, work).then(
      done => {
        total = (done as RowsAnswer).bytes;
        endIfComplete();
      },
      (error: Error) => rows.destroy(error),
    );
    return rows;
  }

  /** Kills the process with SIGKILL: native code ignores every other signal while it works. */
  kill(): void {
    this.isKilled = true;
    this.child.kill('SIGKILL');
  }

  /** Marks the process as idle or busy. An idle process must not keep the service from stopping. */
  setIdle(isIdle: boolean): void {
    const of = isIdle ? 'unref' : 'ref';
    this.child[of]();
    this.child.channel?.[of]();
    (this.child.stdout as unknown as { ref(): void; unref(): void })[of]();
  }

  private reply(): Promise<Reply> {
    return new Promise((resolve, reject) => {
      if (this.end) reject(this.end);
      else this.waiting = { resolve, reject };
    });
  }

  private ended(signal: NodeJS.Signals | null): void {
    this.end ??= new ProcessEndedError(signal === outOfMemorySignal);
    this.waiting?.reject(this.end);
    this.waiting = null;
  }
}
