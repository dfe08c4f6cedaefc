import http from 'node:http';
import https from 'node:https';
import { Logger } from '@nestjs/common';
import { ApiError } from '../common/errors/api-error.js';
import { joined } from '../text/bilingual.js';
import { exchange } from './exchange.js';
import { type LargeAnswer, type RetrievalAnswer, type RetrievalQuery } from './protocol.js';
import { readAnswer } from './read-answer.js';
import { readFailure } from './read-failure.js';
import { type ProcessAddress, type RetrievalProcess } from './retrieval-process.js';
import { RetrievalVersionError } from './retrieval.errors.js';

/** State of a process. `other_version`: it speaks another version of the protocol. `refused`: it does not accept our credentials. */
export type PeerState = 'ok' | 'unavailable' | 'other_version' | 'refused';

/** Milliseconds of a query's time-out that are reserved for the transfer of the answer. The process gets the rest as its time-out. */
const travelMs = 500;

/** Speaks the protocol of `protocol.ts` with one retrieval process, over connections that stay open. */
export class RetrievalPeer {
  private readonly log = new Logger('RetrievalPeer');
  private agent: http.Agent;
  /** Separate connections for health checks, so that a check does not wait behind queries. */
  private checks: http.Agent;
  private heard: PeerState | null = null;

  /** @param key signs the requests */
  constructor(
    readonly process: RetrievalProcess,
    private readonly isTls = false,
    private readonly key?: string,
  ) {
    this.agent = this.newAgent();
    this.checks = this.newAgent();
  }

  get name(): string {
    return this.process.name;
  }

  /** False from the time when the process has failed to answer until it answers again. */
  get isAnswering(): boolean {
    return this.heard === 'ok' || this.heard === null;
  }

  /** State of the process after its last answer or noted failure; null until there is one. */
  get state(): PeerState | null {
    return this.heard;
  }

  /**
   * Checks whether the process answers; a process that is being started does not. Silence leaves `state` as it is, because `patienceMs` may
   * be short: the caller decides when to call `noteFailure`.
   */
  async check(patienceMs: number): Promise<PeerState> {
    const [state, error] = await this.askHealth(patienceMs);
    if (state !== 'unavailable') {
      this.note(state, error);
      // A process that answers with a refusal of our credentials does not hang.
      this.process.markAnswering();
    }
    return state;
  }

  /**
   * Sends a query to the process.
   * @throws the error that the process answered with, and what `exchange` throws
   */
  async ask(
    address: ProcessAddress,
    query: RetrievalQuery,
    { timeoutMs, limitBytes, signal }: { timeoutMs: number; limitBytes: number; signal?: AbortSignal | undefined },
  ): Promise<RetrievalAnswer | LargeAnswer> {
    const payload = Buffer.from(JSON.stringify(query));
    const request = { ...address, agent: this.agent, method: 'POST', path: '/v1/query' };
    const exchanged = await exchange(request, { payload, timeoutMs, travelMs, limitBytes, key: this.key, signal });
    if (exchanged.status === 200 && exchanged.failure === undefined) return readAnswer(exchanged.bytes);
    throw readFailure(exchanged);
  }

  /**
   * Has the process load a new version of a graph before the next query comes. Never rejects: without this, the query itself loads the
   * version.
   */
  warm(graphId: number, timeoutMs: number): Promise<void> {
    return this.tell('/v1/warm', graphId, timeoutMs);
  }

  /**
   * Has the process answer from its loaded parts of the present version while the next version loads. Never rejects: without this, queries
   * wait for the load.
   */
  hold(graphId: number, timeoutMs: number): Promise<void> {
    return this.tell('/v1/hold', graphId, timeoutMs);
  }

  private async tell(path: string, graphId: number, timeoutMs: number): Promise<void> {
    try {
      const address = await this.process.address({ patienceMs: 0 });
      const payload = Buffer.from(JSON.stringify({ graph_id: graphId }));
      await exchange({ ...address, agent: this.agent, method: 'POST', path }, { payload, timeoutMs, key: this.key });
    } catch {
      // The process is down, or is of a release that does not know this request.
    }
  }

  /** Notes that the process did not accept or did not answer a request. The error shows why. */
  noteFailure(error?: unknown): void {
    this.note(...reasonOf(error));
  }

  /** Drops the connections to a process that does not answer. Requests that wait for the process fail at once. */
  dropConnections(): void {
    this.close();
    this.agent = this.newAgent();
    this.checks = this.newAgent();
  }

  close(): void {
    this.agent.destroy();
    this.checks.destroy();
  }

  private async askHealth(patienceMs: number): Promise<[PeerState, ApiError?]> {
    try {
      const address = await this.process.address({ patienceMs: 0, evenIfHanging: true });
      const request = { ...address, agent: this.checks, method: 'GET', path: '/v1/health' };
      const exchanged = await exchange(request, { timeoutMs: patienceMs, key: this.key });
      return exchanged.status === 200 ? ['ok'] : reasonOf(readFailure(exchanged));
    } catch (error) {
      return reasonOf(error);
    }
  }

  private note(state: PeerState, error?: ApiError): void {
    if (state === this.heard) return;
    this.heard = state;
    if (error) this.log.error(`${this.name}: ${joined(error.text)}`);
  }

  private newAgent(): http.Agent {
    // The limit on sockets exceeds the queries that the process lets wait, so that it refuses further queries at once instead of leaving
    // them here. Idle sockets close here before the process closes them, after 75 s.
    const options = { keepAlive: true, maxSockets: 1024, maxFreeSockets: 32, timeout: 60_000 };
    return this.isTls ? new https.Agent(options) : new http.Agent(options);
  }
}

/**
 * Whether the process refused our credentials. Callers of the API must not get this error: they would take it for a refusal of their own
 * credentials.
 */
export function isRefusal(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'retrieval_credentials';
}

/** The state that a failure shows, and the error if an operator must act. */
function reasonOf(error: unknown): [PeerState, ApiError?] {
  if (error instanceof RetrievalVersionError) return ['other_version', error];
  return isRefusal(error) ? ['refused', error] : ['unavailable'];
}
