import { constants } from 'node:crypto';
import { type LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { type LookupFunction } from 'node:net';
import { boundPeer } from '../egress/peers.js';

/** The bytes of an answer that are read, to let the other side end in peace. They are thrown away. */
const maxAnswerBytes = 4 * 1024;

/** A message to a receiver, and the checked addresses of its host. */
export interface Outgoing {
  url: string;
  headers: Record<string, string>;
  body: string;
  addresses: LookupAddress[];
}

/** Posts a message and gives the status of its answer. @throws PostError, or the reason of the signal */
export type Post = (message: Outgoing, signal: AbortSignal) => Promise<number>;

/** The codes of the errors of a connection that could not be made or was broken. */
export class PostError extends Error {
  constructor(readonly codes: readonly string[]) {
    super('The message could not be posted');
  }
}

/** Nothing of the answer is kept but its status, which counts once its headers have come. Redirects are not followed. */
export const postMessage: Post = (message, signal) =>
  new Promise((resolve, reject) => {
    const { url, headers, body, addresses } = message;
    const request = (url.startsWith('https:') ? https : http).request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'user-agent': 'graph-service', ...headers },
      lookup: lookupOf(addresses),
      agent: false,
      signal,
      // A receiver could ask for one handshake after the other.
      secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
    });
    boundPeer(request);
    let status: number | null = null;
    request.on('error', error => (status === null ? reject(signal.aborted ? error : new PostError(codesOf(error))) : resolve(status)));
    request.on('response', answer => {
      const answered = (status = answer.statusCode!);
      let read = 0;
      answer.on('data', (chunk: Buffer) => {
        read += chunk.length;
        if (read > maxAnswerBytes) answer.destroy();
      });
      answer.on('error', () => undefined);
      answer.on('close', () => resolve(answered));
    });
    // A switch of protocols that was not asked for is an answer like any other, and no other event follows it.
    request.on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve(answer.statusCode!);
    });
    request.end(body);
  });

/** Node asks no lookup for a host that is an address. */
function lookupOf(addresses: LookupAddress[]): LookupFunction {
  return (_, { all }, callback) => (all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family));
}

/** A host of several addresses gives the errors of all of them. */
function codesOf(error: Error): string[] {
  const errors = [error, ...(error instanceof AggregateError ? (error.errors as unknown[]) : [])];
  return errors.map(each => (each as NodeJS.ErrnoException).code ?? '');
}
