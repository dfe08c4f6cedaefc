import { type MemoryGraph } from '../../src/cypher/executors/memory/memory-graph.js';
import { type CypherMap, type CypherValue, type EdgeValue, isList, isMap, type NodeValue } from '../../src/cypher/values/cypher-value.js';
import { temporalText } from '../../src/cypher/values/temporal/temporal-text.js';
import { kindOf } from '../../src/cypher/values/value-kind.js';

/** The label for nodes that have none in the TCK, because every node of the service's graphs has a label. */
export const noLabel = 'Unlabelled';

/** A graph as tables and a mapping, as a user would write them. */
export interface GraphAsTables {
  tables: { name: string; csv: string; types: string }[];
  mapping: string;
}

/** The error for a graph that tables and a mapping cannot express without loss. */
export class NotLoadable extends Error {}

interface Column {
  name: string;
  type: string;
  texts: (string | null)[];
}

/** @param prefix put before the name of each table @throws NotLoadable */
export function asTables(graph: MemoryGraph, prefix: string): GraphAsTables {
  const nodes = [...graph.nodes()];
  const edges = nodes.flatMap(node => [...graph.edgesOf(node, 'out', [])]);
  const labelOf = new Map(nodes.map(({ id, labels }) => [id, labels[0] ?? noLabel]));
  const tables: GraphAsTables['tables'] = [];
  const lines = ['version: 1', 'defaults: {empty_as_null: false}'];

  lines.push('nodes:');
  for (const [label, some] of groupBy(nodes, ({ id }) => labelOf.get(id)!)) {
    const table = `${prefix}n${tables.length}`;
    const further = [...new Set(some.flatMap(({ labels }) => labels.slice(1)))];
    const flags = further.map((name, i): Column => ({
      name: `l${i}`,
      type: 'boolean',
      texts: some.map(({ labels }) => String(labels.includes(name))),
    }));
    const properties = columnsOf(some.map(node => node.properties));
    tables.push(tableOf(table, some, [...flags, ...properties.map(({ column }) => column)]));
    const labels = further.map((name, i) => `{name: ${JSON.stringify(name)}, when: l${i}}`).join(', ');
    lines.push(
      `  - {id: n${lines.length}, label: ${JSON.stringify(label)}, labels: [${labels}], table: ${table}, key: [id], columns: [{column: id, property: 'the key'}${mapped(properties)}]}`,
    );
  }
  const handles = new Map(
    lines.flatMap(line =>
      [/id: (n\d+), label: ("(?:[^"\\]|\\.)*")/.exec(line)].flatMap(found =>
        found ? [[JSON.parse(found[2]!) as string, found[1]!] as const] : [],
      ),
    ),
  );
  const ofEdge = ({ type, source, target }: EdgeValue): string => JSON.stringify([type, labelOf.get(source), labelOf.get(target)]);
  if (edges.length > 0) lines.push('edges:');
  for (const [, some] of groupBy(edges, ofEdge)) {
    const [{ type, source, target }] = some as [EdgeValue];
    const table = `${prefix}e${tables.length}`;
    const properties = columnsOf(some.map(edge => edge.properties));
    const ends: Column[] = (['source', 'target'] as const).map(end => ({
      name: end,
      type: 'text',
      texts: some.map(edge => String(edge[end])),
    }));
    tables.push(tableOf(table, some, [...ends, ...properties.map(({ column }) => column)]));
    lines.push(
      `  - {type: ${JSON.stringify(type)}, table: ${table}, key: [id], from: {node: ${handles.get(labelOf.get(source)!)}, match: {source: id}}, to: {node: ${handles.get(labelOf.get(target)!)}, match: {target: id}}, columns: [${mapped(properties).slice(2)}]}`,
    );
  }
  return { tables, mapping: `${lines.join('\n')}\n` };
}

function mapped(properties: { property: string; column: Column }[]): string {
  return properties
    .map(({ property, column }) => `, {column: ${column.name}, property: ${JSON.stringify(property)}, type: '${column.type}'}`)
    .join('');
}

function tableOf(name: string, elements: { id: number }[], columns: Column[]): GraphAsTables['tables'][number] {
  const quoted = (text: string | null): string => (text === null ? '' : `"${text.replaceAll('"', '""')}"`);
  const rows = elements.map(({ id }, i) => [String(id), ...columns.map(({ texts }) => quoted(texts[i] ?? null))].join(','));
  const types = ['id:text', ...columns.map(column => `${column.name}:${column.type === 'boolean' ? 'boolean' : 'text'}`)];
  return { name, csv: `${['id', ...columns.map(column => column.name)].join(',')}\n${rows.join('\n')}\n`, types: types.join(',') };
}

