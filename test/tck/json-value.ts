import { type CypherValue, isList, isMap } from '../../src/cypher/values/cypher-value.js';
import { readTckValue } from './tck-value.js';

/**
 * A value that the TCK writes, in the form of an answer's JSON: nodes and relationships without ids, numbers by value, and those
 * beyond 2^53 as strings of their digits.
 */
export function readJsonValue(text: string): unknown {
  return toJson(readTckValue(text));
}

function toJson(value: CypherValue): unknown {
  if (typeof value === 'bigint') return value > Number.MAX_SAFE_INTEGER || value < Number.MIN_SAFE_INTEGER ? String(value) : Number(value);
  if (value === null || typeof value !== 'object') return value;
  if (isList(value)) return value.map(toJson);
  if (isMap(value)) return Object.fromEntries([...value].map(([key, inner]) => [key, toJson(inner)]));
  if (!('kind' in value) || value.kind === 'path') throw new Error('paths are not read');
  if (value.kind === 'node') return { node: value.labels, properties: toJson(value.properties) };
  if (value.kind === 'edge') return { edge: value.type, properties: toJson(value.properties) };
  throw new Error(`the TCK has no value of kind ${value.kind}`);
}

/** A result cell in the form of readJsonValue. A node with the empty label stands for one without labels. */
export function fromResult(value: unknown): unknown {
  if (Array.isArray(value)) return value.length === 1 && value[0] === '' ? [] : value.map(fromResult);
  if (value === null || typeof value !== 'object') return value;
  const { _kind: kind, label, type, properties } = value as { _kind?: string; label?: string; type?: string; properties?: object };
  if (kind === 'node') return { node: label === '' ? [] : [label], properties: fromResult(properties) };
  if (kind === 'edge') return { edge: type, properties: fromResult(properties) };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, fromResult(inner)]));
}

/** A text that is equal for equal values: map keys in order, numbers by value. */
export function canonical(value: unknown, anyListOrder: boolean): string {
  if (Array.isArray(value)) {
    const items = value.map(item => canonical(item, anyListOrder));
    return `[${(anyListOrder ? items.sort() : items).join(',')}]`;
  }
  if (value !== null && typeof value === 'object') {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner, anyListOrder)}`).join(',')}}`;
  }
  // Decimal arithmetic has more digits than the doubles for which the TCK was written.
  return typeof value === 'number' && !Number.isInteger(value) ? value.toPrecision(12).replace(/0+$/, '') : JSON.stringify(value);
}
