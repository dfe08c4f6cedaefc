import { randomUUID } from 'node:crypto';
import { type BeforeApplicationShutdown, type ExecutionContext, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Logger } from 'pino';
import { type Principal } from '../access/principal.js';
import { ApiError } from '../common/errors/api-error.js';
import { toErrorBody } from '../common/errors/error-body.js';
import { toApiError } from '../common/errors/to-api-error.js';
import { logToken } from '../common/logging/log.js';
import { Settings } from '../config/settings.js';
import { EventStreams, type StreamEvent, type StreamReader } from '../graphs/event-streams.service.js';
import { GraphAccessService, includesRole } from '../graphs/graph-access.service.js';
import { GraphAccessError } from '../graphs/graphs.errors.js';
import { type HeldGraph } from '../graphs/held-graph.js';
import { type Page } from '../http/paging/page.js';
import { UsersService } from '../users/users.service.js';
import { packAnswer } from './pack-answer.js';
import { type ExactQueryRequest } from './queries.dto.js';
import { QueryCancelledError, QueryInterruptedError, QueryNotFoundError, TooManyQueriesError } from './queries.errors.js';
import { type Answered, QueriesRepository } from './queries.repository.js';
import { type PreparedQuery, QueryExecutor } from './query-executor.service.js';
import { type KeptError, type QueryRun, QueryRunsRepository, type RunEnd } from './query-runs.repository.js';
import { type ListQueriesQuery, pageOfStates, type QueryStateResponse, readListCursor, toQueryState } from './query-state.dto.js';
import { readQueryRequest } from './read-query-request.js';

/** A query that this process is working on. */
export interface QueryWork {
  id: number;
  work: Promise<Answered>;
  stop: AbortController;
}

const beatEveryMs = 1_000;
const maxAttempts = 3;
/** Error codes of a query that was refused for lack of a free place. */
const withoutPlace: ReadonlySet<string> = new Set(['retrieval_busy', 'warehouse_busy', 'metrics_busy', 'language_model_busy']);
/** Maximum waiting queries that this process claims at once, and maximum queries that it works on in total. */
const takenAtOnce = 4;
const mostTaken = 50;
/**
 * Milliseconds that a query waits for a place in retrieval. Seconds until a query that got no place, in retrieval or elsewhere, is tried
 * again.
 */
const queueMs = 100_000;
const postponedS = 2;

/**
 * Queries that outlast their request. Each belongs to the user who sent it. One process works on it; if that process ends, the next one
 * takes over.
 */
