import { type Bilingual } from '../../text/bilingual.js';
import { todayIn } from '../../text/calendar.js';
import { isRepeated, isTimeZone, timeZoneForm } from '../../text/time-zone.js';
import { type FieldProblem } from '../../common/errors/api-error.js';
import { type Grain } from '../formula/formula-tree.js';
import { timeColumn } from './compile-relation.js';
import { type BoundTime, type MetricBinding, type TableRead } from './metric-binding.js';
import { grains, type MetricTime } from './metric-request.js';
import { hourKey, hoursBetween } from './hours.js';
import { type ScanAxis } from './plan-metric.js';
import { resolveRange } from './relative-range.js';
import { type MetricDefinition, type OwnerOf } from './resolve-metric.js';
import { type GroupKey } from './select-groups.js';
import { type SqlAssembly } from './sql-assembly.js';

/** The checked time options of a request, shared by every scan of the statement. */
export interface TimePlan {
  from: string | null;
  to: string | null;
  grain: Grain | null;
  timezone: string;
  weekStart: 'monday' | 'sunday';
  /** In a total, the grain of the rows that it sums up; null if the rows have no grain. Absent in the statement of the rows. */
  totalOf?: Grain | null;
  fill: 'none' | 'null' | 'zero';
}

type PeriodPlan = TimePlan & { grain: Grain };

/** Maximum periods of a request, because each is combined with every tuple of dimensions that occurs. */
export const maxFilledPeriods = 10_000;
const daysPerPeriod: Record<Grain, number> = { hour: 1 / 24, day: 1, week: 7, month: 28, quarter: 90, year: 365 };

const localTime = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?$/;

/** Checks the time options of a request against the bindings of its metrics. Problems are added to `problems`, not thrown. */
export function planTime(
  time: MetricTime | null,
  bindings: MetricBinding[],
  problems: FieldProblem[],
  axes: readonly ScanAxis[],
  ownerOf: OwnerOf,
): TimePlan {
  const report: Report = (field, type, text, more = {}) => problems.push({ loc: ['body', 'time', field], text, type, ...more });
  const zone = time?.timezone !== undefined && isTimeZone(time.timezone) ? time.timezone : zonesOf(bindings)[0];
  const plan: TimePlan = {
    from: time?.from ?? null,
    to: time?.to ?? null,
    grain: time?.grain ?? null,
    timezone: zone ?? 'UTC',
    weekStart: time?.week_start ?? bindings.find(each => each.time)?.time?.week_start ?? 'monday',
    fill: time?.fill ?? 'none',
  };
  if (!time) return plan;

  if (time.range !== undefined) {
    if (time.from !== undefined || time.to !== undefined)
      report('range', 'conflict', { zh: '不能与 from 或 to 同用', en: 'cannot stand beside from or to' });
    Object.assign(plan, resolveRange(time.range, todayIn(plan.timezone), plan.weekStart));
  }
  if (time.timezone !== undefined && !isTimeZone(time.timezone)) report('timezone', 'unknown_timezone', timeZoneForm);
  const isTimed = plan.grain !== null || plan.from !== null || plan.to !== null;
  const timeless = bindings.find(binding => !binding.time);
  if (isTimed && timeless) {
    problems.push({ loc: ['body', 'time'], text: noTimeColumn(ownerOf(timeless)), type: 'no_time_column' });
    return plan;
  }
  const isReal = (value: string): boolean => localTime.test(value) && isRealTime(value);
  for (const field of ['from', 'to'] as const) {
    const value = plan[field];
    if (value !== null && !isReal(value))
      report(field, 'date_type', { zh: '应为日期 YYYY-MM-DD 或当地时间', en: 'must be a date YYYY-MM-DD or a local time' });
    else if (value !== null && value.length > 10 && bindings.some(each => each.time?.type === 'date')) {
      report(field, 'date_type', { zh: '时间列是日期，应为 YYYY-MM-DD', en: 'the time column holds dates: give YYYY-MM-DD' });
    }
  }
  const { from, to } = plan;
  if (from !== null && to !== null && isReal(from) && isReal(to) && inFull(from) >= inFull(to))
    report('to', 'empty_range', { zh: 'to 必须晚于 from', en: 'to must be later than from' });
  checkFill(plan, report);
  const hasWeeks = plan.grain === 'week' || axes.some(beginsWithWeek) || /week/.test(time.range ?? '');
  checkWeekStart(time, hasWeeks, bindings, report);
  const [coarsest] = bindings.toSorted((a, b) => grains.indexOf(finestOf(b)) - grains.indexOf(finestOf(a)));
  if (plan.grain !== null && coarsest && grains.indexOf(plan.grain) < grains.indexOf(finestOf(coarsest))) {
    const finest = finestOf(coarsest);
    const { name } = ownerOf(coarsest);
    const isDate = coarsest.time?.type === 'date';
    const text = {
      zh: `指标“${name}”的绑定的最细粒度是 ${finest}${isDate ? '，其时间列是日期' : '（time.min_grain）'}`,
      en: `the finest grain of the binding of metric '${name}' is ${finest}${isDate ? ', as its time column holds dates' : ' (time.min_grain)'}`,
    };
    report('grain', 'grain_too_fine', text, { min_grain: finest });
  }
  return plan;
}

