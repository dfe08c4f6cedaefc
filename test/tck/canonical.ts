import { type CypherMap, type CypherValue, isList, isMap, type NodeValue, type PathValue } from '../../src/cypher/values/cypher-value.js';
import { Decimal } from '../../src/cypher/values/decimal.js';
import { temporalText } from '../../src/cypher/values/temporal/temporal-text.js';
import { readTckValue } from './tck-value.js';

/** Whether the order of list items counts (`exact`) or not (`any`). */
export type ListOrder = 'exact' | 'any';

/**
 * Returns a text that is equal for values that the TCK treats as equal. Nodes and edges have no ids, labels and keys are sorted, 1 differs
 * from 1.0, -0.0 equals 0.0. Times are quoted texts, because the TCK writes them so.
 */
export function canonicalOf(value: CypherValue, listOrder: ListOrder = 'exact'): string {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'number') return canonicalFloat(value);
  if (value instanceof Decimal) return canonicalFloat(value.toNumber());
  if (isList(value)) {
    const items = value.map(item => canonicalOf(item, listOrder));
    return `[${(listOrder === 'any' ? items.sort() : items).join(', ')}]`;
  }
  if (isMap(value)) return canonicalMap(value, listOrder);
  switch (value.kind) {
    case 'node':
      return canonicalNode(value, listOrder);
    case 'edge':
      return canonicalEdge(value, listOrder);
    case 'path':
      return canonicalPath(value, listOrder);
    case 'date':
    case 'localtime':
    case 'time':
    case 'localdatetime':
    case 'datetime':
    case 'duration':
      return JSON.stringify(temporalText(value));
    default:
      return value satisfies never;
  }
}

/** @param text a value in the notation of the TCK */
export function canonicalOfExpected(text: string, listOrder: ListOrder = 'exact'): string {
  return canonicalOf(readTckValue(text), listOrder);
}

function canonicalFloat(value: number): string {
  const text = String(value === 0 ? 0 : value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function canonicalMap(map: CypherMap, listOrder: ListOrder): string {
  const entries = [...map].map(([key, value]) => `${JSON.stringify(key)}: ${canonicalOf(value, listOrder)}`);
  return `{${entries.sort().join(', ')}}`;
}

function canonicalNode({ labels, properties }: NodeValue, listOrder: ListOrder): string {
  const names = [...labels].sort().map(label => `:${label}`);
  return `(${[names.join(''), propertiesOf(properties, listOrder)].filter(Boolean).join(' ')})`;
}

function canonicalEdge({ type, properties }: { type: string; properties: CypherMap }, listOrder: ListOrder): string {
  return `[${[`:${type}`, propertiesOf(properties, listOrder)].filter(Boolean).join(' ')}]`;
}

/** An edge that the path walks from its source points right, `-[]->`. A loop always points right. */
function canonicalPath({ nodes, edges }: PathValue, listOrder: ListOrder): string {
  const texts = nodes.map((node, i) => {
    const before = edges[i - 1];
    if (before === undefined) return canonicalNode(node, listOrder);
    const edge = canonicalEdge(before, listOrder);
    return `${before.target === node.id ? `-${edge}->` : `<-${edge}-`}${canonicalNode(node, listOrder)}`;
  });
  return `<${texts.join('')}>`;
}

function propertiesOf(properties: CypherMap, listOrder: ListOrder): string {
  return properties.size === 0 ? '' : canonicalMap(properties, listOrder);
}
