import { quoteName } from '../../warehouse/clients/clickhouse/quote-name.js';
import { numberType, type TargetDialect, type TimePart, type Typed } from './target-dialect.js';
import { quotedZone } from './quoted-zone.js';

const parts: Readonly<Record<TimePart, string>> = {
  year: 'toYear',
  quarter: 'toQuarter',
  month: 'toMonth',
  day: 'toDayOfMonth',
  isodow: 'toDayOfWeek',
  hour: 'toHour',
};
const zoneOfLocalTimes = `'UTC'`;
/** Of the decimal that a double becomes. */
const [floatWhole, floatScale] = [20, 20];
/** The digits of a number that 64 bits hold. */
const longDigits = 19;

/** ClickHouse. A local time is a DateTime64 that shows it in UTC. A moment is of any type and zone, which say nothing of its order. */
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
  // To lists of texts `isIn` does not show the column.
  indexed: (sql, { kind }) => (kind === 'text' ? `toString(${sql})` : null),
  indexedTexts: /^/,
  toDecimal: ({ sql, scale }) => `toDecimal256(${sql}, ${scale})`,
  mostDigits: 76,
  mostScale: 76,
  floatToDecimal: ({ sql, isSingle }): Typed => {
    const decimal = `toDecimal256OrNull(toString(${sql}), ${floatScale})`;
    const isInexact = `${sql} IS NOT NULL AND NOT ifNull(${isSingle ? 'toFloat32' : 'toFloat64'}(toString(${decimal})) = ${sql}, 0)`;
    const checked = `if(throwIf(${isInexact}, 'A floating-point number has more digits than are computed with') = 0, ${decimal}, NULL)`;
    return { ...numberType(floatWhole, floatScale), sql: checked };
  },
  // Without rows, aggregates of what cannot be NULL are zero.
  argument: sql => `toNullable(${sql})`,
  sum: ({ sql, whole, scale }) =>
    `sum(toNullable(${scale === 0 && whole <= longDigits ? `toInt128(${sql})` : `toDecimal256(${sql}, ${scale})`}))`,
  countDistinct: values => {
    if (values.length === 1) return `uniqExact(${values[0]!.sql})`;
    const complete = values.map(({ sql }) => `${sql} IS NOT NULL`).join(' AND ');
    return `uniqExactIf((${values.map(({ sql }) => `assumeNotNull(${sql})`).join(', ')}), ${complete})`;
  },
  quantile: ({ sql }, fraction, mode) => (mode === 'CONT' ? `quantileExactInclusive(${fraction})(toNullable(toFloat64(${sql})))` : null),
  sortable: sql => sql,
  firstValue: sql => `first_value(${sql}) RESPECT NULLS`,
  round: (decimal, digits) => `round(${decimal}, ${digits})`,
  part: (local, part) => `${parts[part]}(${local})`,
  // To IN, nothing is a value among others.
  isIn: (value, list) => `(CASE WHEN ${value} IS NULL THEN NULL ELSE ${value} IN (${list.join(', ')}) END)`,
  contains: (value, part) => `(position(${value}, ${part}) > 0)`,
  startsWith: (value, start) => `startsWith(${value}, ${start})`,
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
  momentToLocal: (moment, zone) => `addSeconds(${asLocalTime(moment)}, timezoneOffset(toTimeZone(${moment}, ${quotedZone(zone)})))`,
  localToMoment: null,
  toText: ({ sql, kind }) => (kind === 'timestamptz' ? `concat(toString(${asLocalTime(sql)}), '+00')` : `toString(${sql})`),
  suffix:
    '\nSETTINGS enable_positional_arguments = 1, join_use_nulls = 1, prefer_column_name_to_alias = 1, enable_extended_results_for_datetime_functions = 1, decimal_check_overflow = 1',
};

function asLocalTime(value: string): string {
  return `toDateTime64(${value}, 6, ${zoneOfLocalTimes})`;
}
