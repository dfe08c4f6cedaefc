import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import { type Duplex } from 'node:stream';
import { type Logger } from 'pino';
import { type ApiError } from '../../common/errors/api-error.js';
import { BadRequestError, ConnectNotAllowedError, HeadersTooLargeError, RequestTimeoutError } from '../../common/errors/common-errors.js';
import { isLegacyPath, toErrorBody } from '../../common/errors/error-body.js';
import { securityHeaders } from './security-headers.middleware.js';

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * How long a refused client may go on sending. Closing while its bytes are still arriving makes the kernel reset the
 * connection, which can take the answer away from under the client (RFC 9112, section 9.6).
 */
const lingerMs = 1_000;

/** Bytes in which a request line that we look for ends. */
const longestLine = 512;

/** What Node says of a request that it could not read. */
type ClientError = NodeJS.ErrnoException & { rawPacket?: Buffer };

const contentType = 'application/json; charset=utf-8';

/**
 * Without the headers of CORS: they depend on `Origin`, and what cannot be parsed names none. A browser does not send what
 * ends here, but for headers that are too large; its script then sees a failed request instead of a 431.
 */
const fixedHeaders = securityHeaders().map(([name, value]) => `${name}: ${value}`);

/**
 * Gives the answers that Node would give by itself the contract's body and a request id: requests that cannot be parsed,
 * headers that are too large, requests that do not arrive in time, CONNECT. An `Expect` that is not `100-continue` goes the
 * way of any other request. There is no handler for `Upgrade`: without one Node takes such a request as the plain HTTP that it
 * also is (RFC 9110, section 7.8).
 */
export function answerProtocolErrors(server: Server, log: Logger): void {
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
    // Older clients find what they read in any answer to a request whose route is not known.
    socket.end(rawAnswer(error, requestId, path === null || isLegacyPath(path)));
    socket.resume();
    setTimeout(() => socket.destroy(), lingerMs).unref();
  };

  server.on('request', (request, response) => newest.set(request.socket, { request, response }));
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  server.on('connect', (_request, socket) => refuse(socket, new ConnectNotAllowedError(), 'CONNECT'));
  server.on('clientError', (cause: ClientError, socket) => {
    const error = toProtocolError(cause.code);
    const reason = cause.code ?? 'unknown';
    const path = pathIn(cause.rawPacket);
    const exchange = newest.get(socket);
    if (exchange && !exchange.request.complete) answerHalfRead(exchange, error, socket);
    else if (exchange && !exchange.response.writableFinished) {
      // The requests before the broken one are being served: their answers go first.
      exchange.response.once('close', () => refuse(socket, error, reason, path));
    } else refuse(socket, error, reason, path);
  });
}

/** The path of the request line, where what could not be parsed starts with one; null otherwise. */
function pathIn(packet: Buffer | undefined): string | null {
  const line = packet?.toString('latin1', 0, longestLine) ?? '';
  return /^[A-Z]+ (?:https?:\/\/[^/?# ]*)?(?:\/api(?=\/))?(\/[^ ?]*)[ ?]/i.exec(line)?.[1] ?? null;
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

/** The body of a request broke off or cannot be parsed: the answer goes out under the id that the request already has. */
function answerHalfRead({ request, response }: Exchange, error: ApiError, socket: Duplex): void {
  if (response.headersSent || !socket.writable) {
    socket.destroy();
    return;
  }
  const [path = ''] = request.url?.split('?', 1) ?? [];
  const body = JSON.stringify(toErrorBody(error, isLegacyPath(path)));
  response.writeHead(error.status, { 'Content-Type': contentType, 'Content-Length': Buffer.byteLength(body), Connection: 'close' });
  response.end(body);
  // A response that ends takes its request off the list of those that Node aborts with the socket: whoever reads the body
  // would wait for ever.
  response.once('close', () => request.destroy());
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
