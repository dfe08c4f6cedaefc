import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { ExpressAdapter } from '@nestjs/platform-express';
import { type Express } from 'express';

/** What the server takes before any code of ours runs. */
export interface ServerBounds {
  /** Request line and headers together; more is a 431. */
  maxHeaderBytes: number;
  /** Until the headers are complete; later is a 408. */
  headersTimeoutMs: number;
  /** Until the whole request is there, whatever route it is for; later is a 408. */
  requestTimeoutMs: number;
  /** Open sockets; more are closed unanswered. */
  maxConnections: number;
}

/** How often Node looks for requests that are late. Its own 30 s would let them hold a socket for that much longer. */
const checkEveryMs = 1_000;

/** Express on a server with bounds: Nest's own adapter passes no options to `http.createServer`. */
export class BoundedHttpAdapter extends ExpressAdapter {
  constructor(private readonly bounds: ServerBounds) {
    super();
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
        // Node's own refusal has no body; `checkRequestMiddleware` refuses it instead.
        requireHostHeader: false,
      },
      app,
    );
    server.maxConnections = maxConnections;
    this.setHttpServer(server);
  }
}

/**
 * Classes whose objects are born with the prototypes that Express wants, and would otherwise change on every request and every
 * response. V8 then gives up on optimizing what touches them: on Node 20 that costs a bare route three quarters of its speed.
 */
function classesFor(app: Express) {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  app.request = Object.setPrototypeOf(ExpressRequest.prototype, app.request) as typeof app.request;
  app.response = Object.setPrototypeOf(ExpressResponse.prototype, app.response) as typeof app.response;
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}
