import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Logger } from 'pino';
import { ApiError } from '../../common/errors/api-error.js';
import { logToken } from '../../common/logging/log.js';
import { Settings } from '../../config/settings.js';
import { type QueryResult } from '../../warehouse/clients/warehouse.client.js';
import { type FoundResult, type ResultKey, ResultsRepository, type ResultShare, type VersionsText } from './results.repository.js';

/** The rows of each statement. `asOf` is the time just before they were read, in ISO 8601. */
export interface ReadRows {
  results: Pick<QueryResult, 'columns' | 'rows'>[];
  asOf: string;
}

export interface AnsweredRows extends ReadRows {
  hit: boolean;
  ageS: number;
}

/** Reads the rows, and the data versions of the tables in the snapshot that was read. The versions are null if they are not known. */
export type ReadWork = (signal: AbortSignal) => Promise<{ results: QueryResult[]; versions: ReadonlyMap<string, number> | null }>;

/** A read in progress in this process, shared by all requests for its rows. */
interface Running {
  callerId: number;
  since: number;
  work: Promise<AnsweredRows>;
  stop: AbortController;
  waiting: number;
}

const renewEveryMs = 2_000;
const firstPauseMs = 20;
const longestPauseMs = 250;
/** Maximum number of kept results of one caller. */
const mostResults = 1_000;
/** Maximum share of one caller in the bytes of all kept results. */
const callerPart = 1 / 8;
/**
 * A part of a caller's share. After the caller has kept more new bytes or results than this part, the caller's results are cut to the share
 * at once. Otherwise the sweep cuts them.
 */
const cutAtPart = 1 / 8;

/**
 * Keeps the results of metrics for all callers who may see the same rows. A result is kept with the data versions of the snapshot that it
 * was read from, and is returned only while these versions are current. A result without versions is returned only to callers who accept
 * its age. Equal requests that run at once are read once, by the process that begins first. A request joins a running read only if that
 * read began at the versions that the request found, or later.
 */
@Injectable()
export class KeptResults {
  private readonly running = new Map<string, Running>();
  /** Bytes and number of results kept since the caller's results were last cut, by caller id. */
  private readonly uncut = new Map<number, { bytes: number; count: number }>();
  private readonly share: ResultShare;

  constructor(
    private readonly results: ResultsRepository,
    private readonly settings: Settings,
    @Inject(logToken) private readonly log: Logger,
  ) {
    const bytes = settings.metricResultsMaxMb * 1024 * 1024;
    this.share = { bytes, mostOfOne: bytes * callerPart, count: mostResults };
  }

  /** Number of requests in this process that wait for a running read. */
  get waiting(): number {
    return [...this.running.values()].reduce((sum, { waiting }) => sum + waiting, 0);
  }

  /**
   * Returns the rows of a request: a kept result, or newly read rows.
   * @throws the errors of `work`; the reason of `signal` when it aborts
   */
  async read(key: ResultKey, work: ReadWork, signal: AbortSignal = new AbortController().signal): Promise<AnsweredRows> {
    // A maximum age of 0 s excludes kept results and rows that another request reads.
    const found = key.maxAgeS === 0 ? null : await this.results.find(key);
    if (found?.kept) return fromKept(found.kept);
    // Without data versions and without a maximum age, the request cannot accept rows of another request, so it reads its own.
    if (!found || !(isExact(key, found) || key.maxAgeS !== null)) return this.readNow(key, work, signal);
    return this.join(key, found, work, signal);
  }

  /** Removes at most `most` results that are too old or were read from older data. @returns the number of removed results */
  removeOutdated(client: PoolClient, most: number): Promise<number> {
    return this.results.removeOutdated(client, this.settings.metricResultsKeptHours, most);
  }

  /** Removes at most `most` of the oldest results of callers who exceed their share. @returns the number of removed results */
  removeBeyondShare(client: PoolClient, most: number): Promise<number> {
    return this.results.removeBeyondShare(client, this.share, most);
  }

  private async join(key: ResultKey, found: FoundResult, work: ReadWork, signal: AbortSignal): Promise<AnsweredRows> {
    const name = `${key.graphId} ${key.key.toString('base64')} ${found.versions}`;
    const joined = this.running.get(name);
    const isYoung = joined && (isExact(key, found) || performance.now() - joined.since < (key.maxAgeS ?? 0) * 1000);
    if (!joined || !isYoung) return this.follow(name, this.begin(name, key, found, work), signal);
    try {
      return await this.follow(name, joined, signal);
    } catch (error) {
      // A `…_busy` error counts against the caller who began the read. Another caller, who joined it, reads again instead.
      if (joined.callerId === key.callerId || !(error instanceof ApiError) || !error.code.endsWith('_busy')) throw error;
      return this.join(key, found, work, signal);
    }
  }

