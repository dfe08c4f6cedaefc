import { quoteMysqlIdentifier } from '../../warehouse/clients/mysql/quote-mysql-identifier.js';
import { tooManyFloatDigits } from '../../warehouse/clients/query-failures.js';
import { type Kind, numberType, type TargetDialect, type Typed } from './target-dialect.js';
import { offsetSql, zoneOffsets } from './zone-offsets.js';

const mostDigits = 65;
/** Digits before and after the point of the decimal that a double becomes. */
const [floatWhole, floatScale] = [16, 29];

/** Bytes of @@max_sort_length that MySQL may need to store the length of a text. */
const lengthBytes = 8;

/**
 * The SQL of MySQL and MariaDB, and of databases that speak their protocol. Texts are compared as bytes, because collations treat
 * different texts as equal. A moment is a DATETIME in UTC, the zone of the session.
 */
export const mysql: TargetDialect = {
  name: 'mysql',
  quote: quoteMysqlIdentifier,
  placeholder: () => '?',
  fromText: (parameter, { kind, whole, scale }) => {
    if (kind === 'text') return bytesOf(parameter);
    if (kind === 'number') return `CAST(${parameter} AS DECIMAL(${whole + scale}, ${scale}))`;
    return `CAST(${parameter} AS ${kind === 'date' ? 'DATE' : 'DATETIME(6)'})`;
  },
  column: (sql, { kind }) => {
    if (kind === 'timestamptz') return `NULLIF(${sql}, 0)`;
    return kind === 'text' ? bytesOf(sql) : isTime(kind) ? realDate(sql) : sql;
  },
  indexed: (sql, { kind }) => (kind === 'text' || isTime(kind) ? sql : null),
  // Comparing a latin1 column with a text that latin1 cannot hold is an error, so only ASCII is allowed.
  indexedTexts: /^[\x20-\x7e]*$/,
  toDecimal: ({ sql, whole, scale }) => `CAST(${sql} AS DECIMAL(${whole + scale}, ${scale}))`,
  mostDigits,
  mostScale: 30,
  floatToDecimal: ({ sql, isSingle }): Typed | null => {
    // MySQL returns only six digits of a single-precision number, so its exact decimal is not known.
    if (isSingle) return null;
    const decimal = `CAST(${sql} AS DECIMAL(${floatWhole + floatScale}, ${floatScale}))`;
    // A subquery with two rows in place of a value is an error. The client recognises the error by the comment in the subquery.
    const failure = `(SELECT ${decimal} UNION ALL SELECT ${decimal} /* ${tooManyFloatDigits} */)`;
    const isExact = `${decimal} + 0e0 = ${sql}`;
    return { ...numberType(floatWhole, floatScale), sql: `(CASE WHEN ${sql} IS NULL OR ${isExact} THEN ${decimal} ELSE ${failure} END)` };
  },
  comparedFloat: double => double,
  floatFromText: parameter => `(${parameter} + 0e0)`,
  argument: sql => sql,
  sum: ({ sql }) => `SUM(${sql})`,
  countDistinct: values => `COUNT(DISTINCT ${values.map(({ sql }) => sql).join(', ')})`,
  sortedValue: null,
  listParts: 1,
  rowsOfJson: ([parameter], names) => {
    const list = names.map((name, index) => `${quoteMysqlIdentifier(name)} LONGTEXT CHARACTER SET utf8mb4 PATH '$[${index}]'`);
    return `JSON_TABLE(${parameter}, '$[*]' COLUMNS (${list.join(', ')}))`;
  },
  // MariaDB has no index over a list of long texts, and would compare each row with all of them. So texts are looked up by their short
  // hash.
  lookedUp: text => `SHA2(${text}, 256)`,
  sortable: text => `IF(LENGTH(${text}) > @@max_sort_length - ${lengthBytes}, (SELECT X'00' UNION ALL SELECT X'01'), ${text})`,
  firstValue: sql => `FIRST_VALUE(${sql})`,
  round: (decimal, digits) => `ROUND(${decimal}, ${digits})`,
  part: (local, part) =>
    part === 'isodow' ? `(WEEKDAY(${local}) + 1)` : `${part === 'day' ? 'DAYOFMONTH' : part.toUpperCase()}(${local})`,
  isIn: (value, list) => `(${value.sql} IN (${list.map(({ sql }) => sql).join(', ')}))`,
  contains: (value, part) => `(LOCATE(${part}, ${value}) > 0)`,
  startsWith: (value, start) => `(LEFT(${value}, LENGTH(${start})) = ${start})`,
  endsWith: (value, end) => `(RIGHT(${value}, LENGTH(${end})) = ${end})`,
  length: text => `CHAR_LENGTH(${charactersOf(text)})`,
  slice: (text, from, count) => bytesOf(`SUBSTRING(${charactersOf(text)}, ${from}${count === null ? '' : `, ${count}`})`),
  lastCharacters: (text, count) => bytesOf(`RIGHT(${charactersOf(text)}, ${count})`),
  position: (text, part) => `LOCATE(${charactersOf(part)} COLLATE utf8mb4_bin, ${charactersOf(text)} COLLATE utf8mb4_bin)`,
  replace: (text, part, by) => `REPLACE(${text}, ${part}, ${by})`,
  join: texts => `CONCAT(${texts.join(', ')})`,
  trim: (text, side) => `TRIM(${side} ' ' FROM ${text})`,
  integerText: bytesOf,
  remainder: (dividend, divisor) => `(${dividend} % ${divisor})`,
  addDays: (date, days) => `(${date} + INTERVAL ${days} DAY)`,
  daysBetween: (date, earlier) => `DATEDIFF(${date}, ${earlier})`,
  startOf: ({ sql }, grain) => {
    const starts = {
      day: `DATE(${sql})`,
      week: `DATE(${sql}) - INTERVAL WEEKDAY(${sql}) DAY`,
      month: `DATE(${sql}) - INTERVAL (DAYOFMONTH(${sql}) - 1) DAY`,
      quarter: `MAKEDATE(YEAR(${sql}), 1) + INTERVAL (QUARTER(${sql}) - 1) QUARTER`,
      year: `MAKEDATE(YEAR(${sql}), 1)`,
    };
    return `CAST(${starts[grain]} AS DATETIME(6))`;
  },
  add: (local, count, unit) => `(${local} + INTERVAL ${count} ${unit.toUpperCase()})`,
  dayText: local => `DATE_FORMAT(${local}, '%Y-%m-%d')`,
  dateToLocal: date => `CAST(${date} AS DATETIME(6))`,
  localToDate: local => `DATE(${local})`,
  // CONVERT_TZ is not used: it knows time zones only if an administrator has loaded them.
  momentToLocal: (moment, zone) => `(${moment} + INTERVAL ${offsetSql(moment, zoneOffsets(zone), text => `TIMESTAMP'${text}'`)} SECOND)`,
  localToMoment: null,
  toText: ({ sql, kind }) => {
    if (kind === 'text') return `CONVERT(${sql} USING utf8mb4)`;
    return kind === 'timestamptz' ? `CONCAT(${sql}, '+00')` : `CAST(${sql} AS CHAR)`;
  },
  suffix: '',
};

function isTime(kind: Kind): boolean {
  return kind === 'date' || kind === 'timestamp' || kind === 'timestamptz';
}

/** A date. NULL if it is not a date of the calendar: 0000-00-00 (which stands for a missing date), 2024-00-15 or 2024-02-31. */
function realDate(sql: string): string {
  return `IF(YEAR(${sql}) > 0 AND DAYOFMONTH(${sql}) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(${sql})), ${sql}, NULL)`;
}

function charactersOf(text: string): string {
  return `CONVERT(${text} USING utf8mb4)`;
}

function bytesOf(sql: string): string {
  return `CAST(CONVERT(${sql} USING utf8mb4) AS BINARY)`;
}
