import http, { type IncomingMessage } from 'node:http';
import { AnswerTooLargeError } from '../common/errors/answer-too-large.error.js';
import { ApiError } from '../common/errors/api-error.js';
import { currentRequest } from '../common/logging/request-context.js';
import { RetrievalUnavailableError } from './retrieval.errors.js';

/** No answer came in time. */
export class SilenceError extends Error {}

export interface ExchangeOptions {
  payload?: Buffer;
  /** The time until the last byte of the answer, including the wait for a connection. */
  timeoutMs: number;
  limitBytes?: number;
  /** Closes the connection, which ends the work at the other side. */
  signal?: AbortSignal;
}

const mostBytes = 1_048_576;

/**
 * Sends one request to the retrieval process and reads its whole answer.
 * @throws SilenceError; AnswerTooLargeError as soon as more bytes than allowed have come; RetrievalUnavailableError when the
 * connection breaks or cannot be made; the reason of the signal
 */
export function exchange(
  request: http.RequestOptions,
  { payload, timeoutMs, limitBytes = mostBytes, signal }: ExchangeOptions,
): Promise<{ status: number; bytes: Buffer }> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const requestId = currentRequest()?.requestId;
    const headers = {
      ...(payload ? { 'Content-Type': 'application/json', 'Content-Length': payload.length } : {}),
      ...(requestId === undefined ? {} : { 'X-Request-ID': requestId }),
    };
    const sent = http.request({ ...request, headers });
    const settle = (): void => {
      clearTimeout(late);
      signal?.removeEventListener('abort', leave);
    };
    const leave = (): void => {
      settle();
      sent.destroy();
      reject(signal?.reason as Error);
    };
    signal?.addEventListener('abort', leave, { once: true });
    const fail = (error: unknown): void => {
      settle();
      sent.destroy();
      reject(error instanceof ApiError || error instanceof SilenceError ? error : new RetrievalUnavailableError(error));
    };
    const late = setTimeout(() => fail(new SilenceError()), Math.max(1, timeoutMs));
    // The listener stays as long as the request. Without it, an error after the request was given up would be an uncaught
    // exception.
    sent.on('error', fail);
    sent.on('response', response => {
      readBounded(response, limitBytes).then(bytes => {
        settle();
        resolve({ status: response.statusCode ?? 0, bytes });
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