export function finestOf({ time }: MetricBinding): Grain {
  return time?.min_grain ?? 'day';
}

/** The hint that a metric's binding lacks a time column, and how to add one. */
export function noTimeColumn({ id, name }: MetricDefinition): Bilingual {
  return {
    zh: `指标“${name}”的绑定没有时间列；请用 PUT /api/metrics/${id}/binding 在绑定中加上 time: {column: …}`,
    en: `the binding of metric '${name}' has no time column; add time: {column: …} to it with PUT /api/metrics/${id}/binding`,
  };
}

function checkFill(plan: TimePlan, report: Report): void {
  if (plan.grain === null && plan.fill === 'null')
    report('fill', 'no_effect', { zh: '没有 grain 时 fill: null 无效', en: 'fill: null has no effect without grain' });
  if (plan.grain !== null && plan.fill !== 'none' && (plan.from === null || plan.to === null))
    report('fill', 'needs_range', { zh: 'fill 需要 from 和 to', en: 'fill needs from and to' });
  if (plan.fill !== 'none' && countPeriods(plan) > maxFilledPeriods)
    report('fill', 'too_many_periods', { zh: `超过 ${maxFilledPeriods} 个时段`, en: `more than ${maxFilledPeriods} periods` });
}

function beginsWithWeek({ window }: ScanAxis): boolean {
  return typeof window?.from === 'object' && 'startOf' in window.from && window.from.startOf === 'week';
}

function checkWeekStart({ week_start }: MetricTime, hasWeeks: boolean, bindings: MetricBinding[], report: Report): void {
  if (!hasWeeks && week_start !== undefined)
    report('week_start', 'no_effect', { zh: '仅在按周计算时有效', en: 'has an effect only where weeks are computed' });
  const starts = new Set(bindings.map(each => each.time?.week_start));
  if (hasWeeks && week_start === undefined && starts.size > 1)
    report('week_start', 'ambiguous_week_start', {
      zh: '公式的绑定以不同的日子为一周之始，请写明 week_start: monday 或 sunday',
      en: 'the bindings of the formula begin the week on different days: give week_start, monday or sunday',
    });
}

export function countPeriods({ from, to, grain }: TimePlan): number {
  if (from === null || to === null || grain === null) return 0;
  const days = (Date.parse(`${inFull(to)}Z`) - Date.parse(`${inFull(from)}Z`)) / 86_400_000;
  return days / daysPerPeriod[grain];
}

type Report = (field: string, type: string, text: Bilingual, more?: object) => void;

