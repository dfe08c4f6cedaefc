import { cut } from '../../text/cut.js';
import { type ResultColumnResponse } from '../execute.dto.js';
import { NotChartableError } from '../metrics.errors.js';
import { type ChartKind } from './chart-kinds.js';
import { fillPeriods } from './fill-periods.js';

/** A value of a chart: `number` is its position, `text` its label with all digits. */
export interface ChartValue {
  number: number;
  text: string;
}

export interface ChartSeries {
  name: string;
  /** One value for each `x` of the chart. Null is a gap. */
  values: (ChartValue | null)[];
  /** Index in `axes` of the axis of the series. */
  axis: number;
}

export interface ChartPlan {
  kind: ChartKind;
  title: string;
  /** The unit of each axis, null for numbers without a unit. There are one or two axes; values of different units get different axes. */
  axes: (string | null)[];
  x: string[];
  series: ChartSeries[];
}

/** A column of a result with the name that people read. */
export type ChartColumn = ResultColumnResponse & { label: string };

/** Maximum points of a chart. Drawing a larger chart would hold up other requests. */
export const maxPoints = 500;
const maxSeries = 20;
const maxSlices = 30;
const maxAxes = 2;
const longestLabel = 40;

/**
 * Lays out the rows of a result as a chart. The time is `x`, else the first dimension; further dimensions make series. Periods without
 * a row are gaps. Differences and rates are omitted, because they have another scale than the values. Metrics of two units get one axis
 * each.
 * @param asked the requested kind of chart; null chooses lines over time, else bars
 * @throws NotChartableError
 */
export function planChart(asked: ChartKind | null, columns: readonly ChartColumn[], rows: readonly unknown[][]): ChartPlan {
  const at = (role: ResultColumnResponse['role']) => columns.flatMap((column, index) => (column.role === role ? [{ column, index }] : []));
  const time = at('time')[0];
  const [first, ...others] = [...(time ? [time] : []), ...at('dimension')];
  const values = at('value').filter(({ column }) => column.compare !== 'diff' && column.compare !== 'rate');
  const kind = asked ?? (time ? 'line' : 'bar');
  if (!first)
    throw new NotChartableError('no_axis', {
      zh: '结果只有总数，请给出 time.grain 或维度',
      en: 'it is one number; ask for a time.grain or a dimension',
    });
  if (rows.length === 0) throw new NotChartableError('no_rows', { zh: '结果没有行', en: 'it has no rows' });
  if (kind === 'line' && !time) throw new NotChartableError('no_time', { zh: '折线需要 time.grain', en: 'a line needs a time.grain' });
  if (kind === 'share' && (others.length > 0 || values.length > 1))
    throw new NotChartableError('not_one_whole', {
      zh: '占比图只能有一个维度（或时间）与一个指标',
      en: 'shares are those of one dimension, or the time, and one metric',
    });

  const axes = [...new Set(values.map(({ column }) => column.unit ?? null))];
  if (axes.length > maxAxes) {
    const units = axes.map(unit => unit ?? '-').join(', ');
    throw new NotChartableError('too_many_units', {
      zh: `指标有 ${axes.length} 种单位（${units}），一张图最多画两种；请分几次查询`,
      en: `the metrics have ${axes.length} units (${units}), and a chart has two scales at most: ask for fewer metrics at a time`,
    });
  }
  const found = [...new Set(rows.map(row => row[first.index]))];
  if (found.length > maxPoints) throw tooManyPoints();
  const x = time?.column.grain ? fillPeriods(found, time.column.grain, maxPoints, time.column.timezone) : found;
  const placeOf = new Map(x.map((value, place) => [value, place]));
  const series = new Map<string, ChartSeries>();
  const names = new Set<string>();
  for (const row of rows) {
    const of = others.map(({ index }) => row[index]);
    for (const { column, index } of values) {
      const key = JSON.stringify([index, of]);
      if (!series.has(key)) {
        if (series.size >= maxSeries) throw tooMany(`${maxSeries} 条`, `${maxSeries} series`);
        const unit = axes.length > 1 && column.unit != null ? ` (${column.unit})` : '';
        const parts = [...of.map(labelOf), ...(values.length > 1 || of.length === 0 ? [column.label + unit] : [])];
        const name = unused(shown(parts.join(' · ')), names);
        series.set(key, { name, values: Array<null>(x.length).fill(null), axis: axes.indexOf(column.unit ?? null) });
        if (series.size * x.length > maxPoints) throw tooManyPoints();
      }
      series.get(key)!.values[placeOf.get(row[first.index])!] = readValue(row[index], column);
    }
  }
  const plan = {
    kind,
    title: shown(values.map(({ column }) => column.label).join(' · ')),
    axes: axes.map(unit => unit && shown(unit)),
    x: x.map(labelOf),
    series: [...series.values()],
  };
  if (kind === 'share') checkShares(plan);
  return plan;
}

function checkShares({ x, series }: ChartPlan): void {
  if (x.length > maxSlices) throw tooMany(`${maxSlices} 份`, `${maxSlices} parts`);
  const numbers = series.flatMap(each => each.values.map(value => value?.number ?? 0));
  if (numbers.some(number => number < 0))
    throw new NotChartableError('negative_part', { zh: '占比图不能有负值', en: 'a part of a whole cannot be negative' });
  if (!numbers.some(number => number > 0))
    throw new NotChartableError('no_whole', { zh: '各部分之和为零', en: 'the parts add up to nothing' });
}

function readValue(value: unknown, { label }: ChartColumn): ChartValue | null {
  if (value === null) return null;
  const isNumber = typeof value === 'number' || (typeof value === 'string' && /^-?\d+(\.\d+)?$/.test(value));
  const number = isNumber ? Number(value) : NaN;
  if (!Number.isFinite(number))
    throw new NotChartableError('not_a_number', { zh: `“${label}”不是可画出的数字`, en: `'${label}' is not a number that can be drawn` });
  return { number, text: `${value as string | number}` };
}

/** The error for a result with more points than `maxPoints`. */
export function tooManyPoints(): NotChartableError {
  return tooMany(`${maxPoints} 个点`, `${maxPoints} points`);
}

function tooMany(zh: string, en: string): NotChartableError {
  return new NotChartableError('too_many_points', {
    zh: `超过 ${zh}；请用 limit、筛选或更粗的 grain 缩小结果`,
    en: `it has more than ${en}; narrow it by limit, filters or a coarser grain`,
  });
}

function labelOf(value: unknown): string {
  if (value === null) return '（空 / null）';
  if (value === '') return '（空文本 / empty text）';
  return shown(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Cuts a text to a label, and replaces characters that XML cannot hold. Only the first characters of a long text are looked at. */
function shown(text: string): string {
  const beginning = text.length > 10 * longestLabel ? `${text.slice(0, 10 * longestLabel)}…` : text;
  return cut(beginning.replace(/\s+/g, ' ').replace(/[\p{Cc}\p{Cs}\ufffe\uffff]/gu, '\ufffd'), longestLabel);
}

/** Makes a name unique among `names` and adds it. Two names may be equal once they are cut, and the legend would merge equal names. */
function unused(name: string, names: Set<string>): string {
  let free = name;
  for (let count = 2; names.has(free); count++) free = `${name} (${count})`;
  names.add(free);
  return free;
}
