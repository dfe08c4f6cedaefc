/** A type of MySQL's as PostgreSQL has it. */
interface MysqlType {
  /** The type of PostgreSQL that holds every value, or `other`. */
  type: string;
  /** SQL for a value that is not NULL, as COPY's text format has it. A zero byte in it says that PostgreSQL has no such value. */
  copy: (column: string) => string;
}

/** All literals are hexadecimal, so that no SQL mode changes their meaning: \N, tab, newline. */
export const copyNull = '0x5C4E';
export const copyTab = '0x09';
export const copyNewline = '0x0A';

const asIs = (column: string): string => column;

/** As bytes, REPLACE and CONCAT neither mix collations nor convert again. */
function escaped(column: string): string {
  const bytes = `CAST(CONVERT(${column} USING utf8mb4) AS BINARY)`;
  return `REPLACE(REPLACE(REPLACE(REPLACE(${bytes}, 0x5C, 0x5C5C), 0x09, 0x5C74), 0x0A, 0x5C6E), 0x0D, 0x5C72)`;
}

/**
 * MySQL writes 0000-00-00 for a missing date, which is read as NULL. Other dates that no calendar has, such as 2024-02-00, are marked with
 * a zero byte.
 */
function calendarDate(column: string, suffix = ''): string {
  const written = suffix === '' ? column : `CONCAT(${column}, ${suffix})`;
  const isReal = `${column} >= DATE'0001-01-01' AND DAYOFMONTH(${column}) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(${column}))`;
  return `IF(${column} = 0, ${copyNull}, IF(${isReal}, ${written}, CONCAT(0x00, ${column})))`;
}

const text: MysqlType = { type: 'text', copy: escaped };
const bytes: MysqlType = { type: 'bytea', copy: column => `CONCAT(0x5C5C78, HEX(${column}))` };
/** MySQL writes a float with six digits. As a double it has all that tell it from the next. Multiplied, it also keeps the sign of zero. */
const float = (type: string): MysqlType => ({ type, copy: column => `${column} * 1e0` });
const integer = (signed: string, unsigned: string, isUnsigned: boolean): MysqlType => ({
  type: isUnsigned ? unsigned : signed,
  copy: asIs,
});

/**
 * The type behind a COLUMN_TYPE of information_schema, such as `decimal(12,2) unsigned`. tinyint(1) is not read as boolean: MySQL has no
 * such type, and the column may hold 2.
 */
export function mysqlTypeOf(columnType: string): MysqlType {
  const [, name = '', size = ''] = /^(\w+)(?:\(([\d,]+)\))?/.exec(columnType.toLowerCase()) ?? [];
  const isUnsigned = /\bunsigned\b/i.test(columnType.replace(/'(?:[^']|'')*'/g, ''));
  switch (name) {
    case 'tinyint':
      return integer('smallint', 'smallint', isUnsigned);
    case 'smallint':
      return integer('smallint', 'integer', isUnsigned);
    case 'mediumint':
      return integer('integer', 'integer', isUnsigned);
    case 'int':
      return integer('integer', 'bigint', isUnsigned);
    case 'bigint':
      return integer('bigint', 'numeric(20)', isUnsigned);
    case 'year':
      return { type: 'integer', copy: asIs };
    case 'decimal':
      return { type: `numeric(${size})`, copy: asIs };
    case 'float':
      return float('real');
    case 'double':
      return float('double precision');
    case 'bit':
      return { type: `bit(${size})`, copy: column => `LPAD(BIN(${column} + 0), ${size}, 0x30)` };
    case 'date':
      return { type: 'date', copy: column => calendarDate(column) };
    case 'datetime':
      return { type: 'timestamp', copy: column => calendarDate(column) };
    case 'timestamp':
      // The time zone of the session is UTC.
      return { type: 'timestamptz', copy: column => calendarDate(column, '0x2B3030') };
    case 'time':
      // It goes to 838 hours, in both directions.
      return { type: 'interval', copy: asIs };
    case 'char':
    case 'varchar':
    case 'tinytext':
    case 'text':
    case 'mediumtext':
    case 'longtext':
    case 'enum':
    case 'set':
      return text;
    case 'json':
      return { type: 'jsonb', copy: escaped };
    case 'binary':
    case 'varbinary':
    case 'tinyblob':
    case 'blob':
    case 'mediumblob':
    case 'longblob':
      return bytes;
    case 'uuid':
      return { type: 'uuid', copy: escaped };
    case 'inet4':
    case 'inet6':
      return { type: 'inet', copy: escaped };
    default:
      // Shapes, vectors and whatever a server adds.
      return { type: 'other', copy: asIs };
  }
}
