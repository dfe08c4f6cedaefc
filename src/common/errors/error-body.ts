import { type ApiError, SchemaError } from './api-error.js';

/** Route families that older clients know: they read `message`, all others read `detail`. Routes are found in any case. */
const legacyFamilies = /^\/(metrics|warehouse)(\/|$)/i;

/** `path` is the route's path without `/api` and without the query string. */
export function isLegacyPath(path: string): boolean {
  return legacyFamilies.test(path);
}

/**
 * The three shapes of the contract: `{detail, code}`, the legacy `{success, message, detail, code}`, and
 * `{detail: {errors}}` for schema failures.
 */
export function toErrorBody(error: ApiError, legacy: boolean): Record<string, unknown> {
  const head = legacy ? { success: false, message: error.detail } : {};
  if (error instanceof SchemaError) return { ...head, detail: { errors: error.problems } };
  return { ...head, detail: error.detail, code: error.code, ...(error.context ? { context: error.context } : {}) };
}
