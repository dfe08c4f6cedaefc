import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type Duplex } from 'node:stream';

/**
 * Milliseconds for which a client may go on sending after its last answer. If the server closed the connection while bytes still arrive,
 * the kernel would reset it, and the client could lose the answer (RFC 9112, section 9.6).
 */
export const lingerMs = 5_000;

/** Sockets whose last answer has begun. Further requests on these sockets are not served, because nobody could read their answers. */
const closing = new WeakSet<Duplex>();

export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
}

/** Makes an answer the last one of its connection. Requests that follow on the connection are not served. */
export function closeAfter(response: ServerResponse, socket: Socket): void {
  response.shouldKeepAlive = false;
  closing.add(socket);
  dropUnparsed(socket);
}

/** Drops the bytes that still arrive, without parsing them. Parsing would cost the event loop more than sending costs the client. */
function dropUnparsed(socket: Socket): void {
  const drop = (): void => undefined;
  // Node's HTTP parser normally reads the bytes directly, without the stream. A `data` listener makes Node detach the parser.
  socket.on('data', drop);
  for (const listener of socket.listeners('data')) if (listener !== drop) socket.off('data', listener as () => void);
  socket.resume();
}

/**
 * Ends the writing side of the connection, so that the client sees the end of the last answer. The socket is destroyed after at most `ms`
 * milliseconds. Until then the caller reads and drops the bytes that still arrive.
 */
export function linger(socket: Duplex, ms = lingerMs): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Makes an answer the last one of its connection if the answer begins before the request has arrived. Otherwise a client without
 * credentials could send a few bytes a second and so occupy the socket for as long as the longest upload may take.
 */
export function closeAfterUnreadBody(request: IncomingMessage, response: ServerResponse, ms: number): void {
  if (request.complete || !hasBody(request) || response.headersSent) return;
  const { socket } = request;
  response.setHeader('Connection', 'close');
  closing.add(socket);
  // Once a response has ended, Node does not end its request together with the socket. A handler that still reads the body would wait for
  // ever.
  socket.once('close', () => request.destroy());
  // Node calls `destroySoon` at the end of a last answer. Its own implementation would close the connection at once.
  socket.destroySoon = () => {
    if (request.headers['transfer-encoding'] !== undefined) dropUnparsed(socket);
    // A handler that gave up may have paused the body. The rest must be read, because unread bytes in the kernel would also cause a reset.
    else request.resume();
    linger(socket, ms);
  };
}

/**
 * Sends `100 Continue` for a request with `Expect: 100-continue` only when its body begins to be read. A request that is refused before
 * that never sends its body.
 */
export function inviteBodiesLate(server: Server): void {
  server.on('checkContinue', (request, response) => {
    request._read = size => {
      Reflect.deleteProperty(request, '_read');
      if (!response.headersSent) response.writeContinue();
      request._read(size);
    };
    server.emit('request', request, response);
  });
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}
