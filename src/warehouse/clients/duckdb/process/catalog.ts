import { open } from 'node:fs/promises';
import { quoteTable } from '../../../../sql/quote-identifier.js';
import { type TableColumn, type TableDescription, type TableSummary } from '../../warehouse.client.js';
import { joined } from '../../../../text/bilingual.js';
import { type TestAnswer, type Work } from '../protocol.js';
import { type UnreadableFile, unreadableFile } from '../unreadable-file.js';
import { quoteLiteral } from './quote-literal.js';
import { type TableFile } from './folder-tables.js';
import { type Source } from './source.js';
import { columnsOf, schema } from './table-columns.js';
import { UnreadableFileError } from './work-error.js';

const mostNamed = 10;
/** Bytes at the beginning of a text file from which its number of rows is estimated. */
const sampleBytes = 65_536;

export async function test(source: Source): Promise<TestAnswer> {
  await source.expose([]);
  const [version] = await read(source, 'SELECT version() AS version');
  const others = await read(
    source,
    `SELECT DISTINCT schema_name AS name FROM duckdb_tables()
     WHERE database_name = current_database() AND schema_name <> '${schema}' ORDER BY 1 LIMIT ${mostNamed}`,
  );
  const leftOut = source.folder?.leftOut ?? [];
  const unreadable = await source.unreadable();
  return {
    version: String(version?.version),
    leftOut: leftOut.slice(0, mostNamed),
    leftOutCount: leftOut.length,
    unreadable: unreadable.slice(0, mostNamed),
    unreadableCount: unreadable.length,
    otherSchemas: others.map(({ name }) => String(name)),
  };
}

export async function listNames(source: Source): Promise<string[]> {
  if (source.folder) return source.folder.tables.map(({ table }) => table);
  // DuckDB orders VARCHAR by bytes, the order in which `tablesOfFolder` sorts the tables of a folder.
  const rows = await read(source, `SELECT name FROM (${tablesOfDatabase}) ORDER BY name`);
  return rows.map(({ name }) => String(name));
}

/**
 * Lists at most `limit` tables whose names come after `after`, in the order of the names' bytes. The summary of a file that cannot be read
 * has no columns, and its comment gives the reason.
 */
export async function list(source: Source, { after, limit, unopened }: Work & { do: 'list' }): Promise<TableSummary[]> {
  if (source.folder) {
    const files = source.folder.tables.filter(({ table }) => Buffer.compare(Buffer.from(table), Buffer.from(after)) > 0).slice(0, limit);
    if (unopened) return files.map(({ table, file }) => summaryOfUnreadable(table, { file, reason: 'not_opened' }, 0));
    const failed = new Map<string, unknown>();
    await source.expose(
      files.map(({ table }) => table),
      { failed: (table, error) => failed.set(table, error), isGlance: true },
    );
    const summaries: TableSummary[] = [];
    for (const file of files) summaries.push(await summaryOfFile(source, file, failed.get(file.table)));
    return summaries;
  }
  const rows = await read(source, `FROM (${tablesOfDatabase}) WHERE name > $1 ORDER BY name LIMIT $2`, [after, limit]);
  return Promise.all(rows.map(row => summaryOfTable(source, row)));
}

export async function find(source: Source, table: string): Promise<TableSummary | null> {
  if (source.folder) {
    const file = source.fileOf(table);
    if (!file) return null;
    await source.expose([table], { isGlance: true });
    return summaryOfFile(source, file, undefined);
  }
  const [row] = await read(source, `FROM (${tablesOfDatabase}) WHERE name = $1`, [table]);
  return row ? summaryOfTable(source, row) : null;
}

