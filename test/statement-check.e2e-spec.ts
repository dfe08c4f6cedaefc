import { spawnSync } from 'node:child_process';
import path from 'node:path';
import pg, { type PoolClient } from 'pg';
import { CappedQuery } from '../src/warehouse/clients/postgres/capped-query.js';
import { loadSqlParser } from '../src/sql-guard/sql-parser.js';
import { asSuperuser, type ClonedDatabase, cloneDatabase } from './support/database.js';
import { checkStatements, notesStatements, refusedAtWire, refusedIn } from './support/statement-check.js';

checkStatements();

describe('the check of statements at the wire', () => {
  let database: ClonedDatabase;
  let client: pg.Client;

  beforeAll(async () => {
    await loadSqlParser();
    database = await cloneDatabase();
    await asSuperuser(database.url, 'CREATE TABLE mirror.orders (id bigint, amount numeric, at timestamptz)');
    client = new pg.Client(database.url);
    await client.connect();
  });
  afterAll(async () => {
    await client?.end();
    await database?.drop();
  });

  it.each([
    ['SELECT 1; SELECT 2', '2 statements'],
    ['SELECT sum(amount) FROM mirror.orders WHERE (\npg_sleep(1) IS NULL\n)', 'pg_sleep()'],
    ['SELECT sum(amount) FROM mirror.orders WHERE (\nid IN (SELECT oid FROM pg_catalog.pg_class)\n)', 'FROM pg_catalog.pg_class'],
    ['SELECT 1 FROM mirror.orders, public.users', 'FROM public.users'],
    ['SELECT 1 FROM mirror.orders, graph_data.nodes_1', 'FROM graph_data.nodes_1'],
    ["SELECT 1 FROM mirror.orders WHERE 'mirror.orders'::regclass IS NULL", '::regclass'],
    ['SELECT 1 FROM mirror.orders WHERE ctid IS NULL', 'ctid'],
    ['SELECT 1 FROM mirror.orders WHERE current_user IS NULL', 'SVFOP_CURRENT_USER'],
    ['SELECT 1 FROM mirror.orders WHERE id OPERATOR(public.=) 1', 'public.='],
    ["SELECT 1 FROM dblink('dbname=x', 'DELETE FROM y') AS t (a int)", 'dblink()'],
    ['WITH d AS (DELETE FROM mirror.orders RETURNING id) SELECT * FROM d', 'DeleteStmt'],
    ['SELECT * INTO evil FROM mirror.orders', 'intoClause'],
    ['SELECT * FROM mirror.orders FOR UPDATE', 'lockingClause'],
    ['WITH RECURSIVE r AS (SELECT 1) SELECT * FROM r', 'recursive'],
    ['EXPLAIN (ANALYZE) SELECT 1', 'EXPLAIN analyze'],
    ['INSERT INTO mirror.orders (id) SELECT 1', 'INSERT INTO mirror'],
    ['INSERT INTO pg_temp.s (id) SELECT 1 RETURNING id', 'INSERT returningClause'],
    ["COPY mirror.orders TO '/tmp/x'", 'CopyStmt'],
    ['DROP TABLE mirror.orders', 'DropStmt'],
    ['DECLARE result NO SCROLL CURSOR WITH HOLD FOR SELECT pg_sleep(1)', 'pg_sleep()'],
    ['DECLARE result NO SCROLL CURSOR FOR SELECT 1 FROM public.users', 'FROM public.users'],
    ['DECLARE result NO SCROLL CURSOR FOR SELECT 1 FROM mirror.orders FOR UPDATE', 'lockingClause'],
    ['DECLARE other NO SCROLL CURSOR FOR SELECT 1', 'DECLARE'],
    ['DECLARE result BINARY CURSOR FOR SELECT 1', 'DECLARE'],
    ['FETCH 1 FROM other', 'FETCH'],
    ['MOVE 1 FROM result', 'FETCH'],
  ])('refuses %s', (sql, named) => {
    expect(refusedIn(sql)).toContain(named);
  });

  it('sees what was sent, also as it is pasted past the guard', async () => {
    const clause = "id = 1 OR pg_catalog.set_config('x.y', 'z', true) IS NULL";
    await CappedQuery.run(client as unknown as PoolClient, `SELECT sum(amount) FROM mirror.orders WHERE (${clause})`, [], 1);
    expect(await refusedAtWire()).toEqual([expect.stringContaining('set_config()')]);
    await CappedQuery.run(client as unknown as PoolClient, 'SELECT sum(amount) FROM mirror.orders WHERE (id = $1::bigint)', [1], 1);
    expect(await refusedAtWire()).toEqual([]);
  });

  it('sees what another process sends that a test starts', async () => {
    const send = `import pg from 'pg'; const client = new pg.Client(process.argv[1]); await client.connect();
      for (const text of process.argv.slice(2)) await client.query({ text, queryMode: 'extended' }); await client.end();`;
    const statements = ['SELECT sum(amount) FROM mirror.orders', "SELECT 1 FROM mirror.orders WHERE pg_notify('a', 'b') IS NULL"];
    const { status, stderr } = spawnSync(
      process.execPath,
      [...notesStatements, '--input-type=module', '--eval', send, database.url, ...statements],
      { cwd: path.resolve(__dirname, '..'), encoding: 'utf8' },
    );
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(await refusedAtWire()).toEqual([expect.stringContaining('pg_notify()')]);
    expect(await refusedAtWire()).toEqual([]);
  });
});
