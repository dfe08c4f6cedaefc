import { type FieldProblem } from '../../common/errors/api-error.js';
import { type Bilingual } from '../../text/bilingual.js';
import { type Steps } from '../../text/steps.js';
import { mayNest, patternOf } from '../formula/classify-formula.js';
import { type Pattern } from '../formula/formula-tree.js';
import { kindOf } from './compare-types.js';
import { noTimeColumn, type TimePlan } from './compile-time.js';
import { dimensionNames, findDimension, findKey, listedKeys, listedNames, type MetricBinding, namedColumns } from './metric-binding.js';
import { type FilterByMetric, type MetricRequest } from './metric-request.js';
import { type MetricPlan, type Scan } from './plan-metric.js';
import { type OwnerOf, type ResolvedFormula, type ResolvedMetric } from './resolve-metric.js';

/** Checks that all bindings have the dimensions and the filter fields of a request. Each problem is reported once for all scans. */
export function* checkNames(
  request: MetricRequest,
  bindings: readonly MetricBinding[],
  ownerOf: OwnerOf,
  problems: FieldProblem[],
): Steps<void> {
  const { seesBindings = false } = request;
  let dimensions: string[] | undefined;
  let fields: string[] | undefined;
  const seen = new Set<string>();
  for (const [index, name] of request.dimensions.entries()) {
    yield;
    const loc = ['body', 'dimensions', index];
    const found = bindings.map(binding => findDimension(binding, name)?.name);
    if (found.includes(undefined)) {
      dimensions ??= sharedNames(bindings, dimensionNames, (binding, each) => findDimension(binding, each) !== undefined);
      const list = dimensions.join(', ');
      const { name: lacking } = ownerOf(bindings[found.indexOf(undefined)]!);
      problems.push({
        loc,
        text: found.every(column => column === undefined)
          ? { zh: `没有维度“${name}”，可用：${list}`, en: `there is no dimension '${name}'; known: ${list}` }
          : {
              zh: `指标“${lacking}”没有维度“${name}”，都有的：${list || '-'}`,
              en: `metric '${lacking}' has no dimension '${name}'; those that all have: ${list || '-'}`,
            },
        type: 'unknown_dimension',
        known: dimensions,
      });
    } else if (seen.has(found[0] ?? '')) {
      problems.push({ loc, text: { zh: '维度重复', en: 'the dimension is there twice' }, type: 'duplicate' });
    }
    seen.add(found[0] ?? '');
  }
  for (const [index, { field, index: place }] of request.filters.entries()) {
    yield;
    const lacking = bindings.filter(binding => !namedColumns(binding).has(field));
    if (lacking.length === 0) continue;
    const { name } = ownerOf(lacking[0]!);
    fields ??= sharedNames(
      bindings,
      binding => listedNames(binding, seesBindings),
      (binding, each) => namedColumns(binding).has(each),
    );
    const list = fields.join(', ');
    problems.push({
      loc: ['body', 'filters', place ?? index, 'field'],
      text:
        lacking.length === bindings.length
          ? { zh: `没有字段“${field}”，可用：${list}`, en: `there is no field '${field}'; known: ${list}` }
          : {
              zh: `指标“${name}”没有字段“${field}”，都有的：${list || '-'}`,
              en: `metric '${name}' has no field '${field}'; those that all have: ${list || '-'}`,
            },
      type: 'unknown_field',
      known: fields,
    });
  }
}

/** Maximum names that an error lists. */
const mostListed = 50;

/** The first names, at most `mostListed`, that all of the bindings have. */
function sharedNames(
  [first, ...others]: readonly MetricBinding[],
  namesOf: (binding: MetricBinding) => readonly string[],
  has: (binding: MetricBinding, name: string) => boolean,
): string[] {
  const shared: string[] = [];
  for (const name of new Set(first && namesOf(first))) {
    if (shared.length === mostListed) break;
    if (others.every(binding => has(binding, name))) shared.push(name);
  }
  return shared;
}

