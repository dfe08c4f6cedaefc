import { createHash } from 'node:crypto';
import { type CypherMap, type CypherValue, type EdgeValue, isList, isMap, type NodeValue, type PathValue } from './cypher-value.js';
import { Decimal } from './decimal.js';
import { longText, spend, spendComparing, spendReading } from '../syntax/effort.js';
import { compareNumbers, isNumber, numberKey } from './numbers.js';
import { temporalKey } from './temporal/compare-temporals.js';
import { type DurationValue, type TemporalValue } from './temporal/temporal-value.js';
import { typeNameOf } from './type-names.js';
import { ValueFault } from './value-fault.js';

/** Work units to build the key of a value, which is a new text. */
const unitsOfKey = 15;
const unitsOfId = 4;

type Tagged = NodeValue | EdgeValue | PathValue | TemporalValue | DurationValue;

/** `=` in three-valued logic. The result is null if one value is null, or if a list or map is equal except for a null in it. */
export function equals(a: CypherValue, b: CypherValue): boolean | null {
  if (a === null || b === null) return null;
  if (isNumber(a)) return isNumber(b) && compareNumbers(a, b) === 0;
  if (typeof a === 'string' && typeof b === 'string') return equalTexts(a, b);
  if (typeof a !== 'object' || typeof b !== 'object' || b instanceof Decimal) return a === b;
  if (isList(a)) return isList(b) ? equalLists(a, b) : false;
  if (isList(b)) return false;
  if (isMap(a)) return isMap(b) ? equalMaps(a, b) : false;
  if (isMap(b)) return false;
  if (a.kind === 'path') return b.kind === 'path' && equalPaths(a, b);
  return a.kind === b.kind && keyOfTagged(a) === keyOfTagged(b);
}

/** `value IN list`. Null if nothing is equal and a comparison was null. */
export function isIn(value: CypherValue, list: CypherValue): boolean | null {
  if (list === null) return null;
  if (!isList(list)) {
    const { zh, en } = typeNameOf(list);
    throw new ValueFault('TypeError', 'InvalidArgumentType', {
      zh: `IN 的右侧须为列表，而非${zh}`,
      en: `IN needs a list on its right, not ${en}`,
    });
  }
  let isUnknown = false;
  for (const item of list) {
    spend(2);
    const result = equals(value, item);
    if (result === true) return true;
    isUnknown ||= result === null;
  }
  return isUnknown ? null : false;
}

/**
 * Two values have the same key exactly when DISTINCT, grouping and counting take them for equal. They are compared as by `=`, but null
 * equals null, and NaN equals NaN.
 */
export function keyOf(value: CypherValue): string {
  if (value === null) return '0';
  spend(unitsOfKey);
  if (typeof value === 'string') return keyOfText(value);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (isNumber(value)) return `#${numberKey(value)}`;
  if (isList(value)) return `[${keyOfRow(value)}`;
  if (isMap(value)) return keyOfMap(value);
  return keyOfTagged(value);
}

/** Two rows have the same key exactly when all their values do. */
export function keyOfRow(values: readonly CypherValue[]): string {
  return values.map(value => measured(keyOf(value))).join('');
}

function equalTexts(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  spendComparing(a, b);
  return a === b;
}

/**
 * The key of a text. A long text is replaced by its SHA-256: V8 hashes texts beyond 16,383 characters by their length alone, so a Map with
 * such texts as keys would compare each of them with all others.
 */
function keyOfText(text: string): string {
  spendReading(text);
  return text.length < longText ? `s${text}` : `d${createHash('sha256').update(text, 'utf16le').digest('base64')}`;
}

function equalLists(a: readonly CypherValue[], b: readonly CypherValue[]): boolean | null {
  if (a.length !== b.length) return false;
  let isUnknown = false;
  for (let i = 0; i < a.length; i += 1) {
    spend(2);
    const result = equals(a[i] ?? null, b[i] ?? null);
    if (result === false) return false;
    isUnknown ||= result === null;
  }
  return isUnknown ? null : true;
}

function equalMaps(a: CypherMap, b: CypherMap): boolean | null {
  if (a.size !== b.size) return false;
  spend(4 * a.size);
  const names = [...a.keys()];
  for (const name of names) spendReading(name);
  for (const name of b.keys()) spendReading(name);
  if (names.some(name => !b.has(name))) return false;
  return equalLists(
    names.map(name => a.get(name) ?? null),
    names.map(name => b.get(name) ?? null),
  );
}

function equalPaths(a: PathValue, b: PathValue): boolean {
  if (a.edges.length !== b.edges.length || a.nodes[0]!.id !== b.nodes[0]!.id) return false;
  for (let i = 0; i < a.edges.length; i += 1) {
    spend(1);
    if (a.edges[i]!.id !== b.edges[i]!.id || a.nodes[i + 1]!.id !== b.nodes[i + 1]!.id) return false;
  }
  return true;
}

function keyOfMap(map: CypherMap): string {
  spend(10 * map.size);
  const names = [...map.keys()].sort();
  // Sorting reads the names as well, in addition to making their keys.
  for (const name of names) spendReading(name);
  return `{${names.map(name => measured(keyOfText(name)) + measured(keyOf(map.get(name) ?? null))).join('')}`;
}

function keyOfTagged(value: Tagged): string {
  switch (value.kind) {
    case 'node':
      return `n${value.id}`;
    case 'edge':
      return `e${value.id}`;
    case 'path':
      spend(unitsOfId * (value.nodes.length + value.edges.length));
      return `p${value.nodes.map(({ id }) => id).join()};${value.edges.map(({ id }) => id).join()}`;
    default:
      return `${value.kind}:${temporalKey(value)}`;
  }
}

/** Precedes a key with its length, for use inside another key, so that two different lists never have the same key. */
function measured(key: string): string {
  return `${key.length}:${key}`;
}
