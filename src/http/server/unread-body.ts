import { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { type Duplex } from 'node:stream';

/**
 * The time that a client may go on sending after its last answer. If the server closed while bytes still arrive, the kernel would
 * reset the connection, which can take the answer away from the client (RFC 9112, section 9.6).
 */
export const lingerMs = 5_000;

/** Sockets whose last answer has begun. A further request on one of them would be served without anybody to read its answer. */
const closing = new WeakSet<Duplex>();

export function isClosing(socket: Duplex): boolean {
  return closing.has(socket);
}

/** Makes an answer the last one of its connection. Requests that came behind its own are not served. */
export function closeAfter(response: ServerResponse, socket: Socket): void {
  response.shouldKeepAlive = false;
  closing.add(socket);
  dropUnparsed(socket);
}

/** Drops what still comes as bytes. To parse it would cost the event loop more than it costs the sender. */
function dropUnparsed(socket: Socket): void {
  const drop = (): void => undefined;
  // Node takes the bytes from its parser, which has them behind the stream, once somebody listens.
  socket.on('data', drop);
  for (const listener of socket.listeners('data')) if (listener !== drop) socket.off('data', listener as () => void);
  socket.resume();
}

/** Tells the client that its last answer has ended, and drops what it still sends for a while. */
export function linger(socket: Duplex, ms = lingerMs): void {
  socket.end();
  const timer = setTimeout(() => socket.destroy(), ms).unref();
  socket.once('close', () => clearTimeout(timer));
}

/**
 * Makes an answer that begins before its request has arrived the last one of the connection. The rest of the body would otherwise
 * hold the socket for as long as the longest upload may take, without credentials, at a few bytes a second.
 */
export function closeAfterUnreadBody(request: IncomingMessage, response: ServerResponse, ms: number): void {
  if (request.complete || !hasBody(request) || response.headersSent) return;
  const { socket } = request;
  response.setHeader('Connection', 'close');
  closing.add(socket);
  // Once a response has ended, Node no longer ends its request together with the socket. A handler that reads on would wait for ever.
  socket.once('close', () => request.destroy());
  // Node calls this at the end of a last answer, and its own would close at once.
  socket.destroySoon = () => {
    if (request.headers['transfer-encoding'] !== undefined) dropUnparsed(socket);
    // A reader that gave up may have paused the body. Bytes left in the kernel cause a reset as well.
    else request.resume();
    linger(socket, ms);
  };
}

/** Invites a body (`Expect: 100-continue`) when it begins to be read. A request that is refused before keeps its body to itself. */
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
