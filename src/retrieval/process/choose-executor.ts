import { findOperator, type QueryPlan } from '../../cypher/plan/operators.js';
import { type ExecutorReason } from '../protocol.js';
import { type PreparedCypher } from '../../cypher/prepare-cypher.js';
import { type LoadedGraph } from './loaded-graphs.js';

/**
 * Why an executor runs a query.
 *
 *   memory  no_graph             the query matches nothing, so nothing need be read
 *           only_in_memory       SQL cannot run it with exactly the same results
 *           graph_loaded         the graph is in memory, and the query follows relationships
 *           small_graph          the graph is loaded in a moment, and the query follows two relationships or more from many nodes
 *           value_decides        SQL met a value that it cannot calculate with exactly
 *   sql     key_given            the key of a node is given, so few rows are read
 *           no_relationship      no relationship is followed
 *           graph_not_loaded     the graph is not in memory
 *           graph_exceeds_memory the graph is larger than the memory for graphs
 */
export interface Choice {
  executor: 'sql' | 'memory';
  reason: ExecutorReason;
}

/** The most nodes of a small graph: loading them takes about as long as one query that follows two relationships from each of them. */
const smallNodes = 50_000;

/**
 * Chooses the executor that is cheaper for a query; both have the same results.
 * @param isLoaded whether the nodes and edges of the graph are in memory
 */
export function chooseExecutor({ query, plan }: PreparedCypher, graph: LoadedGraph, isLoaded: boolean): Choice {
  if (!matchesGraph(query)) return { executor: 'memory', reason: 'no_graph' };
  if (plan === null) return { executor: 'memory', reason: 'only_in_memory' };
  const { edges, isKeyGiven } = shapeOf(plan);
  if (edges === 0) return { executor: 'sql', reason: 'no_relationship' };
  if (isLoaded) return { executor: 'memory', reason: 'graph_loaded' };
  if (isKeyGiven) return { executor: 'sql', reason: 'key_given' };
  const nodes = graph.schema.labels.reduce((sum, { rowCount }) => sum + rowCount, 0);
  return edges >= 2 && nodes <= smallNodes
    ? { executor: 'memory', reason: 'small_graph' }
    : { executor: 'sql', reason: 'graph_not_loaded' };
}

/** Whether the query contains a graph pattern. */
export function matchesGraph(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if ('nodes' in value && 'shortest' in value) return true;
  return Object.values(value).some(matchesGraph);
}

function shapeOf({ root }: QueryPlan): { edges: number; isKeyGiven: boolean } {
  const match = findOperator(root, 'match');
  return { edges: match?.pattern.edges.length ?? 0, isKeyGiven: match?.keys.some(key => key !== null) ?? false };
}
