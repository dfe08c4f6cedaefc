import { type PoolClient } from 'pg';
import { mapInTurns } from '../../../common/turns/pace.js';
import { mostValues, tooManyValues } from '../most-values.js';
import { requireFewColumns } from '../require-few-columns.js';
import { type QueryResult, type TableColumn, type TableDescription, type TableSummary } from '../warehouse.client.js';
import { type TableNames } from './table-names.js';
import { shortTypeName } from './wire-types.js';

/** Runs a statement on the catalogue. @returns its rows as objects by column name */
export type CatalogRead = (sql: string, parameters: unknown[]) => Promise<Record<string, unknown>[]>;

/** Reads the catalogue on a connection or a pool of the service's own database. */
export function readOn(client: Pick<PoolClient, 'query'>): CatalogRead {
  return async (sql, parameters) => (await client.query<Record<string, unknown>>(sql, parameters)).rows;
}

/** The most rows of an answer of the catalogue: more than a page of tables needs, and few enough to hold in memory. */
export const mostCatalogRows = 100_000;

/** The rows of a result as objects by column name. @throws WarehouseQueryError */
export async function recordsOf({ columns, rows }: Pick<QueryResult, 'columns' | 'rows'>): Promise<Record<string, unknown>[]> {
  if (rows.length * columns.length > mostValues) throw tooManyValues();
  return mapInTurns(rows, row => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));
}

/** The most tables that `listNames` returns. */
const mostNames = 100_000;

/**
 * SQL condition for the relations of the schemas $1 that the user may read: tables, partitioned tables, foreign tables, views and
 * materialised views.
 */
const isReadable = `n.nspname = ANY ($1::text[]) AND c.relkind IN ('r', 'p', 'f', 'v', 'm')
  AND has_schema_privilege(n.oid, 'USAGE') AND has_any_column_privilege(c.oid, 'SELECT')`;

/**
 * SQL join that finds the base type of a column: for a domain (also a domain on a domain) the type below it, with its length. `elem` is the
 * type of an array's elements, or NULL.
 */
const baseType = `
  LATERAL (
    WITH RECURSIVE base (id, modifier) AS (
      SELECT a.atttypid, a.atttypmod
      UNION ALL
      SELECT t.typbasetype, greatest(base.modifier, t.typtypmod) FROM base JOIN pg_type t ON t.oid = base.id WHERE t.typtype = 'd')
    SELECT t.*, base.modifier FROM base JOIN pg_type t ON t.oid = base.id WHERE t.typtype <> 'd') t
  LEFT JOIN pg_type elem ON elem.oid = t.typelem AND t.typcategory = 'A'`;

/**
 * SQL for the type with which another PostgreSQL server can parse the texts of a column. Built-in types stay the same, except for types
 * whose texts depend on their own server (such as OIDs) or on its language (money). Enums and citext are read as text.
 */
const readableType = `
  CASE WHEN t.typtype = 'e' OR t.typname = 'citext' THEN 'text'
    WHEN elem.typtype = 'e' OR elem.typname = 'citext' THEN 'text[]'
    WHEN t.typnamespace = 'pg_catalog'::regnamespace AND t.typtype IN ('b', 'r', 'm')
      AND (elem.oid IS NULL OR elem.typnamespace = 'pg_catalog'::regnamespace AND elem.typtype IN ('b', 'r', 'm'))
      AND coalesce(elem.typname, t.typname) !~ '^(reg.*|money|aclitem|pg_(node_tree|ndistinct|dependencies|mcv_list|brin_.*))$'
    THEN format_type(t.oid, t.modifier) ELSE 'other' END`;

/** SQL for the column names of the first `count` column numbers in an array of the catalogue, in the array's order. */
const columnNames = (table: string, numbers: string, count = `cardinality(${numbers})`): string => `
  ARRAY(SELECT k.attname::text FROM unnest(${numbers}) WITH ORDINALITY AS u (attnum, position)
        JOIN pg_attribute k ON k.attrelid = ${table} AND k.attnum = u.attnum WHERE u.position <= ${count} ORDER BY u.position)`;

/** The tables of some schemas of a PostgreSQL server, read from its catalogue. */
export class PostgresCatalog {
  private readonly name: string;

  constructor(
    private readonly read: CatalogRead,
    private readonly names: TableNames,
  ) {
    this.name = names.sql('n.nspname', 'c.relname', '$1::text[]');
  }

