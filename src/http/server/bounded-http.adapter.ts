import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type Express, type Response } from 'express';
import { isLarge, writeInTurns } from '../../common/json/write-in-turns.js';

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
}

/** The interval at which Node looks for late requests. Its own 30 s would let them hold a socket for that much longer. */
const checkEveryMs = 1_000;

/** Express on a server with limits. Nest's own adapter passes no options to `http.createServer`. */
export class BoundedHttpAdapter extends ExpressAdapter {
  constructor(private readonly bounds: ServerBounds) {
    super();
  }

  /** Writes large answers in turns. `JSON.stringify` of 16 MB would block everybody's requests for a fifth of a second. */
  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    // A handler that streamed its answer has nothing left to send.
    if (response.headersSent) return response;
    if (!isLarge(body)) return super.reply(response, body, statusCode);
    if (statusCode !== undefined) response.status(statusCode);
    sendInTurns(response, body).catch(() => response.destroy());
    return response;
  }

  override initHttpServer(): void {
    const { maxHeaderBytes, headersTimeoutMs, requestTimeoutMs, maxConnections } = this.bounds;
    const app = this.getInstance<Express>();
    const server = createServer(
      {
        ...classesFor(app),
        maxHeaderSize: maxHeaderBytes,
        headersTimeout: headersTimeoutMs,
        requestTimeout: requestTimeoutMs,
        connectionsCheckingInterval: checkEveryMs,
        // Node's own refusal has no body, so `checkRequestMiddleware` refuses instead.
        requireHostHeader: false,
      },
      app,
    );
    server.maxConnections = maxConnections;
    this.setHttpServer(server);
  }
}

async function sendInTurns(response: Response, body: Record<string, unknown>): Promise<void> {
  const pieces = await writeInTurns(body);
  // The drain of a stopping service may have answered meanwhile.
  if (response.headersSent || response.destroyed) return;
  response.type('json').setHeader(
    'Content-Length',
    pieces.reduce((sum, piece) => sum + piece.length, 0),
  );
  for (const piece of pieces) response.write(piece);
  response.end();
}

/**
 * Classes whose objects are created with the prototypes that Express wants. Express would otherwise change the prototype of every
 * request and response. V8 then gives up optimizing the code that touches them: on Node 20 that costs a bare route three quarters
 * of its speed.
 */
function classesFor(app: Express) {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  app.request = Object.setPrototypeOf(ExpressRequest.prototype, app.request) as typeof app.request;
  app.response = Object.setPrototypeOf(ExpressResponse.prototype, app.response) as typeof app.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
