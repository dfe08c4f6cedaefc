import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import https from 'node:https';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { type LevelWithSilent, type Logger } from 'pino';
import { ServiceStoppingError } from '../../common/errors/common-errors.js';
import { ServerDrain } from '../../http/server/server-drain.js';
import { FairShare } from '../../common/turns/fair-share.js';
import { headers, mostWorking, type RetrievalHealth, waitingOfOneCaller } from '../protocol.js';
import { ProtocolError, QueryTimeoutError, RetrievalBusyError } from '../retrieval.errors.js';
import { type TlsMaterial } from '../tls-material.js';
import { budgetOf, CallGate, timeoutOf } from './call-gate.js';
import { readGraphRequest, readRetrievalQuery } from './read-retrieval-query.js';
import { send, sendFailure, sendPieces } from './send-answer.js';
import { QueryFailure, QueryThreads } from './threads/query-threads.js';
import { isAnswer, toFailure } from './to-failure.js';

export interface RetrievalOptions {
  databaseUrl?: string | undefined;
  readUrl?: string | undefined;
  key?: string | undefined;
  tls?: TlsMaterial;
  /** The address to listen on: a socket path (with a slash) or `host:port`. */
  listen: string;
  memoryMb: number;
  answerMaxBytes: number;
  logLevel: LevelWithSilent;
  /** The number of threads that run queries; undefined for one thread per core, at least two. */
  threads?: number | undefined;
  /** Directory for files with parts of graphs; null if no files are kept. */
  snapshotDirectory: string | null;
  /** Values that logs must not show. */
  secrets: readonly string[];
  /** The JavaScript file that a query thread runs. */
  threadEntry: URL;
  log: Logger;
}

const maxBodyBytes = 2_097_152;
/**
 * The most queries that work at once. Each query keeps about one core busy, mostly a core of PostgreSQL, so more than two queries a core
 * would leave nothing for other work.
 */
export const workingAtOnce = Math.min(mostWorking, Math.max(4, 2 * availableParallelism()));
/**
 * Additional places for callers who hold none, so that a light query of a third caller need not wait for the long queries of two others.
 */
const newcomers = 2;
/**
 * Limits of the places that all API processes share. All working and waiting queries of one API process fit into its connections to this
 * process.
 */
const shareOptions = { places: workingAtOnce, newcomers, waitingPerCaller: waitingOfOneCaller, waiting: 200, patienceMs: 120_000 };

export interface RetrievalServer {
  server: Server;
  /** Stops the server after waiting at most `boundMs` for queries under way. */
  close: (boundMs: number) => Promise<void>;
}

