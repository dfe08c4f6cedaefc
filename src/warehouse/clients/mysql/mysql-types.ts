/** How values of a MySQL type are written for PostgreSQL. */
interface MysqlType {
  /** The PostgreSQL type that can hold every value, or `other` if there is none. */
  type: string;
  /**
   * SQL that writes a value, which is not NULL, in COPY's text format. A zero byte in the text marks a value that PostgreSQL cannot store.
   */
  copy: (column: string) => string;
}

/** COPY's NULL (\N), tab and newline as SQL. All literals are hexadecimal, so that no SQL mode changes their meaning. */
export const copyNull = '0x5C4E';
export const copyTab = '0x09';
export const copyNewline = '0x0A';

const asIs = (column: string): string => column;

/**
 * SQL that escapes a text for COPY. It works on bytes, so that REPLACE and CONCAT neither mix collations nor convert the character set
 * again.
 */
function escaped(column: string): string {
  const bytes = `CAST(CONVERT(${column} USING utf8mb4) AS BINARY)`;
  return `REPLACE(REPLACE(REPLACE(REPLACE(${bytes}, 0x5C, 0x5C5C), 0x09, 0x5C74), 0x0A, 0x5C6E), 0x0D, 0x5C72)`;
}

/**
 * SQL for a date. MySQL's 0000-00-00 stands for a missing date and becomes NULL. Other dates that no calendar has, such as 2024-02-00, are
 * marked with a zero byte.
 */
function calendarDate(column: string, suffix = ''): string {
  const written = suffix === '' ? column : `CONCAT(${column}, ${suffix})`;
  const isReal = `${column} >= DATE'0001-01-01' AND DAYOFMONTH(${column}) BETWEEN 1 AND DAYOFMONTH(LAST_DAY(${column}))`;
  return `IF(${column} = 0, ${copyNull}, IF(${isReal}, ${written}, CONCAT(0x00, ${column})))`;
}

const text: MysqlType = { type: 'text', copy: escaped };
const bytes: MysqlType = { type: 'bytea', copy: column => `CONCAT(0x5C5C78, HEX(${column}))` };
/**
 * MySQL writes a float with six digits. Multiplied by 1e0 the float becomes a double, which is written with all digits that distinguish it
 * from its neighbours and with the sign of zero.
 */
const float = (type: string): MysqlType => ({ type, copy: column => `${column} * 1e0` });
const integer = (signed: string, unsigned: string, isUnsigned: boolean): MysqlType => ({
  type: isUnsigned ? unsigned : signed,
  copy: asIs,
});

/**
 * The type for a COLUMN_TYPE of information_schema, such as `decimal(12,2) unsigned`. tinyint(1) is not read as boolean: MySQL has no
 * boolean type, and the column may hold 2.
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
      // 0x2B3030 is the offset +00: the time zone of the session is UTC.
      return { type: 'timestamptz', copy: column => calendarDate(column, '0x2B3030') };
    case 'time':
      // A TIME of MySQL goes from -838 to 838 hours.
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
      // Geometries, vectors, and types that future servers add.
      return { type: 'other', copy: asIs };
  }
}
