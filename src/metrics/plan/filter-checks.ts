import { mostSought } from '../../sql/most-sought.js';
import { type Bilingual } from '../../text/bilingual.js';
import { addDays } from '../../text/calendar.js';
import { atOnce, type Steps } from '../../text/steps.js';
import { isRepeated } from '../../text/time-zone.js';
import { withoutLength } from '../../sql/without-length.js';
import { isFloat } from './compile-relation.js';
import { isRealTime } from './compile-time.js';
import { type MetricFilter } from './metric-request.js';

type Value = string | number | boolean;

/** The values of a list that are compared apart with a column of times: days, and times that come twice. Each becomes a condition. */
const mostApart = 200;

/** The values that a step checks: to tell whether a local time comes twice takes some 10 µs. */
const valuesInStep = 100;

/** The values of a filter that fit the type of a column. */
export interface FilterValues {
  /** The type in which they are bound. */
  type: string;
  bound: string[];
  /** The local times among them, and among the ends of their days, that come twice in the zone of the request. */
  twice: ReadonlySet<string>;
  /** Whether a list is in the type of the column itself. */
  isOfColumn: boolean;
}

/** Why a filter does not fit a column, and the field of the filter that says so. */
export interface FilterFault {
  field: string;
  type: string;
  text: Bilingual;
}

/** Checks filters against the types of columns: each once, however many scans and statements have it. */
export class FilterChecks {
  /** By filter, then by the type of the column. */
  private readonly checked = new Map<MetricFilter, Map<string, FilterValues | FilterFault | null>>();

  constructor(private readonly timezone: string) {}

  /** Null for a filter without values. */
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

/** Values are bound in the column's own type, so that an index on it can be used. A value that does not fit is never sent. */
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
    if (!fits(each, type))
      return fault(wanted, 'value_type', { zh: `${JSON.stringify(each)} 不是 ${type}`, en: `${JSON.stringify(each)} is not a ${type}` });
    const text = String(each);
    if (op === 'contains' && text.length > mostSought)
      return fault(wanted, 'too_long', {
        zh: `contains 最多 ${mostSought} 个字符，而不是 ${text.length} 个`,
        en: `contains takes at most ${mostSought} characters, not ${text.length}`,
      });
    bound.push(text);
    const isOfDay = type.startsWith('timestamp') && isDay(text);
    // The session's zone reads a local time, but of one that comes twice it means the second.
    if (type === 'timestamptz' && !hasOffset(text))
      for (const local of isOfDay ? [text, addDays(text, 1)] : [text]) if (isRepeated(local, timezone)) twice.add(local);
    if (isOfDay || twice.has(text)) apart++;
  }
  if (apart > mostApart)
    return fault(wanted, 'too_many', {
      zh: `${columnType} 列一次最多与 ${mostApart} 个日期比较，而不是 ${apart} 个；请用 between 写成区间`,
      en: `a ${columnType} is compared with at most ${mostApart} days, not ${apart}: write ranges with between`,
    });
  const [first = '', second = ''] = bound;
  if (op === 'between' && isReversed(first, second, type))
    return fault('values', 'empty_range', {
      zh: `between 的第一个值大于第二个，没有行符合：请写 "values": ["${second}", "${first}"]`,
      en: `the first value is above the second, which no row fits: write "values": ["${second}", "${first}"]`,
    });
  return { type, bound, twice, isOfColumn: isOfColumn(columnType, type, bound) };
}

/** A date that has a next one of four digits. */
export function isDay(value: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(value) && value !== '9999-12-31';
}

/** Whether no value lies between. Texts are in the order of their database, so they may. */
function isReversed(first: string, second: string, type: string): boolean {
  if (type === 'bigint' || type === 'numeric') return Number(first) > Number(second);
  if (!/^(date|time)/.test(type) || hasOffset(first) !== hasOffset(second)) return false;
  const momentOf = (text: string): number => {
    const moment = type === 'time' ? `2000-01-01T${text}` : text.replace(' ', 'T');
    return Date.parse(moment.length > 10 && !hasOffset(moment) ? `${moment}Z` : moment);
  };
  return momentOf(first) > momentOf(isDay(second) ? `${second} 23:59:59.999` : second);
}

function hasOffset(time: string): boolean {
  const offset = /(?:Z|[-+]\d\d:?\d\d)$/.exec(time);
  return offset !== null && /:\d/.test(time.slice(0, offset.index));
}

/** The type in which values are bound. Integers are bigint, unless a fraction is asked for. */
function bindType(columnType: string, values: Value[]): string | null {
  const base = withoutLength(columnType);
  if (['smallint', 'integer', 'bigint'].includes(base))
    return values.every(each => /^-?\d{1,18}$/.test(String(each))) ? 'bigint' : 'numeric';
  if (base === 'numeric' || isFloat(base)) return 'numeric';
  if (['text', 'varchar', 'char'].includes(base)) return 'text';
  if (['date', 'timestamp', 'timestamptz', 'time', 'boolean', 'uuid'].includes(base)) return base;
  return null;
}

/** PostgreSQL looks a value of a list up by its hash only if it is of the column's own type, else it walks the list for each row. */
function isOfColumn(columnType: string, type: string, values: readonly string[]): boolean {
  const most = columnType === 'integer' ? 2_147_483_647 : columnType === 'smallint' ? 32_767 : 0;
  return type === 'bigint' && values.every(value => Math.abs(Number(value)) <= most);
}

const forms: Record<string, RegExp> = {
  bigint: /^-?\d+$/,
  numeric: /^-?\d{1,100}(\.\d{1,100})?([eE][-+]?\d{1,3})?$/,
  date: /^\d{4}-\d\d-\d\d$/,
  timestamp: /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?)?$/,
  timestamptz: /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[-+]\d\d:?\d\d)?)?$/,
  time: /^\d\d:\d\d(:\d\d(\.\d+)?)?$/,
  boolean: /^(true|false)$/,
  uuid: /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i,
};

function fits(value: Value, type: string): boolean {
  const text = String(value);
  if (type === 'text') return typeof value === 'string' && !value.includes('\0');
  if (!forms[type]?.test(text)) return false;
  if (type === 'date' || type === 'timestamp' || type === 'timestamptz') return isRealTime(text);
  return type !== 'time' || isRealTime(`2000-01-01T${text}`);
}
