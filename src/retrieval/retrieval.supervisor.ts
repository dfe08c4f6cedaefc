import { type ChildProcess, fork } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { Injectable, Logger, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type RetrievalStart } from './retrieval-start.js';
import { RetrievalUnavailableError } from './retrieval.errors.js';

/** How the retrieval process is reached: one deployed apart by its URL, or one of our own by what it takes to start it. */
export type RetrievalPlace =
  | { url: string }
  | ({ entry: string; socketDirectory: string } & Pick<RetrievalStart, 'databaseUrl' | 'memoryMb' | 'answerMaxBytes' | 'logLevel'>);

export class RetrievalOptions {
  constructor(readonly place: RetrievalPlace) {}
}

const START_PATIENCE_MS = 10_000;
const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 30_000;
/** A process that lived this long was well: the next pause is the first again. */
const WELL_AFTER_MS = 30_000;
const STOP_PATIENCE_MS = 3_000;

/**
 * Starts the retrieval process beside the API, starts it again when it dies (after 0.1 s, then twice as long each time up to
 * 30 s) and stops it with the service. The two are tied by an IPC channel, so that neither `kill -9` leaves the other behind.
 */
@Injectable()
export class RetrievalSupervisor implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly log = new Logger('RetrievalSupervisor');
  private readonly socketPath: string | null;
  private child: ChildProcess | null = null;
  private state: 'starting' | 'listening' | 'down' | 'stopped' = 'down';
  private waiting: (() => void)[] = [];
  private pauseMs = FIRST_PAUSE_MS;
  private restart: NodeJS.Timeout | null = null;

  constructor(private readonly options: RetrievalOptions) {
    const { place } = options;
    // Short enough for a socket directory of 80 bytes: a path has at most 107.
    this.socketPath = 'url' in place ? null : path.join(place.socketDirectory, `retrieval-${process.pid}.sock`);
  }

  onApplicationBootstrap(): void {
    if (this.socketPath !== null) this.start(this.socketPath);
  }

  /** The id of our own process while it runs. */
  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  /**
   * Where to connect. While the process is being started for the first time this waits for it, for 10 s at most.
   * @throws RetrievalUnavailableError while it is down.
   */
  async address(): Promise<{ socketPath: string } | { host: string; port: string }> {
    const { place } = this.options;
    if ('url' in place) {
      const { hostname, port } = new URL(place.url);
      return { host: hostname.replace(/^\[|\]$/g, ''), port: port || '80' };
    }
    if (this.state === 'starting') await this.settled();
    if (this.state !== 'listening' || this.socketPath === null) throw new RetrievalUnavailableError();
    return { socketPath: this.socketPath };
  }

  async onApplicationShutdown(): Promise<void> {
    this.state = 'stopped';
    if (this.restart) clearTimeout(this.restart);
    this.settle();
    const child = this.child;
    // What it still says, that it listens or has ended, is no news any more.
    this.child = null;
    if (child?.exitCode === null && child.signalCode === null) {
      const ended = new Promise<void>(resolve => child.once('exit', () => resolve()));
      child.kill('SIGTERM');
      const impatient = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
      await ended;
      clearTimeout(impatient);
    }
    if (this.socketPath !== null) await rm(this.socketPath, { force: true });
  }

  private start(listen: string): void {
    const { place } = this.options;
    if ('url' in place) return;
    const startedAt = Date.now();
    const { databaseUrl, memoryMb, answerMaxBytes, logLevel } = place;
    this.state = 'starting';
    // Secrets go through the channel: arguments and environment can be read by others.
    const heapMb = `--max-old-space-size=${Math.max(512, Math.round(memoryMb * 2))}`;
    const child = fork(place.entry, [], { execArgv: ['--enable-source-maps', heapMb], stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
    this.child = child;
    child.on('message', message => {
      if (message !== 'listening' || this.child !== child) return;
      this.state = 'listening';
      this.settle();
    });
    // Without a listener a failed start would end the API; `exit` or the missing process leads to the next attempt.
    child.on('error', error => this.log.error(`检索进程出错 / retrieval process: ${error.message}`));
    child.once('exit', (code, signal) => this.ended(child, listen, startedAt, signal ?? `code ${code}`));
    // Stopped after the API's last request, it has nothing to wait for.
    const start: RetrievalStart = { databaseUrl, listen, memoryMb, answerMaxBytes, logLevel, shutdownSeconds: 0, secrets: [databaseUrl] };
    child.send(start, error => {
      if (error) child.kill('SIGKILL');
    });
  }

  private ended(child: ChildProcess, listen: string, startedAt: number, reason: string): void {
    if (this.state === 'stopped' || this.child !== child) return;
    this.state = 'down';
    this.child = null;
    this.settle();
    if (Date.now() - startedAt > WELL_AFTER_MS) this.pauseMs = FIRST_PAUSE_MS;
    this.log.warn(
      `检索进程结束（${reason}），${this.pauseMs} 毫秒后重启 / retrieval process ended (${reason}), restarting in ${this.pauseMs} ms`,
    );
    this.restart = setTimeout(() => this.start(listen), this.pauseMs);
    this.pauseMs = Math.min(this.pauseMs * 2, LONGEST_PAUSE_MS);
  }

  private settled(): Promise<void> {
    return new Promise(resolve => {
      const patience = setTimeout(resolve, START_PATIENCE_MS);
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
