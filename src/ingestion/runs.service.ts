import { type ExecutionContext, Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Principal } from '../access/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { lineContentType, type LineFormat } from '../http/line-formats.js';
import { afterId, maxPageSize, type Page, pageOfRows } from '../http/paging/page.js';
import { StreamedAnswer } from '../http/server/large-answers.js';
import { Watchers } from '../common/stopping/watchers.js';
import { DiskReserve } from '../database/disk-reserve.js';
import { ServicePool } from '../database/service-pool.js';
import { AccessRecheck } from '../graphs/access-recheck.service.js';
import { eventEveryMs, EventStreams, type StreamEvent, type StreamReader } from '../graphs/event-streams.service.js';
import {
  type ListRejectedQuery,
  type RejectedRowResponse,
  type RunResponse,
  toRejectedRowResponse,
  toRunResponse,
} from './ingestion.dto.js';
import { RunEndedError, RunNotFoundError } from './ingestion.errors.js';
import { IngestionWorker } from './ingestion.worker.js';
import { RejectedRowsRepository } from './rejected-rows.repository.js';
import { rejectedHeader, rejectedLines } from './rejected-text.js';
import { type RunOptions, RunsRepository } from './runs.repository.js';
import { SharedReads } from './shared-reads.js';
import { jobKind } from './run-message.js';

/** Starts, watches and stops runs. The worker carries them out. */
@Injectable()
export class RunsService {
  /** Shares the reads of runs: if many streams watch a run, this process still reads it only once per interval. */
  private readonly reads = new SharedReads((id: number) => this.get(id), eventEveryMs);

  constructor(
    private readonly pool: ServicePool,
    private readonly runs: RunsRepository,
    private readonly rejected: RejectedRowsRepository,
    private readonly worker: IngestionWorker,
    private readonly watchers: Watchers,
    private readonly streams: EventStreams,
    private readonly access: AccessRecheck,
    private readonly disk: DiskReserve,
    private readonly audit: AuditService,
  ) {}

  /**
   * Queues a run and waits for its end, for at most `waitSeconds`.
   * @throws RunActiveError when the job has a queued or active run; JobRetiredError; TooManyRunsWaitingError; TooManyWatchersError;
   * DiskReserveError. No run is queued when an error is thrown.
   */
  async start(principal: Principal, jobId: number, options: RunOptions, waitSeconds: number): Promise<RunResponse> {
    await this.disk.require();
    const start = async (): Promise<RunResponse> => {
      const id = await this.pool.transaction(async client => {
        const queued = await this.runs.queue(client, jobId, principal.userId, options);
        if (options.retires)
          await this.audit.record(
            { action: 'job.retired', actor: principal, target: jobKind, targetId: jobId, context: { run: queued } },
            client,
          );
        return queued;
      });
      void this.worker.wake();
      return this.get(id);
    };
    return this.watchers.startAndWait(principal.userId, waitSeconds, {
      start,
      read: ({ id }) => this.get(id),
      hasEnded,
      untilEnd: ({ id }, longestMs) => this.worker.untilEnd(id, longestMs),
    });
  }

  /** Calls the listener with the graph whenever a run of this process has succeeded. Call it before the application has started. */
  onSucceeded(listener: (graphId: number) => void): void {
    this.worker.onSucceeded(listener);
  }

  /**
   * Calls the listener with the graph's id before a run of this process commits a new version of the graph. The run waits for the listener,
   * which must not reject. Call it before the application has started.
   */
  onCommitting(listener: (graphId: number) => Promise<void>): void {
    this.worker.onCommitting(listener);
  }

  async get(id: number): Promise<RunResponse> {
    return toRunResponse(await this.runs.get(id));
  }

  /** A page of the job's runs, the newest first. */
  async list(jobId: number, limit: number, cursor?: string): Promise<Page<RunResponse>> {
    const before = afterId(cursor);
    const rows = await this.runs.list(jobId, before === 0 ? null : before, limit);
    return pageOfRows(rows, run => run.id, toRunResponse);
  }

  /** @throws RunEndedError */
  async cancel(id: number): Promise<RunResponse> {
    await this.runs.get(id);
    if (!(await this.runs.requestCancel(id))) throw new RunEndedError();
    await this.worker.beat();
    return this.get(id);
  }

  async listRejected(id: number, { target, limit, cursor }: ListRejectedQuery): Promise<Page<RejectedRowResponse>> {
    const rows = await this.rejected.list(id, target ?? null, afterId(cursor, Number.MAX_SAFE_INTEGER), limit);
    return pageOfRows(rows, row => row.id, toRejectedRowResponse);
  }

  /**
   * All rejected rows as text, read page by page. A failure after the first page cuts the answer off. The loss of access also does.
   * @param call the request, whose guards run again during the export
   */
  exportRejected(id: number, target: string | undefined, format: LineFormat, call: ExecutionContext): StreamedAnswer {
    const findRefusal = this.access.later(call);
    return new StreamedAnswer({ 'Content-Type': lineContentType[format] }, async write => {
      await write([Buffer.from(rejectedHeader(format))]);
      for (let cursor: string | null | undefined; cursor !== null;) {
        const found: Page<RejectedRowResponse> = await this.listRejected(id, { target, limit: maxPageSize, cursor });
        cursor = found.next_cursor;
        const refusal = await findRefusal();
        if (refusal) throw refusal;
        await write(await rejectedLines(found.items, format));
      }
    });
  }

  /** Removes at most `most` rejected rows of runs that ended more than `keptDays` ago. @returns how many were removed */
  removeOldRejected(client: PoolClient, keptDays: number, most: number): Promise<number> {
    return this.rejected.removeOld(client, keptDays, most);
  }

  /**
   * Removes at most `most` runs that ended more than `keptDays` ago. Runs that wrote rows stay, and so do the last run and the last success
   * of a job.
   * @returns how many were removed
   */
  removeOld(client: PoolClient, keptDays: number, most: number): Promise<number> {
    return this.runs.removeOld(client, keptDays, most);
  }

  /** Streams the state of a run until it has ended. @throws the errors of `EventStreams.watch` */
  watch(principal: Principal, id: number, call: ExecutionContext, reader: StreamReader): AsyncGenerator<StreamEvent<RunResponse>> {
    return this.streams.watch(principal.userId, call, { read: () => this.reads.get(id).catch(ifGone), hasEnded }, reader);
  }
}

/** Turns the absence of a run into a result, because a run is deleted together with its graph while it is being watched. */
function ifGone(error: unknown): RunNotFoundError {
  if (error instanceof RunNotFoundError) return error;
  throw error;
}

export function hasEnded({ status }: Pick<RunResponse, 'status'>): boolean {
  return status !== 'queued' && status !== 'running';
}
