import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type Duplex } from 'node:stream';
import { type Logger } from 'pino';
import { ApiError } from '../../common/errors/api-error.js';
import { BadRequestError, ConnectNotAllowedError, HeadersTooLargeError, RequestTimeoutError } from '../../common/errors/common-errors.js';
import { isLegacyPath, toErrorBody } from '../../common/errors/error-body.js';
import { withoutPrefixes } from './path-prefix.js';
import { securityHeaders } from './security-headers.middleware.js';
import { linger } from './unread-body.js';

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/** The most bytes of a request line. The path of a longer line is not recognised. */
const longestLine = 512;

/** Node's error for a request that Node could not read, or an error of this service. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer };

const contentType = 'application/json; charset=utf-8';

/**
 * The headers of these answers. CORS headers are left out, because they depend on `Origin`, which cannot be read from an unreadable
 * request. A browser can cause only one of these errors: headers that are too large. Its script then sees a failed request instead of the
 * 431.
 */
const fixedHeaders = securityHeaders().map(([name, value]) => `${name}: ${value}`);

/**
 * Replaces Node's own error answers by answers with the contract's body and a request id. They concern requests that cannot be parsed,
 * headers that are too large, requests that do not arrive in time, and CONNECT. A request with an `Expect` other than `100-continue` is
 * passed on, and `checkRequestMiddleware` refuses it. `Upgrade` has no handler here, so Node serves the request as plain HTTP, which RFC
 * 9110, section 7.8, allows.
 */
export function answerProtocolErrors(server: Server, log: Logger, basePath = ''): void {
  const newest = new WeakMap<Duplex, Exchange>();
  const refused = new WeakSet<Duplex>();

  const refuse = (socket: Duplex, error: ApiError, reason: string, path: string | null = null): void => {
    if (refused.has(socket)) return;
    refused.add(socket);
    socket.on('error', () => undefined);
    if (!socket.writable) {
      socket.destroy();
      return;
    }
    const requestId = randomUUID();
    log.info({ request_id: requestId, status: error.status, reason }, error.text.en);
    // If the route is not known, the body has the fields of both route families, so that older clients find the fields they read.
    socket.write(rawAnswer(error, requestId, path === null || isLegacyPath(path)));
    socket.resume();
    linger(socket);
  };

  server.on('request', (request, response) => newest.set(request.socket, { request, response }));
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => refuse(socket, new ConnectNotAllowedError(), 'CONNECT'));
  server.on('clientError', (cause: ClientError, socket) => {
    const error = cause instanceof ApiError ? cause : toProtocolError(cause.code);
    const reason = cause.code ?? 'unknown';
    const path = pathIn(cause.rawPacket, basePath);
    const exchange = newest.get(socket);
    if (exchange && !exchange.request.complete) {
      if (!refused.has(socket)) answerHalfRead(exchange, error, socket);
      refused.add(socket);
    } else if (exchange && !exchange.response.writableFinished) {
      // Earlier requests on the socket are still being served, and their answers go first.
      exchange.response.once('close', () => refuse(socket, error, reason, path));
    } else refuse(socket, error, reason, path);
  });
}

/** The path of the request line; null when the unreadable request does not begin with a request line. */
function pathIn(packet: Buffer | undefined, basePath: string): string | null {
  const line = packet?.toString('latin1', 0, longestLine) ?? '';
  const target = /^[A-Z]+ ((?:https?:\/\/[^/?# ]*)?\/[^ ?]*)[ ?]/i.exec(line)?.[1];
  return target === undefined ? null : withoutPrefixes(target, basePath);
}

function toProtocolError(code: string | undefined): ApiError {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HeadersTooLargeError();
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new RequestTimeoutError();
    default:
      return new BadRequestError();
  }
}

/** Answers a request whose body broke off or cannot be parsed. The answer has the request id that the request already has. */
function answerHalfRead({ request, response }: Exchange, error: ApiError, socket: Duplex): void {
  if (response.headersSent || !socket.writable) {
    socket.destroy();
    return;
  }
  const [path = ''] = request.url?.split('?', 1) ?? [];
  const body = JSON.stringify(toErrorBody(error, isLegacyPath(path)));
  response.writeHead(error.status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body), Connection: 'close' });
  response.end(body);
}

function rawAnswer(error: ApiError, requestId: string, isLegacy: boolean): string {
  const body = JSON.stringify(toErrorBody(error, isLegacy));
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    `X-Request-ID: ${requestId}`,
    `Content-Type: ${contentType}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    ...fixedHeaders,
    ...Object.entries(error.headers ?? {}).map(([name, value]) => `${name}: ${value}`),
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