/** Describes a table, and leaves the source open, so that the table can be read afterwards. Null if the table does not exist. */
export async function describe(source: Source, table: string): Promise<TableDescription | null> {
  if (!(await exposeTable(source, table))) return null;
  const columns = await columnsOf(source.connection, table);
  const facts = await read(
    source,
    `SELECT column_name AS name, is_nullable AS nullable, comment FROM duckdb_columns()
     WHERE database_name = current_database() AND schema_name = '${schema}' AND table_name = $1`,
    [table],
  );
  const constraints = await read(
    source,
    `SELECT constraint_type AS type, to_json(constraint_column_names)::VARCHAR AS columns, referenced_table AS refers,
       to_json(referenced_column_names)::VARCHAR AS referred
     FROM duckdb_constraints()
     WHERE database_name = current_database() AND schema_name = '${schema}' AND table_name = $1 AND constraint_type IN ('PRIMARY KEY', 'UNIQUE', 'FOREIGN KEY')
     ORDER BY constraint_type, constraint_index`,
    [table],
  );
  const factsOf = new Map(facts.map(fact => [fact.name, fact]));
  const namesIn = (text: unknown): string[] => JSON.parse(String(text)) as string[];
  return {
    columns: columns.map((column): TableColumn => {
      const fact = factsOf.get(column.name);
      const type = column.text?.type ?? 'other';
      return {
        name: column.name,
        type,
        nativeType: column.nativeType,
        nullable: fact?.nullable !== false,
        comment: (fact?.comment ?? null) as string | null,
      };
    }),
    keys: constraints
      .filter(({ type }) => type !== 'FOREIGN KEY')
      .map(key => ({ primary: key.type === 'PRIMARY KEY', columns: namesIn(key.columns) })),
    foreignKeys: constraints
      .filter(({ type }) => type === 'FOREIGN KEY')
      .map(key => ({ columns: namesIn(key.columns), table: String(key.refers), references: namesIn(key.referred) })),
  };
}

/** Opens a table for reading. @returns false if no table has exactly this name */
export async function exposeTable(source: Source, table: string): Promise<boolean> {
  if (source.folder && !source.fileOf(table)) return false;
  await source.expose([table]);
  if (source.folder) return true;
  return (await read(source, `FROM (${tablesOfDatabase}) WHERE name = $1`, [table])).length > 0;
}

const tablesOfDatabase = `
  SELECT table_name AS name, estimated_size AS rows, column_count AS columns, comment, true AS stored FROM duckdb_tables()
  WHERE database_name = current_database() AND schema_name = '${schema}' AND NOT internal
  UNION ALL
  SELECT view_name, 0, column_count, comment, false FROM duckdb_views()
  WHERE database_name = current_database() AND schema_name = '${schema}' AND NOT internal`;

async function summaryOfTable(source: Source, row: Record<string, unknown>): Promise<TableSummary> {
  const name = String(row.name);
  return {
    name,
    rowEstimate: Number(row.rows),
    bytes: row.stored ? await bytesOfTable(source, name) : 0,
    columnCount: Number(row.columns),
    comment: row.comment as string | null,
  };
}

async function bytesOfTable(source: Source, table: string): Promise<number> {
  const [row] = await read(
    source,
    `SELECT (SELECT count(DISTINCT block_id) FROM pragma_storage_info(${quoteLiteral(quoteTable(schema, table))}) WHERE block_id >= 0)
       * (SELECT block_size FROM pragma_database_size() WHERE database_name = current_database()) AS bytes`,
  );
  return Number(row?.bytes ?? 0);
}

async function summaryOfFile(source: Source, file: TableFile, failure: unknown): Promise<TableSummary> {
  const { table } = file;
  const { path, bytes } = source.exposed(table) ?? { path: '', bytes: 0 };
  if (failure === undefined) {
    try {
      const columnCount = (await columnsOf(source.connection, table)).length;
      return { name: table, rowEstimate: await rowsOfFile(source, file, path, bytes), bytes, columnCount, comment: null };
    } catch (error) {
      failure = error;
    }
  }
  const known = failure instanceof UnreadableFileError ? failure.more.unreadable : undefined;
  return summaryOfUnreadable(table, known ?? { file: file.file, reason: 'damaged' }, bytes);
}

function summaryOfUnreadable(name: string, unreadable: UnreadableFile, bytes: number): TableSummary {
  return { name, rowEstimate: 0, bytes, columnCount: 0, comment: joined(unreadableFile(unreadable)) };
}

/**
 * The number of rows of a file. A Parquet file states it, the rows of a plain text file are estimated, and a compressed text file counts as
 * 0 rows.
 */
async function rowsOfFile(source: Source, { format }: TableFile, path: string, bytes: number): Promise<number> {
  if (format === 'parquet') {
    const [row] = await read(source, `SELECT sum(num_rows) AS rows FROM parquet_file_metadata(${quoteLiteral(path)})`);
    return Number(row?.rows ?? 0);
  }
  if (path.endsWith('.gz')) return 0;
  const file = await open(path);
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(sampleBytes), 0, sampleBytes, 0);
    const lines = buffer.subarray(0, bytesRead).reduce((count, byte) => (byte === 10 ? count + 1 : count), 0);
    return lines === 0 ? 0 : Math.round((bytes * lines) / bytesRead);
  } finally {
    await file.close();
  }
}

async function read(source: Source, sql: string, values: (string | number)[] = []): Promise<Record<string, unknown>[]> {
  return (await source.connection.runAndReadAll(sql, values)).getRowObjects();
}
