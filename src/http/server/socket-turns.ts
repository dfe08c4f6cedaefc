import { type IncomingMessage, type ServerResponse } from 'node:http';
import { type Socket } from 'node:net';
import { closeAfter } from './unread-body.js';

/**
 * The most requests that may wait on a socket behind the request that is being served. Browsers and most clients send none before they have
 * an answer.
 */
const mostWaiting = 32;

interface Waiting {
  response: ServerResponse;
  serve: () => void;
}

/** For each socket that is serving a request: the requests that wait behind it. */
const lines = new WeakMap<Socket, Waiting[]>();

/**
 * Serves the requests of one socket one after another. One packet can hold thousands of requests, which would otherwise all begin in one
 * turn of the event loop. A client that sends too many in advance gets the answers to the first ones, and must send the rest again.
 */
export function serveInTurn({ socket }: IncomingMessage, response: ServerResponse, serve: () => void): void {
  const line = lines.get(socket);
  const last = line && line.length === mostWaiting ? line.at(-1) : undefined;
  if (last) {
    closeAfter(last.response, socket);
    return;
  }
  response.once('close', () => serveNext(socket));
  if (line) line.push({ response, serve });
  else {
    lines.set(socket, []);
    serve();
  }
}

function serveNext(socket: Socket): void {
  const next = socket.destroyed ? undefined : lines.get(socket)?.shift();
  if (next) setImmediate(next.serve);
  else lines.delete(socket);
}
