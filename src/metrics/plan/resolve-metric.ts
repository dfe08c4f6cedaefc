import { mayNest, patternOf } from '../formula/classify-formula.js';
import { problemAt } from '../formula/formula-lexer.js';
import { type Formula, type Leaf, operandsOf, type Pattern, type ScalarName } from '../formula/formula-tree.js';
import { parseKept } from '../formula/keep-parsed.js';
import { type MissingBinding, MissingBindingError, PatternNotBuiltError } from '../metrics.errors.js';
import { type MetricBinding } from './metric-binding.js';

/** A metric as the compiler needs it. */
export interface MetricDefinition {
  id: number;
  name: string;
  formula: string;
  binding: MetricBinding | null;
}

/** A formula whose metric references are replaced by what they stand for; only patterns that can be run. */
export type ResolvedFormula =
  | { kind: 'leaf'; leaf: Extract<Leaf, { pattern: 'aggregate' | 'count_distinct' }>; binding: MetricBinding; metric: MetricDefinition }
  | { kind: 'number'; value: string }
  | { kind: 'negate'; operand: ResolvedFormula }
  | { kind: 'binary'; op: '+' | '-' | '*' | '/'; left: ResolvedFormula; right: ResolvedFormula }
  | { kind: 'scalar'; fn: ScalarName; operands: ResolvedFormula[] }
  | { kind: 'ratio'; percent: boolean; numerator: ResolvedFormula; denominator: ResolvedFormula };

export interface ResolvedMetric {
  pattern: Pattern;
  root: ResolvedFormula;
  /** Every binding that the formula reaches. */
  bindings: MetricBinding[];
  /** Set when a part of the formula is recognised but cannot be run; its place in `root` is then empty. */
  notBuilt: PatternNotBuiltError | null;
}

const maxReferenceDepth = 10;
/** Ten levels of formulas that name two metrics each are 1,024 scans of the same thing: the depth alone is no limit. */
export const maxReferences = 500;
/** Numbers, aggregates and operators of a formula once its references are replaced: each is a part of the SQL. */
const maxParts = 600;

/**
 * Parses a metric and everything it refers to, by name within its graph.
 * @param find the metric of that name or alias, or undefined
 * @throws FormulaParseError (no pattern, an unknown metric, a cycle with its path, more than 10 levels, 500 references or 600 parts), then
 *   MissingBindingError with every aggregate that lacks a binding: always in this order
 */
export function resolveMetric(metric: MetricDefinition, find: (name: string) => MetricDefinition | undefined): ResolvedMetric {
  const missing: MissingBinding[] = [];
  const notBuilt: PatternNotBuiltError[] = [];
  const bindings = new Set<MetricBinding>();
  const { pattern, root } = parseKept(metric.formula);
  checkReferences(metric, root, find, [metric]);
  let parts = 0;
  const resolved = resolve(root, [metric]);
  if (missing.length > 0) throw new MissingBindingError(metric.id, missing);
  return { pattern, root: resolved, bindings: [...bindings], notBuilt: notBuilt[0] ?? null };

  function resolve(node: Formula, path: MetricDefinition[]): ResolvedFormula {
    const owner = path.at(-1) as MetricDefinition;
    if (++parts > maxParts) throw tooManyParts(metric.formula);
    switch (node.kind) {
      case 'number':
        return { kind: 'number', value: node.value };
      case 'leaf':
        return resolveLeaf(node, owner, path);
      case 'metric': {
        const target = find(node.name) as MetricDefinition;
        return resolve(parseKept(target.formula).root, [...path, target]);
      }
      case 'negate':
        return { kind: 'negate', operand: resolve(node.operand, path) };
      case 'binary':
        return { kind: 'binary', op: node.op, left: resolve(node.left, path), right: resolve(node.right, path) };
      case 'scalar':
        return { kind: 'scalar', fn: node.fn, operands: node.operands.map(each => resolve(each, path)) };
      case 'ratio':
        return {
          kind: 'ratio',
          percent: node.percent,
          numerator: resolve(node.numerator, path),
          denominator: resolve(node.denominator, path),
        };
      case 'accumulate':
      case 'period_over_period':
      case 'share':
      case 'conversion':
        notBuilt.push(new PatternNotBuiltError(patternOf(node)));
        // The bindings below are still looked for, because a missing one comes first in the order of errors.
        for (const operand of operandsOf(node)) resolve(operand, path);
        if (node.kind === 'conversion')
          for (const name of [node.base, node.converted]) resolve({ kind: 'metric', name, position: 1 }, path);
        return { kind: 'number', value: '0' };
      default:
        return node satisfies never;
    }
  }

  function resolveLeaf(leaf: Leaf, owner: MetricDefinition, path: MetricDefinition[]): ResolvedFormula {
    if (!owner.binding && !missing.some(each => each.metric_id === owner.id)) {
      missing.push({ metric_id: owner.id, name: owner.name, path: path.map(each => each.name).join(' → ') });
    }
    if (owner.binding) bindings.add(owner.binding);
    if (leaf.pattern === 'quantile' || leaf.pattern === 'weighted_average') {
      notBuilt.push(new PatternNotBuiltError(leaf.pattern));
    } else if (leaf.pattern === 'aggregate' && (leaf.by || leaf.fn === 'FIRST' || leaf.fn === 'LAST')) {
      notBuilt.push(new PatternNotBuiltError('aggregate', leaf.by ? `aggregate with BY (${leaf.fn} … BY)` : `aggregate ${leaf.fn}`));
    } else if (owner.binding) {
      return { kind: 'leaf', leaf, binding: owner.binding, metric: owner };
    }
    return { kind: 'number', value: '0' };
  }
}

