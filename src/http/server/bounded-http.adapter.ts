import { createServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type Express, type Response } from 'express';
import { ChunksTooSmallError } from '../../common/errors/common-errors.js';
import { isLarge, writeInTurns } from '../../common/json/write-in-turns.js';
import { gatherChunks } from '../../common/turns/gather-chunks.js';
import { AnswerInPieces, type LargeAnswers, StreamedAnswer } from './large-answers.js';
import { serveInTurn } from './socket-turns.js';
import { closeAfterUnreadBody, inviteBodiesLate, isClosing, lingerMs as defaultLingerMs } from './unread-body.js';

/** Limits that the server applies before any code of ours runs. */
export interface ServerBounds {
  /** The most bytes of the request line and the headers together; a longer head is answered with 431. */
  maxHeaderBytes: number;
  /** Milliseconds until the headers must be complete; later ones are answered with 408. */
  headersTimeoutMs: number;
  /** Milliseconds until the whole request must have arrived, on any route; a later one is answered with 408. */
  requestTimeoutMs: number;
  /** The most open sockets. Further sockets are closed without an answer. */
  maxConnections: number;
  /** Milliseconds for which a client may go on sending a body that nobody reads, after its answer has been sent. */
  lingerMs?: number;
}

/**
 * The interval at which Node looks for late requests. Node's default of 30 s would let late requests hold a socket for that much longer.
 */
const checkEveryMs = 1_000;

/** Express on a server with limits. Nest's own adapter passes no options to `http.createServer`. */
export class BoundedHttpAdapter extends ExpressAdapter {
  constructor(
    private readonly bounds: ServerBounds,
    private readonly large: LargeAnswers,
  ) {
    super();
  }

  /**
   * Writes large answers in turns of the event loop. `JSON.stringify` of 16 MB would block all requests for a fifth of a second.
   * @returns a promise for an answer that is sent while its reader takes it; Nest passes a rejection of this promise to the error filter
   */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    // The drain of a stopping service may already have answered.
    if (response.headersSent) return response;
    if (!isSlow(body) && !isLarge(body)) return super.reply(response, body, statusCode);
    if (statusCode !== undefined) response.status(statusCode);
    return isSlow(body) ? this.large.send(response, body) : this.sendJson(response, body);
  }

  override initHttpServer(): void {
    const { maxHeaderBytes, headersTimeoutMs, requestTimeoutMs, maxConnections, lingerMs = defaultLingerMs } = this.bounds;
    const app = this.getInstance<Express>();
    const server = createServer(
      {
        ...classesFor(app, lingerMs),
        maxHeaderSize: maxHeaderBytes,
        headersTimeout: headersTimeoutMs,
        requestTimeout: requestTimeoutMs,
        connectionsCheckingInterval: checkEveryMs,
        // Node's own refusal of a request without `Host` has no body, so `checkRequestMiddleware` refuses such requests instead.
        requireHostHeader: false,
      },
      (request, response) => {
        const { socket } = request;
        if (isClosing(socket)) return;
        gatherChunks(request, () => {
          socket.pause();
          server.emit('clientError', new ChunksTooSmallError(), socket);
        });
        response.once('prefinish', () => this.large.watch(response as Response));
        serveInTurn(request, response, () => void app(request, response));
      },
    );
    inviteBodiesLate(server);
    server.maxConnections = maxConnections;
    this.setHttpServer(server);
  }

  /**
   * Sets the backlog of new sockets to the number of sockets that may be open. Beyond the system's default backlog new sockets would be
   * dropped, and their clients try again only seconds later.
   */
  override listen(port: string | number, host?: string | (() => void), listening?: () => void): Server {
    if (typeof host !== 'string') return super.listen(port, host ?? listening);
    return (this.getHttpServer() as Server).listen({ port: Number(port), host, backlog: this.bounds.maxConnections }, listening);
  }

  private async sendJson(response: Response, body: Record<string, unknown>): Promise<void> {
    await this.large.send(response, new AnswerInPieces('json', await writeInTurns(body)));
  }
}

function isSlow(body: unknown): body is AnswerInPieces | StreamedAnswer {
  return body instanceof AnswerInPieces || body instanceof StreamedAnswer;
}

/**
 * Classes whose objects are created with the prototypes that Express wants. Express would otherwise change the prototype of every request
 * and response. V8 then stops optimizing the code that touches these objects, which on Node 20 costs a bare route three quarters of its
 * speed.
 */
function classesFor(app: Express, lingerMs: number) {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {
    override writeHead(...head: [statusCode: number, ...rest: unknown[]]): this {
      closeAfterUnreadBody(this.req, this, lingerMs);
      return super.writeHead(...(head as Parameters<ServerResponse['writeHead']>));
    }
  }
  app.request = Object.setPrototypeOf(ExpressRequest.prototype, app.request) as typeof app.request;
  app.response = Object.setPrototypeOf(ExpressResponse.prototype, app.response) as typeof app.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
