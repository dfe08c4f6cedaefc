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

/** Runs the query of a case in memory, on the graph that its set-up makes. */
export function runCase(scenario: Scenario): Answer {
  const parameters = new Map(scenario.parameters.map(([name, value]) => [name, readTckValue(value)] as const));
  const graph = new WritableGraph({ parameters: new Map(), limits, now });
  try {
    if (scenario.namedGraph !== null) graph.runSetup(readNamedGraph(scenario.namedGraph));
    for (const statement of scenario.setup) graph.runSetup(statement);
  } catch (error) {
    return { kind: 'error', error: error as Error, phase: 'set-up' };
  }
  return runQuery(scenario.query, graph, { parameters, limits, now });
}

function runQuery(text: string, graph: WritableGraph, run: MemoryRun): Answer {
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
