import { type CypherValue, type EdgeValue, isList, isMap, type NodeValue } from './cypher-value.js';

/** The nodes and edges in a value: the value itself, those in lists and maps, and those along paths. */
export function* elementsIn(value: CypherValue): Generator<NodeValue | EdgeValue> {
  if (typeof value !== 'object' || value === null) return;
  if (isList(value)) for (const item of value) yield* elementsIn(item);
  else if (isMap(value)) for (const item of value.values()) yield* elementsIn(item);
  else if (!('kind' in value)) return;
  else if (value.kind === 'node' || value.kind === 'edge') yield value;
  else if (value.kind === 'path') {
    yield* value.nodes;
    yield* value.edges;
  }
}