  async listNames(): Promise<string[]> {
    const rows = await this.read(
      `SELECT ${this.name} AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE ${isReadable} ORDER BY ${this.name} COLLATE "C" LIMIT ${mostNames}`,
      [this.names.schemas],
    );
    return rows.map(row => row.name as string);
  }

  async list(after: string, limit: number): Promise<TableSummary[]> {
    const order = `${this.name} COLLATE "C"`;
    const rows = await this.read(`${this.summary} AND ${order} > $2 ORDER BY ${order} LIMIT $3`, [this.names.schemas, after, limit]);
    return rows.map(toSummary);
  }

  async find(name: string): Promise<TableSummary | null> {
    const { schema, table } = this.names.place(name);
    if (isNoName(table)) return null;
    const rows = await this.read(`${this.summary} AND n.nspname = $2 AND c.relname = $3`, [this.names.schemas, schema, table]);
    return rows[0] ? toSummary(rows[0]) : null;
  }

  /** Describes a table; null if there is none. The statement takes no lock on the table, so it never waits for one. */
  async describe(name: string): Promise<TableDescription | null> {
    const { schema, table } = this.names.place(name);
    if (isNoName(table)) return null;
    const rows = await this.read(
      `SELECT (SELECT coalesce(jsonb_agg(jsonb_build_object(
                 'name', a.attname, 'type', ${readableType}, 'nativeType', format_type(a.atttypid, a.atttypmod),
                 'nullable', NOT a.attnotnull, 'comment', col_description(c.oid, a.attnum),
                 'denied', NOT has_column_privilege(c.oid, a.attnum, 'SELECT')) ORDER BY a.attnum), '[]')
               FROM pg_attribute a, ${baseType}
               WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
              (SELECT coalesce(jsonb_agg(jsonb_build_object('primary', i.indisprimary,
                 'columns', ${columnNames('c.oid', 'i.indkey::int[]', 'i.indnkeyatts')}) ORDER BY i.indisprimary DESC, i.indexrelid), '[]')
               FROM pg_index i
               WHERE i.indrelid = c.oid AND i.indisunique AND i.indpred IS NULL AND i.indexprs IS NULL) AS keys,
              (SELECT coalesce(jsonb_agg(jsonb_build_object('columns', ${columnNames('c.oid', 'f.conkey::int[]')},
                 'table', ${this.names.sql('rn.nspname', 'r.relname', '$1::text[]')},
                 'references', ${columnNames('r.oid', 'f.confkey::int[]')}) ORDER BY f.conname), '[]')
               FROM pg_constraint f JOIN pg_class r ON r.oid = f.confrelid JOIN pg_namespace rn ON rn.oid = r.relnamespace
               WHERE f.conrelid = c.oid AND f.contype = 'f') AS "foreignKeys"
       FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
       WHERE ${isReadable} AND n.nspname = $2 AND c.relname = $3`,
      [this.names.schemas, schema, table],
    );
    const [found] = rows as unknown as (Omit<TableDescription, 'columns'> & { columns: DescribedColumn[] })[];
    if (!found) return null;
    requireFewColumns(found.columns);
    return { ...found, columns: found.columns.map(toColumn) };
  }

  /** SQL for the summary of a table. The number of rows is that of the last ANALYZE. Reading the size waits for a lock on the table. */
  private get summary(): string {
    return `
      SELECT ${this.name} AS name, greatest(c.reltuples, 0)::bigint AS "rowEstimate", pg_total_relation_size(c.oid) AS bytes,
        (SELECT count(*)::int FROM pg_attribute WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped) AS "columnCount",
        obj_description(c.oid, 'pg_class') AS comment
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE ${isReadable}`;
  }
}

/** Whether a text is never the name of a table: it is empty, or contains a NUL, which a statement cannot contain. */
function isNoName(table: string): boolean {
  return table === '' || table.includes('\0');
}

/** Converts a row of the catalogue, in which bigint is text. */
function toSummary(row: Record<string, unknown>): TableSummary {
  return { ...(row as unknown as TableSummary), rowEstimate: Number(row.rowEstimate), bytes: Number(row.bytes) };
}

type DescribedColumn = Omit<TableColumn, 'denied'> & { denied: boolean };

function toColumn({ denied, ...column }: DescribedColumn): TableColumn {
  return denied ? { ...column, type: 'other', denied } : { ...column, type: shortTypeName(column.type) };
}
