import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ExecutionContext, Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { Observable } from 'rxjs';
import { type Principal } from '../access/principal.js';
import { type ApiError } from '../common/errors/api-error.js';
import { type LineFormat } from '../http/line-formats.js';
import { afterId, type Page, page } from '../http/paging/page.js';
import { FairShare } from '../common/turns/fair-share.js';
import { ServiceStop } from '../common/stopping/service-stop.js';
import { ServicePool } from '../database/service-pool.js';
import { AccessRecheck } from '../graphs/access-recheck.service.js';
import {
  type ListRejectedQuery,
  type RejectedRowResponse,
  type RunResponse,
  toRejectedRowResponse,
  toRunResponse,
} from './ingestion.dto.js';
import { RunEndedError, RunNotFoundError, TooManyWatchersError } from './ingestion.errors.js';
import { IngestionWorker } from './ingestion.worker.js';
import { RejectedRowsRepository } from './rejected-rows.repository.js';
import { rejectedHeader, rejectedLine } from './rejected-text.js';
import { type RunOptions, RunsRepository } from './runs.repository.js';
import { SharedReads } from './shared-reads.js';

/** The longest time that a request may wait for its run. */
export const maxWaitSeconds = 60;
const lookEveryMs = 100;
const lookAtMostEveryMs = 500;
const eventEveryMs = 500;
const heartbeatEveryMs = 10_000;
const reconnectAfterMs = 2_000;
const recheckAccessEveryMs = 2_000;
/** Limits event streams and requests that wait for a run, because each asks the database again and again. */
const watchers = { places: 200, mostPerCaller: 10, waitingPerCaller: 0, patienceMs: 0 };
const rejectedBatch = 1_000;

/**
 * An event of a stream: `progress` after every change, `end` with the final record, or `access_lost` with the reason why its reader
 * may not see the rest. Each holds the whole state, and its id names that state, in every process alike. A comment keeps a quiet stream open.
 */
export type RunEvent =
  | { type: 'progress' | 'end'; id: string; retry: number; data: RunResponse }
  | { type: 'access_lost'; data: { detail: string; code: string } }
  | { comment: string };

export interface RunReader {
  lastId: string | undefined;
  onNothingLeft: () => void;
}

/** Starts, watches and stops runs. The worker does the work itself. */
@Injectable()
export class RunsService {
  /** However many watch a run, this process reads it once. */
  private readonly reads = new SharedReads((id: number) => this.get(id), eventEveryMs);
  private readonly watchers = new FairShare({ ...watchers, refuse: retryAfterS => new TooManyWatchersError(retryAfterS) });

  constructor(
    private readonly pool: ServicePool,
    private readonly runs: RunsRepository,
    private readonly rejected: RejectedRowsRepository,
    private readonly worker: IngestionWorker,
    private readonly stop: ServiceStop,
    private readonly access: AccessRecheck,
  ) {}

  /**
   * Queues a run and waits for its end, for at most `waitSeconds` and `maxWaitSeconds`, or until the service stops.
   * @throws RunActiveError when the job has a queued or active run; JobRetiredError; TooManyRunsWaitingError; TooManyWatchersError,
   * with nothing queued
   */
  async start(principal: Principal, jobId: number, options: RunOptions, waitSeconds: number): Promise<RunResponse> {
    const leave = waitSeconds > 0 ? await this.watchers.enter({ caller: principal.userId }) : () => undefined;
    try {
      const id = await this.pool.transaction(client => this.runs.queue(client, jobId, principal.userId, options));
      void this.worker.wake();
      const until = performance.now() + waitSeconds * 1000;
      let run = await this.get(id);
      for (let pauseMs = lookEveryMs; !hasEnded(run) && performance.now() < until && !this.stop.hasBegun;) {
        await sleep(pauseMs);
        pauseMs = Math.min(pauseMs * 1.5, lookAtMostEveryMs);
        run = await this.get(id);
      }
      return run;
    } finally {
      leave();
    }
  }

  async get(id: number): Promise<RunResponse> {
    return toRunResponse(await this.runs.get(id));
  }

  /** The newest first. */
  async list(jobId: number, limit: number, cursor?: string): Promise<Page<RunResponse>> {
    const before = afterId(cursor);
    const rows = await this.runs.list(jobId, before === 0 ? null : before, limit + 1);
    return page(rows.map(toRunResponse), limit, run => run.id);
  }

