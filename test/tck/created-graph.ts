import { type Expression, type MapEntry } from '../../src/cypher/syntax/cypher-ast.js';
import { toSimpleQuery } from '../../src/cypher/plan/simple-query.js';
import { parseCypher } from '../../src/cypher/syntax/parse-cypher.js';
import { aLabel, anEdge } from '../support/graph-schema.js';
import { type GraphSchema, type PropertySchema } from '../../src/cypher/semantics/graph-schema.js';
import { readJsonValue } from '../../src/cypher/values/read-json-value.js';

export interface CreatedNode {
  id: number;
  label: string;
  properties: Record<string, string>;
}

export interface CreatedEdge {
  id: number;
  type: string;
  source: number;
  target: number;
  properties: Record<string, string>;
}

/**
 * The graph that `CREATE pattern, …` statements make. Properties are JSON texts, so that 1.0 stays a float. A CREATE pattern has the
 * grammar of a MATCH pattern, so the parser under test parses it.
 * @throws Error for anything that the data model or this reader cannot represent
 */
export class CreatedGraph {
  readonly nodes: CreatedNode[] = [];
  readonly edges: CreatedEdge[] = [];

  run(statement: string): void {
    const unwind = /^\s*UNWIND\s+(\[.*?\]|range\(\d+, ?\d+\))\s+AS\s+(\w+)\s+(CREATE[\s\S]*)$/.exec(statement);
    if (unwind) {
      const [, list = '', name = '', create = ''] = unwind;
      for (const value of listOf(list)) this.create(create, { [name]: jsonText(value) });
    } else this.create(statement, {});
  }

  private create(statement: string, scope: Record<string, string>): void {
    if (!/^\s*CREATE\b/.test(statement) || /\b(UNWIND|WITH|MATCH|SET|MERGE|DELETE|FOREACH)\b/.test(statement))
      throw new Error('setup is more than CREATE');
    const simple = toSimpleQuery(parseCypher(`${statement.replace(/\bCREATE\b/g, 'MATCH').replace(/;\s*$/, '')} RETURN 1`));
    if (!simple) throw new Error('setup is beyond the CREATE reader');
    const { matches } = simple;
    const named = new Map<string, CreatedNode>();
    for (const { patterns } of matches) {
      for (const pattern of patterns) {
        const nodes = pattern.nodes.map(({ variable, labels, properties }) => {
          const known = variable === null ? undefined : named.get(variable);
          if (known) return known;
          if (labels.length > 1) throw new Error('setup has a node with several labels');
          const node = { id: this.nodes.length + 1, label: labels[0]?.[0]?.name ?? '', properties: propertiesOf(properties, scope) };
          this.nodes.push(node);
          if (variable !== null) named.set(variable, node);
          return node;
        });
        pattern.edges.forEach((edge, i) => {
          const [left, right] = [nodes[i]!.id, nodes[i + 1]!.id];
          const [source, target] = edge.direction === 'in' ? [right, left] : [left, right];
          this.edges.push({
            id: this.edges.length + 1,
            type: edge.types[0]!.name,
            source,
            target,
            properties: propertiesOf(edge.properties, scope),
          });
        });
      }
    }
  }

  /** The schema that a mapping of these nodes and edges would declare. */
  schema(): GraphSchema {
    const labels = [...new Set(this.nodes.map(node => node.label))];
    return {
      labels: labels.map(name => aLabel(name, { properties: typesOf(this.nodes.filter(node => node.label === name)) })),
      edges: this.edges.map(edge =>
        anEdge(edge.type, this.nodes[edge.source - 1]!.label, this.nodes[edge.target - 1]!.label, { properties: typesOf([edge]) }),
      ),
    };
  }
}

function typesOf(elements: { properties: Record<string, string> }[]): PropertySchema[] {
  return elements.flatMap(({ properties }) => Object.entries(properties).map(([name, json]) => ({ name, type: typeOf(json) })));
}

function typeOf(json: string): string {
  if (json.startsWith('"')) return 'string';
  if (json.startsWith('[')) return 'string[]';
  if (json === 'true' || json === 'false') return 'boolean';
  return /^-?\d+$/.test(json) ? 'bigint' : 'float';
}

function propertiesOf(entries: MapEntry[], scope: Record<string, string>): Record<string, string> {
  return Object.fromEntries(entries.map(({ name, value }) => [name, jsonOf(value, scope)] as const).filter(([, json]) => json !== 'null'));
}

function jsonOf(value: Expression, scope: Record<string, string>): string {
  if (value.kind === 'literal') return JSON.stringify(value.value);
  if (value.kind === 'number') return value.integer || value.text.includes('.') ? value.text : Number(value.text).toFixed(1);
  if (value.kind === 'list') return `[${value.items.map(item => jsonOf(item, scope)).join(',')}]`;
  const bound = value.kind === 'variable' ? scope[value.name] : undefined;
  if (bound === undefined) throw new Error('setup computes a property');
  return bound;
}

function jsonText(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) => (typeof inner === 'bigint' ? Number(inner) : inner));
}

function listOf(list: string): unknown[] {
  const range = /range\((\d+), ?(\d+)\)/.exec(list);
  if (range) return Array.from({ length: Number(range[2]) - Number(range[1]) + 1 }, (_, i) => Number(range[1]) + i);
  return readJsonValue(list.replaceAll("'", '"')) as unknown[];
}
