import { joined } from '../../text/bilingual.js';
import { type ApiError, type FieldProblem, SchemaError } from './api-error.js';

/** The route families in which older clients read `message`; all others read `detail`. Routes match in any case. */
const legacyFamilies = /^\/(metrics|warehouse)(\/|$)/i;

/** Whether older clients read `message` on a route. `path` is the route's path without `/api` and without the query string. */
export function isLegacyPath(path: string): boolean {
  return legacyFamilies.test(path);
}

/**
 * The three shapes of the contract: `{detail, code}`, the legacy `{success, message, detail, code}`, and
 * `{detail: {errors}}` for schema failures.
 */
export function toErrorBody(error: ApiError, legacy: boolean): Record<string, unknown> {
  const head = legacy ? { success: false, message: error.detail } : {};
  if (error instanceof SchemaError) return { ...head, detail: { errors: error.problems.map(toProblemBody) } };
  return { ...head, detail: error.detail, code: error.code, ...(error.context ? { context: error.context } : {}) };
}

function toProblemBody({ loc, text, ...facts }: FieldProblem): Record<string, unknown> {
  return { loc, msg: joined(text), ...facts };
}
