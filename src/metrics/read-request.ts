import { type FieldProblem, SchemaError } from '../common/errors/api-error.js';
import { type Bilingual } from '../text/bilingual.js';
import { defaultLimit, type ExecuteMetricRequest } from './execute.dto.js';
import { type Grain } from './formula/formula-tree.js';
import { compareModes, type Comparison, type FilterByMetric, havingOperators, type MetricRequest } from './plan/metric-request.js';
import { type ResolvedMetric } from './plan/resolve-metric.js';
import { type ExecuteCompare, type ExecuteFilter } from './select-rows.dto.js';

/** Maximum characters of all texts of `contains` together. A database looks for them one after the other in a row, without a pause. */
const mostContained = 1_000;

/**
 * Reads a request: fills in every default that the compiler needs.
 * @param metrics the metrics of the request's filters, by id
 * @throws SchemaError for filters whose fields contradict each other
 */
export function readRequest(body: ExecuteMetricRequest, metrics: ReadonlyMap<number, ResolvedMetric>): MetricRequest {
  const clause = body.filter_clause ?? null;
  const filters = (body.filters ?? []).map((filter, index) => ({ ...withoutNulls(filter), index }));
  const problems = [
    ...filters.flatMap(checkFilter),
    ...checkContained(body.filters ?? []),
    ...checkClause(clause),
    ...checkDryRun(body),
    ...checkChart(body),
  ];
  if (problems.length > 0) throw new SchemaError(problems);
  return {
    dimensions: body.dimensions ?? [],
    time: body.time ? withoutNulls(body.time) : null,
    filters: filters.flatMap(({ field, op, value, values, index }) =>
      field === undefined ? [] : [withoutUndefined({ field, op, value, values, index })],
    ),
    filtersByMetric: filters.flatMap(({ metric, by, op, value, range, index }): FilterByMetric[] => {
      const resolved = metric === undefined ? undefined : metrics.get(metric);
      const operator = havingOperators.find(each => each === op);
      if (!resolved || by === undefined || !operator) return [];
      return [{ metric: resolved, by, op: operator, value: String(value), inRange: range === 'request', index }];
    }),
    filter_clause: clause,
    compare: body.compare ? readComparison(body.compare) : null,
    having: (body.having ?? []).map(({ by, op, value }) => ({ ...(by != null && { by }), op, value: String(value) })),
    order: (body.order ?? []).map(({ by, dir, nulls }) => ({ by, dir: dir ?? 'asc', nulls: nulls ?? 'last' })),
    limit: body.limit ?? defaultLimit,
    offset: body.offset ?? 0,
    totals: body.totals ?? false,
  };
}

function readComparison({ offset, modes, align }: ExecuteCompare): Comparison {
  const [count, unit] = offset.split(' ') as [string, string];
  const shift = { count: Number(count), unit: unit.replace(/s$/, '') as Grain };
  return { shift: align === 'full_period' ? { ...shift, whole: true } : shift, modes: modes ?? [...compareModes] };
}

function checkFilter({ field, metric, by, op, value, values, range, index }: ExecuteFilter & { index: number }): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const report = (name: string, type: string, text: Bilingual) => problems.push({ loc: ['body', 'filters', index, name], text, type });
  const noEffect = (name: string, given: unknown, other: string) => {
    if (given !== undefined) report(name, 'no_effect', { zh: `与 ${other} 同用时无效`, en: `has no effect beside ${other}` });
  };
  if (metric === undefined) {
    if (field === undefined) report('field', 'missing', { zh: '需要 field，或 metric 与 by', en: 'is needed, or else metric and by' });
    noEffect('by', by, 'field');
    noEffect('range', range, 'field');
    return problems;
  }
  noEffect('field', field, 'metric');
  noEffect('values', values, 'metric');
  if (by === undefined) report('by', 'missing', { zh: '请写明按哪个维度或实体', en: 'say by which dimension or entity' });
  const list = havingOperators.join(' ');
  if (!havingOperators.some(each => each === op))
    report('op', 'operator', { zh: `指标只能用 ${list}`, en: `a metric is compared with ${list}` });
  if (value === undefined || !/^-?\d{1,100}(\.\d{1,100})?$/.test(String(value)))
    report('value', 'value_type', { zh: '应为数字或十进制文本', en: 'must be a number or decimal text' });
  return problems;
}

function checkContained(filters: readonly ExecuteFilter[]): FieldProblem[] {
  const characters = filters.reduce((sum, { op, value }) => sum + (op === 'contains' ? String(value ?? '').length : 0), 0);
  const text = {
    zh: `所有 contains 的文本一共最多 ${mostContained} 个字符，而不是 ${characters} 个`,
    en: `the texts of all contains have at most ${mostContained} characters together, not ${characters}`,
  };
  return characters > mostContained ? [{ loc: ['body', 'filters'], text, type: 'too_long' }] : [];
}

function checkClause(clause: string | null): FieldProblem[] {
  const text = { zh: '空的条件无效；不筛选时请省略或写 null', en: 'a blank one has no effect: leave it out, or give null' };
  return clause?.trim() === '' ? [{ loc: ['body', 'filter_clause'], text, type: 'no_effect' }] : [];
}

/** Reports options that have no effect beside `dry_run` or `explain`, neither of which reads rows. */
function checkDryRun({ dry_run, explain, cache }: ExecuteMetricRequest): FieldProblem[] {
  const idle = explain ? 'explain' : dry_run ? 'dry_run' : null;
  if (idle === null) return [];
  const text = { zh: `与 ${idle} 同用时无效`, en: `has no effect beside ${idle}` };
  const named = [...(explain && dry_run ? ['dry_run'] : []), ...(cache ? ['cache'] : [])];
  return named.map(name => ({ loc: ['body', name], text, type: 'no_effect' }));
}

/** Reports the option `chart`, which has an effect only on SVG answers: the caller that draws a chart removes the option beforehand. */
function checkChart({ chart }: ExecuteMetricRequest): FieldProblem[] {
  const text = { zh: '仅对 image/svg+xml 有效', en: 'has an effect on image/svg+xml only' };
  return chart == null ? [] : [{ loc: ['body', 'chart'], text, type: 'no_effect' }];
}

/** Removes fields that are null. Some clients send null for a field that they mean to leave out. */
function withoutNulls<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)) as T;
}

function withoutUndefined<T extends object>(fields: T): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}
