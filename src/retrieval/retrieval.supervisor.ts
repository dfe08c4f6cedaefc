import { type ChildProcess, fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type RetrievalStart } from './retrieval-start.js';
import { type ProcessAddress, type RetrievalProcess } from './retrieval-process.js';
import { RetrievalUnavailableError } from './retrieval.errors.js';

/** The settings with which the service starts a retrieval process of its own, either at once or, for tests, at the first call. */
export type OwnRetrieval = { entry: string; socketDirectory: string; startsAtFirstCall?: boolean } & Pick<
  RetrievalStart,
  'databaseUrl' | 'readUrl' | 'memoryMb' | 'threads' | 'answerMaxBytes' | 'snapshotDirectory' | 'logLevel'
>;

export class RetrievalOptions {
  constructor(readonly place: OwnRetrieval) {}
}

const startPatienceMs = 10_000;
/** Milliseconds after which a start of the process counts as failed. */
const longestStartMs = 60_000;
const firstPauseMs = 100;
const longestPauseMs = 30_000;
const stopPatienceMs = 3_000;

/**
 * Starts the retrieval process beside the API, restarts it 0.1 s after it dies, and stops it with the service. The pause grows, up
 * to 30 s, only while starts fail: if one caller's query ends a running process, others must not wait for it. An IPC channel ties
 * the two together, so that `kill -9` of one does not leave the other behind.
 */
@Injectable()
export class RetrievalSupervisor implements RetrievalProcess, OnApplicationBootstrap, OnApplicationShutdown {
  readonly name = 'own';
  readonly isOwn = true;
  private readonly log = new Logger('RetrievalSupervisor');
  private readonly socketPath: string;
  private child: ChildProcess | null = null;
  private state: 'starting' | 'listening' | 'down' | 'stopped' = 'down';
  private waiting: (() => void)[] = [];
  private readonly endListeners: (() => void)[] = [];
  private endWaiters: (() => void)[] = [];
  private starts = 0;
  private hangs = false;
  private ends = 0;
  private pauseMs = firstPauseMs;
  private restart: NodeJS.Timeout | null = null;

  constructor(private readonly options: RetrievalOptions) {
    // The name is short enough for a socket directory of 80 bytes: the path of a socket has at most 107. It is random, because containers
    // that share the directory may have the same process ids.
    this.socketPath = path.join(options.place.socketDirectory, `retrieval-${randomBytes(4).toString('hex')}.sock`);
  }

  onApplicationBootstrap(): void {
    if (!this.options.place.startsAtFirstCall) this.start(this.socketPath);
  }

  /** The id of our own process; null while it does not run. */
  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  /** A number that changes with every new process. */
  get generation(): number {
    return this.starts;
  }

  get isListening(): boolean {
    return this.state === 'listening';
  }

  get hasEnded(): boolean {
    return this.ends > 0;
  }

  /** Calls `listener` whenever our own process ends without having been told to. */
  onEnd(listener: () => void): void {
    this.endListeners.push(listener);
  }

  /** Waits until it is known whether the process has ended, which is reported a moment after its connections break. */
  async connectionBroke(patienceMs: number): Promise<void> {
    if (this.state !== 'listening') return;
    await new Promise<void>(resolve => {
      const patience = setTimeout(resolve, patienceMs);
      this.endWaiters.push(() => {
        clearTimeout(patience);
        resolve();
      });
    });
  }

  /** Handles a process that no longer answers. Our own process is killed, which works even if it is suspended, and started again. */
  markHanging(): void {
    if (this.hangs) return;
    this.log.error(
      this.child
        ? '检索进程没有响应，强制结束并重启 / the retrieval process does not answer: it is killed and started again'
        : '检索进程没有响应 / the retrieval process does not answer',
    );
    this.hangs = true;
    this.child?.kill('SIGKILL');
  }

  markAnswering(): void {
    this.hangs = false;
  }

