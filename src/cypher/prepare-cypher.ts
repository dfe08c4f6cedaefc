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
  /** The plan for SQL; null if SQL cannot return exactly the results of the in-memory executor. */
  plan: QueryPlan | null;
  warnings: QueryWarning[];
}

/**
 * A graph without nodes. A query is compiled on it to find its errors before a graph is loaded. A query that needs no graph, such as
 * `RETURN 1`, runs on it.
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
 * Parses a query, resolves its names and parameters, and compiles it for the in-memory executor. The errors of this compilation are the
 * errors of the query, whichever executor runs it.
 * @param parameters the JSON object of the caller's parameters
 * @param query the parsed text, in which the names of the schema replace aliases
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
 * Returns a function that prepares one query for a schema, once for each schema. The text is parsed by the first call already.
 * @throws CypherError at once for a text that cannot be parsed
 */
export function preparing<S extends GraphSchema>(text: string, parameters: string): (schema: S) => PreparedCypher {
  // `prepareCypher` writes the names of one schema into the tree, so each further schema gets a newly parsed tree.
  let parsed: CypherQuery | undefined = parseCypher(text);
  const known = new Map<S, PreparedCypher>();
  return schema => {
    const prepared = known.get(schema) ?? prepareCypher(text, schema, parameters, parsed);
    parsed = undefined;
    known.set(schema, prepared);
    return prepared;
  };
}
