import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { DataSource } from 'typeorm';
import { createGraphTables, graphTables } from '../src/database/graph-tables.js';
import { GiveGraphsTablesOfTheirOwn1700000000005 } from '../src/database/migrations/0005-give-graphs-tables-of-their-own.js';
import { migrations } from '../src/database/migrations/migrations.js';
import { prepareDatabase } from '../src/database/prepare-database.js';
import { emptyDatabase, type TestDatabase } from './support/database.js';

const before = migrations.slice(0, migrations.indexOf(GiveGraphsTablesOfTheirOwn1700000000005));

/** A database as it was before this migration. */
async function oldDatabase(): Promise<TestDatabase & { client: pg.Client; close: () => Promise<void> }> {
  const database = await emptyDatabase();
  await migrate(database.url, before, source => source.runMigrations({ transaction: 'each' }));
  const client = new pg.Client(database.url);
  await client.connect();
  await client.query("INSERT INTO users (username, password_hash) VALUES ('u', '')");
  const close = async (): Promise<void> => {
    await client.end();
    await database.drop();
  };
  return { ...database, client, close };
}

async function migrate(url: string, some: typeof migrations, work: (source: DataSource) => Promise<unknown>): Promise<void> {
  const source = await new DataSource({ type: 'postgres', url, migrations: some, migrationsTransactionMode: 'each' }).initialize();
  try {
    await work(source);
  } finally {
    await source.destroy();
  }
}

async function addGraph(client: pg.Client, nodes: number): Promise<number> {
  const { rows } = await client.query<{ id: number }>("INSERT INTO graphs (name, owner_id) VALUES ('g', 1) RETURNING id");
  const id = rows[0]!.id;
  for (const table of ['nodes', 'edges']) {
    await client.query(`CREATE TABLE ${table}_${id} (LIKE ${table} INCLUDING ALL); ALTER TABLE ${table} ATTACH PARTITION ${table}_${id} FOR VALUES IN (${id})`);
  } // prettier-ignore
  if (nodes === 0) return id;
  await client.query(
    `INSERT INTO nodes (graph_id, label, key, display, properties, run_id)
     SELECT $1, 'N', i::text, 'node ' || i, jsonb_build_object('n', i), 1 FROM generate_series(1, $2::int) i`,
    [id, nodes],
  );
  await client.query(
    `INSERT INTO edges (graph_id, type, source_id, target_id, key, properties, run_id)
     SELECT graph_id, 'T', id, id, key, properties, 2 FROM nodes WHERE graph_id = $1`,
    [id],
  );
  return id;
}

const nodeColumns = 'id, label, key, display, properties, run_id';
const edgeColumns = 'id, type, source_id, target_id, key, properties, run_id';

async function oldRows(client: pg.Client, id: number): Promise<unknown[]> {
  const nodes = await client.query(`SELECT ${nodeColumns} FROM nodes WHERE graph_id = $1 ORDER BY id`, [id]);
  const edges = await client.query(`SELECT ${edgeColumns} FROM edges WHERE graph_id = $1 ORDER BY id`, [id]);
  return [nodes.rows, edges.rows];
}

async function newRows(client: pg.Client, id: number): Promise<unknown[]> {
  const { nodes, edges } = graphTables(id);
  const nodeRows = await client.query(`SELECT ${nodeColumns} FROM ${nodes} ORDER BY id`);
  const edgeRows = await client.query(`SELECT ${edgeColumns} FROM ${edges} ORDER BY id`);
  return [nodeRows.rows, edgeRows.rows];
}

