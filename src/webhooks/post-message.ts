import { constants } from 'node:crypto';
import { type LookupAddress } from 'node:dns';
import http from 'node:http';
import https from 'node:https';
import { type LookupFunction } from 'node:net';
import { boundPeer } from '../egress/peers.js';

/** Maximum number of bytes of an answer that are read and thrown away, so that a receiver can finish a short answer. */
const maxAnswerBytes = 4 * 1024;

/** A message to a receiver, with the checked addresses of the receiver's host. */
export interface Outgoing {
  url: string;
  headers: Record<string, string>;
  body: string;
  addresses: LookupAddress[];
}

/**
 * Posts a message and resolves to the status code of the answer.
 * @throws PostError, or the abort reason of the signal
 */
export type Post = (message: Outgoing, signal: AbortSignal) => Promise<number>;

/** Thrown if a connection could not be made or broke. `codes` are the error codes of Node. */
export class PostError extends Error {
  constructor(readonly codes: readonly string[]) {
    super('The message could not be posted');
  }
}

/** Posts a message. Only the status code of the answer is used, as soon as the headers have arrived. Redirects are not followed. */
export const postMessage: Post = (message, signal) =>
  new Promise((resolve, reject) => {
    const { url, headers, body, addresses } = message;
    const request = (url.startsWith('https:') ? https : http).request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body), 'user-agent': 'graph-service', ...headers },
      lookup: lookupOf(addresses),
      agent: false,
      signal,
      // Without this option a receiver could demand one TLS handshake after the other.
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
    // An answer that switches protocols without being asked counts like any other answer. After `upgrade` no other event follows.
    request.on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve(answer.statusCode!);
    });
    request.end(body);
  });

/** Makes a DNS lookup that gives the checked addresses. Node does not call it if the host of the URL is itself an IP address. */
function lookupOf(addresses: LookupAddress[]): LookupFunction {
  return (_, { all }, callback) => (all ? callback(null, addresses) : callback(null, addresses[0]!.address, addresses[0]!.family));
}

/** The error codes of a failed connection. For a host with several addresses they are the codes of all attempts. */
function codesOf(error: Error): string[] {
  const errors = [error, ...(error instanceof AggregateError ? (error.errors as unknown[]) : [])];
  return errors.map(each => (each as NodeJS.ErrnoException).code ?? '');
}
