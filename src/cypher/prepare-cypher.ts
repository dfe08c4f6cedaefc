import { type MemoryGraph } from './executors/memory/memory-graph.js';
import { prepareInMemory } from './executors/memory/run-in-memory.js';
import { Work } from './executors/memory/work.js';
import { type QueryPlan } from './plan/operators.js';
import { planCypher } from './plan/plan-cypher.js';
import { toSimpleQuery } from './plan/simple-query.js';
import { type GraphSchema } from './semantics/graph-schema.js';
import { QueryContext } from './semantics/query-context.js';
import { resolveNames } from './semantics/resolve-names.js';
import { type QueryWarning } from './semantics/typed-tree.js';
import { type CypherQuery } from './syntax/cypher-ast.js';
import { metered } from './syntax/effort.js';
import { parseCypher } from './syntax/parse-cypher.js';
import { type CypherMap } from './values/cypher-value.js';
import { readJsonParameters } from './values/read-json-value.js';

/** A query that was compiled without any error. */
export interface PreparedCypher {
  query: CypherQuery;
  parameters: CypherMap;
  /** The plan for SQL; null if SQL cannot run the query with exactly the results of memory. */
  plan: QueryPlan | null;
  warnings: QueryWarning[];
}

/**
 * A graph without nodes, to find the mistakes of a query before a graph is loaded for the query, and to run a query that matches nothing.
 */
export const emptyGraph: MemoryGraph = {
  nodeCount: 0,
  nodes: () => [],
  nodesWithLabel: () => [],
  countOfLabel: () => 0,
  edgesOf: () => [],
  nodeById: () => {
    throw new Error('The graph is empty');
  },
};

const limits = { steps: 100_000, heldBytes: 1_048_576 };

/**
 * Parses a query, resolves its names and parameters, and compiles it for memory, whose errors are the errors of both executors.
 * @param parameters the JSON object of the caller's parameters
 * @param query the parsed text, which gets the names of this schema
 * @throws CypherError; WorkExceededError for a query that is too long or too deep to be compiled
 */
export function prepareCypher(text: string, schema: GraphSchema, parameters: string, query = parseCypher(text)): PreparedCypher {
  const context = new QueryContext(text, schema, readJsonParameters(parameters));
  const compiling = new Work(limits);
  const named = metered(compiling, () => resolveNames(query, context));
  const values = new Map(named.map(({ name, position }) => [name, context.parameters.read(name, position)]));
  prepareInMemory(query, emptyGraph, {
    parameters: values,
    limits,
    now: { epochNanoseconds: 0n, timeZone: 'UTC' },
  });
  const simple = toSimpleQuery(query);
  const plan = simple && metered(compiling, () => planCypher(simple, context, values));
  return { query, parameters: values, plan, warnings: context.warnings() };
}

/**
 * Prepares one query for several schemas, for each schema once. A text that cannot be parsed is refused by this call itself. @throws
 * CypherError
 */
export function preparing<S extends GraphSchema>(text: string, parameters: string): (schema: S) => PreparedCypher {
  // A tree that was prepared has the names of one schema, so the next schema gets a tree of its own.
  let parsed: CypherQuery | undefined = parseCypher(text);
  const known = new Map<S, PreparedCypher>();
  return schema => {
    const prepared = known.get(schema) ?? prepareCypher(text, schema, parameters, parsed);
    parsed = undefined;
    known.set(schema, prepared);
    return prepared;
  };
}
