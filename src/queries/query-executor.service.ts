import { createHash, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type Principal } from '../access/principal.js';
import { logToken } from '../common/logging/log.js';
import { SharedWork } from '../common/turns/shared-work.js';
import { within } from '../common/turns/within.js';
import { Settings } from '../config/settings.js';
import { GraphNotFoundError } from '../graphs/graphs.errors.js';
import { isLargeAnswer } from '../retrieval/read-answer.js';
import { type LargeAnswer, type RetrievalAnswer } from '../retrieval/protocol.js';
import { RetrievalClient } from '../retrieval/retrieval.client.js';
import { todayIn } from '../text/calendar.js';
import { type Synonym } from '../questions/vocabulary.js';
import { type EarlierQuestion } from '../questions/linking/follow-up.js';
import { AnswerStore } from './answer-store.js';
import { EarlierQuestions } from './earlier-questions.js';
import { KeptLexicons } from './kept-lexicons.js';
import { MetricAnswers } from './metric-answers.js';
import { type AnswerWatcher, ModelAnswers, requireModel } from './model-answers.js';
import { IneffectiveOptionsError } from './queries.errors.js';
import { type Answered, QueriesRepository, type StoredAnswer, type WorkKey } from './queries.repository.js';
import { QueryTurns } from './query-turns.js';
import { digestOf, type GraphQuery, hashOf } from './read-query-request.js';

/** A query on one version of a graph. */
export interface PreparedQuery {
  graphId: number;
  query: GraphQuery;
  version: number;
  /** The newest version of the graph that the caller has had an answer from; 0 if none. */
  seen: number;
  hash: Buffer;
  context: QuestionContext | null;
  /** The hash under which the answer without the language model is stored; null if the model takes no part in the answer. */
  plainHash: Buffer | null;
  /** Whether the language model would take part in the answer, but is paused and gets no calls. */
  isModelPaused: boolean;
  /** The stored answer to the query. Null if there is none, or if the query asks for a refresh or for a page of another version. */
  kept: StoredAnswer | null;
  /** Receives the answer while it is made, but only if the answer is made for this caller alone. */
  watcher?: AnswerWatcher;
  /** Milliseconds that the query may wait for a place in retrieval, on top of its time-out. Absent if a caller waits for the answer. */
  queueMs?: number;
}

/** The inputs, in addition to the graph, that decide the answer to a question. */
interface QuestionContext {
  today: string;
  metrics: Awaited<ReturnType<MetricAnswers['catalog']>>;
  synonyms: readonly Synonym[];
  earlier?: EarlierQuestion;
}

/**
 * Milliseconds that this process computes a query before it claims the query, so that other processes wait for its answer. Most queries are
 * answered sooner. Until the claim, another process may compute an equal query in vain.
 */
const untoldMs = 20;
const renewEveryMs = 2_000;
const firstPauseMs = 20;
const longestPauseMs = 250;

/**
 * Computes answers by retrieval. Equal queries that callers send at the same time, to any process, are computed once, by the process of the
 * first caller: all who may read a graph see the same answer. A metric runs for each caller separately, since not all may execute it.
 */
@Injectable()
export class QueryExecutor {
  private readonly work = new SharedWork<Answered>();

  constructor(
    private readonly queries: QueriesRepository,
    private readonly store: AnswerStore,
    private readonly retrieval: RetrievalClient,
    private readonly metrics: MetricAnswers,
    private readonly models: ModelAnswers,
    private readonly lexicons: KeptLexicons,
    private readonly earlier: EarlierQuestions,
    private readonly turns: QueryTurns,
    private readonly settings: Settings,
    @Inject(logToken) private readonly log: Logger,
  ) {}

  /**
   * Makes a query ready to be executed.
   * @throws GraphNotFoundError; IneffectiveOptionsError for a query that insists on a language model while none is configured; SchemaError
   * for an earlier question that does not exist; RetrievalBusyError for a caller who has too many queries being prepared at once
   */
  prepare(userId: number, graphId: number, query: GraphQuery): Promise<PreparedQuery> {
    return this.turns.prepare(userId, () => this.prepareNow(userId, graphId, query));
  }

