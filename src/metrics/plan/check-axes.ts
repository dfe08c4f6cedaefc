import { type FieldProblem } from '../../common/errors/api-error.js';
import { type Bilingual } from '../../text/bilingual.js';
import { movesByPartOfHour } from '../../text/time-zone.js';
import { type Grain } from '../formula/formula-tree.js';
import { type Span } from '../patterns/metric-pattern.js';
import { kindOf } from './compare-types.js';
import { countPeriods, finestOf, maxFilledPeriods, noTimeColumn, type TimePlan } from './compile-time.js';
import { monthsIn, shiftOf } from './frames.js';
import { findDimension, findEntity, listedKeys } from './metric-binding.js';
import { grains, type MetricRequest } from './metric-request.js';
import { type Events, type Scan } from './plan-metric.js';
import { type OwnerOf } from './resolve-metric.js';

/** Checks that a request gives what the axes of its scans need, such as a grain or a range. Problems are reported, not thrown. */
export function checkAxes(
  scans: readonly Scan[],
  request: MetricRequest,
  time: TimePlan,
  ownerOf: OwnerOf,
  problems: FieldProblem[],
): void {
  const report = (field: string, type: string, text: Bilingual) =>
    problems.push({ loc: ['body', ...field.split('.').filter(Boolean)], text, type });
  checkWithin(scans, request, report);
  for (const scan of scans)
    if (scan.events)
      checkConversion({ ...scan, events: scan.events }, { time, seesBindings: request.seesBindings ?? false }, ownerOf, report);
  const isTimed = time.grain !== null || time.from !== null || time.to !== null;
  const picking = scans.find(({ binding, columns }) => !binding.time && [...columns.values()].some(({ aggregate }) => aggregate.pick));
  if (picking && !isTimed) {
    const { zh, en } = noTimeColumn(ownerOf(picking.binding));
    report('time', 'no_time_column', { zh: `FIRST 与 LAST 需要时间列：${zh}`, en: `FIRST and LAST need a time column: ${en}` });
  }
  const moved = scans.filter(({ axis }) => axis.window ?? axis.shift);
  if (moved.length === 0) return;

  const { grain, from, to } = time;
  const isBounded = from !== null && to !== null;
  const timeless = moved.find(({ binding }) => !binding.time);
  if (timeless && !isTimed) {
    const { zh, en } = noTimeColumn(ownerOf(timeless.binding));
    report('time', 'no_time_column', { zh: `公式按时段计算，而${zh}`, en: `the formula computes with periods, and ${en}` });
  } else if (grain === null && !isBounded)
    report('time', 'needs_periods', {
      zh: request.compare
        ? 'compare 按时段比较：请给出 time.grain，或 time.from 与 time.to'
        : '公式按时段计算：请给出 time.grain，或 time.from 与 time.to',
      en: `${request.compare ? 'compare' : 'the formula'} computes with periods: give time.grain, or time.from and time.to`,
    });
  for (const [field, value] of [
    ['from', from],
    ['to', to],
  ] as const)
    if (value !== null && !(grain === 'hour' ? wholeHours : wholeDays).test(value))
      report(`time.${field}`, ...(grain === 'hour' ? needsWholeHours : needsWholeDays));
  if (countPeriods(time) > maxFilledPeriods)
    report('time.to', 'too_many_periods', { zh: `超过 ${maxFilledPeriods} 个时段`, en: `more than ${maxFilledPeriods} periods` });
  // `checkHours` looks for clock changes in the range only if no problem was found so far. In an invalid or very long range the search
  // would fail or take seconds.
  if (grain === 'hour') checkHours(moved, request, time, problems.length === 0, report);
  for (const { axis, binding } of moved) {
    if (axis.shift) checkShift(axis.shift, grain, report);
    const spans = [axis.shift, typeof axis.window?.from === 'object' && 'unit' in axis.window.from ? axis.window.from : undefined];
    if (spans.reduce((sum, span) => sum + (span ? inYears(shiftOf(span, grain)) : 0), 0) > mostYears)
      report(request.compare ? 'compare.offset' : 'time', 'span_too_long', {
        zh: `早于 ${mostYears} 年之前，数据库没有这样的日期`,
        en: `it goes back more than ${mostYears} years, further than the dates of the database`,
      });
    const unit = unitOf(axis.window);
    if (unit === 'hour' && grain !== 'hour')
      report('time.grain', 'needs_hours', {
        zh: '公式按小时计算：请给出 time.grain: hour',
        en: 'the formula computes by hours: give time.grain: hour',
      });
    const finest = finestOf(binding);
    const { name } = ownerOf(binding);
    if (unit && grains.indexOf(unit) < grains.indexOf(finest))
      report('time', 'grain_too_fine', {
        zh: `公式按 ${unit} 计算，而指标“${name}”的绑定的最细粒度是 ${finest}`,
        en: `the formula computes by ${unit}, and the finest grain of the binding of metric '${name}' is ${finest}`,
      });
  }
  const isMean = moved.some(({ axis }) => axis.window?.day === 'AVERAGE');
  if (isMean && !isBounded && grain !== null)
    report('time', 'needs_range', {
      zh: 'AVERAGE 逐日计算：请给出 time.from 与 time.to',
      en: 'AVERAGE is computed day by day: give time.from and time.to',
    });
  if (isMean && countPeriods({ ...time, grain: 'day' }) > maxFilledPeriods)
    report('time.to', 'too_many_periods', { zh: `超过 ${maxFilledPeriods} 天`, en: `more than ${maxFilledPeriods} days` });
  if (request.totals && !isBounded)
    report('totals', 'needs_range', { zh: '总计需要 time.from 与 time.to', en: 'totals need time.from and time.to' });
  if (request.totals && moved.some(({ axis }) => axis.shift?.unit === 'period'))
    report('totals', 'no_total', {
      zh: '与前一期相比没有总计，请改用 MOM、YOY 等或 GROWTH',
      en: 'a change against the period before has no total: use MOM, YOY and the like, or GROWTH',
    });
}

