import { type CypherValue } from '../cypher-value.js';
import { type DurationValue, type TemporalValue } from './temporal-value.js';

const kinds: ReadonlySet<string> = new Set(['date', 'localtime', 'time', 'localdatetime', 'datetime']);

export function isTemporal(value: CypherValue): value is TemporalValue {
  return value !== null && typeof value === 'object' && 'kind' in value && kinds.has(value.kind);
}

export function isDuration(value: CypherValue): value is DurationValue {
  return value !== null && typeof value === 'object' && 'kind' in value && value.kind === 'duration';
}

export function temporalKey(_value: TemporalValue | DurationValue): string {
  return notMerged();
}

export function compareTemporals(_a: TemporalValue, _b: TemporalValue): number | null {
  return notMerged();
}

export function compareDurationsForOrder(_a: DurationValue, _b: DurationValue): number {
  return notMerged();
}

export function temporalText(_value: TemporalValue | DurationValue): string {
  return notMerged();
}

export function temporalComponent(_value: TemporalValue | DurationValue, _name: string): CypherValue {
  return notMerged();
}

export function addDuration(_time: TemporalValue, _duration: DurationValue): TemporalValue {
  return notMerged();
}

export function subtractDuration(_time: TemporalValue, _duration: DurationValue): TemporalValue {
  return notMerged();
}

export function plusDurations(_a: DurationValue, _b: DurationValue): DurationValue {
  return notMerged();
}

export function minusDurations(_a: DurationValue, _b: DurationValue): DurationValue {
  return notMerged();
}

export function scaleDuration(_duration: DurationValue, _factor: number | bigint): DurationValue {
  return notMerged();
}

export function divideDuration(_duration: DurationValue, _divisor: number | bigint): DurationValue {
  return notMerged();
}

function notMerged(): never {
  throw new Error('not merged yet');
}
