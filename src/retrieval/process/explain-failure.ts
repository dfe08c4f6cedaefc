import { storageErrorOf } from '../../common/errors/storage-error.js';
import { type Bilingual } from '../../text/bilingual.js';
import { isTooLargeForAnyValue } from '../../database/too-large-allocation.js';
import { QueryTooLargeError } from '../retrieval.errors.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

/** The SQLSTATEs of limits that PostgreSQL enforces on one session or one statement. */
const bounds: [sqlstate: string, reason: Bilingual][] = [
  [
    sqlstates.configurationLimitExceeded,
    { zh: '所需的临时磁盘空间超过一个查询的上限', en: 'it needs more temporary disk space than one query may take' },
  ],
  [sqlstates.outOfMemory, { zh: '所需的内存超过一个查询的上限', en: 'it needs more memory than one query may take' }],
];

/**
 * Turns a failure that a caller's query has caused in PostgreSQL into an error about the query. Other failures are returned as they are.
 */
export function explainFailure(failure: unknown): unknown {
  const code = sqlstateOf(failure);
  if (code === '') return failure;
  const full = storageErrorOf(failure);
  if (full) return full;
  const sqlstate = isTooLargeForAnyValue(failure) ? sqlstates.outOfMemory : code;
  const bound = bounds.find(([kept]) => kept === sqlstate);
  return bound ? new QueryTooLargeError(bound[1], sqlstate, failure) : failure;
}
