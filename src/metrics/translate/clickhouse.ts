import { quoteName } from '../../warehouse/clients/clickhouse/quote-name.js';
import { tooManyFloatDigits } from '../../warehouse/clients/query-failures.js';
import { numberType, type TargetDialect, type TimePart, type Typed } from './target-dialect.js';
import { quotedZone } from './quoted-zone.js';
import { offsetSql, zoneOffsets, type ZoneOffset } from './zone-offsets.js';

const parts: Readonly<Record<TimePart, string>> = {
  year: 'toYear',
  quarter: 'toQuarter',
  month: 'toMonth',
  day: 'toDayOfMonth',
  isodow: 'toDayOfWeek',
  hour: 'toHour',
};
const zoneOfLocalTimes = `'UTC'`;
/** Digits before and after the point of the decimal that a double becomes. */
const [floatWhole, floatScale] = [16, 28];
/** Maximum digits of an integer that 64 bits hold. */
const longDigits = 19;

/**
 * Number of parameters into which a list is cut. A server accepts at most 131,072 bytes in one parameter (http_max_field_value_size), and
 * counts a backslash as two bytes.
 */
const listParts = 16;

/**
 * The SQL of ClickHouse. A local time is a DateTime64 in UTC that shows the local time. A moment may have any type and zone, neither of
 * which changes its order.
 */