/** The distinct time zones of the bindings in which a zone can change a result. If there is no such binding, the zones of all bindings. */
export function zonesOf(bindings: readonly MetricBinding[]): string[] {
  const zoned = bindings.filter(binding => binding.time !== null && (binding.time.type !== 'date' || hasMoments(binding)));
  return [...new Set((zoned.length > 0 ? zoned : bindings).flatMap(binding => binding.time?.timezone ?? []))];
}

function hasMoments({ fact, joins }: MetricBinding): boolean {
  return [fact, ...joins].some(({ columns }) => columns.some(({ type }) => type.startsWith('timestamptz')));
}

/**
 * Checks the zone of a request. A zone that the request names must have an effect or be the zone of a binding. If a zone has an effect
 * and the request names none, the bindings must have the same zone.
 * @param reads the tables and columns that the statement reads
 */
export function checkZone(
  time: MetricTime | null,
  plan: TimePlan,
  bindings: MetricBinding[],
  reads: readonly TableRead[],
  problems: FieldProblem[],
): void {
  // The zone also has an effect on `time.range`, because it decides which day is today.
  const isTimed = plan.grain !== null || plan.from !== null || plan.to !== null;
  const readsMoments = reads.some(({ table, columns }) =>
    // The SQL of a query may turn moments into dates, so the types of its columns do not show whether it reads moments.
    'sql' in table.source ? true : table.columns.some(({ name, type }) => type.startsWith('timestamptz') && columns.includes(name)),
  );
  const hasEffect = readsMoments || (isTimed && bindings.some(binding => binding.time?.type !== 'date')) || time?.range !== undefined;
  const zones = zonesOf(bindings);
  const report = (type: string, text: Bilingual) => problems.push({ loc: ['body', 'time', 'timezone'], text, type });
  if (hasEffect && time?.timezone === undefined && zones.length > 1) {
    const list = zones.join(', ');
    report('ambiguous_timezone', {
      zh: `公式的绑定采用不同的时区：${list}；请写明 time.timezone`,
      en: `the bindings of the formula have different zones: ${list}; say which with time.timezone`,
    });
  }
  if (!hasEffect && time?.timezone !== undefined && !zones.includes(time.timezone)) {
    report('no_effect', {
      zh: '此请求不读取带时区的时间，timezone 无效',
      en: 'the request reads no time that a zone could change: timezone has no effect',
    });
  }
}

