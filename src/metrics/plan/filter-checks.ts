import { mostSought } from '../../sql/most-sought.js';
import { type Bilingual } from '../../text/bilingual.js';
import { addDays } from '../../text/calendar.js';
import { atOnce, type Steps } from '../../text/steps.js';
import { withEra } from '../../text/iso-years.js';
import { isRepeated } from '../../text/time-zone.js';
import { withoutLength } from '../../sql/without-length.js';
import { isFloat } from './compile-relation.js';
import { isRealTime } from './compile-time.js';
import { type MetricFilter } from './metric-request.js';

type Value = string | number | boolean;

/**
 * Maximum number of values in a list filter on a time column that each need a condition of their own: days, and local times that occur
 * twice.
 */
const mostApart = 200;

/** Number of values that one step checks. Checking whether a local time occurs twice takes some 10 µs. */
const valuesInStep = 100;

/** The checked values of a filter, which fit the type of its column. */
export interface FilterValues {
  /** PostgreSQL type in which the values are bound. */
  type: string;
  bound: string[];
  /**
   * The local times that occur twice in the zone of the request, because the clock goes back. They are found among the values; a value that
   * is a day counts by its start and by its end.
   */
  twice: ReadonlySet<string>;
  /** Whether a list of the values is bound in the column's own type instead of `type`. */
  isOfColumn: boolean;
}

/** Why a filter does not fit a column. `field` is the faulty field of the filter. */
export interface FilterFault {
  field: string;
  type: string;
  text: Bilingual;
}

/** Checks filters against the types of columns. Each pair of filter and type is checked once, however many scans and statements have it. */
export class FilterChecks {
  /** The checked values by filter, then by the type of the column. */
  private readonly checked = new Map<MetricFilter, Map<string, FilterValues | FilterFault | null>>();

  constructor(private readonly timezone: string) {}

  /** The checked values of a filter on a column of this type. Null for a filter that takes no values. */
  of(filter: MetricFilter, columnType: string): FilterValues | FilterFault | null {
    return atOnce(this.ofInSteps(filter, columnType));
  }

  *ofInSteps(filter: MetricFilter, columnType: string): Steps<FilterValues | FilterFault | null> {
    const ofFilter = this.checked.get(filter) ?? new Map<string, FilterValues | FilterFault | null>();
    this.checked.set(filter, ofFilter);
    const known = ofFilter.get(columnType);
    if (known !== undefined) return known;
    const found = yield* checkFilter(filter, columnType, this.timezone);
    ofFilter.set(columnType, found);
    return found;
  }
}

/**
 * Checks the values of a filter. They are bound in a type that lets the database use an index on the column. A value that does not fit
 * is never sent to the database. Null for a filter that takes no values.
 */
function* checkFilter({ op, value, values }: MetricFilter, columnType: string, timezone: string): Steps<FilterValues | FilterFault | null> {
  const fault = (field: string, type: string, text: Bilingual): FilterFault => ({ field, type, text });
  if (op === 'is_null' || op === 'is_not_null') {
    if (value !== undefined || values !== undefined)
      return fault(value !== undefined ? 'value' : 'values', 'no_effect', { zh: `${op} 不取值`, en: `${op} takes no value` });
    return null;
  }
  const takesList = op === 'in' || op === 'not_in' || op === 'between';
  const given = takesList ? values : value === undefined ? undefined : [value];
  const [wanted, other] = takesList ? (['values', 'value'] as const) : (['value', 'values'] as const);
  if ((takesList ? value : values) !== undefined) {
    const example = op === 'between' ? '[…, …]' : (JSON.stringify(takesList ? [value] : values?.[0]) ?? '…').slice(0, 80);
    return fault(other, 'no_effect', {
      zh: `${op} 取 ${wanted}：请写 "${wanted}": ${example}`,
      en: `${op} takes ${wanted}: write "${wanted}": ${example}`,
    });
  }
  if (!given || given.length === 0) return fault(wanted, 'missing', { zh: `${op} 需要 ${wanted}`, en: `${op} needs ${wanted}` });
  if (op === 'between' && given.length !== 2)
    return fault('values', 'two_values', { zh: 'between 需要两个值', en: 'between needs two values' });

  const isText = op === 'contains' || op === 'starts_with';
  const type = isText ? 'text' : bindType(columnType, given);
  if (!type)
    return fault('field', 'not_filterable', { zh: `${columnType} 类型不能这样筛选`, en: `a ${columnType} cannot be filtered this way` });
  const bound: string[] = [];
  const twice = new Set<string>();
  let apart = 0;
  for (const [index, each] of given.entries()) {
    if (index % valuesInStep === 0) yield;
    if (!fits(each, type)) return fault(wanted, 'value_type', misfit(each, type));
    const text = type === 'date' ? withEra(String(each)) : String(each);
    if (op === 'contains' && text.length > mostSought)
      return fault(wanted, 'too_long', {
        zh: `contains 最多 ${mostSought} 个字符，而不是 ${text.length} 个`,
        en: `contains takes at most ${mostSought} characters, not ${text.length}`,
      });
    bound.push(text);
    const isOfDay = type.startsWith('timestamp') && isDay(text);
    // PostgreSQL converts a local time in the session's zone, and chooses the second moment if the local time occurs twice. Such times are
    // collected in `twice`, so that the filter can bind their first moment.
    if (type === 'timestamptz' && !hasOffset(text))
      for (const local of isOfDay ? [text, addDays(text, 1)] : [text]) if (isRepeated(local, timezone)) twice.add(local);
    if (isOfDay || twice.has(text)) apart++;
  }
  if (apart > mostApart)
    return fault(wanted, 'too_many', {
      zh: `${columnType} 列一次最多与 ${mostApart} 个日期比较，而不是 ${apart} 个；请用 between 写成区间`,
      en: `a ${columnType} is compared with at most ${mostApart} days, not ${apart}: write ranges with between`,
    });
  if (op === 'between' && isReversed(String(given[0]), String(given[1]), type))
    return fault('values', 'empty_range', {
      zh: `between 的第一个值大于第二个，没有行符合：请写 "values": ["${String(given[1])}", "${String(given[0])}"]`,
      en: `the first value is above the second, which no row fits: write "values": ["${String(given[1])}", "${String(given[0])}"]`,
    });
  return { type, bound, twice, isOfColumn: isOfColumn(columnType, type, bound) };
}