export const clickhouse: TargetDialect = {
  name: 'clickhouse',
  quote: quoteName,
  placeholder: position => `{p${position}:String}`,
  fromText: (parameter, { kind, scale }) => {
    if (kind === 'number') return `toDecimal256(${parameter}, ${scale})`;
    if (kind === 'text') return parameter;
    return kind === 'date' ? `toDate32(${parameter})` : asLocalTime(parameter);
  },
  column: (sql, { kind }) => {
    if (kind === 'text') return `toString(${sql})`;
    return kind === 'date' ? `toDate32(${sql})` : sql;
  },
  // For text columns, the same SQL as `column`. The condition of `isIn` wraps the column in CASE and uses no index, so a further condition
  // without CASE is added.
  indexed: (sql, { kind }) => (kind === 'text' ? `toString(${sql})` : null),
  indexedTexts: /^/,
  toDecimal: ({ sql, scale }) => `toDecimal256(${sql}, ${scale})`,
  mostDigits: 76,
  mostScale: 76,
  floatToDecimal: ({ sql, isSingle }): Typed => {
    const decimal = `toDecimal256OrNull(toString(${sql}), ${floatScale})`;
    const isInexact = `${sql} IS NOT NULL AND NOT ifNull(${isSingle ? 'toFloat32' : 'toFloat64'}(toString(${decimal})) = ${sql}, 0)`;
    const checked = `if(throwIf(${isInexact}, '${tooManyFloatDigits}') = 0, ${decimal}, NULL)`;
    return { ...numberType(floatWhole, floatScale), sql: checked };
  },
  comparedFloat: double => `if(isNaN(${double}), inf, ${double})`,
  floatFromText: parameter => `toFloat64(${parameter})`,
  // ClickHouse returns zero for an aggregate without rows of a column that is not Nullable, so the argument is made Nullable.
  argument: sql => `toNullable(${sql})`,
  sum: ({ sql, whole, scale }) =>
    `sum(toNullable(${scale === 0 && whole <= longDigits ? `toInt128(${sql})` : `toDecimal256(${sql}, ${scale})`}))`,
  countDistinct: values => {
    if (values.length === 1) return `uniqExact(${values[0]!.sql})`;
    const complete = values.map(({ sql }) => `${sql} IS NOT NULL`).join(' AND ');
    return `uniqExactIf((${values.map(({ sql }) => `assumeNotNull(${sql})`).join(', ')}), ${complete})`;
  },
  sortedValue: (value, place) => `if(COUNT(${value}) = 0, NULL, arraySort(groupArray(${value}))[toUInt64(${place})])`,
  listParts,
  rowsOfJson: (parameters, names) => {
    const list = names.map((name, index) => `r[${index + 1}] AS ${quoteName(name)}`);
    return `(SELECT ${list.join(', ')} FROM (SELECT arrayJoin(JSONExtract(concat(${parameters.join(', ')}), 'Array(Array(String))')) AS r) AS j)`;
  },
  lookedUp: text => text,
  sortable: sql => sql,
  firstValue: sql => `first_value(${sql}) RESPECT NULLS`,
  round: (decimal, digits) => `round(${decimal}, ${digits})`,
  part: (local, part) => `${parts[part]}(${local})`,
  // IN treats NULL as a value, so NULL is checked first. IN also converts each number of the list to the type of the value, which may be
  // too narrow for the number, so all numbers become decimals.
  isIn: (value, list) => {
    const isPlain = list.every(({ kind, integer }) => kind !== 'number' || integer !== undefined);
    const scale = Math.max(...[value, ...list].map(each => each.scale));
    const sqlOf = ({ sql }: Typed): string => (isPlain ? sql : `toDecimal256(${sql}, ${scale})`);
    return `(CASE WHEN ${value.sql} IS NULL THEN NULL ELSE ${sqlOf(value)} IN (${list.map(sqlOf).join(', ')}) END)`;
  },
  contains: (value, part) => `(position(${value}, ${part}) > 0)`,
  startsWith: (value, start) => `startsWith(${value}, ${start})`,
  endsWith: (value, end) => `endsWith(${value}, ${end})`,
  length: text => `lengthUTF8(${text})`,
  slice: (text, from, count) => `substringUTF8(${text}, ${from}${count === null ? '' : `, ${count}`})`,
  lastCharacters: (text, count) => `rightUTF8(${text}, ${count})`,
  position: (text, part) => `positionUTF8(${text}, ${part})`,
  replace: (text, part, by) => `replaceAll(${text}, ${part}, ${by})`,
  join: texts => `concat(${texts.join(', ')})`,
  trim: (text, side) => `${{ BOTH: 'trimBoth', LEADING: 'trimLeft', TRAILING: 'trimRight' }[side]}(${text})`,
  integerText: integer => `toString(${integer})`,
  remainder: (dividend, divisor) => `(toInt128(${dividend}) % toInt128(${divisor}))`,
  addDays: (date, days) => `addDays(${date}, ${days})`,
  daysBetween: (date, earlier) => `dateDiff('day', ${earlier}, ${date})`,
  startOf: ({ sql }, grain) => {
    const starts = {
      day: `toDate32(${sql})`,
      week: `toStartOfWeek(${sql}, 1)`,
      month: `toStartOfMonth(${sql})`,
      quarter: `toStartOfQuarter(${sql})`,
      year: `toStartOfYear(${sql})`,
    };
    return asLocalTime(starts[grain]);
  },
  add: (local, count, unit) => `${unit === 'day' ? 'addDays' : 'addMonths'}(${local}, ${count})`,
  dayText: local => `toString(toDate32(${local}))`,
  dateToLocal: asLocalTime,
  localToDate: local => `toDate32(${local})`,
  momentToLocal: (moment, zone) => {
    const offsets = zoneOffsets(zone);
    const offset = isMistaken(offsets)
      ? offsetSql(moment, offsets, text => `toDateTime64('${text}', 0, 'UTC')`)
      : `timezoneOffset(toTimeZone(${moment}, ${quotedZone(zone)}))`;
    return `addSeconds(${asLocalTime(moment)}, ${offset})`;
  },
  localToMoment: null,
  toText: ({ sql, kind }) => (kind === 'timestamptz' ? `concat(toString(${asLocalTime(sql)}), '+00')` : `toString(${sql})`),
  suffix:
    '\nSETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1',
};

/**
 * Whether ClickHouse computes wrong offsets for a time zone. ClickHouse has a table with an entry for every date, so after a zone skips a
 * date (Pacific/Apia, 2011) the table is one day behind. In that table the clock can only change at a quarter of an hour, not at 00:01
 * (America/St_Johns).
 */
function isMistaken(offsets: readonly ZoneOffset[]): boolean {
  return offsets.some(
    ({ from, offset }, index) => index > 0 && (from % 900 !== 0 || Math.abs(offset - offsets[index - 1]!.offset) > 43_200),
  );
}

function asLocalTime(value: string): string {
  return `toDateTime64(${value}, 6, ${zoneOfLocalTimes})`;
}
