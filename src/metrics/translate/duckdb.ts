import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { tooManyFloatDigits, unreadableValue } from '../../warehouse/clients/query-failures.js';
import { numberType, type TargetDialect, type Typed } from './target-dialect.js';
import { quotedZone } from './quoted-zone.js';

const mostDigits = 38;
/** Digits before and after the point of the decimal that a double becomes. */
const [floatWhole, floatScale] = [15, 23];

/** The SQL of DuckDB. DuckDB itself reports an overflow of decimals, so here only the digits after the point have a maximum. */
export const duckdb: TargetDialect = {
  name: 'duckdb',
  quote: quoteIdentifier,
  placeholder: position => `$${position}`,
  fromText: (parameter, { kind, whole, scale }) => {
    if (kind === 'number') return `CAST(${parameter} AS DECIMAL(${Math.min(mostDigits, whole + scale)}, ${scale}))`;
    if (kind === 'timestamptz') return `CAST(${parameter} || '+00' AS TIMESTAMPTZ)`;
    return `CAST(${parameter} AS ${kind === 'text' ? 'VARCHAR' : kind})`;
  },
  column: (sql, { kind }, name) => {
    if (kind === 'text') return `CAST(${sql} AS VARCHAR)`;
    if (kind !== 'timestamp') return sql;
    // A cast to microseconds would cut nanoseconds off, so a value with nanoseconds is an error. For columns of other types DuckDB removes
    // the CASE before planning.
    const isCut = `typeof(${sql}) = 'TIMESTAMP_NS' AND isfinite(${sql}) AND epoch_ns(${sql}) % 1000 <> 0`;
    return `(CASE WHEN ${isCut} THEN ${unreadableValue(name)} ELSE CAST(${sql} AS TIMESTAMP) END)`;
  },
  indexed: () => null,
  indexedTexts: /^/,
  toDecimal: ({ sql, whole, scale }) => `CAST(${sql} AS DECIMAL(${Math.min(mostDigits, whole + scale)}, ${scale}))`,
  mostDigits: Infinity,
  mostScale: mostDigits,
  floatToDecimal: ({ sql, isSingle }): Typed => {
    const decimal = `TRY_CAST(CAST(${sql} AS VARCHAR) AS DECIMAL(${floatWhole + floatScale}, ${floatScale}))`;
    // The text of the decimal is cast to a double, because a cast of the decimal itself divides and therefore rounds.
    const isExact = `CAST(CAST(${decimal} AS VARCHAR) AS ${isSingle ? 'REAL' : 'DOUBLE'}) = ${sql}`;
    const failure = `error('${tooManyFloatDigits}')`;
    return { ...numberType(floatWhole, floatScale), sql: `(CASE WHEN ${sql} IS NULL OR ${isExact} THEN ${decimal} ELSE ${failure} END)` };
  },
  comparedFloat: double => double,
  floatFromText: parameter => `CAST(${parameter} AS DOUBLE)`,
  argument: sql => sql,
  sum: ({ sql }) => `SUM(${sql})`,
  countDistinct: values => {
    if (values.length === 1) return `COUNT(DISTINCT ${values[0]!.sql})`;
    const complete = values.map(({ sql }) => `${sql} IS NOT NULL`).join(' AND ');
    return `COUNT(DISTINCT CASE WHEN ${complete} THEN ROW(${values.map(({ sql }) => sql).join(', ')}) END)`;
  },
  sortedValue: (value, place) => `list_sort(LIST(${value}) FILTER (WHERE ${value} IS NOT NULL))[CAST(${place} AS BIGINT)]`,
  listParts: 1,
  rowsOfJson: ([parameter], names) => {
    const list = names.map((name, index) => `r[${index + 1}] AS ${quoteIdentifier(name)}`);
    return `(SELECT ${list.join(', ')} FROM (SELECT unnest(from_json(${parameter}, '[["VARCHAR"]]')) AS r) AS j)`;
  },
  lookedUp: text => text,
  sortable: sql => sql,
  firstValue: sql => `FIRST_VALUE(${sql})`,
  round: (decimal, digits) => `ROUND(${decimal}, ${digits})`,
  // DuckDB has a year 0: 44 BC is its year -43, and PostgreSQL's year -44.
  part: (local, part) => (part === 'year' ? `(year(${local}) - CAST(year(${local}) <= 0 AS INTEGER))` : `${part}(${local})`),
  isIn: (value, list) => `(${value.sql} IN (${list.map(({ sql }) => sql).join(', ')}))`,
  contains: (value, part) => `contains(${value}, ${part})`,
  startsWith: (value, start) => `starts_with(${value}, ${start})`,
  endsWith: (value, end) => `ends_with(${value}, ${end})`,
  length: text => `LENGTH(${text})`,
  slice: (text, from, count) => `SUBSTRING(${text}, ${from}${count === null ? '' : `, ${count}`})`,
  lastCharacters: (text, count) => `RIGHT(${text}, ${count})`,
  position: (text, part) => `strpos(${text}, ${part})`,
  replace: (text, part, by) => `REPLACE(${text}, ${part}, ${by})`,
  join: texts => `(${texts.join(' || ')})`,
  // With one argument, DuckDB would trim other white space than U+0020 too.
  trim: (text, side) => `${{ BOTH: 'TRIM', LEADING: 'LTRIM', TRAILING: 'RTRIM' }[side]}(${text}, ' ')`,
  integerText: integer => `CAST(${integer} AS VARCHAR)`,
  remainder: (dividend, divisor) => `(CAST(${dividend} AS HUGEINT) % CAST(${divisor} AS HUGEINT))`,
  addDays: (date, days) => `(${date} + (${days}))`,
  daysBetween: (date, earlier) => `date_diff('day', ${earlier}, ${date})`,
  startOf: ({ sql }, grain) => `CAST(date_trunc('${grain}', ${sql}) AS TIMESTAMP)`,
  add: (local, count, unit) => `(${local} + INTERVAL (${count}) ${unit.toUpperCase()})`,
  dayText: local => `strftime(${local}, '%Y-%m-%d')`,
  dateToLocal: date => `CAST(${date} AS TIMESTAMP)`,
  localToDate: local => `CAST(${local} AS DATE)`,
  momentToLocal: (moment, zone) => `timezone(${quotedZone(zone)}, ${moment})`,
  localToMoment: null,
  toText: ({ sql, kind }) => (kind === 'timestamptz' ? `CAST(timezone('UTC', ${sql}) AS VARCHAR) || '+00'` : `CAST(${sql} AS VARCHAR)`),
  suffix: '',
};