function columnsOf(maps: CypherMap[]): { property: string; column: Column }[] {
  const names = [...new Set(maps.flatMap(map => [...map.keys()]))];
  return names.map((property, i) => {
    const values = maps.map(map => map.get(property) ?? null);
    const type = typeOf(values.filter(value => value !== null));
    const textsOf = type === 'json' ? (value: CypherValue) => (value === null ? null : jsonOf(value)) : textOf;
    return { property, column: { name: `p${i}`, type, texts: values.map(textsOf) } };
  });
}

const scalarTypes: Partial<Record<ReturnType<typeof kindOf>, string>> = {
  boolean: 'boolean',
  string: 'string',
  integer: 'bigint',
  float: 'float',
  date: 'date',
  localtime: 'time',
  time: 'timetz',
  localdatetime: 'localdatetime',
  datetime: 'datetime',
  duration: 'duration',
};

function typeOf(values: CypherValue[]): string {
  const types = new Set(
    values.map(value => (isList(value) ? listType(value) : isMap(value) ? 'map' : (scalarTypes[kindOf(value)] ?? 'none'))),
  );
  // An empty list, whose type is `string[]`, fits every other type of list.
  if ([...types].filter(type => type.endsWith('[]')).length > 1) types.delete('string[]');
  const [type = 'string', ...others] = types;
  for (const value of values.flat(1) as CypherValue[]) requireExact(value);
  return others.length === 0 ? type : 'json';
}

function listType(items: readonly CypherValue[]): string {
  const types = new Set(items.filter(item => item !== null).map(item => scalarTypes[kindOf(item)] ?? 'json'));
  const [type = 'string', ...others] = types;
  return others.length > 0 || type === 'json' ? 'json' : `${type}[]`;
}

/** Refuses times that PostgreSQL would change: it has microseconds, and does not store the offset of a moment. @throws NotLoadable */
function requireExact(value: CypherValue): void {
  if (value === null || typeof value !== 'object' || isList(value) || isMap(value) || !('kind' in value)) return;
  if (value.kind === 'node' || value.kind === 'edge' || value.kind === 'path') return;
  const text = temporalText(value);
  if (/\.\d{7}/.test(text)) throw new NotLoadable('a time has nanoseconds');
  if (value.kind === 'datetime' && !text.endsWith('Z')) throw new NotLoadable('a datetime has an offset or a zone');
}

function textOf(value: CypherValue): string | null {
  if (value === null) return null;
  if (typeof value === 'string') return value;
  if (typeof value === 'bigint' || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return floatText(value);
  return isList(value) || isMap(value) ? jsonOf(value) : temporalText(value as Parameters<typeof temporalText>[0]);
}

function jsonOf(value: CypherValue): string {
  if (isList(value)) return `[${value.map(jsonOf).join(', ')}]`;
  if (isMap(value)) return `{${[...value].map(([name, each]) => `${JSON.stringify(name)}: ${jsonOf(each)}`).join(', ')}}`;
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (typeof value === 'number') return floatText(value);
  return JSON.stringify(typeof value === 'string' ? value : temporalText(value as Parameters<typeof temporalText>[0]));
}

function floatText(value: number): string {
  if (!Number.isFinite(value)) throw new NotLoadable('a float is no number');
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? `${value}.0` : String(value);
}

function groupBy<T>(items: T[], keyOf: (item: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item]);
  return groups;
}

/** The loaded graph without what was added to load it: the property `the key`, and the label of nodes that had none. */
export class AsWritten implements MemoryGraph {
  constructor(private readonly loaded: MemoryGraph) {}

  get nodeCount(): number {
    return this.loaded.nodeCount;
  }

  *nodes(): Iterable<NodeValue> {
    for (const node of this.loaded.nodes()) yield withoutKey(node);
  }

  *nodesWithLabel(label: string): Iterable<NodeValue> {
    if (label !== noLabel) for (const node of this.loaded.nodesWithLabel(label)) yield withoutKey(node);
  }

  countOfLabel(label: string): number {
    return label === noLabel ? 0 : this.loaded.countOfLabel(label);
  }

  nodeById(id: number): NodeValue {
    return withoutKey(this.loaded.nodeById(id));
  }

  edgesOf(...asked: Parameters<MemoryGraph['edgesOf']>): Iterable<EdgeValue> {
    return this.loaded.edgesOf(...asked);
  }
}

function withoutKey({ id, labels, properties }: NodeValue): NodeValue {
  const own = new Map(properties);
  own.delete('the key');
  return { kind: 'node', id, labels: labels.filter(label => label !== noLabel), properties: own };
}
