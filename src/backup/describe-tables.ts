import type pg from 'pg';
import { quoteTable } from '../sql/quote-identifier.js';
import { knownDefaults, type Manifest, recordTables, type TableDescription } from './manifest.js';

/** A table with its OID in the database from which it is read. */
export interface FoundTable extends TableDescription {
  oid: number;
}

/**
 * SQL that is true for columns of a built-in type. Another server has no other types unless somebody creates them there first, so a backup
 * stores values of other types as text. COPY can write a value of any type as text.
 */
const isBuiltIn = `(SELECT typnamespace = 'pg_catalog'::regnamespace FROM pg_type WHERE oid = a.atttypid)`;

const ours = `n.nspname IN ('mirror', 'graph_data') OR n.nspname = 'public' AND c.relname = ANY ($1)`;

export interface ListedTable {
  oid: number;
  schema: string;
  name: string;
  isReadable: boolean;
}

/** Lists the tables of the service with their names only, which is much faster than `describeTables`. */
export async function listTables(client: pg.ClientBase): Promise<ListedTable[]> {
  const { rows } = await client.query<ListedTable>(
    `SELECT c.oid::int8::float8 AS oid, n.nspname AS schema, c.relname AS name,
       has_table_privilege(c.oid, 'SELECT') IS NOT FALSE AS "isReadable"
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r' AND (${ours}) ORDER BY c.oid`,
    [recordTables],
  );
  return rows;
}

/**
 * Lists the tables of the service in the order in which a backup has their rows. `search_path` must be empty, so that types are named in
 * full.
 */
export async function describeTables(client: pg.ClientBase): Promise<FoundTable[]> {
  const { rows } = await client.query<FoundTable>(
    `SELECT c.oid::int8::float8 AS oid, n.nspname AS schema, c.relname AS name, obj_description(c.oid, 'pg_class') AS comment,
       ARRAY(SELECT jsonb_build_object(
               'name', a.attname, 'not_null', a.attnotnull,
               'type', CASE WHEN ${isBuiltIn} THEN format_type(a.atttypid, a.atttypmod) ELSE 'text' END,
               'default', CASE WHEN n.nspname = 'graph_data' AND pg_get_expr(d.adbin, d.adrelid) = ANY ($2) THEN pg_get_expr(d.adbin, d.adrelid) END,
               'comment', col_description(c.oid, a.attnum))
             FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
               AND (n.nspname <> 'public' OR a.attgenerated = '') ORDER BY a.attnum) AS columns,
       ARRAY(SELECT jsonb_build_object('primary', i.indisprimary, 'unique', i.indisunique, 'columns',
               (SELECT jsonb_agg(a.attname ORDER BY k.place) FROM unnest(i.indkey) WITH ORDINALITY k (attnum, place)
                JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.attnum WHERE k.place <= i.indnkeyatts))
             FROM pg_index i JOIN pg_class ic ON ic.oid = i.indexrelid JOIN pg_am m ON m.oid = ic.relam
             WHERE i.indrelid = c.oid AND n.nspname <> 'public' AND m.amname = 'btree' AND i.indexprs IS NULL AND i.indpred IS NULL
             ORDER BY i.indexrelid) AS indexes
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relkind = 'r' AND (${ours}) ORDER BY n.nspname <> 'public', n.nspname, c.relname`,
    [recordTables, knownDefaults],
  );
  const { rows: references } = await client.query<{ table: number; needs: number }>(
    `SELECT conrelid::int8::float8 AS "table", confrelid::int8::float8 AS needs FROM pg_constraint
     WHERE contype = 'f' AND conrelid <> confrelid AND connamespace = 'public'::regnamespace`,
  );
  // A table without columns holds no data, so it is left out.
  return inOrderOfReferences(
    rows.filter(({ columns }) => columns.length > 0),
    references,
  );
}

/** Names everything that a backup leaves out: objects of the mirror that are not plain tables, and user-defined types of columns. */
export async function listLeftOut(client: pg.ClientBase): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT format('mirror.%I', c.relname) AS name FROM pg_class c
     WHERE c.relnamespace = 'mirror'::regnamespace AND c.relkind IN ('v', 'm', 'p', 'f')
     UNION ALL
     SELECT format('type %s of mirror.%I.%I', format_type(a.atttypid, a.atttypmod), c.relname, a.attname)
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid
     WHERE c.relnamespace = 'mirror'::regnamespace AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped AND NOT ${isBuiltIn}
     ORDER BY 1`,
  );
  return rows.map(({ name }) => name);
}

/**
 * Reads the next value of each sequence of the service. A snapshot does not cover sequences: call this function after the snapshot was
 * taken.
 */
export async function readSequences(client: pg.ClientBase): Promise<Manifest['sequences']> {
  const { rows } = await client.query<{ schema: string; name: string; step: string }>(
    `SELECT n.nspname AS schema, c.relname AS name, s.seqincrement AS step
     FROM pg_sequence s JOIN pg_class c ON c.oid = s.seqrelid JOIN pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_depend d ON d.objid = c.oid AND d.deptype IN ('a', 'i') LEFT JOIN pg_class t ON t.oid = d.refobjid
     WHERE n.nspname = 'graph_data' OR n.nspname = 'public' AND t.relname = ANY ($1) ORDER BY 1, 2`,
    [recordTables],
  );
  const sequences: Manifest['sequences'] = [];
  for (const { schema, name, step } of rows) {
    const { rows: state } = await client.query<{ next: string }>(
      `SELECT CASE WHEN is_called THEN last_value + $1::bigint ELSE last_value END AS next FROM ${quoteTable(schema, name)}`,
      [step],
    );
    sequences.push({ schema, name, next: state[0]!.next });
  }
  return sequences;
}

function inOrderOfReferences(tables: FoundTable[], references: { table: number; needs: number }[]): FoundTable[] {
  const ordered = new Set<FoundTable>();
  const byOid = new Map(tables.map(table => [table.oid, table]));
  const place = (table: FoundTable, below: readonly FoundTable[] = []): void => {
    if (ordered.has(table) || below.includes(table)) return;
    for (const reference of references.filter(each => each.table === table.oid)) {
      const needed = byOid.get(reference.needs);
      if (needed) place(needed, [...below, table]);
    }
    ordered.add(table);
  };
  for (const table of tables) place(table);
  return [...ordered];
}