  private async prepareNow(userId: number, graphId: number, query: GraphQuery): Promise<PreparedQuery> {
    if (query.answer === 'llm' && !this.models.isConfigured)
      throw new IneffectiveOptionsError([{ name: 'answer', zh: '没有配置语言模型', en: 'no language model is configured' }]);
    const context = query.kind === 'question' ? await this.contextOf(graphId, query) : null;
    const isModelPaused = this.models.isPausedFor(query);
    const model = isModelPaused ? null : this.models.identityFor(query);
    const depends = { retrieval: [...this.settings.retrievalUrls].sort().join() || null, ...(context && keyParts(context)) };
    const plainHash = model && hashOf(query, depends);
    const hash = hashOf(query, { ...depends, ...(model && { model }) });
    const found = await this.queries.findAnswer(graphId, query.refresh ? null : hash, userId);
    if (!found) throw new GraphNotFoundError();
    // A page of another version than the present one is refused, even if the page at the same offset of the present version is stored.
    const isStale = query.cursorVersion !== null && query.cursorVersion !== found.version;
    // An answer that is not saved yet is newer than the saved one: `refresh` has just made it.
    const kept = query.refresh || isStale ? null : (this.store.findPending(graphId, hash, found.version) ?? found.stored);
    const prepared = { graphId, query, version: found.version, seen: found.seen, hash, context, plainHash, isModelPaused, kept };
    if (kept) await this.noteSeen(userId, prepared, kept);
    return prepared;
  }

  /**
   * Computes the answer, or joins work on an equal query.
   * @param id the id that the answer gets if this caller's query is the one that is computed
   * @param signal makes this caller leave the work, which stops if nobody else waits for it
   * @throws GraphNotFoundError, RetrievalUnavailableError, the refusals of retrieval, the errors of a metric's execution, those of the
   * language model for a caller who insists on the model, and the reason of the signal
   */
  async execute(principal: Principal, id: number, prepared: PreparedQuery, signal: AbortSignal): Promise<Answered> {
    const compute = (stop: AbortSignal) => this.retrieve(principal.userId, id, prepared, stop);
    const answered = await this.computed(principal, prepared, compute, signal);
    await this.noteSeen(principal.userId, prepared, answered);
    const complete = await this.withMetric(principal, prepared, answered, signal);
    if (prepared.query.answer === 'llm') requireModel(complete.answer);
    return complete;
  }

  private async computed(
    { userId }: Principal,
    prepared: PreparedQuery,
    compute: (stop: AbortSignal) => Promise<Answered>,
    signal: AbortSignal,
  ): Promise<Answered> {
    const { graphId, query } = prepared;
    // A query that asks for a refresh needs work that begins now, so it joins no work under way.
    if (query.refresh) return compute(signal);
    const key = keyOf(prepared);
    let isOwn = false;
    const lead = (stop: AbortSignal) => {
      isOwn = true;
      return this.lead({ graphId, key }, prepared, userId, compute, stop);
    };
    const answered = await this.work.join(`${graphId} ${key.toString('base64')}`, userId, lead, signal);
    // The query that began the work may have got an older version than this caller has seen, or no place at the language model. Then this
    // caller's query is computed separately.
    const isGood = answered.version >= prepared.seen && (isOwn || answered.answer.model?.fault !== 'busy');
    return isGood ? answered : compute(signal);
  }

  /** Records the version of an answer, so that no later answer to the user is from an older version, whichever process answers. */
  private async noteSeen(userId: number, { graphId, seen }: PreparedQuery, { version }: { version: number }): Promise<void> {
    if (version <= seen) return;
    await this.queries
      .noteSeen(graphId, userId, version)
      .catch((cause: unknown) => this.log.warn({ cause }, 'The version that a user has seen was not noted; the next answer may be older'));
  }

  private async contextOf(graphId: number, { timezone, context }: GraphQuery): Promise<QuestionContext> {
    const [metrics, synonyms, earlier] = await Promise.all([
      this.metrics.catalog(graphId),
      this.lexicons.synonyms(graphId),
      context && this.earlier.read(graphId, context),
    ]);
    return { today: todayFor(metrics, timezone), metrics, synonyms, ...(earlier && { earlier }) };
  }

