import {
  type DuckDBType,
  DuckDBArrayType,
  DuckDBDecimalType,
  DuckDBListType,
  DuckDBMapType,
  DuckDBStructType,
  DuckDBTypeId as Id,
} from '@duckdb/node-api';

/** How values of a DuckDB type are written as text for PostgreSQL. */
export interface PostgresText {
  /** The type of PostgreSQL that holds the values. */
  type: string;
  /**
   * SQL for the text that PostgreSQL reads as the value of the expression `value`; NULL stays NULL. For a value that PostgreSQL cannot
   * hold, the SQL evaluates `unreadable`, which ends the statement.
   */
  sql: (value: string, unreadable: string) => string;
  /** Whether the text never has a character that COPY escapes. */
  isPlain: boolean;
}

const asText = (value: string): string => `${value}::VARCHAR`;
const plain = (type: string): PostgresText => ({ type, sql: asText, isPlain: true });

const firstDay = "DATE '4714-11-24 (BC)'";
const firstYear = "DATE '0001-01-01'";

/** Writes dates and times. PostgreSQL writes BC at the end. It allows years from 4714 BC to 5874897 in dates and to 294276 in times. */
function moment(type: string, lastDay: string, cast: string): PostgresText {
  const sql = (value: string, unreadable: string): string => {
    const time = `${value}${cast}`;
    return `CASE WHEN ${value} IS NULL THEN NULL
      WHEN NOT isfinite(${time}) OR ${time} >= ${firstYear} AND ${time} < ${lastDay} THEN ${time}::VARCHAR
      WHEN ${time} >= ${firstDay} AND ${time} < ${firstYear} THEN replace(${time}::VARCHAR, ' (BC)', '') || ' BC' ELSE ${unreadable} END`;
  };
  return { type, sql, isPlain: true };
}

const timestamp = (cast: string): PostgresText => moment('timestamp', "TIMESTAMP '294246-01-01'", cast);

/**
 * Writes times with nanoseconds. A time that is not a whole number of microseconds is unreadable, since PostgreSQL would cut its
 * nanoseconds off.
 */
const nanoseconds: PostgresText = {
  ...timestamp('::TIMESTAMP'),
  sql: (value, unreadable) =>
    `CASE WHEN isfinite(${value}) AND epoch_ns(${value}) % 1000 <> 0 THEN ${unreadable} ELSE ${timestamp('::TIMESTAMP').sql(value, unreadable)} END`,
};

const simple = new Map<Id, PostgresText>([
  [Id.BOOLEAN, plain('boolean')],
  [Id.TINYINT, plain('smallint')],
  [Id.UTINYINT, plain('smallint')],
  [Id.SMALLINT, plain('smallint')],
  [Id.USMALLINT, plain('integer')],
  [Id.INTEGER, plain('integer')],
  [Id.UINTEGER, plain('bigint')],
  [Id.BIGINT, plain('bigint')],
  [Id.UBIGINT, plain('numeric(20,0)')],
  [Id.HUGEINT, plain('numeric(39,0)')],
  [Id.UHUGEINT, plain('numeric(39,0)')],
  [Id.FLOAT, plain('real')],
  [Id.DOUBLE, plain('double precision')],
  [Id.DATE, moment('date', "DATE '5874898-01-01'", '')],
  [Id.TIME, plain('time')],
  [Id.TIME_TZ, plain('time with time zone')],
  [Id.TIMESTAMP, timestamp('')],
  [Id.TIMESTAMP_S, timestamp('::TIMESTAMP')],
  [Id.TIMESTAMP_MS, timestamp('::TIMESTAMP')],
  [Id.TIMESTAMP_NS, nanoseconds],
  [Id.TIMESTAMP_TZ, moment('timestamptz', "TIMESTAMPTZ '294246-01-01 00:00:00+00'", '')],
  [Id.INTERVAL, plain('interval')],
  [Id.UUID, plain('uuid')],
  [Id.BIT, plain('bit varying')],
  [Id.BLOB, { type: 'bytea', sql: value => `'\\x' || hex(${value})`, isPlain: false }],
  [Id.VARCHAR, { type: 'text', sql: asText, isPlain: false }],
  [Id.ENUM, { type: 'text', sql: asText, isPlain: false }],
  [Id.SQLNULL, { type: 'text', sql: asText, isPlain: false }],
]);

/** How values of a DuckDB type are written as text for PostgreSQL; null if no type of PostgreSQL holds them. */
export function postgresTextOf(type: DuckDBType): PostgresText | null {
  if (type.alias === 'JSON') return { type: 'json', sql: asText, isPlain: false };
  if (type instanceof DuckDBDecimalType) return plain(`numeric(${type.width},${type.scale})`);
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) {
    const element = isNested(type.valueType) ? null : postgresTextOf(type.valueType);
    if (element) return arrayOf(element);
  }
  if (isNested(type)) {
    const json = bringsKeys(type) ? 'json' : 'jsonb';
    return fitsJson(type) ? { type: json, sql: value => `to_json(${value})::VARCHAR`, isPlain: false } : null;
  }
  return simple.get(type.typeId) ?? null;
}

function arrayOf(element: PostgresText): PostgresText {
  const sql = (value: string, unreadable: string): string => {
    const text = element.sql('e', unreadable);
    const quoted = element.isPlain ? text : `replace(replace(${text}, '\\', '\\\\'), '"', '\\"')`;
    return `'{' || array_to_string(list_transform(${value}, lambda e: CASE WHEN e IS NULL THEN 'NULL' ELSE '"' || ${quoted} || '"' END), ',') || '}'`;
  };
  return { type: `${element.type}[]`, sql, isPlain: element.isPlain };
}

function isNested(type: DuckDBType): boolean {
  return [DuckDBListType, DuckDBArrayType, DuckDBStructType, DuckDBMapType].some(nested => type instanceof nested);
}

/**
 * Whether values of the type bring keys of their own. Documents, and maps of Parquet files, may have a key twice, of which jsonb would keep
 * the last one only; json keeps the text.
 */
function bringsKeys(type: DuckDBType): boolean {
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) return bringsKeys(type.valueType);
  if (type instanceof DuckDBStructType) return type.entryTypes.some(bringsKeys);
  return type instanceof DuckDBMapType || type.alias === 'JSON';
}

/** Whether DuckDB writes values of the type as JSON without rounding. PostgreSQL keeps the numbers of JSON as they are written. */
function fitsJson(type: DuckDBType): boolean {
  if (type instanceof DuckDBListType || type instanceof DuckDBArrayType) return fitsJson(type.valueType);
  if (type instanceof DuckDBStructType) return type.entryTypes.every(fitsJson);
  if (type instanceof DuckDBMapType) return fitsJson(type.keyType) && fitsJson(type.valueType);
  return type instanceof DuckDBDecimalType || simple.has(type.typeId);
}
