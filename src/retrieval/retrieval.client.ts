import { createHash } from 'node:crypto';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { ApiError, SchemaError } from '../common/errors/api-error.js';
import { Settings } from '../config/settings.js';
import { exchange, SilenceError } from './exchange.js';
import { type LargeAnswer, type RetrievalAnswer, type RetrievalFailure, type RetrievalQuery } from './protocol.js';
import { readAnswer } from './read-answer.js';
import { QueryTimeoutError, RetrievalUnavailableError } from './retrieval.errors.js';
import { RetrievalSupervisor } from './retrieval.supervisor.js';
import { type Flight, SuspectQueries } from './suspect-queries.js';

/** The time that a query may take beyond its own time-out. The process keeps the time-out itself, unless it hangs. */
const graceMs = 1_000;
const warmPatienceMs = 5_000;
/** The end of the process is reported a moment after its connections break. */
const endNewsMs = 500;
/** A query that its caller has given up can still be the reason if the process turns out to hang. */
const rememberedMs = 15_000;

/** Speaks the protocol of `protocol.ts` over connections that stay open. */
@Injectable()
export class RetrievalClient implements OnApplicationShutdown {
  private agent = newAgent();
  private readonly suspects = new SuspectQueries();

  constructor(
    private readonly supervisor: RetrievalSupervisor,
    private readonly settings: Settings,
  ) {
    supervisor.onEnd(() => this.suspects.processEnded());
  }

  /**
   * Answers within the query's `timeout_ms` and one more second, whatever the process does. If the process ends during a query, the
   * query is sent once more if others were under way too, because it need not be the cause.
   * @param signal ends the work in the process, with its statement
   * @throws QueryRefusedError, QueryTimeoutError, RetrievalUnavailableError when nothing answers, AnswerTooLargeError, the reason of
   * the signal, otherwise the error that the process answered with.
   */
  async query(query: RetrievalQuery, signal?: AbortSignal): Promise<RetrievalAnswer | LargeAnswer> {
    const id = idOf(query);
    const deadline = performance.now() + query.timeout_ms + graceMs;
    this.suspects.admit(id);
    const first = await this.attempt(query, id, deadline, signal);
    if ('answer' in first) return first.answer;
    if (first.flight.wasAlone) throw first.error;
    const turn = this.suspects.takeTurn();
    const done = await Promise.race([turn, sleep(deadline - performance.now(), null, { ref: false })]);
    if (!done) {
      void turn.then(letNextIn => letNextIn());
      throw first.error;
    }
    try {
      this.suspects.admit(id);
      const second = await this.attempt(query, id, deadline, signal);
      if ('answer' in second) return second.answer;
      throw second.error;
    } finally {
      done();
    }
  }

  /** Has the process load a new version of a graph before the next query comes. Never rejects: the query would load it too. */
  async warm(graphId: number): Promise<void> {
    try {
      const place = await this.supervisor.address({ patienceMs: 0 });
      const payload = Buffer.from(JSON.stringify({ graph_id: graphId }));
      await exchange({ ...place, agent: this.agent, method: 'POST', path: '/v1/warm' }, { payload, timeoutMs: warmPatienceMs });
    } catch {
      // The process is down, or of a release that does not know the request.
    }
  }

  /** Tells whether the process answers. False while it is being started. */
  async isAlive(patienceMs: number): Promise<boolean> {
    try {
      const place = await this.supervisor.address({ patienceMs: 0, evenIfHanging: true });
      const { status } = await exchange({ ...place, agent: false, method: 'GET', path: '/v1/health' }, { timeoutMs: patienceMs });
      return status === 200;
    } catch {
      return false;
    }
  }

  /** Drops the connections to a process that does not answer. Requests that wait for it fail now. */
  dropConnections(): void {
    this.agent.destroy();
    this.agent = newAgent();
  }

  onApplicationShutdown(): void {
    this.agent.destroy();
  }

  /** Rejects with the error that the process answered. Resolves with the flight if the process ended instead. */
  private async attempt(
    query: RetrievalQuery,
    id: string,
    deadline: number,
    signal?: AbortSignal,
  ): Promise<{ answer: RetrievalAnswer | LargeAnswer } | { flight: Flight; error: Error }> {
    const timeoutMs = deadline - performance.now();
    const place = await this.supervisor.address({ patienceMs: timeoutMs, restart: this.suspects.isSuspect(id) });
    signal?.throwIfAborted();
    const flight = this.suspects.begin(id);
    try {
      const answer = await this.ask(place, query, deadline - performance.now(), signal);
      this.suspects.end(flight);
      this.suspects.clear(id);
      return { answer };
    } catch (error) {
      if (error instanceof SilenceError || signal?.aborted) {
        setTimeout(() => this.suspects.end(flight), rememberedMs).unref();
        throw error instanceof SilenceError ? new QueryTimeoutError(query.timeout_ms) : error;
      }
      if (!(error instanceof RetrievalUnavailableError)) {
        this.suspects.end(flight);
        if (error instanceof ApiError) this.suspects.clear(id);
        throw error;
      }
      await this.supervisor.ended(endNewsMs);
      this.suspects.end(flight);
      if (!flight.isStruck) throw error;
      return { flight, error };
    }
  }

  private async ask(
    place: http.RequestOptions,
    query: RetrievalQuery,
    timeoutMs: number,
    signal?: AbortSignal,
  ): Promise<RetrievalAnswer | LargeAnswer> {
    const payload = Buffer.from(JSON.stringify(query));
    const options = { ...place, agent: this.agent, method: 'POST', path: '/v1/query' };
    const { status, bytes } = await exchange(options, {
      payload,
      timeoutMs,
      limitBytes: this.settings.answerMaxBytes,
      ...(signal && { signal }),
    });
    if (status === 200) return readAnswer(bytes);
    let failure: RetrievalFailure;
    try {
      failure = JSON.parse(bytes.toString('utf8')) as RetrievalFailure;
    } catch (error) {
      throw new RetrievalUnavailableError(error);
    }
    throw toApiError(failure);
  }
}

function newAgent(): http.Agent {
  // More sockets than the process lets wait, so that it refuses further queries at once instead of leaving them here.
  return new http.Agent({ keepAlive: true, maxSockets: 1024, maxFreeSockets: 32 });
}

/** Gives the same id to two queries that are the same work. */
function idOf({ graph_id, kind, text, parameters, limit, offset }: RetrievalQuery): string {
  return createHash('sha256')
    .update(JSON.stringify([graph_id, kind, text, parameters, limit, offset]))
    .digest('base64');
}

function toApiError(failure: RetrievalFailure): ApiError {
  if (failure.problems) return new SchemaError(failure.problems);
  const headers = failure.status === 503 ? { headers: { 'Retry-After': String(failure.retry_after_s ?? 2) } } : {};
  return new ApiError(failure.status, failure.code, failure.text, { ...(failure.context ? { context: failure.context } : {}), ...headers });
}
