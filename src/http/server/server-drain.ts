import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import net, { type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceStoppingError } from '../../common/errors/common-errors.js';
import { isLegacyPath, toErrorBody } from '../../common/errors/error-body.js';

/**
 * How long kept-alive connections stay open for requests that were sent before their clients could know; each is answered
 * with `Connection: close`.
 */
const quietMs = 500;
const lookEveryMs = 10;
/** For the last answers to leave. */
const flushMs = 500;

/** Answers a request that outlasts the drain; its headers are not sent yet. */
export type LastAnswer = (request: IncomingMessage, response: ServerResponse) => void;

/**
 * Ends an HTTP server without cutting what is under way. `http.Server.close()` alone does: it closes every connection that
 * looks idle, also one whose next request lies in the socket unread.
 */
export class ServerDrain {
  private readonly open = new Map<ServerResponse, IncomingMessage>();
  private readonly sockets = new Set<Socket>();
  private isDraining = false;

  constructor(
    private readonly server: Server,
    private readonly answerLast: LastAnswer = answerThatItStops,
  ) {
    server.on('connection', socket => {
      this.sockets.add(socket);
      socket.once('close', () => this.sockets.delete(socket));
    });
    // In front of the application, whose answer may be complete before it returns.
    server.prependListener('request', (request, response) => {
      this.open.set(response, request);
      response.once('close', () => this.open.delete(response));
      if (this.isDraining) response.setHeader('Connection', 'close');
    });
  }

  /**
   * Stops listening, lets requests under way end for at most `boundMs`, and closes every connection behind its last answer.
   * What is not answered by then gets its last answer. Returns how many those were.
   */
  async drain(boundMs: number): Promise<number> {
    const startedAt = performance.now();
    const elapsed = () => performance.now() - startedAt;
    // Right behind a turn in which libuv has accepted whatever was waiting: what the kernel still holds then would be reset.
    await new Promise(resolve => setImmediate(resolve));
    net.Server.prototype.close.call(this.server);
    // Not earlier: a client that is told to close its connection opens another, which would be just such a one.
    this.isDraining = true;
    for (const response of this.open.keys()) if (!response.headersSent) response.setHeader('Connection', 'close');

    while (this.sockets.size > 0 && elapsed() < boundMs) {
      if (this.open.size === 0 && elapsed() > quietMs) this.closeIdle();
      await sleep(lookEveryMs);
    }
    const unanswered = this.open.size;
    for (const [response, request] of this.open) {
      // With its response ended Node forgets the request: whoever still reads its body would wait for ever.
      response.once('close', () => request.destroy());
      if (!response.headersSent) this.answerLast(request, response);
    }
    if (unanswered > 0) await sleep(flushMs);
    this.server.closeAllConnections();
    return unanswered;
  }

  private closeIdle(): void {
    this.server.closeIdleConnections();
    // Node takes a connection without a first request for one that is sending its headers.
    for (const socket of this.sockets) if (socket.bytesRead === 0) socket.destroy();
  }
}

function answerThatItStops(request: IncomingMessage, response: ServerResponse): void {
  const error = new ServiceStoppingError();
  const path = request.url?.replace(/^\/api(?=\/)/, '') ?? '';
  const body = JSON.stringify(toErrorBody(error, isLegacyPath(path)));
  response.writeHead(error.status, {
    ...error.headers,
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    Connection: 'close',
  });
  response.end(body);
}