type Report = (field: string, type: string, text: Bilingual) => void;

function unitOf(window: Scan['axis']['window']): Grain | null {
  if (!window || window.from === 'start') return null;
  return 'startOf' in window.from ? window.from.startOf : (window.from.unit as Grain);
}

const wholeDays = /^.{10}([T ]00:00(:00(\.0+)?)?)?$/;
const wholeHours = /^.{10}([T ]\d\d:00(:00(\.0+)?)?)?$/;
const needsWholeDays: [string, Bilingual] = [
  'whole_days',
  { zh: '公式按时段计算，from 与 to 应为整日 YYYY-MM-DD', en: 'the formula computes with periods: give whole days, YYYY-MM-DD' },
];
const needsWholeHours: [string, Bilingual] = [
  'whole_hours',
  { zh: '公式按时段计算，from 与 to 应为整点', en: 'the formula computes with periods: give whole hours, YYYY-MM-DDTHH:00' },
];

function checkHours(
  moved: readonly Scan[],
  { totals }: MetricRequest,
  { timezone, from, to }: TimePlan,
  isSound: boolean,
  report: Report,
): void {
  const [first, end] = [from ?? '1972-01-01', to ?? new Date().toISOString()];
  if (isSound && moved.some(({ axis }) => axis.shift) && movesByPartOfHour(timezone, first, end))
    report('time.timezone', 'parts_of_hours', {
      zh: `${timezone} 的时钟在该范围内曾拨动不足一小时，不能与此前的小时相比：请缩短范围，或改用 UTC 等时区`,
      en: `the clock of ${timezone} is moved by a part of an hour in this range, so no hour can be compared with an earlier one: give a range without that, or a zone such as UTC`,
    });
  if (moved.some(({ axis }) => axis.window?.day === 'AVERAGE'))
    report('time.grain', 'means_of_days', {
      zh: 'AVERAGE 逐日计算，不能按小时分组：请用 day 或更粗的 grain',
      en: 'AVERAGE is computed day by day and has no hours: give the grain day or a coarser one',
    });
  if (totals)
    report('totals', 'no_total', {
      zh: '按小时时，滚动、累计与比较没有总计；请不带 totals，或用 grain: day',
      en: 'by hours, windows and changes have no totals: leave totals out, or give the grain day',
    });
}

/** Maximum years that a formula may look back. PostgreSQL's dates begin in 4713 BC, and requests have dates from the year 1 on. */
const mostYears = 4_000;

function inYears({ count, unit }: { count: number; unit: Grain }): number {
  return (count * (monthsIn[unit] ?? 0)) / 12;
}

/**
 * Checks that a comparison goes back a whole number of periods of the grain. Otherwise it would compare a period with parts of two earlier
 * periods.
 */
