import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { ApiError } from '../common/errors/api-error.js';
import { Settings } from '../config/settings.js';
import { GraphNotFoundError } from '../graphs/graphs.errors.js';
import { isLargeAnswer } from '../retrieval/read-answer.js';
import { type LargeAnswer, type RetrievalAnswer } from '../retrieval/protocol.js';
import { RetrievalClient } from '../retrieval/retrieval.client.js';
import { Telemetry } from '../telemetry/telemetry.service.js';
import { todayIn } from '../text/calendar.js';
import { AnswerStore } from './answer-store.js';
import { MetricAnswers } from './metric-answers.js';
import { type ExactQueryRequest, type QueryResponse } from './queries.dto.js';
import { QueryNotFoundError, UpstreamTimeoutError } from './queries.errors.js';
import { type Answered, QueriesRepository } from './queries.repository.js';
import { type GraphQuery, hashOf, readQueryRequest } from './read-query-request.js';
import { SourceRowsReader } from './source-rows.reader.js';
import { toQueryResponse } from './to-query-response.js';

@Injectable()
export class QueriesService {
  /** Work under way, by graph, version and request. An identical request waits for it instead of repeating it. */
  private readonly running = new Map<string, { userId: number; work: Promise<Answered> }>();

  constructor(
    private readonly queries: QueriesRepository,
    private readonly store: AnswerStore,
    private readonly retrieval: RetrievalClient,
    private readonly metrics: MetricAnswers,
    private readonly sourceRows: SourceRowsReader,
    private readonly settings: Settings,
    private readonly telemetry: Telemetry,
  ) {}

  /**
   * Answers a query from the store, by joining the same work under way, or by retrieval.
   * @throws OneQueryKindError, SchemaError, UpstreamTimeoutError, RetrievalUnavailableError, and the refusals of retrieval
   */
  async query(principal: Principal, graphId: number, body: ExactQueryRequest): Promise<QueryResponse> {
    const started = performance.now();
    const query = readQueryRequest(body, this.settings.queryMaxTimeoutMs);
    const context = query.kind === 'question' ? await this.contextOf(principal, graphId, query.timezone) : null;
    const hash = hashOf(query, { retrieval: this.settings.retrievalUrls.join() || null, ...context?.hashed });
    const found = await this.queries.findAnswer(graphId, query.refresh ? null : hash);
    if (!found) throw new GraphNotFoundError();
    const kept = query.refresh ? null : (found.stored ?? this.store.findPending(graphId, hash, found.version));
    const answered =
      kept ?? (await this.within(this.settings.queryUpstreamTimeoutMs, this.join(principal, graphId, query, hash, found.version, context)));
    const status = query.refresh ? 'refresh' : kept ? 'hit' : 'miss';
    const response = await this.respond(principal, graphId, answered, query, status);
    this.telemetry.queryAnswered(query.kind, status);
    response.timing_ms.total = Math.round((performance.now() - started) * 100) / 100;
    return response;
  }

  /** @throws QueryNotFoundError, also when the query belongs to another graph. */
  async get(graphId: number, queryId: number): Promise<QueryResponse> {
    const stored = this.store.findPendingById(graphId, queryId) ?? (await this.queries.findById(graphId, queryId));
    if (!stored) throw new QueryNotFoundError();
    return toQueryResponse(stored, { status: 'hit', answer: 'auto', include: new Set(['graph', 'plan']) });
  }

  private async contextOf(principal: Principal, graphId: number, timezone: string | null): Promise<QuestionContext> {
    const metrics = await this.metrics.catalog(graphId);
    return { hashed: { today: todayFor(metrics, timezone), metrics }, seesSql: await this.metrics.seesSql(principal, graphId) };
  }

