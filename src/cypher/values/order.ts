import { compareTexts } from './compare-texts.js';
import { type CypherMap, type CypherValue, isList, isMap, type PathValue } from './cypher-value.js';
import { spend, spendComparing } from '../syntax/effort.js';
import { equals } from './equality.js';
import { compareNumbers, isNumber } from './numbers.js';
import { compareTemporals, temporalKey } from './temporal/compare-temporals.js';
import { compareDurationsForOrder } from './temporal/duration.js';
import { isDuration, isTemporal } from './temporal/is-temporal.js';
import { type TemporalValue } from './temporal/temporal-value.js';
import { kindOf, type ValueKind } from './value-kind.js';

/** The order of types in ORDER BY. NaN stands between all other numbers and null. */
const ranks: Record<ValueKind, number> = {
  map: 0,
  node: 1,
  edge: 2,
  list: 3,
  path: 4,
  datetime: 5,
  localdatetime: 6,
  date: 7,
  time: 8,
  localtime: 9,
  duration: 10,
  string: 11,
  boolean: 12,
  integer: 13,
  float: 13,
  decimal: 13,
  null: 15,
};

const rankOfNaN = 14;

/** The total order of ORDER BY, min() and max(): negative, zero or positive. Zero exactly when both have the same key. */
export function compareForOrder(a: CypherValue, b: CypherValue): number {
  const byType = rankOf(a) - rankOf(b);
  if (byType !== 0 || a === null || b === null || Number.isNaN(a)) return byType;
  if (isNumber(a)) return isNumber(b) ? compareNumbers(a, b) : 0;
  if (typeof a === 'string') return typeof b === 'string' ? compareTexts(a, b) : 0;
  if (typeof a === 'boolean') return Number(a) - Number(b);
  if (isList(a)) return isList(b) ? compareLists(a, b) : 0;
  if (isMap(a)) return isMap(b) ? compareMaps(a, b) : 0;
  if (isTemporal(a)) return isTemporal(b) ? compareTimes(a, b) : 0;
  if (isDuration(a)) return isDuration(b) ? compareDurationsForOrder(a, b) || compareTexts(temporalKey(a), temporalKey(b)) : 0;
  if (a.kind === 'path') return !isList(b) && typeof b === 'object' && 'kind' in b && b.kind === 'path' ? comparePaths(a, b) : 0;
  return typeof b === 'object' && 'id' in b ? a.id - b.id : 0;
}

/** `a < b`. Null if the two cannot be compared, false if one is NaN. */
export function lessThan(a: CypherValue, b: CypherValue): boolean | null {
  const result = compared(a, b);
  return result === null ? null : result < 0;
}

/** `a <= b`. Null if the two cannot be compared, false if one is NaN. */
export function lessOrEqual(a: CypherValue, b: CypherValue): boolean | null {
  const result = compared(a, b);
  return result === null ? null : result <= 0;
}

/** Negative, zero or positive; NaN if both are numbers and one of them is NaN; null where openCypher defines no order. */
function compared(a: CypherValue, b: CypherValue): number | null {
  if (isNumber(a)) return isNumber(b) ? compareNumbers(a, b) : null;
  if (typeof a === 'string') {
    if (typeof b !== 'string') return null;
    spendComparing(a, b);
    return compareTexts(a, b);
  }
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : null;
  if (isList(a)) return isList(b) ? comparedLists(a, b) : null;
  return isTemporal(a) && isTemporal(b) ? compareTemporals(a, b) : null;
}

/** Compares lists by their first items that are not equal. A list comes before a longer list that begins with it. */
function comparedLists(a: readonly CypherValue[], b: readonly CypherValue[]): number | null {
  for (const [i, item] of a.entries()) {
    if (i >= b.length) break;
    spend(2);
    const other = b[i] ?? null;
    const result = equals(item, other);
    if (result === null) return null;
    if (!result) return compared(item, other);
  }
  return a.length - b.length;
}

function rankOf(value: CypherValue): number {
  return Number.isNaN(value) ? rankOfNaN : ranks[kindOf(value)];
}

function compareLists(a: readonly CypherValue[], b: readonly CypherValue[]): number {
  const shared = Math.min(a.length, b.length);
  for (let i = 0; i < shared; i += 1) {
    spend(1);
    const result = compareForOrder(a[i] ?? null, b[i] ?? null);
    if (result !== 0) return result;
  }
  return a.length - b.length;
}

/** Orders maps by size, then by names, then by the values in the order of their names. */
function compareMaps(a: CypherMap, b: CypherMap): number {
  if (a.size !== b.size) return a.size - b.size;
  spend(20 * a.size);
  const [namesOfA, namesOfB] = [a, b].map(map => [...map.keys()].sort(compareTexts)) as [string[], string[]];
  const valuesOf = (map: CypherMap, names: string[]) => names.map(name => map.get(name) ?? null);
  return compareLists(namesOfA, namesOfB) || compareLists(valuesOf(a, namesOfA), valuesOf(b, namesOfB));
}

/** Orders paths node by node and edge by edge. A path comes before a longer path that begins with it. */
function comparePaths(a: PathValue, b: PathValue): number {
  const shared = Math.min(a.edges.length, b.edges.length);
  for (let i = 0; i <= shared; i += 1) {
    spend(1);
    const byNode = a.nodes[i]!.id - b.nodes[i]!.id;
    if (byNode !== 0) return byNode;
    const byEdge = i < shared ? a.edges[i]!.id - b.edges[i]!.id : 0;
    if (byEdge !== 0) return byEdge;
  }
  return a.edges.length - b.edges.length;
}

/** Orders times by their moments, and equal moments in two zones by their keys, so that the result is zero for equal values only. */
function compareTimes(a: TemporalValue, b: TemporalValue): number {
  return (compareTemporals(a, b) ?? 0) || compareTexts(temporalKey(a), temporalKey(b));
}
