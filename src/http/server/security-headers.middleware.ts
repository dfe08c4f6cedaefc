import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { type NextFunction, type Request, type Response } from 'express';
import helmet from 'helmet';

const common = { frameguard: { action: 'deny' }, referrerPolicy: { policy: 'no-referrer' } } as const;

/** Headers for answers of the API. These are data, so nothing in them may run, load or be framed. */
const forAnswers = helmet({
  ...common,
  contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
});

/**
 * Headers for the pages under /docs. Swagger UI runs its own scripts, styles itself inline, shows inline images and calls the API of its
 * own origin. `upgrade-insecure-requests` is left out: it would break a service that is reached by plain HTTP.
 */
const forDocuments = helmet({
  ...common,
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'", "'unsafe-inline'"],
      imgSrc: ["'self'", 'data:'],
      fontSrc: ["'self'"],
      connectSrc: ["'self'"],
      formAction: ["'none'"],
      baseUri: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
});

/** Sets the headers that limit what a browser may do with an answer. Must run after the path prefix middleware. */
export function securityHeadersMiddleware(request: Request, response: Response, next: NextFunction): void {
  const isDocument = /^\/(docs(\/|$)|$)/.test(request.path);
  if (isDocument) forDocuments(request, response, next);
  else setForAnswers(request, response, next);
}

function setForAnswers(request: IncomingMessage, response: ServerResponse, next: (error?: unknown) => void): void {
  response.setHeader('Cache-Control', 'no-store');
  forAnswers(request, response, next);
}

/**
 * The security headers of API answers as a list, for answers that are written without Express. They are read from a response that is never
 * sent.
 */
export function securityHeaders(): [name: string, value: string][] {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  setForAnswers(response.req, response, () => undefined);
  return Object.entries(response.getHeaders()).map(([name, value]) => [name, String(value)]);
}
