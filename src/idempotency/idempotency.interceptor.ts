import { createHash, createHmac, randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallHandler, type ExecutionContext, Inject, Injectable, type NestInterceptor } from '@nestjs/common';
import { type Request, type Response } from 'express';
import { type Logger } from 'pino';
import { lastValueFrom, type Observable, of } from 'rxjs';
import { principalOf } from '../access/principal.js';
import { ApiError } from '../common/errors/api-error.js';
import { logToken } from '../common/logging/log.js';
import { withEachTransaction } from '../database/service-pool.js';
import { toCaller } from '../limits/charge.js';
import { IdempotencyService, type KeyedRequest } from './idempotency.service.js';
import { type IdempotentRoute, idempotentRouteOf } from './idempotent.decorator.js';
import { trimEndOf } from '../text/trim-zeros.js';
import { readIdempotencyKey } from './read-idempotency-key.js';

/**
 * Answers a repeated request with the stored answer to the first request with the same `Idempotency-Key`. It runs after all guards, so a
 * repeat counts towards the rate limits, and its caller still needs the right to make it. Only answers of successful requests are stored,
 * because a refused request created nothing.
 */
@Injectable()
export class IdempotencyInterceptor implements NestInterceptor {
  constructor(
    private readonly keys: IdempotencyService,
    @Inject(logToken) private readonly log: Logger,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const route = idempotentRouteOf(context);
    const header = context.switchToHttp().getRequest<Request>().headers['idempotency-key'] as string | undefined;
    if (!route || header === undefined) return next.handle();
    const request = toKeyedRequest(context, route, readIdempotencyKey(header));
    const response = context.switchToHttp().getResponse<Response>();

    const kept = await this.keys.find(request);
    if (kept) {
      response.status(kept.status).setHeader('Idempotent-Replayed', 'true');
      if (kept.location !== null) response.setHeader('Location', kept.location);
      return of(kept.answer);
    }
    await this.keys.begin(request);
    const body = await this.handle(next, request);
    const answer = route.secret === undefined ? body : { ...(body as object), [route.secret]: null };
    const location = (response.getHeader('Location') as string | undefined) ?? null;
    // The record has been created, so its caller gets the answer even if the answer cannot be stored. A repeat then learns that the answer
    // is lost.
    await this.persist(() => this.keys.keep(request, { status: response.statusCode, location, answer }));
    return of(body);
  }

  private async handle(next: CallHandler, request: KeyedRequest): Promise<unknown> {
    let isUnderWay = true;
    try {
      // Work that the request starts, such as a run, may go on after the request. Transactions of this later work do not belong to the
      // request.
      return await withEachTransaction(
        async client => {
          if (isUnderWay) await this.keys.recordCommit(client, request);
        },
        () => lastValueFrom(next.handle()),
      );
    } catch (error) {
      const isRefusal = error instanceof ApiError && error.status < 500;
      await this.persist(() => (isRefusal ? this.keys.release(request) : this.keys.settle(request)));
      throw error;
    } finally {
      isUnderWay = false;
    }
  }

  /**
   * Repeats failed work up to three times, 200 ms apart. After the loss of the database several connections of the pool may be dead, so one
   * repetition may not be enough.
   */
  private async persist(work: () => Promise<void>, triesLeft = 3): Promise<void> {
    try {
      await work();
    } catch (cause) {
      if (triesLeft === 0) return this.warn(cause);
      await sleep(200);
      await this.persist(work, triesLeft - 1);
    }
  }

  private readonly warn = (cause: unknown): void => {
    this.log.warn({ cause }, 'An idempotency key stays in use until its lease ends');
  };
}

function toKeyedRequest(context: ExecutionContext, { listedAt }: IdempotentRoute, key: string): KeyedRequest {
  const { method, path, body, query } = context.switchToHttp().getRequest<Request<unknown, unknown, object | undefined>>();
  const content = Object.keys(query).length === 0 ? (body ?? {}) : [body ?? {}, query];
  const { subject, userId } = toCaller(principalOf(context));
  return {
    caller: subject,
    userId,
    // Neither a method nor a path contains a line break, so a line break separates the parts unambiguously.
    keyHash: createHash('sha256').update(`${method}\n${path}\n${key}`).digest(),
    bodyHash: createHmac('sha256', key).update(JSON.stringify(content)).digest(),
    attempt: randomUUID(),
    // create-app.ts has taken the prefix /api from the path.
    listedAt: `/api${placeOf(path, listedAt)}`,
  };
}

/**
 * The path whose GET lists what the request creates. `listedAt` is absolute, or replaces the last part of the request's path; without it
 * the path itself is the list.
 */
function placeOf(path: string, listedAt = path): string {
  if (listedAt.startsWith('/')) return listedAt;
  const whole = trimEndOf(path, '/');
  return whole.slice(0, whole.lastIndexOf('/') + 1) + listedAt;
}