/** Checks `compare`. A metric whose formula compares periods or divides by a total has no value of an earlier period. */
export function checkComparison(
  metrics: readonly { name: string; metric: ResolvedMetric }[],
  { compare, time }: MetricRequest,
  problems: FieldProblem[],
): void {
  if (!compare) return;
  const report = (type: string, text: Bilingual) => problems.push({ loc: ['body', 'compare'], text, type });
  for (const { name, metric } of metrics) {
    const inner = patternThatRefuses(metric.root);
    if (inner)
      report('not_comparable', {
        zh: `“${name}”含有 ${inner}，不能再与另一时段相比`,
        en: `'${name}' contains ${inner}, which cannot be compared with another period`,
      });
  }
  if (compare.shift.whole && time?.grain === undefined)
    report('no_effect', { zh: '没有 grain 时 align: full_period 无效', en: 'align: full_period has no effect without grain' });
}

function patternThatRefuses({ node, operands }: ResolvedFormula): Pattern | undefined {
  const pattern = patternOf(node);
  if (!mayNest('period_over_period', pattern)) return pattern;
  return operands.map(patternThatRefuses).find(found => found !== undefined);
}

/**
 * Checks filters by a metric. All bindings of the request and of the metric must have the column `by`, with types of one kind. The
 * metric must not be computed by periods.
 */
export function* checkFiltersByMetric(
  { filters, seesBindings = false }: { filters: readonly (FilterByMetric & { plan: MetricPlan })[]; seesBindings?: boolean },
  bindings: readonly MetricBinding[],
  time: TimePlan,
  ownerOf: OwnerOf,
  problems: FieldProblem[],
): Steps<void> {
  for (const { by, inRange, index, plan } of filters) {
    yield;
    const report = (field: string, type: string, text: Bilingual) => problems.push({ loc: ['body', 'filters', index, field], text, type });
    const all = [...bindings, ...plan.scans.map(({ binding }) => binding)];
    const found = all.map(binding => findKey(binding, by));
    const kinds = new Set(found.map(column => column && kindOf(column.type)));
    if (found.includes(undefined)) {
      const known = sharedNames(
        all,
        binding => listedKeys(binding, seesBindings),
        (binding, name) => findKey(binding, name) !== undefined,
      );
      problems.push({
        loc: ['body', 'filters', index, 'by'],
        text: {
          zh: `“${by}”不是两边共有的维度、实体或列，可用：${known.join(', ')}`,
          en: `'${by}' is not a dimension, an entity or a column of both sides; known: ${known.join(', ')}`,
        },
        type: 'unknown_dimension',
        known,
      });
    } else if (kinds.size > 1)
      report('by', 'entity_type', { zh: `“${by}”在两边类型不同`, en: `'${by}' has different types on both sides` });
    if (plan.scans.some(({ axis }) => axis.window ?? axis.shift))
      report('metric', 'needs_periods', {
        zh: '按时段计算的指标不能作为筛选',
        en: 'a metric that is computed by periods cannot be a filter',
      });
    const isBounded = time.from !== null || time.to !== null;
    const timeless = plan.scans.find(({ binding }) => !binding.time);
    if (inRange && !isBounded)
      report('range', 'no_effect', { zh: '没有 time.from 或 time.to 时无效', en: 'has no effect without time.from or time.to' });
    else if (inRange && timeless) report('range', 'no_time_column', noTimeColumn(ownerOf(timeless.binding)));
  }
}

/**
 * Checks `fill: zero`, which puts a zero into empty periods before the arithmetic. It is only allowed for aggregates whose value
 * without rows is zero.
 */
export function checkZeroFill(scans: Scan[], problems: FieldProblem[]): void {
  const aggregates = scans.flatMap(scan => [...scan.columns.values()].map(column => column.aggregate));
  const other = aggregates.find(aggregate => !aggregate.fillsWithZero);
  if (!other) return;
  const text = { zh: `${other.name} 没有零值，请用 fill: null`, en: `${other.name} of nothing is not zero: use fill: null` };
  problems.push({ loc: ['body', 'time', 'fill'], text, type: 'fill_not_additive' });
}
