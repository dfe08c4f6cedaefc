import { expected } from './phrases.js';
import { FormulaParseError } from './formula.errors.js';
import { type Formula, operandsOf, type Pattern } from './formula-tree.js';

/**
 * The pattern of a formula, decided at the root of its tree. A leaf has its own pattern. A division of two operands that are not constants
 * (also times 100) is a `ratio`. Other arithmetic is `arithmetic`. For a function, its name decides the pattern.
 * @throws FormulaParseError for a formula without any metric or aggregate, and for nestings that no pattern allows
 */
export function classifyFormula(root: Formula, formula: string): Pattern {
  const pattern = patternOf(root);
  if (isConstant(root)) {
    throw new FormulaParseError(formula, 1, {
      expected: [expected.aggregate, expected.metricReference],
      nearest: pattern,
      hint: { zh: '公式至少要有一个聚合或指标', en: 'a formula needs at least one aggregate or metric' },
    });
  }
  checkNesting(root, formula);
  return pattern;
}

export function patternOf(node: Formula): Pattern {
  switch (node.kind) {
    case 'leaf':
      return node.pattern;
    case 'ratio':
      return 'ratio';
    case 'binary':
      return isDivision(node) || (node.op === '*' && isHundredTimesDivision(node.left, node.right)) ? 'ratio' : 'arithmetic';
    case 'number':
    case 'metric':
    case 'negate':
    case 'scalar':
      return 'arithmetic';
    case 'accumulate':
      return 'accumulate';
    case 'period_over_period':
      return 'period_over_period';
    case 'share':
      return 'share_of_total';
    case 'conversion':
      return 'conversion';
    default:
      return node satisfies never;
  }
}

function isDivision(node: Formula): boolean {
  return node.kind === 'binary' && node.op === '/' && !isConstant(node.left) && !isConstant(node.right);
}

function isHundredTimesDivision(left: Formula, right: Formula): boolean {
  const isHundred = (node: Formula) => node.kind === 'number' && Number(node.value) === 100;
  return (isDivision(left) && isHundred(right)) || (isHundred(left) && isDivision(right));
}

function isConstant(node: Formula): boolean {
  return node.kind !== 'leaf' && node.kind !== 'metric' && operandsOf(node).every(isConstant);
}

/**
 * For each pattern, the patterns that may contain it. Every pattern may contain the first six. `findNesting` checks the nodes inside these
 * six against all patterns further out.
 */
const containers: Record<Pattern, readonly Pattern[] | 'all'> = {
  aggregate: 'all',
  count_distinct: 'all',
  quantile: 'all',
  weighted_average: 'all',
  ratio: 'all',
  arithmetic: 'all',
  accumulate: ['ratio', 'arithmetic', 'period_over_period', 'share_of_total'],
  period_over_period: ['ratio', 'arithmetic'],
  share_of_total: ['ratio', 'arithmetic'],
  conversion: ['ratio', 'arithmetic'],
};

/** Whether a node of pattern `outer` may have an operand of pattern `inner`. */
export function mayNest(outer: Pattern, inner: Pattern): boolean {
  const allowed = containers[inner];
  return allowed === 'all' || allowed.includes(outer);
}

/**
 * The distinct patterns around the operands of a node of pattern `pattern`. Repeated patterns are left out, because a formula may have 200
 * levels of arithmetic.
 */
export function within(around: readonly Pattern[], pattern: Pattern): readonly Pattern[] {
  return around.includes(pattern) ? around : [...around, pattern];
}

/** Finds the first node inside a pattern that may not contain the node, also through arithmetic in between. Null if there is none. */
function findNesting(node: Formula, around: readonly Pattern[] = []): { outer: Pattern; inner: Formula } | null {
  const pattern = patternOf(node);
  const outer = around.find(other => !mayNest(other, pattern));
  if (outer) return { outer, inner: node };
  const inside = within(around, pattern);
  for (const operand of operandsOf(node)) {
    const found = findNesting(operand, inside);
    if (found) return found;
  }
  return null;
}

function checkNesting(node: Formula, formula: string): void {
  const found = findNesting(node);
  if (!found) return;
  const { outer, inner } = found;
  throw new FormulaParseError(formula, inner.position, {
    nearest: outer,
    hint: { zh: `${outer} 不能包含 ${patternOf(inner)}`, en: `${outer} cannot contain ${patternOf(inner)}` },
  });
}
