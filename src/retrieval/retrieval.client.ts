import http, { type IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { AnswerTooLargeError } from '../common/errors/answer-too-large.error.js';
import { ApiError, SchemaError } from '../common/errors/api-error.js';
import { currentRequest } from '../common/http/request-context.js';
import { Settings } from '../config/settings.js';
import { type RetrievalAnswer, type RetrievalFailure, type RetrievalHealth, type RetrievalQuery } from './protocol.js';
import { RetrievalUnavailableError } from './retrieval.errors.js';
import { RetrievalSupervisor } from './retrieval.supervisor.js';

/** Longer than the longest work the process is asked for, so that only a process that hangs runs into it. */
const SILENCE_MS = 900_000;

/** Speaks the protocol of `protocol.ts`, over connections that stay open. */
@Injectable()
export class RetrievalClient implements OnApplicationShutdown {
  private readonly agent = new http.Agent({ keepAlive: true, maxSockets: 256, maxFreeSockets: 32 });

  constructor(
    private readonly supervisor: RetrievalSupervisor,
    private readonly settings: Settings,
  ) {}

  /** @throws RetrievalUnavailableError when nothing answers, otherwise the error the process answered with. */
  async query(query: RetrievalQuery): Promise<RetrievalAnswer> {
    return (await this.send('POST', '/v1/query', query)) as RetrievalAnswer;
  }

  /** @throws RetrievalUnavailableError */
  async health(patienceMs = SILENCE_MS): Promise<RetrievalHealth> {
    return (await this.send('GET', '/v1/health', undefined, patienceMs)) as RetrievalHealth;
  }

  /** Whether the process answers; also false while it is being started. */
  async answersWithin(patienceMs: number): Promise<boolean> {
    const answers = this.health(patienceMs).then(
      () => true,
      () => false,
    );
    return Promise.race([answers, sleep(patienceMs, false, { ref: false })]);
  }

  onApplicationShutdown(): void {
    this.agent.destroy();
  }

  private async send(method: string, path: string, body?: unknown, timeout = SILENCE_MS): Promise<unknown> {
    const address = await this.supervisor.address();
    const payload = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const { status, bytes } = await this.exchange({ ...address, method, path, timeout }, payload);
    let answer: unknown;
    try {
      answer = JSON.parse(bytes.toString('utf8'));
    } catch (error) {
      throw new RetrievalUnavailableError(error);
    }
    if (status === 200) return answer;
    throw toApiError(answer as RetrievalFailure);
  }

  private exchange(options: http.RequestOptions, payload: Buffer | undefined): Promise<{ status: number; bytes: Buffer }> {
    return new Promise((resolve, reject) => {
      const unavailable = (error: unknown): void => reject(new RetrievalUnavailableError(error));
      const requestId = currentRequest()?.requestId;
      const headers = {
        ...(payload ? { 'Content-Type': 'application/json', 'Content-Length': payload.length } : {}),
        ...(requestId === undefined ? {} : { 'X-Request-ID': requestId }),
      };
      const request = http.request({ ...options, agent: this.agent, headers }, response => {
        readBounded(response, this.settings.answerMaxBytes).then(
          bytes => resolve({ status: response.statusCode ?? 0, bytes }),
          (error: unknown) => (error instanceof ApiError ? reject(error) : unavailable(error)),
        );
      });
      request.on('error', unavailable);
      request.on('timeout', () => request.destroy(new Error('The retrieval process is silent')));
      request.end(payload);
    });
  }
}

/** @throws AnswerTooLargeError as soon as more bytes have come, and lets go of the connection. */
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

function toApiError(failure: RetrievalFailure): ApiError {
  if (failure.problems) return new SchemaError(failure.problems);
  const headers = failure.status === 503 ? { headers: { 'Retry-After': String(failure.retry_after_s ?? 2) } } : {};
  return new ApiError(failure.status, failure.code, failure.text, { ...(failure.context ? { context: failure.context } : {}), ...headers });
}