function tooManyParts(formula: string) {
  return problemAt(formula, 0, {
    expected: [],
    hint: { zh: `公式展开后超过 ${maxParts} 项`, en: `the formula comes to more than ${maxParts} parts` },
  });
}

/**
 * Follows every reference once before anything is resolved.
 * @throws FormulaParseError for an unknown metric, a cycle (its path is in the hint), too many levels, a nesting that no pattern allows
 */
export function checkReferences(
  metric: MetricDefinition,
  root: Formula,
  find: (name: string) => MetricDefinition | undefined,
  path: MetricDefinition[],
  budget = { references: maxReferences },
): void {
  const visit = (node: Formula): void => {
    const names = node.kind === 'metric' ? [node.name] : node.kind === 'conversion' ? [node.base, node.converted] : [];
    for (const name of names) follow(name, node.position);
    for (const operand of operandsOf(node)) {
      visit(operand);
      if (operand.kind === 'metric') checkReferencedPattern(node, operand, operand.position);
    }
  };
  visit(root);

  function follow(name: string, position: number): void {
    const target = find(name);
    if (!target)
      throw at(position, {
        expected: ['the name of a metric of this graph'],
        found: `[${name}]`,
        hint: { zh: `没有名为“${name}”的指标`, en: `there is no metric '${name}'` },
      });
    const names = [...path, target].map(each => each.name).join(' → ');
    if (path.some(each => each.id === target.id))
      throw at(position, {
        expected: [],
        found: `[${name}]`,
        hint: { zh: `指标互相引用成环：${names}`, en: `metrics refer to each other in a circle: ${names}` },
      });
    if (path.length >= maxReferenceDepth)
      throw at(position, {
        expected: [],
        found: `[${name}]`,
        hint: { zh: `引用超过 ${maxReferenceDepth} 层：${names}`, en: `more than ${maxReferenceDepth} levels: ${names}` },
      });
    if (--budget.references < 0) {
      throw at(position, {
        expected: [],
        found: `[${name}]`,
        hint: { zh: `公式展开后超过 ${maxReferences} 个引用`, en: `the formula comes to more than ${maxReferences} references` },
      });
    }
    checkReferences(target, parseKept(target.formula).root, find, [...path, target], budget);
  }

  function checkReferencedPattern(outer: Formula, operand: Extract<Formula, { kind: 'metric' }>, position: number): void {
    const target = find(operand.name);
    if (!target) return;
    const [outerPattern, inner] = [patternOf(outer), parseKept(target.formula).pattern];
    if (!mayNest(outerPattern, inner))
      throw at(position, {
        expected: [],
        hint: {
          zh: `${outerPattern} 不能包含 ${inner}（[${operand.name}]）`,
          en: `${outerPattern} cannot contain ${inner} ([${operand.name}])`,
        },
      });
  }

  function at(position: number, facts: Parameters<typeof problemAt>[2]) {
    const offset = [...metric.formula].slice(0, position - 1).join('').length;
    return problemAt(metric.formula, offset, { nearest: patternOf(root), ...facts });
  }
}
