import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { type Logger } from 'pino';
import { ApiError, SchemaError } from '../../common/errors/api-error.js';
import { DatabaseUnavailableError, ServiceStoppingError } from '../../common/errors/common-errors.js';
import { toApiError } from '../../common/errors/to-api-error.js';
import { LanguageError } from '../../text/language-error.js';
import { ServerDrain } from '../../http/server/server-drain.js';
import { Pace } from '../../common/turns/pace.js';
import { FairShare } from '../../common/turns/fair-share.js';
import { type RetrievalFailure, type RetrievalHealth } from '../protocol.js';
import { ProtocolError, RetrievalBusyError } from '../retrieval.errors.js';
import { LoadedGraphs } from './loaded-graphs.js';
import { readRetrievalQuery } from './read-retrieval-query.js';
import { RetrievalDatabase } from './retrieval-database.js';
import { runQuery } from './run-query.js';
import { readWarmRequest, warmGraph } from './warm-graph.js';
import { writeAnswer } from './write-answer.js';

export interface RetrievalOptions {
  databaseUrl: string;
  /** A socket path (with a slash) or `host:port`. */
  listen: string;
  memoryMb: number;
  answerMaxBytes: number;
  log: Logger;
}

const maxBodyBytes = 2_097_152;
/** Each query keeps about one core busy, mostly PostgreSQL's. More than two queries a core would leave nothing for the rest. */
export const workingAtOnce = Math.min(8, Math.max(4, 2 * availableParallelism()));
/** All API processes share these places. Everything that works and waits for one API process fits into its connections to here. */
const shareOptions = { places: workingAtOnce, waitingPerCaller: 50, waiting: 200, patienceMs: 120_000 };

export interface RetrievalServer {
  server: Server;
  /** Lets queries under way end for at most `boundMs`. */
  close: (boundMs: number) => Promise<void>;
}

/** Opens the retrieval process's HTTP server and resolves once it listens. */
export async function serveRetrieval(options: RetrievalOptions): Promise<RetrievalServer> {
  // Adds a connection for each of a few graphs that may be loading, and one for cancelling.
  const database = new RetrievalDatabase(options.databaseUrl, workingAtOnce + 4, options.answerMaxBytes, options.log);
  const graphs = new LoadedGraphs(database, options.memoryMb * 1024 * 1024);
  const share = new FairShare({ ...shareOptions, refuse: retryAfterS => new RetrievalBusyError(retryAfterS) });
  const startedAt = Date.now();

  async function answer(request: IncomingMessage, signal: AbortSignal): Promise<Buffer[]> {
    if (request.method === 'GET' && request.url === '/v1/health') {
      const uptime = Math.round((Date.now() - startedAt) / 1000);
      const health: RetrievalHealth = {
        status: 'ok',
        graphs: graphs.count,
        bytes: graphs.bytes,
        working: share.working,
        uptime_s: uptime,
      };
      return [Buffer.from(JSON.stringify(health))];
    }
    if (request.method === 'POST' && request.url === '/v1/warm') {
      void warmGraph(database, graphs, readWarmRequest(await readBody(request)), options.log);
      return [Buffer.from('{}')];
    }
    if (request.method !== 'POST' || request.url !== '/v1/query')
      throw new ProtocolError({ zh: '没有这个操作', en: 'No such operation' }, 404);
    const query = readRetrievalQuery(await readBody(request));
    const { caller, graph_id: group, timeout_ms: patienceMs } = query;
    return share.run({ caller, group, patienceMs, signal }, async () => {
      const found = await runQuery(database, graphs, query, signal);
      return writeAnswer(found, options.answerMaxBytes, new Pace(signal));
    });
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const gone = new AbortController();
    response.on('close', () => gone.abort(new Error('The caller has gone')));
    try {
      send(response, 200, await answer(request, gone.signal));
    } catch (error) {
      if (gone.signal.aborted) return;
      // Logs failures that the caller did not cause.
      if (!isAnswer(error)) options.log.error({ request_id: request.headers['x-request-id'], cause: error }, 'A query failed');
      const failure = toFailure(error);
      send(response, failure.status, [Buffer.from(JSON.stringify(failure))]);
    }
  }

  const server = http.createServer((request, response) => {
    // No error may be left unhandled here: a rejection would end the process with everybody's queries.
    handle(request, response).catch((error: unknown) => {
      options.log.error({ cause: error }, 'A failure could not be answered');
      response.destroy();
    });
  });
  const drain = new ServerDrain(server, (_request, response) => {
    send(response, 503, [Buffer.from(JSON.stringify(toFailure(new ServiceStoppingError())))]);
  });
  // Limits only the arrival of a request. Cold starts and long queries have their own time-outs.
  server.requestTimeout = 30_000;
  server.keepAliveTimeout = 75_000;
  await listen(server, options.listen);
  return {
    server,
    close: async boundMs => {
      await drain.drain(boundMs);
      await database.close();
    },
  };
}

async function listen(server: Server, address: string): Promise<void> {
  const isPath = address.includes('/');
  // A killed process leaves its socket file behind. The directory is private to this instance.
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

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBodyBytes) throw new ProtocolError({ zh: '请求过大', en: 'The request is too large' }, 413);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function send(response: ServerResponse, status: number, pieces: Buffer[]): void {
  // The drain of a stopping process may have answered already.
  if (response.headersSent || response.destroyed) return;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.writeHead(status, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': length });
  for (const piece of pieces) response.write(piece);
  response.end();
}

/** Tells whether the error is itself an answer to the caller. */
function isAnswer(thrown: unknown): boolean {
  return thrown instanceof ApiError || thrown instanceof LanguageError;
}

function toFailure(thrown: unknown): RetrievalFailure {
  const error = toApiError(thrown);
  if (isAnswer(thrown) || error instanceof DatabaseUnavailableError) {
    const { status, code, text, context } = error;
    const retryAfterS = Number(error.headers?.['Retry-After']);
    return {
      status,
      code,
      text,
      ...(context ? { context } : {}),
      ...(error instanceof SchemaError ? { problems: error.problems } : {}),
      ...(retryAfterS > 0 ? { retry_after_s: retryAfterS } : {}),
    };
  }
  return { status: 500, code: 'retrieval_failed', text: { zh: '检索进程内部错误', en: 'The retrieval process failed' } };
}