  private begin(name: string, key: ResultKey, found: FoundResult, work: ReadWork): Running {
    const stop = new AbortController();
    const running: Running = {
      callerId: key.callerId,
      since: performance.now(),
      work: this.lead(key, found, work, stop.signal).finally(() => this.forget(name, running)),
      stop,
      waiting: 0,
    };
    // Avoids an unhandled rejection: when the work fails, no request may be waiting for it any more.
    running.work.catch(() => undefined);
    this.running.set(name, running);
    return running;
  }

  /** Waits for a running read. When the signal of a request aborts, the read is stopped only if no other request waits for it. */
  private async follow(name: string, running: Running, signal: AbortSignal): Promise<AnsweredRows> {
    running.waiting++;
    let leave = (): void => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason as Error);
      if (signal.aborted) leave();
      else signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([running.work, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      if (--running.waiting === 0) {
        this.forget(name, running);
        running.stop.abort(signal.reason);
      }
    }
  }

  private forget(name: string, running: Running): void {
    if (this.running.get(name) === running) this.running.delete(name);
  }

  /**
   * Reads the rows for all requests in this process that wait for them. If another process is already reading the same rows, waits for its
   * result.
   */
  private async lead(key: ResultKey, found: FoundResult, work: ReadWork, signal: AbortSignal): Promise<AnsweredRows> {
    const runId = randomUUID();
    const begin = () => this.results.begin(key, found.versions, runId).catch((cause: unknown) => (this.warn(cause), true));
    if (found.isRunning || !(await begin())) {
      const kept = await this.awaitOther(key, found.versions, signal);
      if (kept) return kept;
      // No result came: the other process has failed, or its result is too large to be kept.
      if (!(await begin())) return this.readNow(key, work, signal);
    }
    const renewal = setInterval(() => void this.results.renew(key, runId).catch(() => undefined), renewEveryMs);
    try {
      return await this.readNow(key, work, signal);
    } finally {
      clearInterval(renewal);
      await this.results.end(key, runId).catch(this.warn);
    }
  }

  /**
   * Polls for the result that another process reads. Null once that process has stopped reading, or if the data have changed since it
   * began.
   */
  private async awaitOther(key: ResultKey, versions: VersionsText, signal: AbortSignal): Promise<AnsweredRows | null> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      const found = await this.results.find(key);
      if (found.kept) return fromKept(found.kept);
      if (!found.isRunning || found.versions !== versions) return null;
    }
  }

  private async readNow(key: ResultKey, work: ReadWork, signal: AbortSignal): Promise<AnsweredRows> {
    const since = performance.now();
    const asOf = new Date().toISOString();
    const { results, versions } = await work(signal);
    const rows: ReadRows = { results: results.map(({ columns, rows }) => ({ columns, rows })), asOf };
    const bytes = results.reduce((sum, result) => sum + result.bytes, 0);
    const named = versions && key.tables.length > 0 && key.tables.every(table => versions.has(table)) ? versions : null;
    if (bytes <= this.settings.metricResultMaxKb * 1024 && (named || key.maxAgeS)) await this.keep(key, rows, named, since);
    return { ...rows, hit: false, ageS: 0 };
  }

  /** Keeps a result. Never rejects: without a kept result, the next request reads the rows again. */
  private async keep(key: ResultKey, rows: ReadRows, versions: ReadonlyMap<string, number> | null, since: number): Promise<void> {
    const text = JSON.stringify(rows);
    const bytes = Buffer.byteLength(text);
    try {
      await this.results.save(key, {
        text,
        bytes,
        versions: versions && Object.fromEntries(versions),
        ageS: (performance.now() - since) / 1000,
      });
      await this.cut(key.callerId, bytes);
    } catch (cause) {
      this.warn(cause);
    }
  }

  /** Cuts a caller's results between two sweeps, so that the caller stays near the share even when results come fast. */
  private async cut(callerId: number, bytes: number): Promise<void> {
    const before = this.uncut.get(callerId) ?? { bytes: 0, count: 0 };
    const now = { bytes: before.bytes + bytes, count: before.count + 1 };
    this.uncut.set(callerId, now);
    if (now.bytes <= this.share.mostOfOne * cutAtPart && now.count <= this.share.count * cutAtPart) return;
    this.uncut.delete(callerId);
    await this.results.cutToShare(callerId, this.share);
  }

  private readonly warn = (cause: unknown): void => {
    this.log.warn({ cause }, '指标的结果未能保存 / The result of a metric was not kept');
  };
}

/** Whether data versions show if a result is still current: each of its tables has a version. */
function isExact({ tables }: ResultKey, { knownTables }: FoundResult): boolean {
  return tables.length > 0 && knownTables === tables.length;
}

function fromKept({ text, ageS }: { text: string; ageS: number }): AnsweredRows {
  return { ...(JSON.parse(text) as ReadRows), hit: true, ageS };
}
