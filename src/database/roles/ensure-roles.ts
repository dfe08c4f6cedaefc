import pg from 'pg';
import { type Logger } from 'pino';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { sever } from '../sever-connection.js';
import { type DatabaseAccess, loginOf, type Role, roles } from './database-access.js';
import { roleSettings } from './role-settings.js';
import { RolesMissingError, RoleTooPowerfulError } from './roles.errors.js';
import { scramVerifier } from './scram-verifier.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

/**
 * An SQL statement that still has to be run. If a statement that is not `needed` fails for lack of rights, the service starts anyway and
 * reports the statement.
 */
interface Step {
  sql: string;
  needed: boolean;
}

interface RoleState {
  name: string;
  powers: string[];
  settings: string[];
}

/** Functions that the roles here need. Most servers open them to everybody; the embedded server closes them: see prepare-server.ts. */
const neededFunctions: [name: string, role: Role][] = [
  ['pg_catalog.pg_advisory_xact_lock(bigint)', 'records'],
  ['pg_catalog.pg_try_advisory_xact_lock(bigint)', 'records'],
  ['pg_catalog.set_config(text, text, boolean)', 'records'],
  ['pg_catalog.pg_cancel_backend(integer)', 'records'],
  ['pg_catalog.jsonb_delete(jsonb, text[])', 'records'],
  ['pg_catalog.pg_cancel_backend(integer)', 'retrieval'],
  ['pg_catalog.pg_export_snapshot()', 'retrieval'],
];

/** Matches the answer of a server, or of a pooler in front of it, to an unknown login. */
const refusedLogin = /^(28|08P01)/;
const connectTimeoutMs = 5_000;

/**
 * Makes the missing roles of the service and the grants between them. If nothing is missing, no statement is run, so an owner who may not
 * create roles can start the service. `client` may be a superuser, an owner who may create roles, or an owner who may not. `owner` prepares
 * the database and is a member of `records`, whose tables migrations change.
 * @throws RolesMissingError with the SQL to run when `client` may not run it; RoleTooPowerfulError
 */
export async function ensureRoles(client: pg.ClientBase, owner: string, access: DatabaseAccess, log?: Logger): Promise<void> {
  const steps = await missingSteps(client, owner, access);
  const needed = steps.filter(step => step.needed);
  try {
    if (needed.length > 0) await client.query(`BEGIN; ${needed.map(({ sql }) => sql).join('; ')}; COMMIT`);
  } catch (cause) {
    await client.query('ROLLBACK');
    if (sqlstateOf(cause) !== sqlstates.insufficientPrivilege) throw cause;
    throw new RolesMissingError(owner, steps.map(({ sql }) => sql), cause); // prettier-ignore
  }
  for (const { sql } of steps.filter(step => !step.needed)) {
    await client.query(sql).catch((error: unknown) => {
      if (sqlstateOf(error) !== sqlstates.insufficientPrivilege) throw error;
    });
  }
  await dropFormerReader(client);
  const left = steps.length === 0 ? [] : await missingSteps(client, owner, access);
  // PostgreSQL only warns when a user grants a right without being allowed to, so the state is read again.
  if (left.some(step => step.needed)) throw new RolesMissingError(owner, left.map(({ sql }) => sql), undefined); // prettier-ignore
  if (left.length > 0) {
    log?.warn(
      { sql: left.map(({ sql }) => sql) },
      '数据库角色的部分限制须由管理员设置（见 sql） / An administrator must set some limits of the database roles (see sql)',
    );
  }
}

