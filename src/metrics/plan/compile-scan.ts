import { type FieldProblem } from '../../common/errors/api-error.js';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { guardPredicate, type GuardedExpression, type GuardScope } from '../../sql-guard/guard-expression.js';
import { compileFilter } from './compile-filters.js';
import { compileLeaf, type GuardedLeaf, guardLeaf, leafKey } from './compile-leaf.js';
import { compileRelation } from './compile-relation.js';
import { periodExpression, rangeConditions, type TimePlan } from './compile-time.js';
import { type BoundColumn, findDimension, type MetricBinding, namedColumns } from './metric-binding.js';
import { type MetricRequest } from './metric-request.js';
import { type ResolvedFormula } from './resolve-metric.js';
import { type SqlAssembly } from './sql-assembly.js';

type LeafNode = Extract<ResolvedFormula, { kind: 'leaf' }>;

/** All leaves of one binding, guarded, and what the request adds to their scan: they share it, each with its own FILTER. */
export interface Scan {
  binding: MetricBinding;
  leaves: Map<string, GuardedLeaf>;
  clause: GuardedExpression | null;
}

/**
 * Sorts leaves by binding; two metrics bound to the same thing share a scan.
 * @throws UnsafeFilterClauseError for SQL in a formula or a filter clause that the binding's columns do not cover
 */
export function planScans(leaves: LeafNode[], request: MetricRequest): Scan[] {
  const scans = new Map<string, Scan>();
  for (const node of leaves) {
    const key = bindingKey(node.binding);
    const scope = logicalScope(node.binding);
    const scan = scans.get(key) ?? {
      binding: node.binding,
      leaves: new Map<string, GuardedLeaf>(),
      clause: request.filter_clause === null ? null : guardPredicate(request.filter_clause, scope),
    };
    scans.set(key, scan);
    if (!scan.leaves.has(leafKey(node))) scan.leaves.set(leafKey(node), guardLeaf(node, scope));
  }
  return [...scans.values()];
}

/** The clause must hold for every binding a formula reaches. @throws UnsafeFilterClauseError */
export function guardClause(bindings: MetricBinding[], { filter_clause: clause }: MetricRequest): void {
  if (clause !== null) for (const binding of bindings) guardPredicate(clause, logicalScope(binding));
}

const keys = new WeakMap<MetricBinding, string>();
const scopes = new WeakMap<MetricBinding, GuardScope>();

/** Equal for bindings to the same thing. */
export function bindingKey(binding: MetricBinding): string {
  const known = keys.get(binding);
  if (known !== undefined) return known;
  const { verified_at: _, ...rest } = binding;
  const key = JSON.stringify(rest);
  keys.set(binding, key);
  return key;
}

/** The names a formula or a clause may use, under the fact table's alias. */
export function logicalScope(binding: MetricBinding): GuardScope {
  const scope = scopes.get(binding) ?? { columns: namedColumns(binding), alias: binding.fact.alias };
  scopes.set(binding, scope);
  return scope;
}

/** Conditions on names that a request gives, reported once for all scans. */
export function checkNames(request: MetricRequest, bindings: MetricBinding[], problems: FieldProblem[]): void {
  const known = (names: (binding: MetricBinding) => string[]) => {
    const [first = [], ...others] = bindings.map(names);
    return first.filter(name => others.every(each => each.includes(name)));
  };
  const dimensions = known(binding => binding.dimensions.map(each => each.name));
  const seen = new Set<string>();
  request.dimensions.forEach((name, index) => {
    const loc = ['body', 'dimensions', index];
    const found = bindings.map(binding => findDimension(binding, name)?.name);
    if (found.includes(undefined)) {
      const list = dimensions.join(', ');
      problems.push({
        loc,
        msg: `没有维度“${name}”，可用：${list} / there is no dimension '${name}'; known: ${list}`,
        type: 'unknown_dimension',
        known: dimensions,
      });
    } else if (seen.has(found[0] ?? '')) {
      problems.push({ loc, msg: '维度重复 / the dimension is there twice', type: 'duplicate' });
    }
    seen.add(found[0] ?? '');
  });
  request.filters.forEach(({ field }, index) => {
    if (bindings.every(binding => namedColumns(binding).has(field))) return;
    const fields = known(binding => [...namedColumns(binding).keys()]);
    const list = fields.slice(0, 50).join(', ');
    problems.push({
      loc: ['body', 'filters', index, 'field'],
      msg: `没有字段“${field}”，可用：${list} / there is no field '${field}'; known: ${list}`,
      type: 'unknown_field',
      known: fields.slice(0, 50),
    });
  });
}

/**
 * One SELECT that aggregates all leaves of a binding in one pass: `period`, `d0…`, `m0…`. Range, filters and clause all reach the
 * base rows, before any aggregation.
 */
export function compileScan(
  scan: Scan,
  request: MetricRequest,
  plan: TimePlan,
  assembly: SqlAssembly,
  columnOf: (key: string) => string,
  problems: FieldProblem[],
): string {
  const { binding } = scan;
  const named = namedColumns(binding);
  const exposed = new Map<string, BoundColumn>();
  const expose = (name: string, column = named.get(name)): string => {
    if (column) exposed.set(name, { ...column, name });
    return quoteIdentifier(name);
  };
  const guarded = [...scan.leaves.values()].flatMap(leaf => [...leaf.args, ...leaf.where]).concat(scan.clause ?? []);
  for (const [, name] of guarded.flatMap(each => each.columns)) expose(name);

  const keys: string[] = [];
  if (plan.grain !== null && binding.time)
    keys.push(`${periodExpression({ ...plan, grain: plan.grain }, binding.time, assembly)} AS "period"`);
  request.dimensions.forEach((name, index) => {
    const dimension = findDimension(binding, name);
    if (dimension) keys.push(`${expose(dimension.name, dimension)} AS "d${index}"`);
  });
  const measures = [...scan.leaves].map(([key, leaf]) => `${compileLeaf(leaf, assembly)} AS ${columnOf(key)}`);

  const conditions = binding.time ? rangeConditions(plan, binding.time, assembly) : [];
  request.filters.forEach((filter, index) => {
    const column = named.get(filter.field);
    if (!column) return;
    expose(filter.field);
    const condition = compileFilter(filter, { ...column, name: filter.field }, index, assembly, problems);
    if (condition !== null) conditions.push(condition);
  });
  if (scan.clause) conditions.push(assembly.embed(scan.clause));

  const withTime = plan.grain !== null || plan.from !== null || plan.to !== null;
  return [
    `SELECT ${[...keys, ...measures].join(', ')}`,
    `FROM ${compileRelation(binding, [...exposed.values()], withTime, assembly)}`,
    ...(conditions.length > 0 ? [`WHERE ${conditions.join(' AND ')}`] : []),
    ...(keys.length > 0 ? [`GROUP BY ${keys.map((_, index) => index + 1).join(', ')}`] : []),
  ].join('\n  ');
}
