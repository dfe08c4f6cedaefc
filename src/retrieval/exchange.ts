import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { AnswerTooLargeError } from '../common/errors/answer-too-large.error.js';
import { ApiError } from '../common/errors/api-error.js';
import { currentRequest } from '../common/logging/request-context.js';
import { headers as names, protocolVersion } from './protocol.js';
import { RetrievalUnavailableError, RetrievalUnreachedError, RetrievalVersionError } from './retrieval.errors.js';
import { sign } from './signature.js';

/** The process did not answer in time. */
export class SilenceError extends Error {}

export interface ExchangeOptions {
  payload?: Buffer;
  /** Milliseconds until the last byte of the answer must have arrived, including the wait for a connection. */
  timeoutMs: number;
  /** The part of `timeoutMs` that is kept for the answer's way back. The request tells the process only the rest. */
  travelMs?: number;
  limitBytes?: number;
  /** The key that signs the request; undefined if requests are not signed. */
  key?: string | undefined;
  /** Ends the exchange: the connection is closed, which also ends the work in the process. */
  signal?: AbortSignal | undefined;
}

export interface Exchanged {
  status: number;
  bytes: Buffer;
  /** The trailer with a failure that happened after the first bytes of the answer; undefined if there was none. */
  failure: string | undefined;
}

const mostBytes = 1_048_576;
/** Milliseconds until a connection must be made. A host that is gone does not refuse connections: packets to it are lost. */
const connectMs = 2_000;

/**
 * Sends one request to a retrieval process and reads its whole answer.
 * @throws SilenceError when the time is over; AnswerTooLargeError as soon as more than `limitBytes` have arrived; RetrievalUnreachedError
 * when no connection can be made, RetrievalUnavailableError when the connection breaks; RetrievalVersionError; the reason of the signal
 */
export function exchange(
  request: https.RequestOptions,
  { payload, timeoutMs, travelMs = 0, limitBytes = mostBytes, key, signal }: ExchangeOptions,
): Promise<Exchanged> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const requestId = currentRequest()?.requestId;
    const { method = 'GET', path = '/' } = request;
    const headers = {
      [names.version]: String(protocolVersion),
      [names.timeout]: String(Math.max(1, Math.ceil(timeoutMs - travelMs))),
      [names.budget]: String(limitBytes),
      ...(key === undefined ? {} : { [names.signature]: sign(key, { method, path: path!, body: payload ?? Buffer.alloc(0) }) }),
      ...(payload ? { 'Content-Type': 'application/json', 'Content-Length': payload.length } : {}),
      ...(requestId === undefined ? {} : { 'X-Request-ID': requestId }),
    };
    const sent = (request.protocol === 'https:' ? https : http).request({ ...request, headers });
    let isConnected = false;
    let unreached: NodeJS.Timeout | undefined;
    const settle = (): void => {
      clearTimeout(late);
      clearTimeout(unreached);
      signal?.removeEventListener('abort', leave);
    };
    const give = (error: Error): void => {
      settle();
      sent.destroy();
      reject(error);
    };
    const fail = (error: unknown): void => {
      if (error instanceof ApiError) give(error);
      else give(isConnected ? new RetrievalUnavailableError(error) : new RetrievalUnreachedError(error));
    };
    const leave = (): void => give(signal?.reason as Error);
    signal?.addEventListener('abort', leave, { once: true });
    const late = setTimeout(() => give(new SilenceError()), Math.max(1, timeoutMs));
    sent.on('socket', socket => {
      isConnected = !socket.connecting;
      if (isConnected) return;
      unreached = setTimeout(() => fail(new Error(`No connection within ${connectMs} ms`)), connectMs);
      socket.once(request.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        clearTimeout(unreached);
        isConnected = true;
      });
    });
    // The listener is never removed: an error after the request was given up would otherwise be an uncaught exception.
    sent.on('error', fail);
    sent.on('response', response => {
      const theirs = response.headers[names.version];
      if (theirs !== String(protocolVersion)) {
        fail(new RetrievalVersionError(String(protocolVersion), typeof theirs === 'string' ? theirs.slice(0, 20) : null));
        return;
      }
      readBounded(response, limitBytes).then(bytes => {
        settle();
        resolve({ status: response.statusCode ?? 0, bytes, failure: response.trailers[names.failure] });
      }, fail);
    });
    sent.end(payload);
  });
}

async function readBounded(response: IncomingMessage, limitBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let received = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    received += chunk.length;
    if (received > limitBytes) throw new AnswerTooLargeError('query', received, limitBytes);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