async function missingSteps(client: pg.ClientBase, owner: string, access: DatabaseAccess): Promise<Step[]> {
  const names = Object.fromEntries(roles.map(role => [role, access.nameOf(role)])) as Record<Role, string>;
  const states = await readStates(client, owner, names);
  const steps: Step[] = [];
  const add = (sql: string, needed = true): number => steps.push({ sql, needed });
  for (const role of roles) {
    const { name, password } = loginOf(access[role]);
    const secret = password === '' ? '' : ` PASSWORD '${scramVerifier(name, password)}'`;
    const state = states.get(name);
    if (state && state.powers.length > 0) throw new RoleTooPowerfulError(name, state.powers);
    if (!state) add(`CREATE ROLE ${quoteIdentifier(name)} LOGIN${secret}`);
    else if (!(await canLogIn(access[role]))) add(`ALTER ROLE ${quoteIdentifier(name)} LOGIN${secret}`);
  }
  const [known] = (
    await client.query<{ owns: boolean; stages: boolean; database: string; temporary: boolean; everybody: boolean; creates: boolean }>(
      `SELECT coalesce(pg_has_role($1, r.oid, 'USAGE') AND pg_has_role($1, r.oid, 'SET'), false) AS owns,
              coalesce(pg_has_role(r.oid, m.oid, 'SET'), false) AS stages,
              current_database() AS database,
              coalesce(has_database_privilege(r.oid, d.oid, 'TEMPORARY'), false) AS temporary,
              EXISTS (SELECT FROM aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) a
                      WHERE a.grantee = 0 AND a.privilege_type = 'TEMPORARY') AS everybody,
              EXISTS (SELECT FROM pg_namespace n, aclexplode(n.nspacl) a
                      WHERE n.nspname = 'public' AND a.grantee = 0 AND a.privilege_type = 'CREATE') AS creates
       FROM pg_database d LEFT JOIN pg_roles r ON r.rolname = $2 LEFT JOIN pg_roles m ON m.rolname = $3
       WHERE d.datname = current_database()`,
      [owner, names.records, names.mirror],
    )
  ).rows;
  const { owns, stages, database, temporary, everybody, creates } = known!;
  const quoted = (role: Role): string => quoteIdentifier(names[role]);
  if (!owns) add(`GRANT ${quoted('records')} TO ${quoteIdentifier(owner)} WITH INHERIT TRUE, SET TRUE`);
  // While a run writes to staging tables it has only the rights of the mirror's reader, see stage-target.ts.
  if (!stages) add(`GRANT ${quoted('mirror')} TO ${quoted('records')} WITH INHERIT FALSE, SET TRUE`);
  if (!temporary || everybody) add(`GRANT TEMPORARY ON DATABASE ${quoteIdentifier(database)} TO ${quoted('records')}`, !temporary);
  if (everybody) add(`REVOKE TEMPORARY ON DATABASE ${quoteIdentifier(database)} FROM PUBLIC`, false);
  if (creates) add('REVOKE CREATE ON SCHEMA public FROM PUBLIC', false);
  const { rows: closed } = await client.query<{ sql: string }>(
    `SELECT format('GRANT CONNECT ON DATABASE %I TO %I', current_database(), r.name) AS sql
     FROM unnest($1::text[]) r (name) LEFT JOIN pg_roles p ON p.rolname = r.name
     WHERE NOT coalesce(has_database_privilege(p.oid, current_database(), 'CONNECT'), has_database_privilege('public', current_database(), 'CONNECT'))
     UNION ALL
     SELECT format('GRANT EXECUTE ON FUNCTION %s TO %I', f.name, f.role)
     FROM unnest($2::text[], $3::text[]) f (name, role) LEFT JOIN pg_roles p ON p.rolname = f.role
     WHERE NOT coalesce(has_function_privilege(p.oid, f.name, 'EXECUTE'), has_function_privilege('public', f.name, 'EXECUTE'))`,
    [Object.values(names), neededFunctions.map(([name]) => name), neededFunctions.map(([, role]) => names[role])],
  );
  for (const { sql } of closed) add(sql);
  for (const role of roles) {
    for (const [setting, value] of Object.entries(roleSettings[role])) {
      const stored = `${setting}=${typeof value === 'string' ? value : value.join(', ')}`;
      if (states.get(names[role])?.settings.includes(stored)) continue;
      const written = typeof value === 'string' ? `'${value}'` : value.map(quoteIdentifier).join(', ');
      add(`ALTER ROLE ${quoted(role)} SET ${setting} = ${written}`, false);
    }
  }
  return steps;
}

/** Reads the existing roles, each with the powers it has that a role of the service must not have. */
async function readStates(client: pg.ClientBase, owner: string, names: Record<Role, string>): Promise<Map<string, RoleState>> {
  const { rows } = await client.query<RoleState>(
    `SELECT r.rolname::text AS name, coalesce(s.setconfig, '{}') AS settings,
            array_remove(ARRAY[
              CASE WHEN r.rolsuper THEN 'SUPERUSER' END, CASE WHEN r.rolcreaterole THEN 'CREATEROLE' END,
              CASE WHEN r.rolcreatedb THEN 'CREATEDB' END, CASE WHEN r.rolreplication THEN 'REPLICATION' END,
              CASE WHEN r.rolbypassrls THEN 'BYPASSRLS' END], NULL)
            || ARRAY(SELECT o.rolname::text FROM pg_roles o
                     WHERE (o.rolname = $1 OR o.rolname ~ '^pg_' OR (o.rolname = $2 AND r.rolname <> $2)) AND pg_has_role(r.oid, o.oid, 'MEMBER')
                       AND NOT r.rolsuper) AS powers
     FROM pg_roles r LEFT JOIN pg_db_role_setting s ON s.setrole = r.oid AND s.setdatabase = 0
     WHERE r.rolname = ANY ($3)`,
    [owner, names.records, Object.values(names)],
  );
  return new Map(rows.map(row => [row.name, row]));
}

/** Tries to log in with a URL. @throws the server's error when it is not about the login */
async function canLogIn(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: connectTimeoutMs });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.end();
    return true;
  } catch (error) {
    sever(client);
    const code = sqlstateOf(error);
    if (refusedLogin.test(code)) return false;
    // The server knows the login but does not let it into this database yet. Another statement grants that right.
    if (code === sqlstates.insufficientPrivilege) return true;
    throw error;
  }
}

/** Drops the role `graph_mirror_reader`. Releases up to 0.1 ran user SQL as this role, which all databases of a server shared. */
async function dropFormerReader(client: pg.ClientBase): Promise<void> {
  await client.query(`
    DO $$ BEGIN
      IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'graph_mirror_reader') AND pg_has_role('graph_mirror_reader', 'USAGE') THEN
        DROP OWNED BY graph_mirror_reader;
        BEGIN
          DROP ROLE graph_mirror_reader;
        EXCEPTION WHEN dependent_objects_still_exist OR insufficient_privilege THEN
          NULL; -- Another database of this server still has its earlier release.
        END;
      END IF;
    END $$`);
}