/** Whether the day and the time of day exist. @param value a date in ISO 8601, which may have a time and an offset */
export function isRealTime(value: string): boolean {
  const moment = new Date(`${value.slice(0, 10)}T${/\d\d:\d\d(:\d\d)?/.exec(value.slice(11))?.[0] ?? '00:00'}Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 10) === value.slice(0, 10);
}

/** A local time with all digits down to microseconds, so that comparing two texts compares the times. */
function inFull(value: string): string {
  return value.replace(' ', 'T') + '0000-00-00T00:00:00.000000'.slice(value.length);
}

/** The range as conditions on the bare time column, so that the database can use an index on that column. */
export function rangeConditions({ from, to, timezone }: TimePlan, time: BoundTime, assembly: SqlAssembly): string[] {
  const bound = (value: string): string =>
    time.type === 'date' ? assembly.bind(value, 'date') : rawTime(assembly.bind(value, 'timestamp'), timezone, time, assembly, value);
  const column = assembly.dialect.quote(timeColumn);
  return [...(from === null ? [] : [`${column} >= ${bound(from)}`]), ...(to === null ? [] : [`${column} < ${bound(to)}`])];
}

/**
 * SQL that turns a local time of the statement's zone into the type and zone of the time column. A local time that occurs twice becomes
 * its first moment, the one with which its day begins.
 * @param local SQL of the local time
 * @param value the text of the local time, if it is a constant of the request
 */
export function rawTime(
  local: string,
  timezone: string,
  time: Pick<BoundTime, 'type' | 'timezone'>,
  assembly: SqlAssembly,
  value?: string,
): string {
  const { atZone, firstAtZone, localToDate } = assembly.dialect;
  if (time.type === 'date') return localToDate(local);
  if (time.type === 'timestamp' && time.timezone === timezone) return local;
  const isOnce = timezone === 'UTC' || (value !== undefined && !isRepeated(value, timezone));
  const moment = (isOnce ? atZone : firstAtZone)(local, assembly.bind(timezone, 'text'));
  return time.type === 'timestamptz' ? moment : atZone(moment, assembly.bind(time.timezone, 'text'));
}

/** SQL of the moment of a local time that the request gives. */
export function momentOf(value: string, timezone: string, assembly: SqlAssembly): string {
  const time = { type: 'timestamptz' as const, timezone };
  return rawTime(assembly.bind(value, 'timestamp'), timezone, time, assembly, value);
}

/** SQL of the time of a period from the text of the period: a local time, or the moment of the hour for the grain hour. */
export function timeOfPeriod(period: string, grain: Grain, { dialect }: SqlAssembly): string {
  return grain === 'hour' ? dialect.hourToMoment(period) : dialect.dayToLocal(period);
}

/**
 * The key that groups rows by period. Rows are grouped by the start of their period, and the period is shown as the text of its first
 * local day.
 */
export function periodKey(plan: PeriodPlan, time: BoundTime, assembly: SqlAssembly): GroupKey {
  if (plan.grain === 'hour') return hourKey(plan, time, assembly);
  const local = assembly.ifFinite(assembly.dialect.quote(timeColumn), localColumn(plan.timezone, time, assembly));
  const shown = (start: string) => periodText(start, plan, assembly);
  return { sql: startOfPeriod(local, plan.grain, plan, time, assembly), name: 'period', shown };
}

/**
 * SQL of the text of a period, which is its first day. The era is added where it is needed, because PostgreSQL's `to_char` writes 44 BC and
 * 44 AD alike.
 */
export function periodText(start: string, plan: Pick<TimePlan, 'from'>, assembly: SqlAssembly): string {
  return assembly.withEra(assembly.dialect.dayText(start), start, plan.from);
}

/** SQL of the start of the period that contains a local time. For the grain day, a date column is its own start. */
export function startOfPeriod(local: string, grain: Grain, { weekStart }: TimePlan, time: BoundTime, assembly: SqlAssembly): string {
  return time.type === 'date' && grain === 'day' ? local : assembly.dialect.startOf(local, grain, weekStart);
}

/** SQL of the time column as a local time of the statement's zone. */
export function localColumn(timezone: string, time: BoundTime, assembly: SqlAssembly): string {
  const { atZone, dateToLocal, quote } = assembly.dialect;
  const column = quote(timeColumn);
  if (time.type === 'date') return dateToLocal(column);
  if (time.type === 'timestamp' && time.timezone === timezone) return column;
  const moment = time.type === 'timestamptz' ? column : atZone(column, assembly.bind(time.timezone, 'text'));
  return atZone(moment, assembly.bind(timezone, 'text'));
}

/** A FROM item with every period of the range, and SQL of each period's text: that of its first day, or of the hour. */
export function periodSpine(plan: PeriodPlan & { from: string; to: string }, assembly: SqlAssembly): { from: string; period: string } {
  const { periods, startOf } = assembly.dialect;
  const { from, to, grain, weekStart, timezone } = plan;
  if (grain === 'hour') {
    const hours = hoursBetween(momentOf(from, timezone, assembly), momentOf(to, timezone, assembly), plan, assembly);
    return { from: hours.from, period: hours.start };
  }
  const spine = periods(startOf(assembly.bind(from, 'timestamp'), grain, weekStart), assembly.bind(to, 'timestamp'), grain);
  return { from: spine.from, period: periodText(spine.start, plan, assembly) };
}