  /**
   * Waits for a process that is being started, for at most `patienceMs`, by default 10 s.
   * @throws RetrievalUnavailableError while the process is down.
   */
  async address({ patienceMs = startPatienceMs, restart = false, evenIfHanging = false } = {}): Promise<ProcessAddress> {
    if (this.hangs && !evenIfHanging) throw new RetrievalUnavailableError();
    // A call without patience wants a process that already runs, so it starts none.
    if (this.starts === 0 && this.options.place.startsAtFirstCall && this.state === 'down' && patienceMs > 0) this.start(this.socketPath);
    if (this.state === 'starting' || (restart && this.state === 'down')) await this.settled(patienceMs);
    if (this.state !== 'listening') throw new RetrievalUnavailableError();
    return { socketPath: this.socketPath };
  }

  async onApplicationShutdown(): Promise<void> {
    this.state = 'stopped';
    if (this.restart) clearTimeout(this.restart);
    this.settle();
    const child = this.child;
    // From here on, messages of the stopped process are ignored, be it that it listens or that it has ended.
    this.child = null;
    if (child?.exitCode === null && child.signalCode === null) {
      const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      const impatient = setTimeout(() => child.kill('SIGKILL'), stopPatienceMs);
      await ended;
      clearTimeout(impatient);
    }
    await rm(this.socketPath, { force: true });
  }

  private start(listen: string): void {
    const { place } = this.options;
    this.starts++;
    this.hangs = false;
    let hasListened = false;
    const { databaseUrl, readUrl, memoryMb, threads, answerMaxBytes, snapshotDirectory, logLevel } = place;
    this.state = 'starting';
    // The settings hold secrets, so they go through the IPC channel: other users can read a process's arguments and environment.
    const heapMb = `--max-old-space-size=${Math.max(512, Math.round(memoryMb * 2))}`;
    const child = fork(place.entry, [], { execArgv: ['--enable-source-maps', heapMb], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.child = child;
    child.on('message', message => {
      if (message !== 'listening' || this.child !== child) return;
      this.state = 'listening';
      hasListened = true;
      clearTimeout(late);
      this.settle();
    });
    const late = setTimeout(() => child.kill('SIGKILL'), longestStartMs).unref();
    // Without a listener a failed start would end the API. The next attempt follows on `exit`, or in this listener if the process was never
    // created.
    child.on('error', error => {
      this.log.error(`检索进程出错 / retrieval process: ${error.message}`);
      // A process that could not be started never sends `exit`.
      if (child.pid === undefined) this.childEnded(child, listen, false, 'not started');
    });
    child.once('exit', (code, signal) => {
      clearTimeout(late);
      this.childEnded(child, listen, hasListened, signal ?? `code ${code}`);
    });
    // The process is stopped after the API's last request, so it does not wait for queries when it stops.
    const start: RetrievalStart = {
      databaseUrl,
      readUrl,
      listen,
      memoryMb,
      threads,
      answerMaxBytes,
      snapshotDirectory,
      logLevel,
      shutdownSeconds: 0,
      secrets: [databaseUrl, readUrl].filter(url => url !== undefined),
    };
    child.send(start, error => {
      if (error) child.kill('SIGKILL');
    });
  }

  private childEnded(child: ChildProcess, listen: string, hasListened: boolean, reason: string): void {
    if (this.state === 'stopped' || this.child !== child) return;
    this.state = 'down';
    this.ends++;
    this.child = null;
    for (const heard of [...this.endListeners, ...this.endWaiters.splice(0)]) heard();
    if (hasListened) this.pauseMs = firstPauseMs;
    this.log.warn(
      `检索进程结束（${reason}），${this.pauseMs} 毫秒后重启 / retrieval process ended (${reason}), restarting in ${this.pauseMs} ms`,
    );
    this.restart = setTimeout(() => this.start(listen), this.pauseMs);
    if (!hasListened) {
      this.settle();
      this.pauseMs = Math.min(this.pauseMs * 2, longestPauseMs);
    }
  }

  private settled(patienceMs: number): Promise<void> {
    return new Promise(resolve => {
      const patience = setTimeout(resolve, patienceMs);
      this.waiting.push(() => {
        clearTimeout(patience);
        resolve();
      });
    });
  }

  private settle(): void {
    for (const resume of this.waiting.splice(0)) resume();
  }
}
