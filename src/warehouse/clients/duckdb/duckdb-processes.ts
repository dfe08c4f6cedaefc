import { DriverNotInstalledError } from '../../warehouse.errors.js';
import { LRUCache } from 'lru-cache';
import { DuckdbProcess, type KnownReaders } from './duckdb-process.js';

/** Time in ms for which one idle process is kept. A process takes some 100 MB of memory, and a quarter of a second to start. */
const idleMs = 30_000;

/** Gives each piece of work a process of its own, so that killing a process that takes too long harms no other work. */
export class DuckdbProcesses {
  /** Bounded by the total number of characters, because all readers are sent to the process with each piece of work. */
  private readonly readers: KnownReaders = new LRUCache({
    maxSize: 200_000,
    sizeCalculation: (reader, version) => reader.length + version.length,
  });
  private readonly working = new Set<DuckdbProcess>();
  private idle: DuckdbProcess | null = null;
  private idleTimer: NodeJS.Timeout | undefined;
  private isRetired = false;

  /** @throws DriverNotInstalledError */
  async loadDriver(): Promise<void> {
    this.giveBack(await this.take());
  }

  /** @throws DriverNotInstalledError, ProcessEndedError */
  async take(): Promise<DuckdbProcess> {
    const kept = this.idle;
    this.idle = null;
    clearTimeout(this.idleTimer);
    if (kept?.isAlive) kept.setIdle(false);
    const taken = kept?.isAlive ? kept : await DuckdbProcess.start(this.readers);
    if (!taken) throw new DriverNotInstalledError('duckdb', '@duckdb/node-api', undefined);
    this.working.add(taken);
    return taken;
  }

  giveBack(process: DuckdbProcess): void {
    if (!this.working.delete(process) || !process.isAlive) return;
    if (this.isRetired) return process.kill();
    this.idle?.kill();
    clearTimeout(this.idleTimer);
    this.idle = process;
    process.setIdle(true);
    this.idleTimer = setTimeout(() => this.endIdle(), idleMs).unref();
  }

  /** Kills a process that `take` has returned, even in the middle of work. */
  kill(process: DuckdbProcess): void {
    this.working.delete(process);
    process.kill();
  }

  /** Kills the idle process, and from now on each process that is given back. */
  retire(): void {
    this.isRetired = true;
    this.endIdle();
  }

  close(): void {
    for (const process of this.working) process.kill();
    this.endIdle();
  }

  private endIdle(): void {
    clearTimeout(this.idleTimer);
    this.idle?.kill();
    this.idle = null;
  }
}
