import { mapInTurns } from '../../../common/turns/pace.js';
import { requireFewColumns } from '../require-few-columns.js';
import { type TableDescription, type TableSummary } from '../warehouse.client.js';
import { isNullable } from './native-type.js';
import { readableTypeOf } from './readable-type.js';

/** Runs a statement on the system tables. @returns its rows as objects by column name */
export type CatalogRead = (sql: string, parameters: Record<string, unknown>) => Promise<Record<string, string | null>[]>;

/** The most tables that `listNames` gives. */
const mostNames = 100_000;

/**
 * SQL condition for tables that can be read. Tables of queues are left out, because their rows can be read only once, and so are the
 * `.inner` tables, which store the rows of materialised views.
 */
const isReadable = `database = {database:String} AND NOT is_temporary AND NOT startsWith(name, '.inner')
  AND engine NOT IN ('Kafka', 'RabbitMQ', 'NATS', 'FileLog', 'S3Queue', 'AzureQueue', 'PostgreSQLReplica')`;

/** SQL condition for columns that have stored values. EPHEMERAL columns exist only for inserts. */
const isStored = `default_kind <> 'EPHEMERAL'`;

/** The tables of one database of a ClickHouse server, read from its system tables, which show only tables that the user may see. */
export class ClickHouseCatalog {
  constructor(
    private readonly read: CatalogRead,
    private readonly database: string,
  ) {}

  async listNames(): Promise<string[]> {
    const rows = await this.run(`SELECT name FROM system.tables WHERE ${isReadable} ORDER BY name LIMIT ${mostNames}`);
    return rows.map(row => row.name!);
  }

  async list(after: string, limit: number): Promise<TableSummary[]> {
    const where = `${isReadable} AND name > {after:String} ORDER BY name LIMIT {limit:UInt32}`;
    return this.summaries(where, { after, limit });
  }

  async find(table: string): Promise<TableSummary | null> {
    const [found] = await this.summaries(`${isReadable} AND name = {table:String}`, { table });
    return found ?? null;
  }

  /**
   * Describes a table; null if there is none. The description has no keys: a primary key of ClickHouse only orders the rows, and several
   * rows may have the same key.
   */
  async describe(table: string): Promise<TableDescription | null> {
    const columns = await this.run(
      `SELECT name, type, comment FROM system.columns
       WHERE database = {database:String} AND table = {table:String} AND ${isStored}
         AND table IN (SELECT name FROM system.tables WHERE ${isReadable}) ORDER BY position`,
      { table },
    );
    if (columns.length === 0) return null;
    requireFewColumns(columns);
    return {
      columns: await mapInTurns(columns, ({ name, type, comment }) => ({
        name: name!,
        type: readableTypeOf(type!).type,
        nativeType: type!,
        nullable: isNullable(type!),
        comment: comment || null,
      })),
      keys: [],
      foreignKeys: [],
    };
  }

  private async summaries(where: string, parameters: Record<string, unknown>): Promise<TableSummary[]> {
    const rows = await this.run(
      `SELECT name, total_rows AS rows, total_bytes AS bytes, comment, columns.count AS columns
       FROM (SELECT name, total_rows, total_bytes, comment FROM system.tables WHERE ${where}) AS tables
       LEFT JOIN (SELECT table, count() AS count FROM system.columns WHERE database = {database:String} AND ${isStored} GROUP BY table) AS columns
         ON columns.table = tables.name
       ORDER BY name`,
      parameters,
    );
    return rows.map(({ name, rows: rowEstimate, bytes, columns, comment }) => ({
      name: name!,
      rowEstimate: Number(rowEstimate),
      bytes: Number(bytes),
      columnCount: Number(columns),
      comment: comment || null,
    }));
  }

  private run(sql: string, parameters: Record<string, unknown> = {}): Promise<Record<string, string | null>[]> {
    return this.read(sql, { ...parameters, database: this.database });
  }
}
