import { requireFewColumns } from '../require-few-columns.js';
import { type TableColumn, type TableDescription, type TableKey, type ForeignKey, type TableSummary } from '../warehouse.client.js';
import { mysqlTypeOf } from './mysql-types.js';

/** Runs a statement on information_schema. @returns its rows as lists of values */
export type CatalogRead = (sql: string, parameters: unknown[]) => Promise<unknown[][]>;

/** The most tables that `listNames` returns. */
const mostNames = 100_000;

const readable = `TABLE_SCHEMA = ? AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED', 'VIEW')`;

/** SQL for the bytes of a table name. In the collation of information_schema, A and a would be equal. */
const nameBytes = 'CAST(TABLE_NAME AS BINARY)';
/**
 * SQL condition for the table of a given name. The first comparison lets the server look the table up directly; the second compares
 * exactly.
 */
const isNamed = `TABLE_NAME = ? AND ${nameBytes} = CAST(? AS BINARY)`;

type ColumnRow = [name: string, type: string, nullable: string, comment: string, collation: string | null];
type KeyRow = [key: string, column: string];
type ForeignKeyRow = [key: string, column: string, table: string, references: string];
type SummaryRow = [name: string, type: string, rows: string | null, bytes: string | null, comment: string];

/** The tables and views of one database, read from information_schema. */
export class MysqlCatalog {
  constructor(
    private readonly read: CatalogRead,
    private readonly database: string,
  ) {}

  async listNames(): Promise<string[]> {
    const sql = `SELECT TABLE_NAME FROM information_schema.TABLES WHERE ${readable} ORDER BY ${nameBytes} LIMIT ${mostNames}`;
    return (await this.read(sql, [this.database])).map(([name]) => name as string);
  }

  list(after: string, limit: number): Promise<TableSummary[]> {
    return this.summaries(`${nameBytes} > CAST(? AS BINARY) ORDER BY ${nameBytes} LIMIT ${limit}`, [after]);
  }

  async find(table: string): Promise<TableSummary | null> {
    return (await this.summaries(isNamed, [table, table]))[0] ?? null;
  }

  async describe(table: string): Promise<TableDescription | null> {
    const named = [this.database, table, table];
    const columns = (await this.read(
      `SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLUMN_COMMENT, COLLATION_NAME FROM information_schema.COLUMNS
       WHERE TABLE_SCHEMA = ? AND ${isNamed} ORDER BY ORDINAL_POSITION`,
      named,
    )) as ColumnRow[];
    if (columns.length === 0) return null;
    requireFewColumns(columns);
    const keys = (await this.read(
      `SELECT INDEX_NAME, COLUMN_NAME FROM information_schema.STATISTICS
       WHERE TABLE_SCHEMA = ? AND ${isNamed} AND NON_UNIQUE = 0 ORDER BY INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX`,
      named,
    )) as KeyRow[];
    const foreignKeys = (await this.read(
      `SELECT CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE
       WHERE TABLE_SCHEMA = ? AND ${isNamed} AND REFERENCED_TABLE_SCHEMA = TABLE_SCHEMA ORDER BY CONSTRAINT_NAME, ORDINAL_POSITION`,
      named,
    )) as ForeignKeyRow[];
    return { columns: columns.map(toColumn), keys: toKeys(keys), foreignKeys: toForeignKeys(foreignKeys) };
  }

  /**
   * Whether a transaction sees all tables as of one moment. This needs InnoDB, because other engines keep no old versions of rows. If a
   * view reads tables of other databases, those tables are not checked.
   */
  async hasSnapshots(): Promise<boolean> {
    const sql = `SELECT 1 FROM information_schema.TABLES WHERE ${readable} AND (ENGINE IS NULL OR ENGINE <> 'InnoDB') LIMIT 1`;
    return (await this.read(sql, [this.database])).length === 0;
  }

  /**
   * Reads the summaries of tables. The columns are counted in a second statement, because MySQL would count the columns of all tables
   * before it limits the rows.
   */
  private async summaries(condition: string, parameters: unknown[]): Promise<TableSummary[]> {
    const rows = (await this.read(
      `SELECT TABLE_NAME, TABLE_TYPE, TABLE_ROWS, DATA_LENGTH + INDEX_LENGTH, TABLE_COMMENT FROM information_schema.TABLES
       WHERE ${readable} AND ${condition}`,
      [this.database, ...parameters],
    )) as SummaryRow[];
    if (rows.length === 0) return [];
    const counts = await this.read(
      `SELECT TABLE_NAME, COUNT(*) FROM information_schema.COLUMNS
       WHERE TABLE_SCHEMA = ? AND TABLE_NAME IN (${rows.map(() => '?').join(', ')}) GROUP BY ${nameBytes}, TABLE_NAME`,
      [this.database, ...rows.map(([name]) => name)],
    );
    const columnCounts = new Map(counts.map(([name, count]) => [name as string, Number(count)]));
    return rows.map(([name, type, rowEstimate, bytes, comment]) => ({
      name,
      rowEstimate: Number(rowEstimate ?? 0),
      bytes: Number(bytes ?? 0),
      columnCount: columnCounts.get(name) ?? 0,
      // MySQL gives every view the comment 'VIEW'.
      comment: comment === '' || (type === 'VIEW' && comment === 'VIEW') ? null : comment,
    }));
  }
}

function toColumn([name, nativeType, nullable, comment, collation]: ColumnRow): TableColumn {
  const { type } = mysqlTypeOf(nativeType);
  const isCollated = type === 'text' && collation != null && !/(_bin|(?<!_ai)_cs)$/.test(collation);
  return {
    name,
    type,
    nativeType,
    nullable: nullable === 'YES',
    comment: comment === '' ? null : comment,
    ...(isCollated && { collation }),
  };
}

function toKeys(rows: KeyRow[]): TableKey[] {
  return groups(rows).flatMap(columns => {
    const names = columns.map(([, column]) => column);
    // An index on an expression has null in place of a column name, so it is left out.
    return names.includes(null as unknown as string) ? [] : [{ primary: columns[0]![0] === 'PRIMARY', columns: names }];
  });
}

function toForeignKeys(rows: ForeignKeyRow[]): ForeignKey[] {
  return groups(rows).map(columns => ({
    columns: columns.map(([, column]) => column),
    table: columns[0]![2],
    references: columns.map(([, , , references]) => references),
  }));
}

/** Groups rows by their first value. */
function groups<Row extends [string, ...unknown[]]>(rows: Row[]): Row[][] {
  const found = new Map<string, Row[]>();
  for (const row of rows) {
    const group = found.get(row[0]);
    if (group) group.push(row);
    else found.set(row[0], [row]);
  }
  return [...found.values()];
}
