import { prepareInMemory } from '../../src/cypher/executors/memory/run-in-memory.js';
import { parseCypher } from '../../src/cypher/syntax/parse-cypher.js';
import { type CypherValue } from '../../src/cypher/values/cypher-value.js';
import { PropertyColumnBuilder } from '../../src/graph-index/property-column.js';
import { TopologyBuilder } from '../../src/graph-index/topology.js';
import { type GraphPlan } from '../../src/questions/planning/question-plan.js';
import { type PlanSchema } from '../../src/questions/planning/schema-paths.js';
import { type GraphElements } from '../../src/retrieval/process/graph-elements.js';
import { GraphInMemory } from '../../src/retrieval/process/graph-in-memory.js';
import { atOnce } from '../../src/text/steps.js';

export interface GivenNode {
  id: number;
  label: string;
  properties: Record<string, string | number | boolean | null>;
}

/** Builds a graph in memory. `nodes` are in the order of their ids. `edges` name the ids of their two nodes. */
export function graphInMemory(schema: PlanSchema, nodes: readonly GivenNode[], edges: readonly [type: string, from: number, to: number][]) {
  const labels = schema.labels.map(({ name }) => name);
  const types = schema.edges.map(({ type }) => type);
  const builder = new TopologyBuilder();
  for (const { id, label } of nodes) builder.addNode(id, labels.indexOf(label));
  edges.forEach(([type, from, to], i) => builder.addEdge(10_000 + i, types.indexOf(type), from, to));
  const numbers = new Set(
    schema.labels.flatMap(({ properties }) => properties.filter(({ type }) => type === 'int').map(({ name }) => name)),
  );
  const names = [...new Set(nodes.flatMap(({ properties }) => Object.keys(properties)))];
  const columns = names.map((name): [string, ReturnType<typeof columnOf>] => [name, columnOf(nodes, name, numbers.has(name))]);
  return new GraphInMemory(
    atOnce(
      builder.build(
        labels.map(own => [own]),
        types,
      ),
    ),
    { columns: { nodes: new Map(columns), edges: new Map() }, indexes: new Map(), whole: null },
    schema as unknown as GraphElements,
  );
}

function columnOf(nodes: readonly GivenNode[], name: string, isNumber: boolean) {
  const column = new PropertyColumnBuilder(nodes.length);
  for (const { id, properties } of nodes)
    if (properties[name] != null) column.set(id, JSON.stringify(properties[name]), isNumber ? 'integer' : null);
  return atOnce(column.build());
}

/** Runs a plan in memory and returns its rows. */
export function plannedRows({ cypher, parameters }: GraphPlan, graph: GraphInMemory): CypherValue[][] {
  const toCypher = (value: unknown): CypherValue =>
    Array.isArray(value) ? value.map(toCypher) : typeof value === 'number' ? BigInt(value) : (value as string);
  const run = {
    parameters: new Map(Object.entries(parameters).map(([name, value]) => [name, toCypher(value)])),
    limits: { steps: 1e7, heldBytes: 1e8 },
    now: { epochNanoseconds: 0n, timeZone: 'UTC' },
  };
  return [...prepareInMemory(parseCypher(cypher), graph, run).rows()].flatMap(row => (row ? [[...row.values]] : []));
}