  /** Computes the answer for all callers who wait for it in this process, unless another process computes an equal query. */
  private async lead(
    key: WorkKey,
    prepared: PreparedQuery,
    userId: number,
    compute: (stop: AbortSignal) => Promise<Answered>,
    stop: AbortSignal,
  ): Promise<Answered> {
    const vain = new AbortController();
    let work = compute(AbortSignal.any([stop, vain.signal]));
    const early = await within(untoldMs, work);
    if (early) return early;
    const claimId = randomUUID();
    const claim = () =>
      this.queries.claim(key, claimId).catch((cause: unknown) => {
        this.log.warn({ cause }, 'A query could not be claimed; another process may compute it too');
        return true;
      });
    if (!(await claim())) {
      vain.abort(new Error('Another process computes the same'));
      const kept = await this.awaitOther(key, prepared, userId, stop);
      if (kept) return kept;
      // The other process has failed, or its answer is not stored. Among the processes that waited, the one that now gets the claim
      // computes for all of them. Each of the others computes for its own callers.
      const isForAll = await claim();
      work = compute(stop);
      if (!isForAll) return work;
    }
    // A claim that cannot be renewed or released runs out after some seconds.
    const renewal = setInterval(() => void this.queries.renewClaim(key, claimId).catch(() => undefined), renewEveryMs);
    const release = async (id: number | null): Promise<void> => {
      await this.store.whenSaved(id);
      clearInterval(renewal);
      await this.queries.releaseClaim(key, claimId).catch(() => undefined);
    };
    try {
      const answered = await work;
      // The caller need not wait until the answer's row is written.
      void release(answered.id);
      return answered;
    } catch (error) {
      await release(null);
      throw error;
    }
  }

  /** Polls for the answer that another process computes. Null once that process has ended its work without a stored answer. */
  private async awaitOther(
    key: WorkKey,
    { graphId, hash }: PreparedQuery,
    userId: number,
    signal: AbortSignal,
  ): Promise<StoredAnswer | null> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 1.5, longestPauseMs)) {
      await sleep(pauseMs, undefined, { signal }).catch(() => signal.throwIfAborted());
      // The other process stores its answer before it ends its claim, so the claim is read before the answer.
      const isClaimed = await this.queries.isClaimed(key);
      const found = await this.queries.findAnswer(graphId, hash, userId);
      if (!found) throw new GraphNotFoundError();
      if (found.stored || !isClaimed) return found.stored;
    }
  }

  private async retrieve(userId: number, id: number, prepared: PreparedQuery, signal: AbortSignal): Promise<Answered> {
    const { graphId, query, hash, context, version: leastVersion, seen } = prepared;
    const call = { userId, deadline: performance.now() + query.timeoutMs, signal };
    const ask = (today: string, asked: Pick<GraphQuery, 'kind' | 'text' | 'timeoutMs'> = query) =>
      this.turns.retrieve(userId, () =>
        this.retrieval.query(
          {
            graph_id: graphId,
            // All API keys of a user count as the user, so that a user with many keys gets no larger share.
            caller: String(userId),
            kind: asked.kind,
            text: asked.text,
            limit: query.limit,
            least_version: leastVersion,
            ...(query.refresh ? {} : { oldest_version: Math.min(seen, leastVersion) }),
            timeout_ms: asked.timeoutMs,
            ...(prepared.queueMs === undefined ? {} : { queue_ms: prepared.queueMs }),
            today,
            ...(asked.kind === 'cypher' ? cypherOptionsOf(query) : {}),
            ...(asked === query && query.filter ? { filter: query.filter } : {}),
            ...(query.offset > 0 ? { offset: query.offset } : {}),
            ...(query.cursorVersion === null ? {} : { expected_version: query.cursorVersion }),
            ...(context && asked === query ? questionParts(context) : {}),
            ...(asked === query && query.choices.length > 0 ? { choices: query.choices } : {}),
          },
          signal,
        ),
      );
    let answer = await ask(context?.today ?? todayIn('UTC'));
    // Only the answer names the metric that the question means, and so the time zone of its "today".
    const day = context && todayOf(answer, context, query.timezone);
    if (day && day !== context.today) answer = await ask(day);
    const plain = answer;
    const { plainHash } = prepared;
    if (plainHash && !answer.metric_call) {
      const today = day ?? context?.today ?? todayIn('UTC');
      const leftMs = () => Math.max(1, Math.floor(call.deadline - performance.now()));
      const spoken = context?.earlier ? { ...query, text: `${context.earlier.text}\n${query.text}` } : query;
      const run = (cypher: string) => ask(today, { kind: 'cypher', text: cypher, timeoutMs: leftMs() });
      // If a question has several readings, the answer asks the caller to choose one, so the language model must not choose one either.
      if (answer.plan.kind === 'search' && !answer.choices && !isLargeAnswer(answer))
        answer = await this.models.read(graphId, spoken, today, answer, run, call);
      answer = await this.models.word(graphId, answer, spoken, call, prepared.watcher);
    }
    const version = answer.graph_version;
    // Some answers are not stored:
    // - A large answer: reading it back would cost about as much as computing it, and it was never parsed.
    // - The answer of a metric: it reads the warehouse, which changes without a new version of the graph.
    // - An answer that is `is_of_its_moment`, such as one that asked for the time.
    // If the language model failed, the answer without it is stored under `plainHash`, for queries that do without the model.
    const hasFailed = plainHash !== null && answer.model?.fault !== undefined;
    const kept = hasFailed ? plain : answer;
    if (isLargeAnswer(kept) || kept.metric_call || kept.is_of_its_moment) return { id: null, version, answer, createdAt: new Date() };
    const { kind, text, limit, offset } = query;
    // The parameters are kept as the text that the caller sent, which loses no digit of a number.
    const request = `{"text": ${JSON.stringify(text)}, "parameters": ${query.parameters}, "limit": ${limit}, "offset": ${offset}}`;
    const entry = { id, graphId, version: kept.graph_version, hash: hasFailed ? plainHash : hash, kind, request, answer: kept, userId };
    return { ...this.store.keep(entry), answer };
  }

  private async withMetric(
    principal: Principal,
    { graphId, query, context, plainHash, watcher }: PreparedQuery,
    answered: Answered,
    signal: AbortSignal,
  ): Promise<Answered> {
    if (isLargeAnswer(answered.answer) || !answered.answer.metric_call) return answered;
    const timezone = metricOf(answered.answer, context)?.has_moments ? query.timezone : null;
    const deadline = performance.now() + query.timeoutMs;
    const plain = await this.metrics.answer(principal, answered.answer, timezone, signal);
    const call = { userId: principal.userId, deadline, signal };
    const answer = plainHash ? await this.models.word(graphId, plain, query, call, watcher) : plain;
    return { ...answered, answer, createdAt: new Date() };
  }
}