/** Whether a value is a date without a time. 9999-12-31 is excluded, because the year of the next day has five digits. */
export function isDay(value: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(value) && value !== '9999-12-31';
}

/** Whether `between` the two values is certainly empty. False for texts, because their order depends on the database. */
function isReversed(first: string, second: string, type: string): boolean {
  if (type === 'bigint' || type === 'numeric') return Number(first) > Number(second);
  if (!/^(date|time)/.test(type) || hasOffset(first) !== hasOffset(second)) return false;
  const momentOf = (text: string): number => {
    const moment = type === 'time' ? `2000-01-01T${text}` : sixDigits(text).replace(' ', 'T');
    return Date.parse(moment.length > 10 && !hasOffset(moment) ? `${moment}Z` : moment);
  };
  return momentOf(first) > momentOf(isDay(second) ? `${second} 23:59:59.999` : second);
}

function hasOffset(time: string): boolean {
  const offset = /(?:Z|[-+]\d\d:?\d\d)$/.exec(time);
  return offset !== null && /:\d/.test(time.slice(0, offset.index));
}

/**
 * The PostgreSQL type in which values are bound, or null for a column that cannot be filtered. For an integer column it is bigint, or
 * numeric if a value has a fraction or more than 18 digits.
 */
function bindType(columnType: string, values: Value[]): string | null {
  const base = withoutLength(columnType);
  if (['smallint', 'integer', 'bigint'].includes(base))
    return values.every(each => /^-?\d{1,18}$/.test(String(each))) ? 'bigint' : 'numeric';
  if (base === 'numeric' || isFloat(base)) return 'numeric';
  if (['text', 'varchar', 'char'].includes(base)) return 'text';
  if (['date', 'timestamp', 'timestamptz', 'time', 'boolean', 'uuid'].includes(base)) return base;
  return null;
}

/**
 * Whether a list of integers fits the column's own type. PostgreSQL looks values up by hash only in a list of that type; otherwise it scans
 * the list for each row.
 */
function isOfColumn(columnType: string, type: string, values: readonly string[]): boolean {
  const most = columnType === 'integer' ? 2_147_483_647 : columnType === 'smallint' ? 32_767 : 0;
  return type === 'bigint' && values.every(value => Math.abs(Number(value)) <= most);
}

const day = String.raw`\d{4}-\d\d-\d\d`;
/** At most six decimals of a second: PostgreSQL would round a seventh, and 23:59:59.9999999 would become the next day. */
const clock = String.raw`\d\d:\d\d(:\d\d(\.\d{1,6}0*)?)?`;
const forms: Record<string, RegExp> = {
  bigint: /^-?\d+$/,
  numeric: /^-?\d{1,100}(\.\d{1,100})?([eE][-+]?\d{1,3})?$/,
  // Years before the year 1 have a minus here, as in the results of this service; PostgreSQL writes them with BC. PostgreSQL's dates begin
  // on 24 November of the year -4713, so dates of that year and before are refused.
  date: new RegExp(`^(?!-0000|-4713|-471[4-9]|-47[2-9]|-4[89]|-[5-9])-?${day}$`),
  timestamp: new RegExp(`^${day}([T ]${clock})?$`),
  timestamptz: new RegExp(String.raw`^${day}([T ]${clock}(Z|[-+]\d\d:?\d\d)?)?$`),
  time: new RegExp(`^${clock}$`),
  boolean: /^(true|false)$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
};

function fits(value: Value, type: string): boolean {
  const text = String(value);
  if (type === 'text') return typeof value === 'string' && !value.includes('\0');
  if (!forms[type]?.test(text)) return false;
  if (type === 'date') return isRealDay(text);
  if (type === 'timestamp' || type === 'timestamptz') return !text.startsWith('0000') && isRealTime(text);
  return type !== 'time' || isRealTime(`2000-01-01T${text}`);
}

function isRealDay(text: string): boolean {
  const day = new Date(`${sixDigits(text)}T00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(sixDigits(text));
}

/** The form in which JavaScript reads a date before the year 0: `-000043-03-15`. */
function sixDigits(date: string): string {
  return date.replace(/^-/, '-00');
}

function misfit(value: Value, type: string): Bilingual {
  const text = JSON.stringify(value);
  const [, zh = '', en = ''] = (/^(date|time)/.test(type) ? reasons : []).find(([form]) => form.test(String(value))) ?? [];
  return { zh: `${text} 不是 ${type}${zh}`, en: `${text} is not a ${type}${en}` };
}

/** Reasons why a text that looks like a time is not a valid time. */
const reasons: [form: RegExp, zh: string, en: string][] = [
  [/[.,]\d{6}\d*[1-9]/, '：秒最多六位小数，更多的会被舍入', ': a second has at most six decimals, and more would be rounded'],
  [/(^|[T ])24:/, '：24 点请写成次日 00:00', ': write the hour 24 as 00:00 of the next day'],
  [/:60/, '：秒最大为 59', ': a second is at most 59'],
  [/^(-\d{4}|0000)-\d\d-\d\d[T ]?/, '：公元前的时间只能按日期列筛选', ': before the year 1 only columns of dates are filtered'],
];