  private join(
    principal: Principal,
    graphId: number,
    query: GraphQuery,
    hash: Buffer,
    version: number,
    context: QuestionContext | null,
  ): Promise<Answered> {
    // The time-out is part of the key: a caller who allows 1 s must not stop one who allows a minute.
    const key = `${graphId}:${version}:${hash.toString('base64')}:${query.timeoutMs}:${context?.seesSql}`;
    const joined = this.running.get(key);
    const begin = (): Promise<Answered> => {
      const work = this.work(principal, graphId, query, hash, version, context).finally(() => {
        if (this.running.get(key)?.work === work) this.running.delete(key);
      });
      // By the time it fails, nobody may be waiting for it.
      work.catch(() => undefined);
      this.running.set(key, { userId: principal.userId, work });
      return work;
    };
    if (!joined || query.refresh) return begin();
    if (joined.userId === principal.userId) return joined.work;
    // The work counts against the share of the first caller. If that share is used up, the second caller must not be refused for
    // it.
    return joined.work.catch((error: unknown) => {
      if (error instanceof ApiError && error.code.endsWith('_busy')) return begin();
      throw error;
    });
  }

  private async work(
    principal: Principal,
    graphId: number,
    query: GraphQuery,
    hash: Buffer,
    leastVersion: number,
    context: QuestionContext | null,
  ): Promise<Answered> {
    const ask = (today: string) =>
      this.retrieval.query({
        graph_id: graphId,
        // All keys of a user count as that user, so that more keys give no larger share.
        caller: String(principal.userId),
        kind: query.kind,
        text: query.text,
        limit: query.limit,
        least_version: leastVersion,
        timeout_ms: query.timeoutMs,
        today,
        ...(query.kind === 'cypher' ? cypherOptionsOf(query) : {}),
        ...(query.offset > 0 ? { offset: query.offset } : {}),
        ...(query.cursorVersion === null ? {} : { expected_version: query.cursorVersion }),
        ...(context ? { metrics: context.hashed.metrics } : {}),
      });
    let answer = await ask(context?.hashed.today ?? todayIn('UTC'));
    // Which metric is meant, and so in whose zone, is known only now.
    const day = context && todayOf(answer, context, query.timezone);
    if (day && day !== context.hashed.today) answer = await ask(day);
    const version = answer.graph_version;
    // A large answer is not stored: reading it back would cost about as much as computing it, and it was never parsed.
    // Nor is one that asked for the time.
    if (isLargeAnswer(answer) || answer.is_of_its_moment) return { id: null, version, answer, createdAt: new Date() };
    // A metric reads the warehouse, which changes without a new version of the graph, so its answer is never stored.
    if (answer.metric_call) {
      const metric = metricOf(answer, context);
      const timezone = metric?.has_moments ? query.timezone : null;
      return { id: null, version, answer: await this.metrics.answer(principal, answer, timezone), createdAt: new Date() };
    }
    const { kind, text, parameters, limit, offset } = query;
    return this.store.keep({
      graphId,
      version,
      hash,
      kind,
      request: { text, parameters, limit, offset },
      answer,
      userId: principal.userId,
    });
  }

  private async within<T>(waitMs: number, work: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const patience = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new UpstreamTimeoutError(waitMs)), waitMs);
    });
    try {
      return await Promise.race([work, patience]);
    } finally {
      clearTimeout(timer);
    }
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

function cypherOptionsOf({ parameters, timezone, include }: GraphQuery) {
  return { parameters, ...(timezone === null ? {} : { timezone }), ...(include.has('profile') ? { profile: true } : {}) };
}

interface QuestionContext {
  /** What the answer depends on. */
  hashed: { today: string; metrics: Awaited<ReturnType<MetricAnswers['catalog']>> };
  seesSql: boolean;
}

/** Today is that of the zone of whoever asks, or of the zone that all metrics share. */
function todayFor(metrics: QuestionContext['hashed']['metrics'], timezone: string | null): string {
  const [shared, ...others] = new Set(metrics.flatMap(metric => metric.timezones));
  return todayIn(timezone ?? (others.length === 0 ? shared : undefined) ?? 'UTC');
}

/** The day that it is for the metric that a question turned out to be about. */
function todayOf(answer: RetrievalAnswer | LargeAnswer, context: QuestionContext, timezone: string | null): string | null {
  if (timezone !== null) return null;
  const [zone, ...others] = metricOf(answer, context)?.timezones ?? [];
  return zone !== undefined && others.length === 0 ? todayIn(zone) : null;
}

function metricOf({ metric_call }: RetrievalAnswer | LargeAnswer, context: QuestionContext | null) {
  return context?.hashed.metrics.find(metric => metric.id === metric_call?.metric_id);
}
