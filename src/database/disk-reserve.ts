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
/** A statement that was ended for the reserve reports it within this time. */
const reportedWithinMs = 2_000;
/** While the disk lacks room, the server empties its log this often, so that small writes do not use the reserve up. */
const tellEveryMs = 30_000;

/**
 * Keeps a reserve of the disk of DATA_DIR free. While less is free, large writes are refused, those under way are ended, and so are
 * statements that the embedded server has begun to sort on disk. A database elsewhere has a disk that nobody here sees, so beside it
 * the reserve is kept only if a setting gives it.
 */
@Injectable()
export class DiskReserve implements OnApplicationBootstrap, OnApplicationShutdown {
  /** The reason to write nothing large now; null while there is room. */
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

  /** Calls the listener as soon as the disk lacks room, and every {@link tellEveryMs} while that lasts. */
  onLack(listener: () => void): void {
    this.onLacks = listener;
  }

  /** @throws DiskReserveError */
  async require(): Promise<void> {
    await this.look();
    this.requireNow();
  }

  /**
   * As `requireNow`, for a record of so many bytes. Records of up to 16 KiB are written even while large writes are refused.
   * @throws DiskReserveError
   */
  requireFor(bytes: number): void {
    if (bytes > smallBytes) this.requireNow();
  }

  /** Checks the room as the last look has found it. @throws DiskReserveError */
  requireNow(): void {
    if (this.lack) throw this.lack;
  }

  /**
   * Does work that writes much.
   * @param end stops the work, which then rejects. It is called until that, for a cancellation may come between two statements.
   * @throws DiskReserveError in place of the failure of work that was ended
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

  /** The reason of a statement that was ended because it sorted on disk; any other error stays as it is. */
  explain(error: unknown): unknown {
    // Its end may have made room again.
    const { at, lack } = this.sortsEnded;
    const isEnded = sqlstateOf(error) === sqlstates.queryCanceled && performance.now() - at < reportedWithinMs;
    return isEnded ? (lack ?? error) : error;
  }

  /** Never rejects. A disk that answers slowly is asked once at a time. */
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

  /** Only Linux tells which processes belong to the server. One that has ended may have left its number to another program. */
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
