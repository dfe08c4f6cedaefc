import { type CypherValue } from '../cypher-value.js';
import { type DurationValue, type TemporalValue } from './temporal-value.js';

const kinds: ReadonlySet<string> = new Set(['date', 'localtime', 'time', 'localdatetime', 'datetime'] satisfies TemporalValue['kind'][]);

/** Whether a value is a date or a time. A duration is not a temporal value here. */
export function isTemporal(value: CypherValue): value is TemporalValue {
  return value !== null && typeof value === 'object' && 'kind' in value && kinds.has(value.kind);
}

export function isDuration(value: CypherValue): value is DurationValue {
  return value !== null && typeof value === 'object' && 'kind' in value && value.kind === 'duration';
}
