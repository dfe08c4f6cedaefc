import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceStoppingError } from '../../common/errors/common-errors.js';
import { isLegacyPath, toErrorBody } from '../../common/errors/error-body.js';
import { withoutPrefixes } from './path-prefix.js';

/**
 * Milliseconds for which kept-alive connections stay open, because requests may already be on their way. Each of these requests is answered
 * with `Connection: close`.
 */
const quietMs = 500;
const lookEveryMs = 10;
/** Milliseconds that the last answers have to reach their readers. */
const flushMs = 500;

/** Answers a request that is still open when the time of the drain is over, if its answer has not begun. */
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
    // Runs before the application's listener, whose answer may be complete before the listener returns.
    server.prependListener('request', (request, response) => {
      this.open.set(response, request);
      response.once('close', () => this.open.delete(response));
      if (this.isDraining) response.setHeader('Connection', 'close');
    });
  }

  /**
   * Stops listening, lets requests under way end for at most `boundMs`, and closes every connection after its last answer. Requests without
   * an answer by then get `answerLast`. Returns the number of these requests.
   */
  async drain(boundMs: number): Promise<number> {
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    // Waits one turn, in which libuv accepts the connections that are waiting. Connections that are still in the kernel would be reset.
    await new Promise(resolve => setImmediate(resolve));
    net.Server.prototype.close.call(this.server);
    // This flag must not be set before the server stops listening. A client that is told to close its connection opens another, which would
    // be reset.
    this.isDraining = true;
    for (const response of this.open.keys()) if (!response.headersSent) response.setHeader('Connection', 'close');

    while (this.sockets.size > 0 && elapsed() < boundMs) {
      if (this.open.size === 0 && elapsed() > quietMs) this.closeIdle();
      await sleep(lookEveryMs);
    }
    const unanswered = this.open.size;
    for (const [response, request] of this.open) {
      // Node forgets a request once its response has ended. Without this listener, a handler that still reads the body would wait for ever.
      request.socket.once('close', () => request.destroy());
      if (!response.headersSent) this.answerLast(request, response);
    }
    if (unanswered > 0) await sleep(flushMs);
    this.server.closeAllConnections();
    return unanswered;
  }

  private closeIdle(): void {
    this.server.closeIdleConnections();
    // Node takes a connection without a first request for one that is sending headers, so Node does not close it as idle. It is closed
    // here.
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}

/** An answer that says that the service is stopping, in the form of the route's family. */
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
