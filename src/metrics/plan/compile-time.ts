import { type Bilingual } from '../../text/bilingual.js';
import { isTimeZone } from '../../text/time-zone.js';
import { type FieldProblem } from '../../common/errors/api-error.js';
import { type Grain } from '../formula/formula-tree.js';
import { timeColumn } from './compile-relation.js';
import { type BoundTime, type MetricBinding } from './metric-binding.js';
import { grains, type MetricTime } from './metric-request.js';
import { type SqlAssembly } from './sql-assembly.js';

/** The checked time part of a request, shared by every scan of the statement. */
export interface TimePlan {
  from: string | null;
  to: string | null;
  grain: Grain | null;
  timezone: string;
  weekStart: 'monday' | 'sunday';
  fill: 'none' | 'null' | 'zero';
}

type PeriodPlan = TimePlan & { grain: Grain };

/** Limits the periods, because each is combined with every tuple of dimensions that occurs. */
const maxFilledPeriods = 10_000;
const daysPerPeriod: Record<Grain, number> = { day: 1, week: 7, month: 28, quarter: 90, year: 365 };

const localTime = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)?$/;

/** Checks the time options against every binding that they apply to. Problems are collected, not thrown. */
export function planTime(time: MetricTime | null, bindings: MetricBinding[], problems: FieldProblem[]): TimePlan {
  const first = bindings[0]?.time ?? null;
  const report = (field: string, type: string, text: Bilingual, more: object = {}) =>
    problems.push({ loc: ['body', 'time', field], text, type, ...more });
  const plan: TimePlan = {
    from: time?.from ?? null,
    to: time?.to ?? null,
    grain: time?.grain ?? null,
    timezone: time?.timezone ?? first?.timezone ?? 'UTC',
    weekStart: first?.week_start ?? 'monday',
    fill: time?.fill ?? 'none',
  };
  if (!time) return plan;

  const untimed = bindings.find(binding => !binding.time);
  if (untimed) {
    const text = {
      zh: '绑定没有时间列；请用 PUT /api/metrics/{id}/binding 在绑定中加上 time: {column: …}',
      en: 'the binding has no time column; add time: {column: …} to it with PUT /api/metrics/{id}/binding',
    };
    problems.push({ loc: ['body', 'time'], text, type: 'no_time_column' });
    return plan;
  }
  for (const field of ['from', 'to'] as const) {
    const value = plan[field];
    if (value !== null && !isRealTime(value))
      report(field, 'date_type', { zh: '应为日期 YYYY-MM-DD 或当地时间', en: 'must be a date YYYY-MM-DD or a local time' });
    else if (value !== null && value.length > 10 && bindings.some(each => each.time?.type === 'date')) {
      report(field, 'date_type', { zh: '时间列是日期，应为 YYYY-MM-DD', en: 'the time column holds dates: give YYYY-MM-DD' });
    }
  }
  if (plan.from !== null && plan.to !== null && plan.from >= plan.to)
    report('to', 'empty_range', { zh: 'to 必须晚于 from', en: 'to must be later than from' });
  if (plan.grain === null && plan.fill !== 'none')
    report('fill', 'no_effect', { zh: '没有 grain 时 fill 无效', en: 'fill has no effect without grain' });
  if (plan.grain !== null && plan.fill !== 'none' && (plan.from === null || plan.to === null)) {
    report('fill', 'needs_range', { zh: 'fill 需要 from 和 to', en: 'fill needs from and to' });
  }
  if (plan.fill !== 'none' && countPeriods(plan) > maxFilledPeriods) {
    report('fill', 'too_many_periods', { zh: `超过 ${maxFilledPeriods} 个时段`, en: `more than ${maxFilledPeriods} periods` });
  }
  checkZone(time, plan, bindings, report);
  const finest = bindings.map(each => each.time?.min_grain ?? 'day').sort((a, b) => grains.indexOf(b) - grains.indexOf(a))[0] ?? 'day';
  if (plan.grain !== null && grains.indexOf(plan.grain) < grains.indexOf(finest)) {
    report(
      'grain',
      'grain_too_fine',
      { zh: `绑定的最细粒度是 ${finest}`, en: `the binding's finest grain is ${finest}` },
      { min_grain: finest },
    );
  }
  return plan;
}

