import { to as copyTo } from 'pg-copy-streams';
import { graphTables } from '../../src/database/graph-tables.js';
import { quoteIdentifier } from '../../src/sql/quote-identifier.js';
import { type TestApp } from './app.js';
import { type ForeignPostgres } from './foreign-postgres.js';

/** Makes a connection to a foreign PostgreSQL and returns its id. */
export async function aForeignConnection({ admin }: TestApp, foreign: ForeignPostgres, name = 'far', options = {}): Promise<number> {
  const { body, status } = await admin.post('/api/warehouse/connections').send({ name, type: 'postgres', dsn: foreign.dsn(), options });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

/** Makes a schema in a foreign PostgreSQL, and a connection of the same name that sees only this schema. */
export async function aForeignSchema(app: TestApp, foreign: ForeignPostgres, name: string, sql: string): Promise<void> {
  await foreign.run(`CREATE SCHEMA ${name}; GRANT USAGE ON SCHEMA ${name} TO reader; SET search_path = ${name}; ${sql}; RESET search_path`);
  await aForeignConnection(app, foreign, name, { schema_allowlist: [name] });
}

/** Makes `slow`, a view of 3,000 rows. Reading takes the milliseconds in `pace` for each row. Some sixty rows fill a packet. */
export const slowRows = `
  CREATE TABLE pace (ms float); INSERT INTO pace VALUES (0);
  CREATE FUNCTION wait(n int) RETURNS text LANGUAGE sql VOLATILE SECURITY DEFINER
    AS $$ SELECT CASE WHEN ms > 0 AND n % 50 = 0 THEN pg_sleep(ms * 50 / 1000)::text ELSE '' END FROM public.pace $$;
  CREATE VIEW slow AS SELECT n AS id, repeat('行', 700) || public.wait(n) AS v FROM generate_series(1, 3000) n;`;

/** Copies a table of the mirror, with the same columns and rows, to a foreign server. */
export async function copyFromMirror({ pool }: TestApp, foreign: ForeignPostgres, table: string): Promise<void> {
  const { rows } = await pool.query<{ name: string; type: string }>(
    `SELECT attname AS name, format_type(atttypid, atttypmod) AS type FROM pg_attribute
     WHERE attrelid = $1::text::regclass AND attnum > 0 AND NOT attisdropped ORDER BY attnum`,
    [`mirror.${quoteIdentifier(table)}`],
  );
  const target = quoteIdentifier(table);
  const create = `CREATE TABLE ${target} (${rows.map(({ name, type }) => `${quoteIdentifier(name)} ${type}`).join(', ')})`;
  const client = await pool.connect();
  try {
    await foreign.load(create, target, client.query(copyTo(`COPY mirror.${target} TO STDOUT`)));
  } finally {
    client.release();
  }
}

/** All nodes and edges of a graph as a reader sees them, in a fixed order. */
export async function contentOf({ pool }: TestApp, graphId: number): Promise<{ nodes: unknown[]; edges: unknown[] }> {
  const { nodes, edges } = graphTables(graphId);
  const found = await pool.query({ text: `SELECT label, key, display, properties::text FROM ${nodes} ORDER BY 1, 2`, rowMode: 'array' });
  const between = await pool.query({
    text: `SELECT e.type, a.label, a.key, b.label, b.key, e.key, e.properties::text
           FROM ${edges} e JOIN ${nodes} a ON a.id = e.source_id JOIN ${nodes} b ON b.id = e.target_id ORDER BY 1, 2, 3, 4, 5, 6`,
    rowMode: 'array',
  });
  return { nodes: found.rows, edges: between.rows };
}
