import { guardExpression, guardPredicate, type GuardedExpression, type GuardScope } from '../../sql-guard/guard-expression.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { type SqlText } from '../formula/formula-tree.js';
import { type ResolvedFormula } from './resolve-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

type LeafNode = Extract<ResolvedFormula, { kind: 'leaf' }>;

/** A leaf's pieces of SQL after the guard, in the order in which the aggregate needs them. */
export interface GuardedLeaf {
  node: LeafNode;
  args: GuardedExpression[];
  where: GuardedExpression[];
}

/** @throws UnsafeFilterClauseError whose position counts from the start of the formula */
export function guardLeaf(node: LeafNode, scope: GuardScope): GuardedLeaf {
  const { leaf } = node;
  const args = leaf.pattern === 'count_distinct' ? leaf.keys : leaf.argument ? [leaf.argument] : [];
  return {
    node,
    args: args.map(text => inFormula(text, node.metric.name, () => guardExpression(text.text, scope))),
    where: leaf.where.map(text => inFormula(text, node.metric.name, () => guardPredicate(text.text, scope))),
  };
}

function inFormula<T>({ position }: SqlText, metric: string, guard: () => T): T {
  try {
    return guard();
  } catch (error) {
    if (!(error instanceof UnsafeFilterClauseError)) throw error;
    const { facts } = error;
    const hint = `in the formula of ${metric}${facts.hint ? `; ${facts.hint}` : ''}`;
    throw new UnsafeFilterClauseError({ ...facts, position: position + (facts.position ?? 1) - 1, hint });
  }
}

/** Key of a leaf within its scan: equal leaves are computed once. */
export function leafKey({ leaf }: LeafNode): string {
  const where = leaf.where.map(each => each.text);
  return JSON.stringify(
    leaf.pattern === 'count_distinct' ? ['distinct', leaf.keys.map(key => key.text), where] : [leaf.fn, leaf.argument?.text ?? '*', where],
  );
}

/** `SUM((amount)) FILTER (WHERE …)`. Names have been checked by {@link guardLeaf}. */
export function compileLeaf({ node: { leaf }, args, where }: GuardedLeaf, assembly: SqlAssembly): string {
  const embedded = args.map(each => assembly.embed(each));
  const conditions = where.map(each => assembly.embed(each));
  if (leaf.pattern === 'count_distinct') {
    const [first = ''] = embedded;
    // A row of which one key is NULL is not a distinct pair, as a single NULL key is not counted (pattern 2).
    if (args.length > 1) conditions.unshift(...args.map(each => `${assembly.embed(each)} IS NOT NULL`));
    return `COUNT(DISTINCT ${args.length > 1 ? `(${embedded.join(', ')})` : first})${filterOf(conditions)}`;
  }
  return `${leaf.fn}(${leaf.argument ? embedded.join(', ') : '*'})${filterOf(conditions)}`;
}

function filterOf(conditions: string[]): string {
  if (conditions.length === 0) return '';
  // PostgreSQL's parser merges a first operand that is itself an AND into the outer one, and the shape check would see a difference.
  return ` FILTER (WHERE ${conditions.length > 1 ? 'TRUE AND ' : ''}${conditions.join(' AND ')})`;
}
