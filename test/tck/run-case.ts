import { type MemoryGraph } from '../../src/cypher/executors/memory/memory-graph.js';
import { type MemoryRun, prepareInMemory } from '../../src/cypher/executors/memory/run-in-memory.js';
import { parseCypher } from '../../src/cypher/syntax/parse-cypher.js';
import { type CypherValue } from '../../src/cypher/values/cypher-value.js';
import { type Answer } from './judge.js';
import { type Scenario } from './read-feature.js';
import { readNamedGraph } from './read-suite.js';
import { readTckValue } from './tck-value.js';
import { WritableGraph } from './writable-graph.js';

const limits = { steps: 10_000_000, heldBytes: 256 * 1024 * 1024 };
const now = { epochNanoseconds: 1_700_000_000_000_000_000n, timeZone: 'UTC' };

/** Runs the query of a case in memory, on the graph that the set-up of the case makes. */
export function runCase(scenario: Scenario): Answer {
  let graph: MemoryGraph;
  try {
    graph = graphOf(scenario);
  } catch (error) {
    return { kind: 'error', error: error as Error, phase: 'set-up' };
  }
  return runQuery(scenario, graph);
}

/** The graph that the set-up of a case makes. */
export function graphOf({ namedGraph, setup }: Scenario): MemoryGraph {
  const graph = new WritableGraph({ parameters: new Map(), limits, now });
  if (namedGraph !== null) graph.runSetup(readNamedGraph(namedGraph));
  for (const statement of setup) graph.runSetup(statement);
  return graph;
}

/** Runs the query of a case on any graph in memory. */
export function runQuery({ query: text, parameters: written }: Scenario, graph: MemoryGraph): Answer {
  const parameters = new Map(written.map(([name, value]) => [name, readTckValue(value)] as const));
  const run: MemoryRun = { parameters, limits, now };
  let phase: 'compile time' | 'runtime' = 'compile time';
  try {
    const prepared = prepareInMemory(parseCypher(text), graph, run);
    phase = 'runtime';
    const found: CypherValue[][] = [];
    for (const row of prepared.rows()) if (row !== null) found.push(row.values);
    return { kind: 'rows', columns: prepared.columns, rows: found };
  } catch (error) {
    return { kind: 'error', error: error as Error, phase };
  }
}