async function tablesIn(client: pg.Client, schema: string): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT relname AS name FROM pg_class WHERE relnamespace = $1::regnamespace AND relkind IN ('r', 'p') AND relname ~ '^(nodes|edges)' ORDER BY oid`,
    [schema],
  );
  return rows.map(row => row.name);
}

async function isApplied(client: pg.Client): Promise<boolean> {
  const { rowCount } = await client.query('SELECT FROM migrations WHERE name = $1', [GiveGraphsTablesOfTheirOwn1700000000005.name]);
  return rowCount === 1;
}

describe('the migration to tables of their own', () => {
  it('moves the rows of every graph, drops the partitions of deleted ones, and is completed after a kill', async () => {
    const old = await oldDatabase();
    try {
      const { client } = old;
      const ids = [await addGraph(client, 300), await addGraph(client, 0), await addGraph(client, 20), await addGraph(client, 7)];
      const [first, , stopped] = ids as [number, number, number, number];
      const [orphan, half] = [await addGraph(client, 5), await addGraph(client, 5)];
      await client.query(`DELETE FROM graphs WHERE id = ANY ($1); `, [[orphan, half]]);
      await client.query(`DROP TABLE edges_${half}`);
      const expected: unknown[] = [];
      for (const id of ids) expected.push(await oldRows(client, id));

      // A reader of a partition makes the migration wait there. Then the process is killed.
      await client.query(`BEGIN; SELECT FROM edges_${stopped}`);
      const killed = prepareInProcess(old.url);
      for (const observer = await connected(old.url); ; await sleep(20)) {
        const { rowCount } = await observer.query("SELECT FROM pg_locks WHERE NOT granted AND relation = $1::regclass", [`edges_${stopped}`]);
        if (rowCount === 0) continue;
        await observer.end();
        break;
      } // prettier-ignore
      killed.kill('SIGKILL');
      await once(killed, 'exit');
      await client.query('COMMIT');
      await terminateOthers(client);
      expect(await tablesIn(client, 'graph_data')).toContain(`nodes_${first}`);
      expect(await tablesIn(client, 'public')).toContain(`nodes_${stopped}`);
      expect(await isApplied(client)).toBe(false);

      await prepareDatabase(old.url);
      expect(await isApplied(client)).toBe(true);
      for (const [index, id] of ids.entries()) expect(await newRows(client, id)).toEqual(expected[index]);
      expect(await tablesIn(client, 'public')).toEqual([]);
      expect(await tablesIn(client, 'graph_data')).toEqual(ids.flatMap(id => [`nodes_${id}`, `edges_${id}`]));
      // New rows continue the ids, and keys are unique as before.
      const { nodes } = graphTables(first);
      const insert = `INSERT INTO ${nodes} (label, key, display, run_id) VALUES ('N', $1, '', 1) RETURNING id`;
      const { rows } = await client.query<{ id: string }>(insert, ['new']);
      const ofAll = ids.map(id => graphTables(id).nodes).map(name => `SELECT id FROM ${name}`).join(' UNION ALL ');
      expect((await client.query(`SELECT max(id) AS id FROM (${ofAll}) n`)).rows[0]).toEqual({ id: rows[0]?.id });
      await expect(client.query(insert, ['1'])).rejects.toMatchObject({ code: '23505' });
    } finally {
      await old.close();
    }
  }); // prettier-ignore

  it('makes the same tables as a new graph gets, and can be undone', async () => {
    const old = await oldDatabase();
    try {
      const { client } = old;
      const id = await addGraph(client, 12);
      const expected = await oldRows(client, id);
      const some = migrations.slice(0, before.length + 1);
      await migrate(old.url, some, source => source.runMigrations({ transaction: 'each' }));
      await migrate(old.url, some, source => source.undoLastMigration({ transaction: 'each' }));
      expect(await oldRows(client, id)).toEqual(expected);
      expect(await tablesIn(client, 'public')).toEqual(['nodes', 'edges', `nodes_${id}`, `edges_${id}`]);
      await migrate(old.url, some, source => source.runMigrations({ transaction: 'each' }));
      expect(await newRows(client, id)).toEqual(expected);

      await migrate(old.url, migrations, source => source.runMigrations({ transaction: 'each' }));
      await client.query(createGraphTables(id + 1));
      expect(await definitionOf(client, id)).toEqual(await definitionOf(client, id + 1));
    } finally {
      await old.close();
    }
  });
});

/** Columns, keys and indexes of a graph's tables, without its id. */
async function definitionOf(client: pg.Client, id: number): Promise<unknown> {
  const names = [`nodes_${id}`, `edges_${id}`];
  const nameless = (text: string): string => text.replaceAll(`_${id}`, '');
  const columns = await client.query(
    `SELECT table_name, column_name, data_type, is_nullable, column_default FROM information_schema.columns
     WHERE table_schema = 'graph_data' AND table_name = ANY ($1) ORDER BY table_name, ordinal_position`,
    [names],
  );
  const indexes = await client.query(
    `SELECT indexdef FROM pg_indexes WHERE schemaname = 'graph_data' AND tablename = ANY ($1) ORDER BY indexdef`,
    [names],
  );
  return JSON.parse(nameless(JSON.stringify([columns.rows, indexes.rows])));
}

function prepareInProcess(url: string): ReturnType<typeof spawn> {
  const module = pathToFileURL(path.resolve(__dirname, '..', 'dist', 'src', 'database', 'prepare-database.js')).href;
  const script = `import { prepareDatabase } from '${module}'; await prepareDatabase(process.argv[1]);`;
  return spawn(process.execPath, ['--input-type=module', '--eval', script, url], { stdio: ['ignore', 'ignore', 'inherit'] });
}

async function connected(url: string): Promise<pg.Client> {
  const client = new pg.Client(url);
  await client.connect();
  return client;
}

/** Ends all other sessions. A session that waits for a lock may still exist after its client was killed. */
async function terminateOthers(client: pg.Client): Promise<void> {
  await client.query('SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()');
} // prettier-ignore
