import type pg from 'pg';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { type DatabaseAccess, type Role } from './database-access.js';
import { ownedSchemas, tableRights } from './table-rights.js';

/**
 * Gives the roles their rights on the tables that the migrations have made. Rights are only added, so that processes of the previous
 * release, which may still run, keep their rights. `client` is the owner.
 */
export async function grantRights(client: pg.ClientBase, access: DatabaseAccess): Promise<void> {
  const name = (role: Role): string => quoteIdentifier(access.nameOf(role));
  const grants = [
    `GRANT USAGE ON SCHEMA public TO ${name('records')}, ${name('retrieval')}, ${name('mirror')}`,
    `GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${name('records')}`,
  ];
  for (const [table, rights] of Object.entries(tableRights)) {
    for (const [role, privileges] of Object.entries(rights)) {
      grants.push(`GRANT ${privileges} ON public.${quoteIdentifier(table)} TO ${name(role as Role)}`);
    }
  }
  await client.query(`BEGIN; ${grants.join('; ')}; COMMIT`);
  for (const [schema, reader] of Object.entries(ownedSchemas)) await shareSchema(client, schema, name('records'), name(reader));
}

/** Gives the schema's tables, existing and future, to `records`, and lets `reader` read them. Both names are quoted. */
async function shareSchema(client: pg.ClientBase, schema: string, records: string, reader: string): Promise<void> {
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema]);
  if (rowCount === 0) return;
  await client.query(`
    BEGIN;
    GRANT USAGE, CREATE ON SCHEMA ${schema} TO ${records};
    GRANT USAGE ON ALL SEQUENCES IN SCHEMA ${schema} TO ${records};
    GRANT USAGE ON SCHEMA ${schema} TO ${reader};
    ALTER DEFAULT PRIVILEGES FOR ROLE ${records} IN SCHEMA ${schema} GRANT SELECT ON TABLES TO ${reader};
    COMMIT`);
  // Each table takes a statement of its own: a transaction over thousands of tables would need more locks than the server has.
  const { rows } = await client.query<{ sql: string }>(
    `SELECT format('ALTER TABLE %s OWNER TO %s', c.oid::regclass, $2::regrole) AS sql FROM pg_class c
     WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') AND c.relowner <> $2::regrole AND pg_has_role(c.relowner, 'USAGE')
     UNION ALL
     SELECT format('GRANT SELECT ON %s TO %s', c.oid::regclass, $3::regrole) FROM pg_class c
     WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') AND NOT has_table_privilege($3::regrole, c.oid, 'SELECT')`,
    [schema, records, reader],
  );
  for (const { sql } of rows) await client.query(sql);
}
