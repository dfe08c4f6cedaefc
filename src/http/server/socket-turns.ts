import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { closeAfter } from './unread-body.js';

/** Requests that may wait on a socket behind the one that is served. Browsers and most clients send none before they have an answer. */
const mostWaiting = 8;

/** The lines of sockets that serve a request. */
const lines = new WeakMap<Socket, (() => void)[]>();

/**
 * Serves the requests of one socket one after another. One packet holds thousands of them, which would otherwise all begin in one turn
 * of the event loop. A client that sends more than a few in advance gets the answers of these, and must ask for the rest again.
 */
export function serveInTurn({ socket }: IncomingMessage, response: ServerResponse, serve: () => void): void {
  const line = lines.get(socket);
  response.once('close', () => serveNext(socket));
  if (!line) {
    lines.set(socket, []);
    serve();
    return;
  }
  line.push(serve);
  if (line.length === mostWaiting) closeAfter(response, socket);
}

function serveNext(socket: Socket): void {
  const next = socket.destroyed ? undefined : lines.get(socket)?.shift();
  if (next) setImmediate(next);
  else lines.delete(socket);
}
