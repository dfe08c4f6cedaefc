import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceStoppingError } from '../../common/errors/common-errors.js';
import { isLegacyPath, toErrorBody } from '../../common/errors/error-body.js';
import { withoutPrefixes } from './path-prefix.js';

/**
 * The time that kept-alive connections stay open for requests already on their way. Each such request is answered with `Connection:
 * close`.
 */
const quietMs = 500;
const lookEveryMs = 10;
/** The time for the last answers to leave. */
const flushMs = 500;

/** Answers a request that outlasts the drain and has sent no headers yet. */
export type LastAnswer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Ends an HTTP server without cutting requests under way. `http.Server.close()` alone cuts some: it closes every connection that
 * looks idle, even if its next request lies unread in the socket.
 */
export class ServerDrain {
  private readonly open = new Map<ServerResponse, IncomingMessage>();
  private readonly sockets = new Set<Socket>();
  private isDraining = false;

  constructor(
    private readonly server: Server,
    private readonly answerLast: LastAnswer = answerThatItStops(''),
  ) {
    server.on('connection', socket => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    // Runs before the application, whose answer may be complete before it returns.
    server.prependListener('request', (request, response) => {
      this.open.set(response, request);
      response.once('close', () => this.open.delete(response));
      if (this.isDraining) response.setHeader('Connection', 'close');
    });
  }

  /**
   * Stops listening, lets requests under way end for at most `boundMs`, and closes every connection after its last answer. Requests
   * unanswered by then get the last answer. Returns their number.
   */
  async drain(boundMs: number): Promise<number> {
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    // Waits one turn, in which libuv accepts the connections that are waiting. Those still in the kernel would be reset.
    await new Promise(resolve => setImmediate(resolve));
    net.Server.prototype.close.call(this.server);
    // This must not be set earlier: a client told to close its connection opens another, which would then be reset.
    this.isDraining = true;
    for (const response of this.open.keys()) if (!response.headersSent) response.setHeader('Connection', 'close');

    while (this.sockets.size > 0 && elapsed() < boundMs) {
      if (this.open.size === 0 && elapsed() > quietMs) this.closeIdle();
      await sleep(lookEveryMs);
    }
    const unanswered = this.open.size;
    for (const [response, request] of this.open) {
      // Node forgets a request once its response has ended. Without this, a handler that still reads the body would wait for ever.
      request.socket.once('close', () => request.destroy());
      if (!response.headersSent) this.answerLast(request, response);
    }
    if (unanswered > 0) await sleep(flushMs);
    this.server.closeAllConnections();
    return unanswered;
  }

  private closeIdle(): void {
    this.server.closeIdleConnections();
    // Node treats a connection without a first request as one that is sending headers, so it does not close it as idle.
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}

/** Says that the service stops, in the form of the route's family. */
export function answerThatItStops(basePath: string): LastAnswer {
  return (request, response) => {
    const error = new ServiceStoppingError();
    const path = withoutPrefixes(request.url ?? '', basePath);
    const body = JSON.stringify(toErrorBody(error, isLegacyPath(path)));
    response.writeHead(error.status, {
      ...error.headers,
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(body),
      Connection: 'close',
    });
    response.end(body);
  };
}
