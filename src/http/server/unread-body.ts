import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type Duplex } from 'node:stream';

/**
 * Milliseconds for which a client may go on sending after its last answer. If the server closed the connection while bytes still arrive,
 * the kernel would reset it, which can take the answer away from the client (RFC 9112, section 9.6).
 */
export const lingerMs = 5_000;

/** Sockets whose last answer has begun. A further request on such a socket would be served although nobody could read its answer. */
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
  // Once somebody listens for bytes, Node takes them back from its parser, which otherwise reads them past the stream.
  socket.on('data', drop);
  for (const listener of socket.listeners('data')) if (listener !== drop) socket.off('data', listener as () => void);
  socket.resume();
}

/**
 * Ends the connection's writing side, which tells the client that the last answer has ended, and drops for a while what the client still
 * sends.
 */
export function linger(socket: Duplex, ms = lingerMs): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Makes an answer the last one of its connection if the answer begins before the request has arrived. The rest of the body would otherwise
 * hold the socket for as long as the longest upload may take, without credentials, at a few bytes a second.
 */
export function closeAfterUnreadBody(request: IncomingMessage, response: ServerResponse, ms: number): void {
  if (request.complete || !hasBody(request) || response.headersSent) return;
  const { socket } = request;
  response.setHeader('Connection', 'close');
  closing.add(socket);
  // Once a response has ended, Node does not end its request together with the socket. A handler that reads on would wait for ever.
  socket.once('close', () => request.destroy());
  // Node calls `destroySoon` at the end of a last answer. Its own implementation would close the connection at once.
  socket.destroySoon = () => {
    if (request.headers['transfer-encoding'] !== undefined) dropUnparsed(socket);
    // A handler that gave up may have paused the body. Bytes that are left in the kernel would cause a reset too.
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
