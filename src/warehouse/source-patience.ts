import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiError } from '../common/errors/api-error.js';
import { LookupsBusyError } from '../egress/egress.errors.js';
import { type Bilingual } from '../text/bilingual.js';
import { ConnectionFailedError, WarehouseBusyError, WarehouseTimeoutError, WarehouseUnavailableError } from './warehouse.errors.js';

/**
 * Waits at most `patienceMs` for `opening`. Resolves to its result, or to the reason of its failure: that of the client, or that no answer
 * came in time. Other errors are thrown.
 */
export async function within<T>(patienceMs: number, opening: Promise<T>): Promise<T | Bilingual> {
  const silence = new AbortController();
  const silent = sleep(
    patienceMs,
    { zh: `${patienceMs / 1000} 秒内没有应答`, en: `no answer within ${patienceMs / 1000} s` },
    { signal: silence.signal },
  );
  silent.catch(() => undefined);
  try {
    return await Promise.race([opening, silent]);
  } catch (error) {
    if (isUnanswered(error)) return error.text;
    throw error;
  } finally {
    silence.abort();
    opening.catch(() => undefined);
  }
}

function isUnanswered(error: unknown): error is ApiError {
  return (
    error instanceof ConnectionFailedError ||
    error instanceof WarehouseUnavailableError ||
    error instanceof WarehouseTimeoutError ||
    error instanceof WarehouseBusyError ||
    error instanceof LookupsBusyError
  );
}