@Injectable()
export class QueryRunsService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly process = randomUUID();
  private readonly active = new Map<number, AbortController>();
  private timer: NodeJS.Timeout | undefined;
  private beating: Promise<void> | null = null;
  private readonly ending = new Set<Promise<void>>();
  private isStopping = false;

  constructor(
    private readonly repository: QueryRunsRepository,
    private readonly queries: QueriesRepository,
    private readonly executor: QueryExecutor,
    private readonly streams: EventStreams,
    private readonly users: UsersService,
    private readonly access: GraphAccessService,
    private readonly settings: Settings,
    @Inject(logToken) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.worker === 'only') return;
    this.timer = setInterval(() => {
      this.beating ??= this.beat().finally(() => (this.beating = null));
    }, beatEveryMs).unref();
  }

  /** Hands the queries under way to another process, or to this one after a restart. Must run before the pools close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    await this.beating;
    await Promise.allSettled(this.ending);
    if (this.active.size > 0) await this.repository.release(this.process).catch(this.warn);
  }

  /**
   * Begins a query whose caller does not wait.
   * @returns the work, and the query's state as it begins
   * @throws TooManyQueriesError
   */
  async submit(principal: Principal, prepared: PreparedQuery, body: ExactQueryRequest): Promise<QueryWork & { begun: QueryRun }> {
    const id = await this.queries.nextId();
    const begun = await this.remember(id, principal, prepared, body);
    const stop = new AbortController();
    const run = { id, stop, work: this.executor.execute(principal, id, { ...prepared, queueMs }, stop.signal), begun };
    this.attend(run);
    return run;
  }

  /**
   * Records a query whose caller waited too long for the answer. The work goes on in any case.
   * @returns false if there was no room to record the query
   */
  async adopt(principal: Principal, prepared: PreparedQuery, body: ExactQueryRequest, run: QueryWork): Promise<boolean> {
    try {
      await this.remember(run.id, principal, prepared, body);
    } catch (error) {
      if (error instanceof TooManyQueriesError) return false;
      throw error;
    }
    this.attend(run);
    return true;
  }

  /** A query of the caller's own; null if there is none. */
  find(principal: Principal, graphId: number, id: number): Promise<QueryRun | null> {
    return this.repository.find(graphId, id, principal.userId);
  }

  /** A query of the caller's own. @throws QueryNotFoundError, also when the query is another user's */
  async get(principal: Principal, graphId: number, id: number): Promise<QueryRun> {
    const run = await this.find(principal, graphId, id);
    if (!run) throw new QueryNotFoundError();
    return run;
  }

  /** The answer of a query that outlasted its request, as `packAnswer` wrote it. */
  findAnswer(id: number): Promise<Buffer | null> {
    return this.repository.findAnswer(id);
  }

  /** The caller's own queries, the newest first. */
  async list(principal: Principal, graphId: number, { status, kind, limit, cursor }: ListQueriesQuery): Promise<Page<QueryStateResponse>> {
    const before = readListCursor(cursor);
    const runs = await this.repository.list(graphId, principal.userId, { status, kind, before }, limit + 1);
    return pageOfStates(runs, limit);
  }

  /**
   * Cancels a query that has not ended, and the statement that it runs. The caller's own query stays as it is once it has ended. A manager
   * of the graph who cancels another user's query gets its state without its request.
   * @throws QueryNotFoundError for another user's query, unless it is under way and the caller manages the graph
   */
  async cancel(principal: Principal, { graphId, role }: HeldGraph, id: number): Promise<QueryStateResponse> {
    const owner = includesRole(role, 'manager') ? null : principal.userId;
    const cancelled = await this.repository.cancel(graphId, id, owner);
    if (cancelled) this.active.get(id)?.abort(new QueryCancelledError());
    const run = cancelled ?? (await this.get(principal, graphId, id));
    return toQueryState(run.user_id === principal.userId ? run : { ...run, request: { parametersText: null } });
  }

  /** Streams the state of a query of the caller's own until it has ended. */
  watch(
    principal: Principal,
    graphId: number,
    id: number,
    call: ExecutionContext,
    reader: StreamReader,
  ): AsyncGenerator<StreamEvent<QueryStateResponse>> {
    const read = async () => {
      const run = await this.find(principal, graphId, id);
      return run ? toQueryState(run) : new QueryNotFoundError();
    };
    const hasEnded = ({ status }: QueryStateResponse) => status !== 'queued' && status !== 'running';
    const stateOf = ({ status }: { status: string | null }) => [graphId, id, status];
    const readState = async () => stateOf({ status: await this.repository.findStatus(graphId, id, principal.userId) });
    return this.streams.watch(principal.userId, call, { read, hasEnded, stateOf, readState }, reader);
  }

  /** Removes at most `most` queries that ended longer ago than answers are kept. @returns how many were removed */
  removeOld(client: PoolClient, most: number): Promise<number> {
    return this.repository.removeOld(client, this.settings.answersKeptDays, most);
  }

  private remember(id: number, principal: Principal, { graphId, query }: PreparedQuery, body: ExactQueryRequest): Promise<QueryRun> {
    return this.repository.begin({ id, graph_id: graphId, user_id: principal.userId, kind: query.kind, request: body }, this.process);
  }

  private attend({ id, work, stop }: QueryWork): void {
    this.active.set(id, stop);
    // If the end cannot be recorded, the query's lease runs out and the query is executed again.
    void this.recordEnd(id, work, stop.signal)
      .catch(this.warn)
      .finally(() => this.active.delete(id));
  }

  /** Records the end of a query, unless it was cancelled or another process has taken it. */
  private async recordEnd(id: number, work: Promise<Answered>, signal: AbortSignal): Promise<void> {
    const end = await this.endOf(work);
    if (signal.aborted || (this.isStopping && end?.status === 'failed')) return;
    const recorded = end ? this.repository.end(id, this.process, end) : this.repository.postpone(id, this.process, postponedS);
    this.ending.add(recorded);
    await recorded.finally(() => this.ending.delete(recorded));
  }

  /**
   * How the work ended. Null for a query that was refused for lack of a place: its caller was promised an answer, so it waits for its next
   * turn.
   */
  private async endOf(work: Promise<Answered>): Promise<RunEnd | null> {
    try {
      const { answer } = await work;
      return { status: 'succeeded', answer: await packAnswer(answer) };
    } catch (thrown) {
      if (thrown instanceof ApiError && withoutPlace.has(thrown.code)) return null;
      return { status: 'failed', error: this.toKeptError(thrown) };
    }
  }

  private toKeptError(thrown: unknown): KeptError {
    const error = toApiError(thrown);
    if (error.status === 500) this.log.error({ cause: error.cause ?? thrown, code: error.code }, 'A query failed');
    return { status: error.status, retry_after_s: error.retryAfterS, body: toErrorBody(error, false) };
  }

  /**
   * Renews the leases of this process, ends queries that were cancelled elsewhere, and claims queries that no process works on. Never
   * rejects.
   */
  private async beat(): Promise<void> {
    try {
      const going = [...this.active.keys()];
      const own = new Set(going.length > 0 ? await this.repository.renew(this.process, going) : []);
      for (const id of going) if (!own.has(id)) this.active.get(id)?.abort(new QueryCancelledError());
      const room = Math.min(takenAtOnce, mostTaken - this.active.size);
      for (const run of room > 0 ? await this.repository.claim(this.process, room) : []) {
        const stop = new AbortController();
        this.attend({ id: run.id, stop, work: this.resume(run, stop.signal) });
      }
    } catch (cause) {
      this.warn(cause);
    }
  }

  /** Executes a query again, if its user would still be allowed to ask it. */
  private async resume({ id, graph_id: graphId, user_id: userId, request, attempt }: QueryRun & { attempt: number }, signal: AbortSignal) {
    if (attempt > maxAttempts) throw new QueryInterruptedError(maxAttempts);
    const account = await this.users.findAccountState(userId);
    if (!account || account.disabled || account.must_change_password) throw new GraphAccessError('viewer');
    const { username, is_admin: isAdmin, token_version: tokenVersion } = account;
    const principal = { userId, username, isAdmin, mustChangePassword: false, tokenVersion };
    await this.access.require(principal, graphId, 'viewer');
    const prepared = await this.executor.prepare(userId, graphId, readQueryRequest(request, this.settings.queryMaxTimeoutMs));
    return prepared.kept ?? this.executor.execute(principal, id, { ...prepared, queueMs }, signal);
  }

  private readonly warn = (cause: unknown): void => {
    this.log.warn({ cause }, 'The state of a query was not recorded; its lease ends, and it is done anew');
  };
}
