import { type DuckDBConnection } from '@duckdb/node-api';
import { quoteIdentifier } from '../../../../sql/quote-identifier.js';
import { quoteLiteral } from './quote-literal.js';
import { isMarkedList } from './file-bytes.js';
import { fits, rowsOf } from './fits-type.js';
import { roundedKeys } from './rounded-keys.js';
import { type TableFile } from './folder-tables.js';
import { unreadablePlace, UnreadableFileError } from './work-error.js';

/** Texts are never read as times, because DuckDB would cut times to microseconds. */
const detection = `dateformat = '%Y-%m-%d', timestampformat = 'none', hive_partitioning = false`;

/** DuckDB gives this name to the only column of a file whose values are not objects, or whose objects have hardly a key in common. */
const whole = 'json';

/** Types whose values DuckDB reads from JSON without a change. */
const exact: ReadonlySet<string> = new Set(['BIGINT', 'HUGEINT', 'BOOLEAN', 'VARCHAR', 'BIGINT[]', 'BOOLEAN[]', 'VARCHAR[]', 'JSON']);
/** Types that DuckDB guesses, each with the type that replaces it if the guessed type would change a value of the column. */
const guessed: ReadonlyMap<string, string> = new Map([
  ['DATE', 'VARCHAR'],
  ['TIME', 'VARCHAR'],
  ['UUID', 'VARCHAR'],
  ['DOUBLE', 'VARCHAR'],
  ['DOUBLE[]', 'JSON'],
]);
/** List types that are read as lists of texts. */
const asTexts: ReadonlySet<string> = new Set(['DATE[]', 'TIME[]', 'UUID[]']);

interface Column {
  name: string;
  type: string;
}

/**
 * Builds the SQL that reads a JSON file without changing a value. It has a column for each key that any object has. The whole file is read
 * to find the keys and their types. Objects, and lists of values of several kinds, become JSON, so that their numbers stay as written.
 * @throws DuckDB's error about a line, UnreadableFileError
 */
export async function jsonReader(connection: DuckDBConnection, path: string, { file }: TableFile): Promise<string> {
  const place = await placeOf(path);
  const described = await describe(connection, place);
  await refuseAlike(connection, place, described, file);
  const isRecords = described.length > 1 || described[0]?.name !== whole || (await hasRecords(connection, place, file));
  const from = (types: ReadonlyMap<string, string>): string => readJson(place, isRecords, types);
  const [texts, checked] = [new Map<string, string>(), described.filter(({ type }) => guessed.has(type))];
  for (const { name, type } of checked) texts.set(name, type.endsWith('[]') ? 'VARCHAR[]' : 'VARCHAR');
  const kept = new Set<string>();
  if (checked.length > 0) {
    const checks = checked.map(({ name, type }, at) => `${fits(quoteIdentifier(name), type)} AS c${at}`);
    const [found] = await rowsOf(connection, `SELECT ${checks.join(', ')} FROM ${from(texts)}`);
    checked.forEach(({ name }, at) => found?.[`c${at}`] === true && kept.add(name));
  }
  const types = new Map(
    described.map(({ name, type }) => [name, exact.has(type) || kept.has(name) ? type : (guessed.get(type) ?? otherwise(type))]),
  );
  const rounded = await findRounded(connection, place);
  const selected = [...types.keys()].map(name => {
    const record = isRecords ? rounded.get(name) : [...rounded.values()][0];
    const column = quoteIdentifier(name);
    if (record === undefined) return column;
    return `CASE WHEN ${column} IS NULL THEN ${column} ELSE ${unreadablePlace({ file, reason: 'digits', record, column: name })} END AS ${column}`;
  });
  return `SELECT ${selected.join(', ')} FROM ${from(types)}`;
}

/** Builds SQL that reads a JSON file. It finds the number of columns from the beginning of the file. */
export async function jsonBeginning(path: string): Promise<string> {
  return `SELECT * FROM read_json(${await placeOf(path)}, ${detection})`;
}

/** The first arguments of `read_json`: the file, and its format if DuckDB's detection misreads it. */
async function placeOf(path: string): Promise<string> {
  return `${quoteLiteral(path)}${(await isMarkedList(path)) ? ", format = 'array'" : ''}`;
}

async function describe(connection: DuckDBConnection, place: string): Promise<Column[]> {
  const rows = await rowsOf(connection, `DESCRIBE SELECT * FROM read_json(${place}, sample_size = -1, ${detection})`);
  return rows.map(row => ({ name: String(row.column_name), type: String(row.column_type) }));
}

/**
 * Refuses a file with keys that differ only in case. DuckDB renames the second one, such as `ID` to `ID_1`, and no object has a value under
 * the new name.
 * @throws UnreadableFileError
 */
async function refuseAlike(connection: DuckDBConnection, place: string, columns: readonly Column[], file: string): Promise<void> {
  const names = new Set(columns.map(({ name }) => name.toLowerCase()));
  for (const { name } of columns.filter(each => names.has(each.name.replace(/_\d+$/, '').toLowerCase()) && /_\d+$/.test(each.name))) {
    const holders = `SELECT 1 FROM read_json_objects(${place}) WHERE list_contains(json_keys(json), ${quoteLiteral(name)}) LIMIT 1`;
    if ((await rowsOf(connection, holders)).length === 0)
      throw new UnreadableFileError({ file, reason: 'alike', column: name.replace(/_\d+$/, '') });
  }
}

/**
 * For a file with the single column `json`: whether `json` is a real key, the only one of the file's objects. If not, DuckDB returns each
 * whole value under this name, even if some of the objects have a key `json` beside others.
 * @throws UnreadableFileError for a file that has objects and other values
 */
async function hasRecords(connection: DuckDBConnection, place: string, file: string): Promise<boolean> {
  const [found] = await rowsOf(
    connection,
    `SELECT min(n) FILTER (type = 'OBJECT') AS object, min(n) FILTER (type <> 'OBJECT') AS other, bool_or(list_contains(keys, '${whole}')) AND bool_and(list_has_all(['${whole}'], keys)) AS named
     FROM (SELECT row_number() OVER () AS n, json_type(json) AS type, json_keys(json) AS keys FROM read_json_objects(${place}))`,
  );
  const [object, other] = [found?.object, found?.other].map(at => (at == null ? null : Number(at)));
  if (object != null && other != null) throw new UnreadableFileError({ file, reason: 'mixed', record: Math.max(object, other) });
  return found?.named === true;
}

function otherwise(type: string): string {
  return asTexts.has(type) ? 'VARCHAR[]' : 'JSON';
}

function readJson(place: string, isRecords: boolean, types: ReadonlyMap<string, string>): string {
  const columns = [...types].map(([name, type]) => `${quoteLiteral(name)}: ${quoteLiteral(type)}`).join(', ');
  return `read_json(${place}, columns = {${columns}}, records = ${isRecords}, ${detection})`;
}

/** The keys whose decimals a double would round, each with the first record that has such a decimal, counted from 1. */
async function findRounded(connection: DuckDBConnection, place: string): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  const result = await connection.stream(
    `SELECT n, json::VARCHAR FROM (SELECT row_number() OVER () AS n, json FROM read_json_objects(${place}))
     WHERE regexp_matches(json, '[0-9.]{16}')`,
  );
  for (let chunk = await result.fetchChunk(); chunk !== null && chunk.rowCount > 0; chunk = await result.fetchChunk())
    for (const [record, object] of chunk.getRows() as [bigint, string][])
      for (const key of roundedKeys(object)) if (!found.has(key)) found.set(key, Number(record));
  return found;
}
