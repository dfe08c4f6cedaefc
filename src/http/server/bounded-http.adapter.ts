import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type Express, type Response } from 'express';
import { isLarge, writeInTurns } from '../../common/json/write-in-turns.js';
import { AnswerInPieces, type LargeAnswers } from './large-answers.js';
import { closeAfterUnreadBody, inviteBodiesLate, isClosing, lingerMs as defaultLingerMs } from './unread-body.js';

/** Limits that the server applies before any code of ours runs. */
export interface ServerBounds {
  /** Bytes of the request line and headers together; more is a 431. */
  maxHeaderBytes: number;
  /** The time until the headers are complete; later is a 408. */
  headersTimeoutMs: number;
  /** The time until the whole request has arrived, for any route; later is a 408. */
  requestTimeoutMs: number;
  /** Open sockets. Further ones are closed without an answer. */
  maxConnections: number;
  /** The time that a client may go on sending a body that nobody reads, after its answer. */
  lingerMs?: number;
}

/** The interval at which Node looks for late requests. Its own 30 s would let them hold a socket for that much longer. */
const checkEveryMs = 1_000;

/** Express on a server with limits. Nest's own adapter passes no options to `http.createServer`. */
export class BoundedHttpAdapter extends ExpressAdapter {
  constructor(
    private readonly bounds: ServerBounds,
    private readonly large: LargeAnswers,
  ) {
    super();
  }

  /** Writes large answers in turns. `JSON.stringify` of 16 MB would block everybody's requests for a fifth of a second. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    // A handler that streamed its answer has nothing left to send.
    if (response.headersSent) return response;
    if (!(body instanceof AnswerInPieces) && !isLarge(body)) {
      const replied: unknown = super.reply(response, body, statusCode);
      this.large.watch(response);
      return replied;
    }
    if (statusCode !== undefined) response.status(statusCode);
    inPieces(body)
      .then(answer => this.large.send(response, answer))
      .catch(() => response.destroy());
    return response;
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
        // Node's own refusal has no body, so `checkRequestMiddleware` refuses instead.
        requireHostHeader: false,
      },
      (request, response) => {
        if (!isClosing(request.socket)) app(request, response);
      },
    );
    inviteBodiesLate(server);
    server.maxConnections = maxConnections;
    this.setHttpServer(server);
  }
}

async function inPieces(body: AnswerInPieces | Record<string, unknown>): Promise<AnswerInPieces> {
  return body instanceof AnswerInPieces ? body : new AnswerInPieces('json', await writeInTurns(body));
}

/**
 * Classes whose objects are created with the prototypes that Express wants. Express would otherwise change the prototype of every
 * request and response. V8 then gives up optimizing the code that touches them: on Node 20 that costs a bare route three quarters
 * of its speed.
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