function checkShift(shift: Span, grain: Grain | null, report: Report): void {
  if (shift.unit === 'period') {
    if (grain === null)
      report('time.grain', 'needs_grain', {
        zh: '公式与前一期相比：请给出 time.grain',
        en: 'the formula compares with the period before: give time.grain',
      });
    return;
  }
  const { count, unit } = shiftOf(shift, grain);
  if (unit === 'hour' && grain !== 'hour') {
    report('time.grain', 'offset_not_whole', {
      zh: `与 ${count} 小时之前相比需要 time.grain: hour`,
      en: `a comparison with ${count} hours before needs time.grain: hour`,
    });
    return;
  }
  const months = monthsIn[grain ?? 'day'];
  const isWhole =
    months === undefined
      ? grain !== 'week' || unit === 'week' || (unit === 'day' && count % 7 === 0)
      : ((monthsIn[unit] ?? 0) * count) % months === 0 && monthsIn[unit] !== undefined;
  if (!isWhole)
    report('time.grain', 'offset_not_whole', {
      zh: `与 ${count} ${unit} 之前相比，不是整数个 ${grain}`,
      en: `the comparison is with ${count} ${unit} before, which is not a whole number of the grain ${grain}`,
    });
}

function checkConversion(
  { binding, events }: Scan & { events: Events },
  { time, seesBindings }: { time: TimePlan; seesBindings: boolean },
  ownerOf: OwnerOf,
  report: Report,
): void {
  const isTimed = time.grain !== null || time.from !== null || time.to !== null;
  const timeless = [binding, events.binding].find(each => !each.time);
  if (!isTimed && timeless) {
    const { zh, en } = noTimeColumn(ownerOf(timeless));
    report('time', 'no_time_column', {
      zh: `转化的两个指标都需要时间列：${zh}`,
      en: `both metrics of a conversion need a time column: ${en}`,
    });
  }
  const daily = events.within?.unit === 'hour' ? [binding, events.binding].find(each => each.time && finestOf(each) !== 'hour') : undefined;
  if (daily) {
    const { name } = ownerOf(daily);
    report('', 'grain_too_fine', {
      zh: `公式在若干小时内归因，而指标“${name}”的绑定的最细粒度是 ${finestOf(daily)}`,
      en: `the formula attributes within hours, and the finest grain of the binding of metric '${name}' is ${finestOf(daily)}`,
    });
  }
  const [ours, theirs] = [findEntity(binding, events.entity), findEntity(events.binding, events.entity)];
  if (!ours || !theirs) {
    const known = [binding, events.binding].map(each => listedKeys(each, seesBindings));
    const list = known[0]!.filter(name => known[1]!.includes(name)).join(', ') || '-';
    report('', 'unknown_entity', {
      zh: `公式按“${events.entity}”归因，而两个绑定没有共同的此实体；共有：${list}`,
      en: `the formula attributes by '${events.entity}', which is not an entity or a column of both bindings; both have: ${list}`,
    });
  } else if (kindOf(ours.type) !== kindOf(theirs.type))
    report('', 'entity_type', {
      zh: `实体“${events.entity}”在两个绑定中类型不同：${ours.type}、${theirs.type}`,
      en: `the entity '${events.entity}' has different types in the bindings: ${ours.type} and ${theirs.type}`,
    });
}

function checkWithin(scans: readonly Scan[], { dimensions }: MetricRequest, report: Report): void {
  for (const { binding, withins } of scans) {
    const asked = dimensions.map(name => findDimension(binding, name)?.name);
    const missing = [...withins].flat().filter(name => !asked.includes(findDimension(binding, name)?.name ?? name));
    if (missing.length === 0) continue;
    const list = [...new Set(missing)].join(', ');
    report('dimensions', 'within_not_requested', {
      zh: `公式中的 WITHIN 需要维度：${list}`,
      en: `WITHIN in the formula needs these dimensions in the request: ${list}`,
    });
  }
}

/**
 * The level of a total that keeps the dimensions `within`, in the form of SQL's GROUPING: one bit for each requested dimension, 1 if the
 * total does not keep it. 0 if the total keeps all.
 */
export function levelOf(within: readonly string[], { binding }: Scan, { dimensions }: MetricRequest): number {
  const kept = within.map(name => findDimension(binding, name)?.name);
  return dimensions.reduce((level, name) => level * 2 + (kept.includes(findDimension(binding, name)?.name) ? 0 : 1), 0);
}

/** The distinct levels of the totals of a scan. */
export function levelsOf(scan: Scan, request: MetricRequest): number[] {
  return [...new Set([...scan.withins].map(within => levelOf(within, scan, request)))].filter(level => level !== 0);
}
