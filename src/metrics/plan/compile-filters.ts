import { type Bilingual } from '../../text/bilingual.js';
import { addDays } from '../../text/calendar.js';
import { isRepeated } from '../../text/time-zone.js';
import { isFloat } from './compile-relation.js';
import { isRealTime } from './compile-time.js';
import { type BoundColumn } from './metric-binding.js';
import { type FilterOperator, type MetricFilter } from './metric-request.js';
import { type ScanContext } from './scan-context.js';
import { withoutLength } from '../../sql/without-length.js';

type Value = string | number | boolean;

const comparisons: Partial<Record<FilterOperator, string>> = { '=': '=', '!=': '<>', '<': '<', '<=': '<=', '>': '>', '>=': '>=' };

/**
 * Compiles one structured filter to a condition. Values are bound in the column's own type, so that an index on it can be used. A
 * value that does not fit is reported and never sent.
 * @returns null when something was reported
 */
export function compileFilter(
  filter: MetricFilter,
  column: BoundColumn,
  index: number,
  { assembly, problems, time: { timezone } }: Pick<ScanContext, 'assembly' | 'problems' | 'time'>,
): string | null {
  const report = (field: string, type: string, text: Bilingual): null => {
    problems.push({ loc: ['body', 'filters', index, field], text, type });
    return null;
  };
  const { dialect } = assembly;
  const name = dialect.quote(column.name);
  const { op, value, values } = filter;
  if (op === 'is_null' || op === 'is_not_null') {
    if (value !== undefined || values !== undefined)
      return report(value !== undefined ? 'value' : 'values', 'no_effect', { zh: `${op} 不取值`, en: `${op} takes no value` });
    return `${name} IS ${op === 'is_null' ? '' : 'NOT '}NULL`;
  }
  const takesList = op === 'in' || op === 'not_in' || op === 'between';
  const given = takesList ? values : value === undefined ? undefined : [value];
  const [wanted, other] = takesList ? (['values', 'value'] as const) : (['value', 'values'] as const);
  if (filter[other] !== undefined) {
    const example = op === 'between' ? '[…, …]' : (JSON.stringify(takesList ? [value] : values?.[0]) ?? '…').slice(0, 80);
    return report(other, 'no_effect', {
      zh: `${op} 取 ${wanted}：请写 "${wanted}": ${example}`,
      en: `${op} takes ${wanted}: write "${wanted}": ${example}`,
    });
  }
  if (!given || given.length === 0) return report(wanted, 'missing', { zh: `${op} 需要 ${wanted}`, en: `${op} needs ${wanted}` });
  if (op === 'between' && given.length !== 2)
    return report('values', 'two_values', { zh: 'between 需要两个值', en: 'between needs two values' });

  const isText = op === 'contains' || op === 'starts_with';
  const type = isText ? 'text' : bindType(column.type, given);
  if (!type)
    return report('field', 'not_filterable', { zh: `${column.type} 类型不能这样筛选`, en: `a ${column.type} cannot be filtered this way` });
  const wrong = given.find(each => !fits(each, type));
  if (wrong !== undefined) {
    return report(wanted, 'value_type', { zh: `${JSON.stringify(wrong)} 不是 ${type}`, en: `${JSON.stringify(wrong)} is not a ${type}` });
  }
  const bound = given.map(String);
  const [first = '', second = ''] = bound;
  if (op === 'between' && isReversed(first, second, type))
    return report('values', 'empty_range', {
      zh: `between 的第一个值大于第二个，没有行符合：请写 "values": ["${second}", "${first}"]`,
      en: `the first value is above the second, which no row fits: write "values": ["${second}", "${first}"]`,
    });
  // The session's zone reads a local time, but of one that comes twice it means the second.
  const isTwice = (each: string): boolean => type === 'timestamptz' && !hasOffset(each) && isRepeated(each, timezone);
  const momentOf = (each: string): string =>
    isTwice(each) ? dialect.firstAtZone(assembly.bind(each, 'timestamp'), assembly.bind(timezone, 'text')) : assembly.bind(each, type);
  if (type.startsWith('timestamp') && bound.some(each => isDay(each) || isTwice(each))) return compileDays(op, name, bound, momentOf);
  switch (op) {
    case 'in':
      return dialect.isAnyOf(name, assembly.bind(bound, `${listType(column.type, type, bound)}[]`));
    case 'not_in':
      return dialect.isNoneOf(name, assembly.bind(bound, `${listType(column.type, type, bound)}[]`));
    case 'between':
      return `${name} BETWEEN ${assembly.bind(first, type)} AND ${assembly.bind(second, type)}`;
    case 'contains':
      return dialect.contains(name, assembly.bind(first, 'text'));
    case 'starts_with':
      return dialect.startsWith(name, assembly.bind(first, 'text'));
    case '=':
    case '!=':
    case '<':
    case '<=':
    case '>':
    case '>=':
      return `${name} ${comparisons[op]} ${assembly.bind(first, type)}`;
    default:
      return op satisfies never;
  }
}

/** Times of day are compared with a date as a whole day: those of 29 February are not after it, and `between` includes them. */
function compileDays(op: FilterOperator, name: string, values: readonly string[], bind: (value: string) => string): string {
  const begins = (value: string): string => `${name} >= ${bind(value)}`;
  const isBefore = (value: string): string => `${name} < ${bind(value)}`;
  const isOver = (value: string): string => (isDay(value) ? isBefore(addDays(value, 1)) : `${name} <= ${bind(value)}`);
  const isOf = (value: string): string => (isDay(value) ? `(${begins(value)} AND ${isOver(value)})` : `${name} = ${bind(value)}`);
  const isOfAny = (): string => `(${values.map(isOf).join(' OR ')})`;
  const [first = '', second = ''] = values;
  switch (op) {
    case '=':
    case 'in':
      return isOfAny();
    case '!=':
    case 'not_in':
      return `NOT ${isOfAny()}`;
    case '<':
      return isBefore(first);
    case '<=':
      return isOver(first);
    case '>':
      return isDay(first) ? begins(addDays(first, 1)) : `${name} > ${bind(first)}`;
    case '>=':
      return begins(first);
    case 'between':
      return `(${begins(first)} AND ${isOver(second)})`;
    default:
      throw new Error(`${op} compares no times`);
  }
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

/** A date that has a next one of four digits. */
function isDay(value: string): boolean {
  return /^\d{4}-\d\d-\d\d$/.test(value) && value !== '9999-12-31';
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

/** The type of a list. PostgreSQL looks a value up by its hash only if it is of the same type, else it walks the list for each row. */
function listType(columnType: string, type: string, values: readonly string[]): string {
  const most = columnType === 'integer' ? 2_147_483_647 : columnType === 'smallint' ? 32_767 : 0;
  return type === 'bigint' && values.every(value => Math.abs(Number(value)) <= most) ? columnType : type;
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
