import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Response } from 'express';
import { ApiError } from '../common/errors/api-error.js';

/**
 * The reason of work that was cancelled because its caller disconnected. Nobody receives this error, but it distinguishes cancelled work
 * from failed work. Proxies log the status 499 for a caller that disconnected.
 */
export class CallerGoneError extends ApiError {
  constructor() {
    super(499, 'caller_gone', { zh: '调用方已断开，工作已取消', en: 'The caller has gone, and the work was cancelled' });
  }
}

/** Injects the signal of `callSignal`. */
export const CallSignal = createParamDecorator((_: unknown, context: ExecutionContext): AbortSignal =>
  callSignal(context.switchToHttp().getResponse<Response>()),
);

const signals = new WeakMap<Response, AbortSignal>();

/**
 * A signal that aborts when the caller disconnects before the answer is sent. Each response has only one such signal, which all users
 * share.
 */
export function callSignal(response: Response): AbortSignal {
  const known = signals.get(response);
  if (known) return known;
  const gone = new AbortController();
  signals.set(response, gone.signal);
  if (response.closed && !response.writableFinished) gone.abort(new CallerGoneError());
  response.once('close', () => {
    if (!response.writableFinished) gone.abort(new CallerGoneError());
  });
  return gone.signal;
}
