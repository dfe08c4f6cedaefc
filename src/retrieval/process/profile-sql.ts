import { type CompiledQuery } from '../../cypher/executors/sql/compile-plan.js';
import { patternsOf, type QueryPlan } from '../../cypher/plan/operators.js';
import { type ProfiledOperator } from '../protocol.js';
import { type GraphReader } from './retrieval-database.js';

/** A node of PostgreSQL's plan. Its rows and time are those of one loop. The time is in milliseconds and includes the nodes below. */
export interface ExplainedNode {
  'Node Type': string;
  'Relation Name'?: string;
  Alias?: string;
  'Actual Rows'?: unknown;
  'Actual Loops'?: unknown;
  'Actual Total Time'?: unknown;
  Plans?: ExplainedNode[];
}

/** Plain names for PostgreSQL's operators. Operators that are not listed keep PostgreSQL's name, which never contains a table's name. */
const words: Readonly<Record<string, string>> = {
  'Seq Scan': 'Scan',
  'Index Scan': 'Index scan',
  'Index Only Scan': 'Index scan',
  'Bitmap Heap Scan': 'Index scan',
  'Bitmap Index Scan': 'Index lookup',
  'Nested Loop': 'Join row by row',
  'Hash Join': 'Hash join',
  'Merge Join': 'Merge join',
  Hash: 'Hash table',
  'Incremental Sort': 'Sort',
  Unique: 'Distinct',
  Append: 'Union',
  Memoize: 'Remember rows',
  Materialize: 'Keep rows',
  Gather: 'Gather from workers',
  'Gather Merge': 'Gather from workers',
  'Subquery Scan': 'Subquery',
};

/** Runs the statement once more under EXPLAIN ANALYZE. Returns what each operator of PostgreSQL did, inputs first. */
export async function profileSql(reader: GraphReader, plan: QueryPlan, { sql, parameters }: CompiledQuery): Promise<ProfiledOperator[]> {
  const explained = await reader.query<{ 'QUERY PLAN': [{ Plan: ExplainedNode }] }>(
    `EXPLAIN (ANALYZE, COSTS OFF, SUMMARY OFF, BUFFERS OFF, FORMAT JSON) ${sql}`,
    parameters,
  );
  return explained.flatMap(row => flattenPlan(row['QUERY PLAN'][0].Plan, namesOf(plan)));
}

/**
 * Lists each operator after its inputs, the operators whose rows it reads. The rows of an operator are those of all loops together. Its
 * time leaves out the time of its inputs.
 */
export function flattenPlan(node: ExplainedNode, names: ReadonlyMap<string, string>): ProfiledOperator[] {
  const below = node.Plans ?? [];
  const own = timeOf(node) - below.reduce((sum, child) => sum + timeOf(child), 0);
  const operator = [words[node['Node Type']] ?? node['Node Type'], readBy(node, names)].filter(part => part !== null).join(' ');
  return [
    ...below.flatMap(child => flattenPlan(child, names)),
    {
      operator,
      rows: Math.round(Number(node['Actual Rows'] ?? 0) * loopsOf(node)),
      // The workers of a parallel plan together spend more time than the operator that waits for them, so the difference can be negative.
      time_ms: Math.max(0, Math.round(own * 1_000) / 1_000),
    },
  ];
}

/** The rows that an operator reads: `nodes` or `edges`, with the label or type of the pattern if known; null if it reads no table. */
function readBy({ 'Relation Name': relation, Alias: alias = '' }: ExplainedNode, names: ReadonlyMap<string, string>): string | null {
  if (relation === undefined) return null;
  const kind = relation.startsWith('edges') ? 'edges' : 'nodes';
  const name = names.get(alias);
  return name ? `${kind} (${name})` : kind;
}

/** The label or type in the pattern, by the alias of its table in the statement. */
function namesOf(plan: QueryPlan): ReadonlyMap<string, string> {
  return new Map(
    patternsOf(plan).flatMap(({ nodes, edges }) => [
      ...nodes.map(({ labels }, i) => [`n${i}`, labels.map(group => group.join('|')).join(':')] as const),
      ...edges.map(({ types }, i) => [`e${i}`, types.join('|')] as const),
    ]),
  );
}

function timeOf(node: ExplainedNode): number {
  return Number(node['Actual Total Time'] ?? 0) * loopsOf(node);
}

function loopsOf(node: ExplainedNode): number {
  return Number(node['Actual Loops'] ?? 0);
}
