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
 * Answers a repeated request with the first answer, by its `Idempotency-Key`. Runs after all guards, so that a repeat counts against
 * the limits and its caller still needs the right. Only answers of requests that succeeded are kept: a refusal created nothing.
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
    // The record exists, so its caller gets the answer even if nothing can be kept. Repeats then learn that the answer is lost.
    await this.persist(() => this.keys.keep(request, { status: response.statusCode, location, answer }));
    return of(body);
  }

  private async handle(next: CallHandler, request: KeyedRequest): Promise<unknown> {
    let isUnderWay = true;
    try {
      // Work that the request sets off, such as a run, goes on after it.
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

  /** Tries again after any failure. Once the database was lost, other connections of the pool may be dead too, which soon shows. */
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
  return {
    caller: toCaller(principalOf(context)).subject,
    // Neither a method nor a path has a line break.
    keyHash: createHash('sha256').update(`${method}\n${path}\n${key}`).digest(),
    bodyHash: createHmac('sha256', key).update(JSON.stringify(content)).digest(),
    attempt: randomUUID(),
    // The prefix /api is not part of the path here.
    listedAt: `/api${placeOf(path, listedAt)}`,
  };
}

/** The path of the list, which may be written in relation to that of the request. */
function placeOf(path: string, listedAt = path): string {
  if (listedAt.startsWith('/')) return listedAt;
  const whole = trimEndOf(path, '/');
  return whole.slice(0, whole.lastIndexOf('/') + 1) + listedAt;
}
