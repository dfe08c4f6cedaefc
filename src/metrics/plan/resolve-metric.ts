import { atOnce, type Steps } from '../../text/steps.js';
import { expected } from '../formula/phrases.js';
import { mayNest } from '../formula/classify-formula.js';
import { FormulaParseError, type FormulaProblem } from '../formula/formula.errors.js';
import { type Formula, type Leaf, operandsOf, type Pattern } from '../formula/formula-tree.js';
import { outlineKept } from '../formula/keep-outlines.js';
import { parseKept } from '../formula/keep-parsed.js';
import { type FormulaOutline, type Reference } from '../formula/outline-formula.js';
import { type MissingBinding, MissingBindingError } from '../metrics.errors.js';
import { type MetricBinding } from './metric-binding.js';

/** The definition of a metric that the compiler needs. */
export interface MetricDefinition {
  id: number;
  name: string;
  formula: string;
  binding: MetricBinding | null;
}

/** A node of a formula, with its operands in the order of `operandsOf`. A node `[metric]` is replaced by the formula of that metric. */
export interface ResolvedFormula {
  node: Formula;
  /** The metric whose formula contains the node. */
  owner: MetricDefinition;
  operands: ResolvedFormula[];
}

export interface ResolvedLeaf extends ResolvedFormula {
  node: Leaf;
  owner: MetricDefinition & { binding: MetricBinding };
}

export interface ResolvedMetric {
  pattern: Pattern;
  root: ResolvedFormula;
  /** All bindings of the aggregates of the formula and of the metrics that it refers to. */
  bindings: MetricBinding[];
}

/** Returns all metrics that `[name]` in a formula may mean, by name or alias. More than one is an error of the formula. */
export type FindMetrics = (name: string) => MetricDefinition[];

const maxReferenceDepth = 10;
/**
 * Maximum references of a formula, counted through the formulas that it refers to. A maximum depth is not enough: ten levels of
 * formulas that refer to two metrics each are 1,024 scans.
 */
export const maxReferences = 500;
/** Maximum parts of a formula after its references are replaced: numbers, aggregates and operators. Each becomes a part of the SQL. */
export const maxParts = 600;

/** Runs {@link resolveInSteps} at once. */
export function resolveMetric(metric: MetricDefinition, find: FindMetrics): ResolvedMetric {
  return atOnce(resolveInSteps(metric, find));
}

/**
 * Parses a metric and all metrics that it refers to, by name within its graph. One step parses one formula.
 * @throws FormulaParseError (no pattern, an unknown metric, a name of several metrics, a cycle with its path, more than 10 levels, 500
 * references or 600 parts), then MissingBindingError with every aggregate that lacks a binding: always in this order
 */
export function* resolveInSteps(metric: MetricDefinition, find: FindMetrics): Steps<ResolvedMetric> {
  const missing = new Map<number, MissingBinding>();
  const bindings = new Set<MetricBinding>();
  yield* checkReferences(metric, outlineKept(metric.formula), find, [metric]);
  const { pattern, root } = parseKept(metric.formula);
  let parts = 0;
  const resolved = yield* resolve(root, [metric]);
  if (missing.size > 0) throw new MissingBindingError(metric.id, [...missing.values()]);
  return { pattern, root: resolved, bindings: [...bindings] };

  function* resolve(node: Formula, path: MetricDefinition[]): Steps<ResolvedFormula> {
    if (++parts > maxParts) throw tooManyParts(metric.formula);
    if (node.kind === 'metric') {
      const target = find(node.name)[0] as MetricDefinition;
      yield;
      return yield* resolve(parseKept(target.formula).root, [...path, target]);
    }
    const owner = path.at(-1) as MetricDefinition;
    if (node.kind === 'leaf' && owner.binding) bindings.add(owner.binding);
    else if (node.kind === 'leaf' && !missing.has(owner.id)) {
      missing.set(owner.id, { metric_id: owner.id, name: owner.name, path: path.map(each => each.name).join(' → ') });
    }
    const operands: ResolvedFormula[] = [];
    for (const operand of operandsOf(node)) operands.push(yield* resolve(operand, path));
    return { node, owner, operands };
  }
}

/** Returns the metric that a binding belongs to, among the metrics of a request and the metrics that they refer to. */
export type OwnerOf = (binding: MetricBinding) => MetricDefinition;