  /** @throws RunEndedError */
  async cancel(id: number): Promise<RunResponse> {
    await this.runs.get(id);
    if (!(await this.runs.requestCancel(id))) throw new RunEndedError();
    await this.worker.beat();
    return this.get(id);
  }

  async listRejected(id: number, { target, limit, cursor }: ListRejectedQuery): Promise<Page<RejectedRowResponse>> {
    const rows = await this.rejected.list(id, target ?? null, afterId(cursor, Number.MAX_SAFE_INTEGER), limit + 1);
    const { items, next_cursor } = page(rows, limit, row => row.id);
    return { items: items.map(toRejectedRowResponse), next_cursor };
  }

  /** All rejected rows as text, line by line. */
  async *exportRejected(id: number, target: string | undefined, format: LineFormat): AsyncGenerator<string> {
    yield rejectedHeader(format);
    for (let after = 0; ;) {
      const rows = await this.rejected.list(id, target ?? null, after, rejectedBatch);
      const last = rows.at(-1);
      if (!last) return;
      yield rows.map(row => rejectedLine(toRejectedRowResponse(row), format)).join('');
      after = Number(last.id);
    }
  }

  /** Removes at most `most` rejected rows of runs that ended before the kept time. @returns how many were removed */
  removeOldRejected(client: PoolClient, keptDays: number, most: number): Promise<number> {
    return this.rejected.removeOld(client, keptDays, most);
  }

  /**
   * Removes at most `most` runs that ended before the kept time, but none that wrote rows, nor the last of a job.
   * @returns how many were removed
   */
  removeOld(client: PoolClient, keptDays: number, most: number): Promise<number> {
    return this.runs.removeOld(client, keptDays, most);
  }

  /**
   * Streams a run until it has ended, its reader may no longer see it, nobody listens any more, or the service stops.
   * @param reader.lastId the event that the reader has; the state that it names is not sent again
   * @param reader.onNothingLeft called before the stream ends, if the reader has its end already
   * @throws TooManyWatchersError before the first event
   */
  watch(principal: Principal, id: number, call: ExecutionContext, reader: RunReader): Observable<RunEvent> {
    return new Observable(subscriber => {
      const follow = async (): Promise<void> => {
        subscriber.add(await this.watchers.enter({ caller: principal.userId }));
        let shown = reader.lastId;
        let sentAt = -Infinity;
        const send = (event: RunEvent): void => {
          subscriber.next(event);
          sentAt = performance.now();
        };
        for (let checkedAt = performance.now(); !subscriber.closed && !this.stop.hasBegun; await sleep(eventEveryMs)) {
          if (performance.now() - checkedAt >= recheckAccessEveryMs) {
            const refusal = await this.access.findRefusal(call);
            if (refusal) {
              send(accessLost(refusal));
              break;
            }
            checkedAt = performance.now();
          }
          const run = await this.reads.get(id).catch(ifGone);
          if (run instanceof RunNotFoundError) {
            send(accessLost(run));
            break;
          }
          const type = hasEnded(run) ? 'end' : 'progress';
          const event = { type, id: eventId(run), retry: reconnectAfterMs, data: run } as const;
          if (event.id !== shown) send(event);
          else if (type === 'end') reader.onNothingLeft();
          else if (performance.now() - sentAt >= heartbeatEveryMs) send({ comment: 'alive' });
          if (type === 'end') break;
          shown = event.id;
        }
        subscriber.complete();
      };
      follow().catch((error: unknown) => subscriber.error(error));
    });
  }
}

/** A run goes with its graph. */
function ifGone(error: unknown): RunNotFoundError {
  if (error instanceof RunNotFoundError) return error;
  throw error;
}

function accessLost({ detail, code }: ApiError): RunEvent {
  return { type: 'access_lost', data: { detail, code } };
}

/** The same state of a run has the same id. */
function eventId(run: RunResponse): string {
  return createHash('sha256').update(JSON.stringify(run)).digest('base64url').slice(0, 16);
}

export function hasEnded({ status }: Pick<RunResponse, 'status'>): boolean {
  return status !== 'queued' && status !== 'running';
}
