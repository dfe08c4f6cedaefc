import { type CypherValue } from '../cypher-value.js';
import { type DurationValue, type TemporalValue } from './temporal-value.js';

const kinds: ReadonlySet<string> = new Set(['date', 'localtime', 'time', 'localdatetime', 'datetime'] satisfies TemporalValue['kind'][]);

/** A date or a time. Durations are not among them. */
export function isTemporal(value: CypherValue): value is TemporalValue {
  return value !== null && typeof value === 'object' && 'kind' in value && kinds.has(value.kind);
}

export function isDuration(value: CypherValue): value is DurationValue {
  return value !== null && typeof value === 'object' && 'kind' in value && value.kind === 'duration';
}
