import { readdir, realpath } from 'node:fs/promises';
import path from 'node:path';
import { Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { DiskReserveError } from '../common/errors/common-errors.js';
import { Settings } from '../config/settings.js';
import { sqlstates, sqlstateOf } from '../sql/sqlstate.js';
import { reserveOf, roomOf } from './disk-room.js';
import { isServerOf, signal } from './embedded/former-server.js';

const lookEveryMs = 100;
const smallBytes = 16 * 1024;
/**
 * The milliseconds within which a statement fails after it was ended for the reserve. A cancellation that is reported later has another
 * cause.
 */
const reportedWithinMs = 2_000;
/**
 * While the disk lacks room, the listener of `onLack` is called this often, in milliseconds. It has the embedded server run a checkpoint,
 * which frees write-ahead log, so that small writes do not use up the reserve.
 */
const tellEveryMs = 30_000;

/**
 * Keeps a reserve of free space on the disk of DATA_DIR. While less is free, large writes are refused, large writes under way are ended,
 * and statements of the embedded server that sort on disk are ended. This process cannot measure the disk of an external database, so with
 * such a database the reserve is kept only if a setting asks for it.
 */
@Injectable()
export class DiskReserve implements OnApplicationBootstrap, OnApplicationShutdown {
  /** The reason why nothing large may be written now; null while there is room. */
  lack: DiskReserveError | null = null;

  private readonly writers = new Set<(lack: DiskReserveError) => void>();
  private readonly directory: string;
  private readonly isKept: boolean;
  private timer: NodeJS.Timeout | undefined;
  private looking: Promise<void> | null = null;
  private sortsEnded = { at: -Infinity, lack: null as DiskReserveError | null };
  private toldAt = -Infinity;
  private onLacks: () => void = () => undefined;

  constructor(private readonly settings: Settings) {
    this.directory = path.resolve(settings.dataDirectory);
    this.isKept = settings.databaseUrl === undefined || settings.diskReserveMb !== undefined;
  }

  onApplicationBootstrap(): void {
    if (this.isKept) this.timer = setInterval(() => void this.look(), lookEveryMs).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Sets the function that is called as soon as the disk lacks room, and again every {@link tellEveryMs} while it does. */
  onLack(listener: () => void): void {
    this.onLacks = listener;
  }

  /** Measures the room, then refuses large writes if there is too little. @throws DiskReserveError */
  async require(): Promise<void> {
    await this.look();
    this.requireNow();
  }

  /** Like `requireNow`, for one record of `bytes` bytes. Records of up to 16 KiB are always allowed. @throws DiskReserveError */
  requireFor(bytes: number): void {
    if (!this.hasRoomFor(bytes)) this.requireNow();
  }

  /** False for a record that `requireFor` refuses. */
  hasRoomFor(bytes: number): boolean {
    return bytes <= smallBytes || this.lack === null;
  }

  /** Refuses large writes if the last measurement found too little room; measures nothing itself. @throws DiskReserveError */
  requireNow(): void {
    if (this.lack) throw this.lack;
  }

  /**
   * Runs work that writes much, and ends it if the disk runs out of room.
   * @param end stops the work, which then rejects. It is called repeatedly until the work ends, because a cancellation may arrive between
   * two statements.
   * @throws DiskReserveError instead of the failure of work that was ended
   */
  async guard<T>(end: () => void, work: () => Promise<T>): Promise<T> {
    let lack: DiskReserveError | undefined;
    const writer = (reason: DiskReserveError): void => {
      lack ??= reason;
      end();
    };
    this.writers.add(writer);
    try {
      return await work();
    } catch (error) {
      throw lack ?? error;
    } finally {
      this.writers.delete(writer);
    }
  }

  /**
   * Returns the DiskReserveError for the error of a statement that was ended because it sorted on disk. Returns any other error unchanged.
   */
  explain(error: unknown): unknown {
    // The end of the statement may have freed space, so the reason is taken from `sortsEnded` instead of `this.lack`.
    const { at, lack } = this.sortsEnded;
    const isEnded = sqlstateOf(error) === sqlstates.queryCanceled && performance.now() - at < reportedWithinMs;
    return isEnded ? (lack ?? error) : error;
  }

  /**
   * Measures the room. Callers during a measurement share its result, so that only one measurement of a slow disk runs at a time. Never
   * rejects.
   */
  private look(): Promise<void> {
    this.looking ??= this.lookNow().finally(() => (this.looking = null));
    return this.looking;
  }

  private async lookNow(): Promise<void> {
    const { databaseUrl, diskReserveMb } = this.settings;
    const room = this.isKept ? await roomOf(this.directory) : null;
    const reserve = room === null ? 0 : reserveOf(room, diskReserveMb);
    this.lack = room !== null && room.freeBytes < reserve ? new DiskReserveError(room.freeBytes, reserve) : null;
    if (!this.lack) return;
    for (const writer of [...this.writers]) writer(this.lack);
    if (performance.now() - this.toldAt >= tellEveryMs) {
      this.toldAt = performance.now();
      this.onLacks();
    }
    if (databaseUrl === undefined) await this.endSorts();
  }

  /**
   * Ends the server processes that sort on disk, on Linux only. Other systems do not show whether a process id still belongs to the server:
   * the process may have ended and another program may have its id.
   */
  private async endSorts(): Promise<void> {
    const cluster = await realpath(path.join(this.directory, 'postgres')).catch(() => null);
    const files = cluster === null ? [] : await readdir(path.join(cluster, 'base', 'pgsql_tmp')).catch(() => []);
    for (const pid of new Set(files.map(name => Number(/^pgsql_tmp(\d+)\./.exec(name)?.[1])))) {
      if (!isServerOf(cluster!, pid)) continue;
      this.sortsEnded = { at: performance.now(), lack: this.lack };
      signal(pid, 'SIGINT');
    }
  }
}
