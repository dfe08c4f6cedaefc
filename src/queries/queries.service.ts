import { type ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { logToken } from '../common/logging/log.js';
import { type Principal } from '../access/principal.js';
import { within } from '../common/turns/within.js';
import { Settings } from '../config/settings.js';
import { AccessRecheck } from '../graphs/access-recheck.service.js';
import { Watchers } from '../common/stopping/watchers.js';
import { type WordedSentence } from '../questions/wording/model-wording.js';
import { type RetrievalAnswer } from '../retrieval/protocol.js';
import { readAnswer } from '../retrieval/read-answer.js';
import { Telemetry } from '../telemetry/telemetry.service.js';
import { type AnswerEvent, answerEvents } from './answer-events.js';
import { AnswerStore } from './answer-store.js';
import { MetricAnswers } from './metric-answers.js';
import { type AnswerWatcher, pausedWarning } from './model-answers.js';
import { maxTimeoutMs, type ExactQueryRequest, type QueryResponse } from './queries.dto.js';
import { QueryNotFoundError, UpstreamTimeoutError } from './queries.errors.js';
import { type Answered, QueriesRepository } from './queries.repository.js';
import { type PreparedQuery, QueryExecutor } from './query-executor.service.js';
import { placeOf, type QueryStateResponse, toQueryState } from './query-state.dto.js';
import { QueryRunsService } from './query-runs.service.js';
import { type GraphQuery, readQueryRequest } from './read-query-request.js';
import { SourceRowsReader } from './source-rows.reader.js';
import { toQueryResponse } from './to-query-response.js';

/**
 * How long a request waits for its answer: until the answer is there, or for `waitMs` at most if the caller accepts the query's state
 * instead.
 */
export type Patience = { asynchronous: false } | { asynchronous: true; waitMs: number };

const earlierVersionWarning = {
  zh: '图在这个答案之后已更新；再次提问可得新版本的答案',
  en: 'The graph has changed since this answer; ask again for that of the new version',
};

/** Answers queries, within the request or after it. */
@Injectable()
export class QueriesService {
  constructor(
    private readonly queries: QueriesRepository,
    private readonly store: AnswerStore,
    private readonly executor: QueryExecutor,
    private readonly runs: QueryRunsService,
    private readonly metrics: MetricAnswers,
    private readonly sourceRows: SourceRowsReader,
    private readonly watchers: Watchers,
    private readonly access: AccessRecheck,
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
    @Inject(logToken) private readonly log: Logger,
  ) {}

  /**
   * Answers a query from the store, by joining work under way on an equal query, or by retrieval. A caller who prefers not to wait gets the
   * state of the query, unless the query is answered within the wait. If the answer has taken some time and the caller has lost access to
   * the graph meanwhile, the caller gets the refusal.
   * @throws OneQueryKindError, SchemaError, UpstreamTimeoutError, RetrievalUnavailableError, TooManyQueriesError, and the refusals of
   * retrieval
   */
  async query(
    principal: Principal,
    graphId: number,
    body: ExactQueryRequest,
    call: ExecutionContext,
    patience: Patience = { asynchronous: false },
  ): Promise<QueryResponse | QueryStateResponse> {
    const findRefusal = this.access.later(call);
    const response = await this.answer(principal, graphId, body, patience);
    const refusal = await findRefusal();
    if (refusal) throw refusal;
    return response;
  }

  /** Answers a query like `query`, and yields the parts of the answer that are known while the rest is still being made. */
  async *stream(
    principal: Principal,
    graphId: number,
    body: ExactQueryRequest,
    call: ExecutionContext,
    gone: AbortSignal,
  ): AsyncGenerator<AnswerEvent> {
    const leave = await this.watchers.enter(principal.userId);
    try {
      const shown = { status: 'miss' as const, answer: body.answer ?? ('auto' as const), include: new Set(body.include ?? []) };
      yield* answerEvents(
        this.log,
        this.access.later(call),
        push => {
          const answer = (found: RetrievalAnswer) => {
            const answered = { id: null, version: found.graph_version, answer: found, createdAt: new Date() };
            push({ type: 'answer', data: toQueryResponse(answered, shown) });
          };
          const sentence = (data: WordedSentence) => push({ type: 'sentence', data });
          return this.answer(principal, graphId, body, { asynchronous: false }, { answer, sentence });
        },
        gone,
      );
    } finally {
      leave();
    }
  }

  /**
   * A stored answer of the graph, or the caller's own query: its answer, or its state while it has no answer.
   * @throws QueryNotFoundError, also when the query belongs to another graph or user; the errors of a metric's execution when the caller
   * may no longer have the metric's result
   */
  async get(principal: Principal, graphId: number, id: number): Promise<QueryResponse | QueryStateResponse> {
    const run = await this.runs.find(principal, graphId, id);
    if (run && run.status !== 'succeeded') return toQueryState(run);
    const kept = run && (await this.runs.findAnswer(id));
    if (kept) {
      const answer = await this.metrics.recheck(principal, readAnswer(kept));
      const query = readQueryRequest(run.request, maxTimeoutMs);
      const answered = { id, version: answer.graph_version, answer, createdAt: run.ended_at ?? run.created_at };
      return this.respond(principal, graphId, answered, query, query.refresh ? 'refresh' : 'miss');
    }
    const stored = this.store.findPendingById(graphId, id) ?? (await this.queries.findById(graphId, id));
    if (!stored) throw new QueryNotFoundError();
    const response = toQueryResponse(stored, { status: 'hit', answer: 'auto', include: new Set(['graph', 'plan']) });
    return stored.isOfEarlierVersion
      ? { ...response, warnings: [...response.warnings, earlierVersionWarning[stored.answer.language]] }
      : response;
  }

  private async answer(
    principal: Principal,
    graphId: number,
    body: ExactQueryRequest,
    patience: Patience,
    watcher?: AnswerWatcher,
  ): Promise<QueryResponse | QueryStateResponse> {
    const started = performance.now();
    const query = readQueryRequest(body, this.settings.queryMaxTimeoutMs);
    const prepared = { ...(await this.executor.prepare(principal.userId, graphId, query)), ...(watcher && { watcher }) };
    const status = query.refresh ? 'refresh' : prepared.kept ? 'hit' : 'miss';
    const count = (): void => this.telemetry.queryAnswered(query.kind, status);
    let answered: Answered | null = prepared.kept;
    if (!answered && patience.asynchronous) {
      const { id, work, begun } = await this.runs.submit(principal, prepared, body);
      answered = await within(patience.waitMs, work);
      if (!answered) {
        void work.then(count, () => undefined);
        // The query may have ended after this state was read. The caller learns of its end from the query's own URL.
        return { ...toQueryState(begun), elapsed_ms: Math.round(performance.now() - started) };
      }
      answered = { ...answered, id };
    }
    answered ??= await this.answerNow(principal, prepared, body, count);
    const response = await this.respond(principal, graphId, answered, query, status);
    if (prepared.isModelPaused) response.warnings = [...response.warnings, pausedWarning[answered.answer.language]];
    count();
    response.timing_ms.total = Math.round((performance.now() - started) * 100) / 100;
    return response;
  }

  /**
   * Waits for the answer. A caller whose wait was too short can fetch the answer later by the query's id.
   * @throws UpstreamTimeoutError with the query's id, or without an id if there was no room to remember the query
   */
  private async answerNow(principal: Principal, prepared: PreparedQuery, body: ExactQueryRequest, count: () => void): Promise<Answered> {
    const { queryUpstreamTimeoutMs: waitMs } = this.settings;
    const id = await this.queries.nextId();
    const stop = new AbortController();
    const work = this.executor.execute(principal, id, prepared, stop.signal);
    const answered = await within(waitMs, work);
    if (answered) return answered;
    void work.then(count, () => undefined);
    const isRemembered = await this.runs.adopt(principal, prepared, body, { id, work, stop });
    throw new UpstreamTimeoutError(waitMs, isRemembered ? { id, location: placeOf(prepared.graphId, id) } : null);
  }

  private async respond(
    principal: Principal,
    graphId: number,
    answered: Answered,
    query: GraphQuery,
    status: 'hit' | 'miss' | 'refresh',
  ): Promise<QueryResponse> {
    const response = toQueryResponse(answered, { status, answer: query.answer, include: query.include });
    if (!query.include.has('source_rows')) return response;
    const { rows, warnings } = await this.sourceRows.read(principal, graphId, answered.answer.citations, answered.answer.language);
    return { ...response, source_rows: rows, warnings: [...response.warnings, ...warnings] };
  }
}
