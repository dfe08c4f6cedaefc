import { type Decimal } from './decimal.js';
import { type DurationValue, type TemporalValue } from './temporal/temporal-value.js';

/**
 * A value of a running query: null, booleans, strings, integers of 64 bits as bigint, floats as number (with NaN and the infinities), exact
 * decimals from the source, temporal values, durations, nodes, edges, paths, lists and maps.
 */
export type CypherValue =
  | null
  | boolean
  | string
  | bigint
  | number
  | Decimal
  | TemporalValue
  | DurationValue
  | NodeValue
  | EdgeValue
  | PathValue
  | readonly CypherValue[]
  | CypherMap;

export type CypherMap = ReadonlyMap<string, CypherValue>;

/** A node of the graph. No property is null. */
export interface NodeValue {
  readonly kind: 'node';
  readonly id: number;
  readonly labels: readonly string[];
  readonly properties: CypherMap;
}

/** An edge of the graph, from `source` to `target` (ids of nodes). No property is null. */
export interface EdgeValue {
  readonly kind: 'edge';
  readonly id: number;
  readonly type: string;
  readonly source: number;
  readonly target: number;
  readonly properties: CypherMap;
}

/** `nodes.length === edges.length + 1`. An edge may be walked against its direction. */
export interface PathValue {
  readonly kind: 'path';
  readonly nodes: readonly NodeValue[];
  readonly edges: readonly EdgeValue[];
}

export const leastInteger = -9_223_372_036_854_775_808n;
export const greatestInteger = 9_223_372_036_854_775_807n;

export function isList(value: CypherValue): value is readonly CypherValue[] {
  return Array.isArray(value);
}

export function isMap(value: CypherValue): value is CypherMap {
  return value instanceof Map;
}