/** Replaces metrics and synonyms, which are equal for many questions of a graph, by their digests in the key of an answer. */
function keyParts({ metrics, synonyms, ...rest }: QuestionContext) {
  return { ...rest, metrics: digestOf(metrics), synonyms: digestOf(synonyms) };
}

function questionParts({ metrics, synonyms, earlier }: QuestionContext) {
  return { metrics, synonyms, ...(earlier && { earlier }) };
}

function cypherOptionsOf({ parameters, timezone, include }: GraphQuery) {
  return { parameters, ...(timezone === null ? {} : { timezone }), ...(include.has('profile') ? { profile: true } : {}) };
}

/**
 * Key under which equal queries are computed once. It includes the time-out: a caller who allows 1 s must not stop one who allows a minute.
 */
function keyOf({ version, hash, query }: PreparedQuery): Buffer {
  return createHash('sha256').update(`${version} ${query.timeoutMs} ${query.cursorVersion} `).update(hash).digest();
}

/** Today's date in the time zone of the caller. Without one, it is the date in the time zone that all metrics share. */
function todayFor(metrics: QuestionContext['metrics'], timezone: string | null): string {
  const [shared, ...others] = new Set(metrics.flatMap(metric => metric.timezones));
  return todayIn(timezone ?? (others.length === 0 ? shared : undefined) ?? 'UTC');
}

/** Today's date in the time zone of the metric that the answer turned out to use; null if the caller has named a time zone. */
function todayOf(answer: RetrievalAnswer | LargeAnswer, context: QuestionContext, timezone: string | null): string | null {
  if (timezone !== null) return null;
  const [zone, ...others] = metricOf(answer, context)?.timezones ?? [];
  return zone !== undefined && others.length === 0 ? todayIn(zone) : null;
}

function metricOf({ metric_call }: RetrievalAnswer | LargeAnswer, context: QuestionContext | null) {
  return context?.metrics.find(metric => metric.id === metric_call?.metric_id);
}
