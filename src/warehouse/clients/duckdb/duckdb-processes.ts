import { DriverNotInstalledError } from '../../warehouse.errors.js';
import { DuckdbProcess } from './duckdb-process.js';

/** A process takes some 100 MB, and a quarter of a second to start. One is kept this long for the next work. */
const idleMs = 30_000;

/** Gives each piece of work a process for itself, so that ending one that takes too long harms no other. */
export class DuckdbProcesses {
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
    const taken = kept?.isAlive ? kept : await DuckdbProcess.start();
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

  /** Ends a process that was taken, whatever it is doing. */
  kill(process: DuckdbProcess): void {
    this.working.delete(process);
    process.kill();
  }

  /** Ends what is idle, and from now on whatever is given back. */
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