function countPeriods({ from, to, grain }: TimePlan): number {
  if (from === null || to === null || grain === null) return 0;
  const days = (Date.parse(`${to.slice(0, 10)}T00:00Z`) - Date.parse(`${from.slice(0, 10)}T00:00Z`)) / 86_400_000;
  return days / daysPerPeriod[grain];
}

type Report = (field: string, type: string, text: Bilingual, more?: object) => void;

function checkZone(time: MetricTime, plan: TimePlan, bindings: MetricBinding[], report: Report): void {
  if (time.timezone === undefined) return;
  if (!isTimeZone(time.timezone)) return report('timezone', 'unknown_timezone', { zh: '未知的时区', en: 'is not a time zone' });
  if (plan.grain === null && plan.from === null && plan.to === null) {
    return report('timezone', 'no_effect', {
      zh: '没有 grain、from 或 to 时 timezone 无效',
      en: 'timezone has no effect without grain, from or to',
    });
  }
  if (bindings.every(each => each.time?.type === 'date' && each.time.timezone !== time.timezone)) {
    report('timezone', 'no_effect', { zh: '时间列是日期，时区无效', en: 'the time column holds dates: a zone has no effect' });
  }
}

function isRealTime(value: string): boolean {
  if (!localTime.test(value)) return false;
  const moment = new Date(`${value.length === 10 ? `${value}T00:00` : value.replace(' ', 'T')}Z`);
  return !Number.isNaN(moment.getTime()) && moment.toISOString().slice(0, 10) === value.slice(0, 10);
}

/** The range as conditions on the raw column, so that an index on it is used. */
export function rangeConditions({ from, to, timezone }: TimePlan, time: BoundTime, assembly: SqlAssembly): string[] {
  const { atZone, quote } = assembly.dialect;
  const bound = (value: string): string => {
    if (time.type === 'date') return assembly.bind(value, 'date');
    const local = assembly.bind(value, 'timestamp');
    if (time.type === 'timestamp' && time.timezone === timezone) return local;
    const moment = atZone(local, assembly.bind(timezone, 'text'));
    return time.type === 'timestamptz' ? moment : atZone(moment, assembly.bind(time.timezone, 'text'));
  };
  const column = quote(timeColumn);
  return [...(from === null ? [] : [`${column} >= ${bound(from)}`]), ...(to === null ? [] : [`${column} < ${bound(to)}`])];
}

/** The period of a row, as the text of its first local day. */
export function periodExpression({ grain, weekStart, timezone }: PeriodPlan, time: BoundTime, assembly: SqlAssembly): string {
  const { dayText, startOf } = assembly.dialect;
  return dayText(startOf(localColumn(timezone, time, assembly), grain, weekStart));
}

function localColumn(timezone: string, time: BoundTime, assembly: SqlAssembly): string {
  const { atZone, dateToLocal, quote } = assembly.dialect;
  const column = quote(timeColumn);
  if (time.type === 'date') return dateToLocal(column);
  if (time.type === 'timestamp' && time.timezone === timezone) return column;
  const moment = time.type === 'timestamptz' ? column : atZone(column, assembly.bind(time.timezone, 'text'));
  return atZone(moment, assembly.bind(timezone, 'text'));
}

/** Every period of the range, as a FROM item and the text of its first day. */
export function periodSpine(
  { from, to, grain, weekStart }: PeriodPlan & { from: string; to: string },
  assembly: SqlAssembly,
): { from: string; period: string } {
  const { dayText, periods, startOf } = assembly.dialect;
  const spine = periods(startOf(assembly.bind(from, 'timestamp'), grain, weekStart), assembly.bind(to, 'timestamp'), grain);
  return { from: spine.from, period: dayText(spine.start) };
}
