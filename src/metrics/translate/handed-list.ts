import { type SqlStatement } from '../../sql/sql-parameters.js';
import { type NodeFields } from '../../sql-guard/walk-tree.js';
import { TooLongListError } from '../metrics.errors.js';
import { type Node } from './constant-sql.js';
import { NotInDialectError } from './not-in-dialect.error.js';
import {
  booleanType,
  type ForeignDialect,
  integerType,
  type TargetDialect,
  type Typed,
  type ValueType,
  valueTypeOf,
} from './target-dialect.js';
import { type ListPart, type TargetParameters } from './target-parameters.js';

/** A list that PostgreSQL computes before a scan of another database. The scan joins with the list, or looks values up in it. */
export interface HandedList {
  /**
   * The columns of a list to join with. Empty for a list to look values up in: it has a single column, `key`, with the type of the values.
   */
  columns: readonly { name: string; type: string }[];
  /** A SELECT of the columns. Its parameters may be the rows of earlier scans. */
  statement: SqlStatement;
}

/** Lists by the names under which a scan reads them. */
export type HandedLists = ReadonlyMap<string, HandedList>;

export interface ListContext {
  lists: HandedLists;
  parameters: TargetParameters;
  dialect: TargetDialect;
}

const mostItems = 50_000;
const mostBytes = 1_000_000;

/** A list as a FROM item without an alias, to join with. */
export function readList({ columns, statement }: HandedList, { parameters, dialect }: ListContext): string {
  const typed = columns.map(({ name, type }) => ({ name, type: valueTypeOf(type) }));
  const texts = typed.map(({ name, type }) => textOf(`"${name}"`, type));
  const { quote } = dialect;
  const list = typed.map(({ name, type }, index) => `${dialect.fromText(quote(`c${index}`), type)} AS ${quote(name)}`);
  return `(SELECT ${list.join(', ')} FROM ${rowsOf(statement, texts, parameters, dialect)})`;
}

/** Translates `x IN (SELECT "key" FROM list)`. */
export function translateKeys({ testexpr, subselect }: NodeFields, translate: (node: unknown) => Typed, context: ListContext): Typed {
  const { lists, parameters, dialect } = context;
  const [from] = (subselect as { SelectStmt: { fromClause: Node[] } }).SelectStmt.fromClause;
  const list = lists.get(String(from?.RangeVar?.relname));
  if (!list) throw new Error('A scan looks values up in lists that it is handed');
  const value = translate(testexpr);
  const { sql, key, isPossible } = keyOf(value, dialect);
  const statement = { ...list.statement, sql: `SELECT * FROM (\n${list.statement.sql}\n) AS k\nWHERE ${isPossible}` };
  const lookedUp = (each: string): string => (value.kind === 'text' ? dialect.lookedUp(each) : each);
  const item = dialect.fromText(dialect.quote('c0'), value.kind === 'boolean' ? integerType('smallint') : value);
  const rows = rowsOf(statement, [key], parameters, dialect);
  return { ...booleanType, sql: `(${lookedUp(sql)} IN (SELECT ${lookedUp(item)} FROM ${rows}))` };
}

/**
 * How a value is looked up in a list of keys: `sql` is the value in the form in which it is compared, `key` PostgreSQL's SQL for the
 * text of a key. `isPossible` is PostgreSQL's condition that a value of this type can equal a key.
 */
function keyOf(value: Typed, dialect: TargetDialect): { sql: string; key: string; isPossible: string } {
  const isPossible = '"key" IS NOT NULL';
  const { kind, sql, whole, scale } = value;
  if (kind === 'boolean') return { sql: `(CASE WHEN ${sql} THEN 1 WHEN NOT ${sql} THEN 0 END)`, key: '"key"::int::text', isPossible };
  if (kind !== 'number') return { sql, key: textOf('"key"', value), isPossible };
  // A key with more digits than the type of the values equals none of them. Such a key is left out, because rounding it to that type could
  // make it equal to one.
  const rounded = `round("key", ${scale})`;
  return {
    sql: dialect.toDecimal(value),
    key: `${rounded}::text`,
    isPossible: `"key" = ${rounded} AND "key" > -1e${whole} AND "key" < 1e${whole}`,
  };
}

/** A FROM item with the texts of a list as columns `c0`, `c1` and so on. */
function rowsOf(list: SqlStatement, texts: readonly string[], parameters: TargetParameters, dialect: TargetDialect): string {
  const names = texts.map((_, index) => `c${index}`);
  const columns = texts.map((text, index) => `${text} AS "${names[index]}"`);
  const quoted = names.map(name => `"${name}"`).join(', ');
  const json = `COALESCE(jsonb_agg(jsonb_build_array(${quoted})), '[]')::text`;
  const sql = `SELECT ${json}, COUNT(*), COALESCE(SUM(num_nulls(${quoted})), 0)
FROM (SELECT ${columns.join(', ')} FROM (\n${list.sql}\n) AS l LIMIT ${mostItems + 1}) AS t`;
  const parts = parameters.list({ sql, parameters: list.parameters }, dialect.listParts);
  return `${dialect.rowsOfJson(parts, names)} AS ${dialect.quote('l')}`;
}

/**
 * PostgreSQL's SQL for the text of a column. NULL for a time that other databases lack: infinity, a year beyond 9999 and a year before
 * Christ.
 */
function textOf(column: string, { kind }: ValueType): string {
  if (kind !== 'date' && kind !== 'timestamp' && kind !== 'timestamptz') return `${column}::text`;
  const local = kind === 'timestamptz' ? `${column} AT TIME ZONE 'UTC'` : column;
  const text =
    kind === 'date' ? `to_char(${local}, 'YYYY-MM-DD')` : `replace(to_char(${local}, 'YYYY-MM-DD HH24:MI:SS.US'), '.000000', '')`;
  return `CASE WHEN ${local} >= '0001-01-01' AND ${local} < '10000-01-01' THEN ${text} END`;
}

/**
 * The JSON text of a list.
 * @param row text, number of items and number of NULLs of the list, as PostgreSQL computes them
 * @throws TooLongListError, NotInDialectError
 */
export function checkedList([text, count, nulls]: readonly unknown[], dialect: ForeignDialect): string {
  if (typeof text !== 'string') throw new Error('A list has a text');
  if (Number(count) > mostItems || Buffer.byteLength(text) > mostBytes) throw new TooLongListError(mostItems, mostBytes);
  if (Number(nulls) > 0) throw new NotInDialectError(dialect, 'a time without end, or no time');
  return text;
}

/** Part number `part` of a text that is cut into at most `parts` parts. No character is cut. */
export function partOf(text: string, { part, parts }: ListPart): string {
  const bytes = Buffer.from(text);
  const size = Math.ceil(mostBytes / parts);
  const endOf = (count: number): number => {
    let end = count === parts ? bytes.length : Math.min(bytes.length, count * size);
    while (end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
    return end;
  };
  return bytes.subarray(endOf(part), endOf(part + 1)).toString();
}
