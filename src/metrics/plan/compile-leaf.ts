import { guardExpression, guardPredicate, type GuardedExpression, type GuardScope } from '../../sql-guard/guard-expression.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { problemAt } from '../formula/formula-lexer.js';
import { type Formula, sqlTexts, type SqlText } from '../formula/formula-tree.js';
import { type MetricDefinition, type ResolvedFormula } from './resolve-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

type LeafNode = Extract<ResolvedFormula, { kind: 'leaf' }>;

/** A leaf's pieces of SQL after the guard, in the order in which the aggregate needs them. */
export interface GuardedLeaf {
  node: LeafNode;
  args: GuardedExpression[];
  where: GuardedExpression[];
}

/** @throws FormulaParseError for an unknown column, UnsafeFilterClauseError for the rest; positions count from the start of the formula */
export function guardLeaf(node: LeafNode, scope: GuardScope): GuardedLeaf {
  const { leaf } = node;
  const args = leaf.pattern === 'count_distinct' ? leaf.keys : leaf.argument ? [leaf.argument] : [];
  return {
    node,
    args: args.map(text => inFormula(text, node.metric, () => guardExpression(text.text, scope))),
    where: leaf.where.map(text => inFormula(text, node.metric, () => guardPredicate(text.text, scope))),
  };
}

/** Judges the SQL in a formula whose columns are not known yet. @throws UnsafeFilterClauseError */
export function checkFormulaSql(root: Formula, formula: string): void {
  for (const { kind, text } of sqlTexts(root)) {
    const guard = kind === 'predicate' ? guardPredicate : guardExpression;
    inFormula(text, { name: formula, formula }, () => guard(text.text, { columns: 'any' }));
  }
}

/** Runs a guard on a piece of SQL of a formula and gives its refusals a place in the formula. */
export function inFormula<T>({ position }: SqlText, { name, formula }: Pick<MetricDefinition, 'name' | 'formula'>, guard: () => T): T {
  try {
    return guard();
  } catch (error) {
    if (!(error instanceof UnsafeFilterClauseError)) throw error;
    const { facts } = error;
    const at = position + (facts.position ?? 1) - 1;
    if (facts.reason === 'column') {
      const sentence = {
        zh: `指标“${name}”的公式用到绑定中没有的列`,
        en: `the formula of metric '${name}' names a column that its binding has not`,
      };
      const offset = [...formula].slice(0, at - 1).join('').length;
      const { token: found, hint } = facts;
      throw problemAt(formula, offset, { expected: [], nearest: 'aggregate', sentence, ...(found && { found }), ...(hint && { hint }) });
    }
    const hint = {
      zh: `位于指标“${name}”的公式${facts.hint ? `；${facts.hint.zh}` : ''}`,
      en: `in the formula of ${name}${facts.hint ? `; ${facts.hint.en}` : ''}`,
    };
    throw new UnsafeFilterClauseError({ ...facts, position: at, hint });
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