/** Opens the retrieval process's HTTP server and resolves once it listens. */
export async function serveRetrieval(options: RetrievalOptions): Promise<RetrievalServer> {
  const { databaseUrl, readUrl, memoryMb, answerMaxBytes, snapshotDirectory, logLevel, secrets } = options;
  const threads = new QueryThreads({
    entry: options.threadEntry,
    count: options.threads ?? Math.max(2, availableParallelism()),
    log: options.log,
    // Five of the 6 further connections are for graphs that may be loading or held, and one is for cancelling.
    start: {
      databaseUrl,
      readUrl,
      connections: workingAtOnce + newcomers + 6,
      memoryMb,
      answerMaxBytes,
      snapshotDirectory,
      logLevel,
      secrets,
    },
  });
  await threads.start();
  const share = new FairShare({ ...shareOptions, refuse: retryAfterS => new RetrievalBusyError(retryAfterS) });
  const startedAt = Date.now();

  const gate = new CallGate({ key: options.key, asksCertificate: options.tls?.ca !== undefined }, options.log);

  /**
   * The health of the process. A hanging thread does not make the process unhealthy: that thread alone is ended, and the others continue.
   */
  async function health(): Promise<RetrievalHealth> {
    const reads = await threads.ping();
    const { count, bytes } = threads.graphs;
    const uptime = Math.round((Date.now() - startedAt) / 1000);
    return { status: 'ok', graphs: count, bytes, working: share.working, uptime_s: uptime, reads };
  }

  async function answer(request: IncomingMessage, response: ServerResponse, gone: AbortController): Promise<void> {
    const asksHealth = request.method === 'GET' && request.url === '/v1/health';
    // An orchestrator's health probe has no protocol version and no signature.
    if (asksHealth && request.headers[headers.version] === undefined) {
      await threads.ping();
      return send(response, 200, [Buffer.from('{"status":"ok"}')]);
    }
    const checkBody = gate.checkHeaders(request);
    const timeoutMs = timeoutOf(request);
    let askedMs = timeoutMs;
    const endAfter = (ms: number) => setTimeout(() => gone.abort(new QueryTimeoutError(askedMs)), ms);
    let late = endAfter(timeoutMs);
    response.on('close', () => clearTimeout(late));
    const body = await readBody(request);
    checkBody(body);
    if (asksHealth) return send(response, 200, [Buffer.from(JSON.stringify(await health()))]);
    if (request.method === 'POST' && request.url === '/v1/warm') {
      threads.warm(readGraphRequest(body.toString('utf8')));
      return send(response, 200, [Buffer.from('{}')]);
    }
    if (request.method === 'POST' && request.url === '/v1/hold') {
      await threads.hold(readGraphRequest(body.toString('utf8')));
      return send(response, 200, [Buffer.from('{}')]);
    }
    if (request.method !== 'POST' || request.url !== '/v1/query')
      throw new ProtocolError({ zh: '没有这个操作', en: 'No such operation' }, 404);
    const text = body.toString('utf8');
    const query = readRetrievalQuery(text);
    const { caller, graph_id: group, queue_ms: queueMs } = query;
    askedMs = query.timeout_ms;
    const patienceMs = queueMs ?? askedMs;
    const limitBytes = Math.min(budgetOf(request), options.answerMaxBytes);
    await share.run({ caller, group, patienceMs, signal: gone.signal }, async () => {
      if (queueMs !== undefined) {
        clearTimeout(late);
        late = endAfter(askedMs);
      }
      const asked = { query, body: text, limitBytes, requestId: request.headers['x-request-id'] as string | undefined };
      await sendPieces(response, threads.run(asked, gone.signal), gone.signal);
    });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort(new Error('The caller has gone')));
    // The caller's answer does not wait for work that ignores the signal for a while. Such work continues, and keeps its place until it
    // ends.
    const aborted = new Promise<never>((_, reject) => gone.signal.addEventListener('abort', () => reject(gone.signal.reason as Error)));
    try {
      await Promise.race([answer(request, response, gone), aborted]);
    } catch (error) {
      if (response.destroyed) return;
      // Logs failures that the caller did not cause. The failure of a query was logged by its thread.
      if (!isAnswer(error) && !(error instanceof QueryFailure))
        options.log.error({ request_id: request.headers['x-request-id'], cause: error }, 'A query failed');
      sendFailure(response, error instanceof QueryFailure ? error.failure : toFailure(error));
    }
  }

  const listener = (request: IncomingMessage, response: ServerResponse): void => {
    // No rejection may stay unhandled here: it would end the process with the queries of all callers.
    handle(request, response).catch((error: unknown) => {
      options.log.error({ cause: error }, 'A failure could not be answered');
      response.destroy();
    });
  };
  // TLS accepts any certificate of a caller. `CallGate` checks the certificate later, so that a caller is told why it is refused instead of
  // finding the connection closed.
  const { ca, ...certificate } = options.tls ?? {};
  const server = certificate.cert
    ? https.createServer({ ...certificate, ...(ca ? { ca, requestCert: true, rejectUnauthorized: false } : {}) }, listener)
    : http.createServer(listener);
  const drain = new ServerDrain(server, (_request, response) => {
    sendFailure(response, toFailure(new ServiceStoppingError()));
  });
  // The time limit covers only the arrival of a request. Cold starts and long queries have their own time-outs.
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 75_000;
  await listen(server, options.listen);
  return {
    server,
    close: async boundMs => {
      await drain.drain(boundMs);
      await threads.close();
    },
  };
}

async function listen(server: Server, address: string): Promise<void> {
  const isPath = address.includes('/');
  // A killed process leaves its socket file behind, so the file is removed. The directory is private to this instance.
  if (isPath) await rm(address, { force: true });
  const colon = address.lastIndexOf(':');
  const target = isPath
    ? { path: address }
    : { host: address.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(address.slice(colon + 1)) };
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(target, () => {
      server.off('error', reject);
      resolve();
    });
  });
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new ProtocolError({ zh: '请求过大', en: 'The request is too large' }, 413);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
