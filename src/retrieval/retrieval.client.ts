import { Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { ApiError } from '../common/errors/api-error.js';
import { Settings } from '../config/settings.js';
import { SilenceError } from './exchange.js';
import { type LargeAnswer, type RetrievalAnswer, type RetrievalQuery } from './protocol.js';
import { isRefusal, type PeerState, type RetrievalPeer } from './retrieval-peer.js';
import { RetrievalPeers } from './retrieval-peers.js';
import {
  QueryTimeoutError,
  ReplicaBehindError,
  RetrievalBusyError,
  RetrievalUnavailableError,
  RetrievalUnreachedError,
} from './retrieval.errors.js';
import { type Flight, idOfWork, SuspectQueries } from './suspect-queries.js';

/**
 * The time that a query may take beyond its own time-out before the API gives up. The process ends the query at the time-out, unless the
 * process hangs.
 */
const graceMs = 1_000;
const warmPatienceMs = 5_000;
/** The time that `hold` may take. An ingestion run waits for it before it commits. */
const holdPatienceMs = 1_000;
/** How long to wait for the news that a process has ended: it is reported a moment after its connections break. */
const endNewsMs = 500;
/** How long a query that its caller has given up is remembered as a possible cause, in case the process turns out to hang. */
const rememberedMs = 15_000;
/** How long a query that may have ended a process waits until another process is to spare. */
const spareMs = 5_000;
/** Error codes of a process that could not do its work, although another process may be able to. */
const passedOn: ReadonlySet<string> = new Set(['service_stopping', 'database_unavailable', 'replica_behind', 'retrieval_version']);

interface Call {
  query: RetrievalQuery;
  /** Id of the work: two queries with the same work have the same id. */
  id: string;
  /** Deadline in milliseconds of performance.now(). */
  deadline: number;
  signal: AbortSignal | undefined;
}

/** Outcome of an attempt: an answer, or the failure of the process. `flight` is null if the query cannot have caused the failure. */
type Attempt = { answer: RetrievalAnswer | LargeAnswer } | { error: Error; flight: Flight | null };

/** Sends queries to the retrieval processes. */
@Injectable()
export class RetrievalClient implements OnApplicationShutdown {
  private readonly log = new Logger('RetrievalClient');
  private readonly suspects = new SuspectQueries();

  constructor(
    private readonly peers: RetrievalPeers,
    private readonly settings: Settings,
  ) {
    for (const { process } of peers.all) process.onEnd(() => this.suspects.processEnded(process.name));
  }

  /**
   * Answers within the query's `timeout_ms`, its `queue_ms` and one more second, whatever the processes do. The query goes to the first
   * process of its graph that answers. If that process fails, the query is sent once more:
   * - to the next process, at once, if the first process never received it or answered with an error of `passedOn`;
   * - to the next process, if the first process ended during the query. Such queries are tried one after the other, and only while a
   *   further process answers;
   * - to the same process, once it is started again, if the process is our own and other queries were under way in it too.
   * @param signal ends the work in the process, with its statement
   * @throws QueryRefusedError, QueryTimeoutError, RetrievalUnavailableError when nothing answers, AnswerTooLargeError, the reason of the
   * signal, otherwise the error that the process answered with.
   */
  async query(query: RetrievalQuery, signal?: AbortSignal): Promise<RetrievalAnswer | LargeAnswer> {
    const patienceMs = (query.queue_ms ?? 0) + query.timeout_ms + graceMs;
    const call = { query, id: idOfWork(query), deadline: performance.now() + patienceMs, signal };
    this.suspects.admit(call.id);
    const peer = this.peers.choose(query.graph_id)!;
    const first = await this.attempt(peer, call);
    if ('answer' in first) return first.answer;
    const second = first.flight ? await this.tryAlone(call, peer, first.flight) : await this.tryNext(call, peer);
    if (second === null) throw first.error;
    if ('answer' in second) return second.answer;
    throw second.error;
  }

  /** Makes the first two processes in the order of a graph load its new version before the next query comes. Never rejects. */
  async warm(graphId: number): Promise<void> {
    await Promise.all(this.holdersOf(graphId).map(peer => peer.warm(graphId, warmPatienceMs)));
  }

  /**
   * Makes the first two processes in the order of a graph continue to answer from its present version, while its next version loads. To be
   * called before that version is made. Never rejects.
   */
  async hold(graphId: number): Promise<void> {
    await Promise.all(this.holdersOf(graphId).map(peer => peer.hold(graphId, holdPatienceMs)));
  }

  /** Asks every process whether it answers, in the order of the settings. */
  check(patienceMs: number): Promise<PeerState[]> {
    return Promise.all(this.peers.all.map(peer => peer.check(patienceMs)));
  }

  /** Whether any process answers. */
  async isAlive(patienceMs: number): Promise<boolean> {
    return (await this.check(patienceMs)).includes('ok');
  }

  onApplicationShutdown(): void {
    for (const peer of this.peers.all) peer.close();
  }

  private holdersOf(graphId: number): RetrievalPeer[] {
    const first = this.peers.choose(graphId);
    const second = first && this.peers.choose(graphId, first);
    return [first, second].filter(peer => peer !== null);
  }

  private async tryNext(call: Call, failed: RetrievalPeer): Promise<Attempt | null> {
    const next = this.peers.choose(call.query.graph_id, failed);
    return next && this.attempt(next, call);
  }

  /** Repeats a query that may have ended its process, once no other such query is being repeated. Null if the query cannot be repeated. */
  private async tryAlone(call: Call, ended: RetrievalPeer, { wasAlone }: Flight): Promise<Attempt | null> {
    if (ended.process.isOwn ? wasAlone : this.peers.all.length === 1) return null;
    const spareUntil = Math.min(call.deadline, performance.now() + spareMs);
    const { query, signal } = call;
    const turn = { caller: query.caller, patienceMs: call.deadline - performance.now(), ...(signal && { signal }) };
    const done = await this.suspects.takeTurn(turn).catch((error: unknown) => {
      if (error instanceof RetrievalBusyError) return null;
      throw error;
    });
    if (!done) return null;
    try {
      this.suspects.admit(call.id);
      const next = ended.process.isOwn ? ended : await this.peers.chooseWithSpare(call.query.graph_id, ended, spareUntil);
      return next && (await this.attempt(next, call));
    } finally {
      done();
    }
  }

  /** Sends the query to one process. @throws the error that the process answered with, unless another process may answer better */
  private async attempt(peer: RetrievalPeer, { query, id, deadline, signal }: Call): Promise<Attempt> {
    const left = (): number => deadline - performance.now();
    let address;
    try {
      address = await peer.process.address({ patienceMs: left(), restart: this.suspects.isSuspect(id) });
    } catch (error) {
      return { error: error as Error, flight: null };
    }
    signal?.throwIfAborted();
    const flight = this.suspects.begin(id, peer.name);
    try {
      const answer = await peer.ask(address, query, { timeoutMs: left(), limitBytes: this.settings.answerMaxBytes, signal });
      this.suspects.end(flight);
      this.suspects.clear(id);
      if (answer.graph_version >= (query.oldest_version ?? query.least_version ?? 0)) return { answer };
      this.log.error(`${peer.name} 的答案早于所需版本 / answered with an older version of graph ${query.graph_id} than was asked for`);
      return { error: new ReplicaBehindError(), flight: null };
    } catch (error) {
      if (error instanceof SilenceError || signal?.aborted) {
        setTimeout(() => this.suspects.end(flight), rememberedMs).unref();
        throw error instanceof SilenceError ? new QueryTimeoutError(query.timeout_ms) : error;
      }
      if (error instanceof RetrievalUnavailableError && !(error instanceof RetrievalUnreachedError)) {
        if (!flight.isStruck) await peer.process.connectionBroke(endNewsMs);
        this.suspects.end(flight);
        if (!peer.process.isOwn) peer.noteFailure(error);
        if (!flight.isStruck) throw error;
        return { error, flight };
      }
      this.suspects.end(flight);
      return this.passOn(peer, id, error);
    }
  }

  /** Distinguishes failures that another process may not have from errors that are the answer. @throws the error, if it is the answer */
  private passOn(peer: RetrievalPeer, id: string, error: unknown): Attempt {
    const isUnreached = error instanceof RetrievalUnreachedError;
    if (isUnreached || isRefusal(error)) {
      peer.noteFailure(error);
      return { error: isUnreached ? error : new RetrievalUnavailableError(error), flight: null };
    }
    if (error instanceof ApiError && passedOn.has(error.code)) {
      if (error.code === 'retrieval_version' || error.code === 'service_stopping') peer.noteFailure(error);
      return { error, flight: null };
    }
    if (error instanceof ApiError) this.suspects.clear(id);
    throw error;
  }
}
