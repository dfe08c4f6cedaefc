import { ApiError, SchemaError } from '../../common/errors/api-error.js';
import { DatabaseUnavailableError } from '../../common/errors/common-errors.js';
import { toApiError } from '../../common/errors/to-api-error.js';
import { LanguageError } from '../../text/language-error.js';
import { type RetrievalFailure } from '../protocol.js';

/** Whether an error is meant for the caller, which excludes faults of the service. */
export function isAnswer(thrown: unknown): boolean {
  return thrown instanceof ApiError || thrown instanceof LanguageError;
}

/** An error in the form in which the protocol sends failures. */
export function toFailure(thrown: unknown): RetrievalFailure {
  const error = toApiError(thrown);
  if (isAnswer(thrown) || error instanceof DatabaseUnavailableError) {
    const { status, code, text, context, retryAfterS } = error;
    return {
      status,
      code,
      text,
      ...(context ? { context } : {}),
      ...(error instanceof SchemaError ? { problems: error.problems } : {}),
      ...(retryAfterS !== null ? { retry_after_s: retryAfterS } : {}),
    };
  }
  return { status: 500, code: 'retrieval_failed', text: { zh: '检索进程内部错误', en: 'The retrieval process failed' } };
}