export function ownersIn(metrics: readonly ResolvedMetric[]): OwnerOf {
  const owners = new Map(metrics.flatMap(({ root }) => leavesOf(root)).map(({ owner }) => [owner.binding, owner]));
  return binding => {
    const owner = owners.get(binding);
    if (!owner) throw new Error('The binding belongs to no metric of the request');
    return owner;
  };
}

/** The leaves of a resolved metric from left to right. Each has a binding. */
export function leavesOf(formula: ResolvedFormula): ResolvedLeaf[] {
  return formula.node.kind === 'leaf' ? [formula as ResolvedLeaf] : formula.operands.flatMap(leavesOf);
}

/** The number of numbers, aggregates and operators of a resolved formula. */
export function countParts({ operands }: ResolvedFormula): number {
  return operands.reduce((sum, operand) => sum + countParts(operand), 1);
}

function tooManyParts(formula: string) {
  return new FormulaParseError(formula, 1, {
    hint: { zh: `公式展开后超过 ${maxParts} 项`, en: `the formula comes to more than ${maxParts} parts` },
  });
}

/**
 * Follows every reference of a formula once, before any formula is resolved.
 * @throws FormulaParseError for an unknown metric, a name of several metrics, a cycle (its path is in the hint), too many levels, a
 * nesting that no pattern allows
 * @param path the metrics from the requested metric to `metric`
 * @param around the patterns of the nodes around the reference to `metric`
 */
function* checkReferences(
  metric: MetricDefinition,
  { patterns, references }: FormulaOutline,
  find: FindMetrics,
  path: MetricDefinition[],
  budget = { references: maxReferences },
  around: readonly Pattern[] = [],
): Steps<void> {
  for (const reference of references) yield* follow(reference);

  function* follow({ name, position, around: own }: Reference): Steps<void> {
    const [target, ...others] = find(name);
    if (!target)
      throw at(position, {
        expected: [expected.metricName],
        found: `[${name}]`,
        hint: { zh: `没有名为“${name}”的指标`, en: `there is no metric '${name}'` },
      });
    if (others.length > 0) {
      const owners = [target, ...others].map(owner => `${owner.name} (id ${owner.id})`).join(', ');
      throw at(position, {
        found: `[${name}]`,
        hint: {
          zh: `“${name}”是几个指标的名称或别名：${owners}；请用指标自己的名称`,
          en: `'${name}' is a name or an alias of several metrics: ${owners}; use a metric's own name`,
        },
      });
    }
    const names = [...path, target].map(each => each.name).join(' → ');
    if (path.some(each => each.id === target.id))
      throw at(position, {
        found: `[${name}]`,
        hint: { zh: `指标互相引用成环：${names}`, en: `metrics refer to each other in a circle: ${names}` },
      });
    if (path.length >= maxReferenceDepth)
      throw at(position, {
        found: `[${name}]`,
        hint: { zh: `引用超过 ${maxReferenceDepth} 层：${names}`, en: `more than ${maxReferenceDepth} levels: ${names}` },
      });
    if (--budget.references < 0) {
      throw at(position, {
        found: `[${name}]`,
        hint: { zh: `公式展开后超过 ${maxReferences} 个引用`, en: `the formula comes to more than ${maxReferences} references` },
      });
    }
    yield;
    const inside = outlineReferenced(target);
    const outside = [...new Set([...around, ...own])];
    for (const inner of inside.patterns) {
      const outer = outside.find(other => !mayNest(other, inner));
      if (outer)
        throw at(position, { hint: { zh: `${outer} 不能包含 ${inner}（[${name}]）`, en: `${outer} cannot contain ${inner} ([${name}])` } });
    }
    yield* checkReferences(target, inside, find, [...path, target], budget, outside);
  }

  function at(position: number, problem: FormulaProblem) {
    const inner = path.length > 1 ? { metric: metric.name } : {};
    return new FormulaParseError(metric.formula, position, { nearest: patterns[0]!, ...inner, ...problem });
  }
}

/** The outline of a referenced formula. The formula may be a draft that does not parse; then the error names its metric. */
function outlineReferenced({ name, formula }: MetricDefinition): FormulaOutline {
  try {
    return outlineKept(formula);
  } catch (error) {
    throw error instanceof FormulaParseError ? error.inMetric(name) : error;
  }
}
