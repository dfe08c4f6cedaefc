import pg from 'pg';
import { type EmbeddedPostgres } from '../embedded/embedded-postgres.js';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { DatabaseAccess, deriveUrl, loginOf } from './database-access.js';
import { ensureRoles } from './ensure-roles.js';
import { scramVerifier } from './scram-verifier.js';

/**
 * Functions that PostgreSQL opens to everybody and that only some roles of the service need. Large objects fill the disk without a table,
 * `set_config` could change the role, advisory locks hold up other processes, a log message fills the WAL, and the rest run SQL that they
 * get as a text.
 */
const closedNames =
  '^(lo_.*|lowrite|loread|set_config|pg_(try_)?advisory_.*|pg_logical_emit_message|pg_notify|pg_(cancel|terminate)_backend|' +
  'query_to_xml.*|(table|schema|database|cursor)_to_xml.*|ts_stat|ts_rewrite|pg_export_snapshot|pg_current_xact_id|txid_current)$';

/**
 * The function of `jsonb - text[]`, which compares each key with each of the list and cannot be interrupted. The guard of SQL cannot refuse
 * it, because the operator `-` of two columns does not show their types.
 */
const closedOperator = 'pg_catalog.jsonb_delete(jsonb, text[])';

/**
 * Does the preparations of the embedded server that need a superuser: the database, its owner, the roles, and the rights of PUBLIC. Nothing
 * else ever logs in as the superuser.
 * @returns URL of the database with its owner's login
 */
export async function prepareServer(server: Pick<EmbeddedPostgres, 'createDatabase'>, database: string): Promise<string> {
  const url = await server.createDatabase(database);
  const ownerUrl = deriveUrl(url, 'owner');
  const { name: owner, password } = loginOf(ownerUrl);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const login = `LOGIN PASSWORD '${scramVerifier(owner, password)}'`;
    const { rowCount } = await client.query('SELECT FROM pg_roles WHERE rolname = $1', [owner]);
    await client.query(`${rowCount === 0 ? 'CREATE' : 'ALTER'} ROLE ${quoteIdentifier(owner)} ${login}`);
    await client.query(`ALTER DATABASE ${quoteIdentifier(database)} OWNER TO ${quoteIdentifier(owner)}`);
    await handOver(client, owner);
    await closeToOthers(client, database, owner);
    await ensureRoles(client, owner, DatabaseAccess.of(ownerUrl));
  } finally {
    await client.end();
  }
  return ownerUrl;
}

/**
 * Gives the owner the tables that belonged to the superuser until release 0.1. Each table takes a statement of its own: one transaction
 * cannot lock thousands of tables.
 */
async function handOver(client: pg.Client, owner: string): Promise<void> {
  const { rows } = await client.query<{ sql: string }>(
    `SELECT format('ALTER SCHEMA %I OWNER TO %s', nspname, $1::regrole) AS sql FROM pg_namespace
     WHERE nspowner = current_user::regrole AND nspname !~ '^pg_' AND nspname <> 'information_schema'
     UNION ALL
     SELECT format('ALTER TABLE %s OWNER TO %s', c.oid::regclass, $1::regrole) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE c.relowner = current_user::regrole AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
       AND (c.relkind IN ('r', 'p', 'v')
         OR c.relkind = 'S' AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.objid = c.oid AND d.deptype IN ('a', 'i')))`,
    [quoteIdentifier(owner)],
  );
  for (const { sql } of rows) await client.query(sql);
}

/** Revokes the default rights of PUBLIC. The owner keeps its rights, and `ensureRoles` gives each role the rights for its work. */
async function closeToOthers(client: pg.Client, database: string, owner: string): Promise<void> {
  const { rows } = await client.query<{ functions: string | null }>(
    `SELECT string_agg(p.oid::regprocedure::text, ', ') AS functions FROM pg_proc p
     WHERE p.pronamespace = 'pg_catalog'::regnamespace AND (p.proname ~ $1 OR p.oid = $2::text::regprocedure)
       AND has_function_privilege('public', p.oid, 'EXECUTE')`,
    [closedNames, closedOperator],
  );
  const functions = rows[0]?.functions;
  const closing = [
    `REVOKE ALL ON DATABASE ${quoteIdentifier(database)} FROM PUBLIC`,
    'REVOKE ALL ON SCHEMA public FROM PUBLIC',
    `GRANT USAGE ON LANGUAGE plpgsql TO ${quoteIdentifier(owner)}`,
    'REVOKE USAGE ON LANGUAGE plpgsql FROM PUBLIC',
  ];
  if (functions) {
    closing.push(
      `GRANT EXECUTE ON FUNCTION ${functions} TO ${quoteIdentifier(owner)}`,
      `REVOKE EXECUTE ON FUNCTION ${functions} FROM PUBLIC`,
    );
  }
  await client.query(`BEGIN; ${closing.join('; ')}; COMMIT`);
}
