import { setTimeout as sleep } from 'node:timers/promises';
import { ApiError, BusyError } from '../../common/errors/api-error.js';
import { joined } from '../../text/bilingual.js';
import { connectionFailures, type Reached } from '../clients/connection-failure.js';
import { inStages } from '../clients/connection-stage.js';
import { type ConnectionTest } from '../clients/warehouse.client.js';
import { ConnectionFailedError } from '../warehouse.errors.js';
import { type ConnectionTestResponse } from './connections.dto.js';

const usualBudgetMs = 5_000;
/** The most characters of a text from the server in an answer; versions, users and schemas need fewer. */
const mostCharacters = 10_000;

/**
 * Tests a connection in 5 seconds at most. A failed connection is also returned as a result: its stage, its code and a sentence of the
 * service. No text of the server is passed on, because it would show the user what listens on any port.
 */
export async function testConnection(
  test: (reached: Reached) => Promise<ConnectionTest>,
  budgetMs = usualBudgetMs,
): Promise<ConnectionTestResponse> {
  const started = performance.now();
  const elapsed = (): { latency_ms: number } => ({ latency_ms: Math.round((performance.now() - started) * 10) / 10 });
  const budget = new AbortController();
  try {
    const outOfTime = sleep(budgetMs, undefined, { signal: budget.signal }).then(() => {
      throw new ConnectionFailedError('TIMEOUT', undefined);
    });
    const { serverVersion, user, isReadOnly, canWrite, warnings } = await inStages(reached => Promise.race([test(reached), outOfTime]));
    const said = [serverVersion, user, ...warnings.map(joined)].map(String);
    if (said.some(text => text.length > mostCharacters)) throw new ConnectionFailedError('PROTOCOL', undefined);
    return {
      ok: true,
      ...elapsed(),
      server_version: serverVersion,
      current_user: user,
      read_only_enforced: isReadOnly,
      can_write: canWrite,
      warnings: warnings.map(joined),
    };
  } catch (error) {
    // Too many tests at once, or a fault of the service, are not failures of the connection.
    if (!(error instanceof ApiError) || error instanceof BusyError) throw error;
    const { stage, failure: code } = error instanceof ConnectionFailedError ? error : new ConnectionFailedError('READ_FAILED', error);
    return { ok: false, ...elapsed(), stage, code, message: joined(connectionFailures[code]) };
  } finally {
    budget.abort();
  }
}
