import { quoteIdentifier } from '../quote-identifier.js';

/** The pieces of SQL in statements of metrics that differ between databases. Arguments and results are SQL texts. */
export type SqlDialect = typeof postgres;

type Grain = 'hour' | 'day' | 'week' | 'month' | 'quarter' | 'year';

export const postgres = {
  quote: quoteIdentifier,
  /**
   * A parameter with its type; positions count from 1. PostgreSQL cannot infer the type of a parameter that stands beside another
   * parameter.
   */
  placeholder: (position: number, type: string): string => `$${position}::${type}`,

  /** The digits of a number as an exact decimal. */
  decimal: (digits: string): string => `${digits}::numeric`,
  /** An expression converted to a decimal. The conversion is exact: integers of any size fit, and a quotient keeps its fraction. */
  toDecimal: (expression: string): string => `${expression}::numeric`,
  /** A computed double as a decimal of 15 digits, without the rounding errors in the last bits of the double. */
  roundedToDecimal: (expression: string): string => `trim_scale((${expression})::numeric)`,
  /** The NULL of a decimal, for a column that other branches of a UNION fill with numbers. */
  noDecimal: 'NULL::numeric',

  /** Whether a value is one of a list, or none of a list. `list` is a parameter of type `…[]`. */
  isAnyOf: (expression: string, list: string): string => `${expression} = ANY (${list})`,
  isNoneOf: (expression: string, list: string): string => `${expression} <> ALL (${list})`,
  contains: (expression: string, part: string): string => `strpos(${expression}::text, ${part}) > 0`,
  startsWith: (expression: string, start: string): string => `starts_with(${expression}::text, ${start})`,

  /** A text with the collation that orders by bytes, so that the order does not depend on the database. */
  byBytes: (text: string): string => `${text} COLLATE "C"`,

  /** Several keys as one countable value. */
  tuple: (keys: string[]): string => (keys.length === 1 ? keys.join() : `(${keys.join(', ')})`),
  /** A quantile of values. With CONT it is a double, with DISC it has the type of the values. */
  quantile: (value: string, fraction: string, mode: 'CONT' | 'DISC'): string =>
    `${mode === 'CONT' ? 'percentile_cont' : 'percentile_disc'}(${fraction}) WITHIN GROUP (ORDER BY ${value})`,
  /** An aggregate over the rows that meet all conditions. */
  aggregateWhere: (aggregate: string, conditions: string[]): string => {
    if (conditions.length === 0) return aggregate;
    // PostgreSQL's parser merges a first operand that is itself an AND into the outer AND. The shape check would then see a difference.
    return `${aggregate} FILTER (WHERE ${conditions.length > 1 ? 'TRUE AND ' : ''}${conditions.join(' AND ')})`;
  },

  /** Turns a local time in a zone into a moment, and a moment into the local time in the zone. */
  atZone: (expression: string, zone: string): string => `(${expression} AT TIME ZONE ${zone})`,
  /**
   * The first of the two moments that have a local time when clocks go back by an hour. PostgreSQL's AT TIME ZONE takes the second. Even
   * the start of a day can occur twice: in some zones clocks go back at midnight.
   */
  firstAtZone: (local: string, zone: string): string =>
    `LEAST((${local} AT TIME ZONE ${zone}), ((${local} - interval '1 hour') AT TIME ZONE ${zone}) + interval '1 hour')`,
  dateToLocal: (date: string): string => `${date}::timestamp`,
  /** The start of the period, of the length `grain`, in which a local time lies. */
  startOf: (local: string, grain: Grain, weekStart: 'monday' | 'sunday'): string => {
    if (grain !== 'week' || weekStart === 'monday') return `date_trunc('${grain}', ${local})`;
    return `(date_trunc('week', ${local} + interval '1 day') - interval '1 day')`;
  },
  /** A local time `count` grains earlier, or later. A day that a shorter month does not have becomes the last day of that month. */
  earlier: (local: string, count: number, grain: Grain): string => `(${local} - interval '${intervalOf(count, grain)}')`,
  later: (local: string, count: number, grain: Grain): string => `(${local} + interval '${intervalOf(count, grain)}')`,
  /** A local time moved by the distance between two other local times, `from` and `to`. */
  laterBy: (local: string, from: string, to: string): string => `(${local} + (${to} - ${from}))`,
  localToDate: (local: string): string => `${local}::date`,
  dayToLocal: (text: string): string => `${text}::timestamp`,
  isFinite: (local: string): string => `isfinite(${local})`,
  /** The number of the ISO week of a local time. */
  isoWeek: (local: string): string => `EXTRACT(week FROM ${local})`,
  dayText: (local: string): string => `to_char(${local}, 'YYYY-MM-DD')`,
  /** The text of a time, with BC behind it before the year 1. */
  withEra: (text: string, time: string): string => `(${text} || CASE WHEN ${time} < '0001-01-01' THEN ' BC' ELSE '' END)`,
  /** The start of the quarter of an hour in which a moment lies. In every zone each hour begins with the start of such a quarter. */
  quarterOf: (moment: string): string => `date_bin('15 minutes', ${moment}, timestamptz '2000-01-01 00:00+00')`,
  /** The local hour of a moment with its offset, in the zone of the session: `2024-10-27T02:00+01:00`. */
  hourText: (local: string, moment: string): string =>
    `(to_char(date_trunc('hour', ${local}), 'YYYY-MM-DD"T"HH24:MI') || to_char(${moment}, 'TZH:TZM'))`,
  /** `hourToMoment` converts a text of `hourText` to its moment, and `hourToLocal` converts it to its local time. */
  hourToMoment: (text: string): string => `${text}::timestamptz`,
  hourToLocal: (text: string): string => `regexp_replace(${text}, '[+-]\\d\\d:\\d\\d( BC)?$', '\\1')::timestamp`,
  /** The starts of the periods from `first` up to `end`, without `end` itself: a FROM item and its column. */
  periods: (first: string, end: string, grain: Grain, alias = 's'): { from: string; start: string } => {
    const step = intervalOf(1, grain);
    const from = `generate_series(${first}, ${end} - interval '1 microsecond', interval '${step}') AS ${alias} (day)`;
    return { from, start: `${alias}.day` };
  },
};

function intervalOf(count: number, grain: Grain): string {
  return grain === 'quarter' ? `${3 * count} month` : `${count} ${grain}`;
}
