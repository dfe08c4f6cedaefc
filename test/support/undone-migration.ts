import pg from 'pg';
import { DataSource } from 'typeorm';
import { createGraphTables } from '../../src/database/graph-tables.js';
import { migrations } from '../../src/database/migrations/migrations.js';
import { type TestDatabase, emptyDatabase } from './database.js';

type Migration = (typeof migrations)[number];

export interface UndoneMigration {
  client: pg.Client;
  /** Runs the migrations and returns the names of those that ran. */
  run: () => Promise<string[]>;
  undo: () => Promise<void>;
}

type Test = (given: UndoneMigration) => Promise<void>;

/** Calls the test with a database in which the migration and all before it have run, and the migration was undone. */
export async function withUndone(migration: Migration, test: Test): Promise<void> {
  const database = await emptyDatabase();
  try {
    await withMigrations(database, migrations.slice(0, migrations.indexOf(migration) + 1), async given => {
      await given.run();
      await given.undo();
      await test(given);
    });
  } finally {
    await database.drop();
  }
}

/** Calls the test with a database in which all migrations but this one have run, even later ones. */
export async function withLeftOut(migration: Migration, test: Test): Promise<void> {
  const database = await emptyDatabase();
  const others = migrations.filter(each => each !== migration);
  try {
    await withMigrations(database, others, ({ run }) => run().then(() => undefined));
    await withMigrations(database, migrations, test);
  } finally {
    await database.drop();
  }
}

/** Adds the graphs 1 and 2, and a graph without tables. */
export async function addGraphs(client: pg.Client): Promise<void> {
  await client.query(`INSERT INTO users (username, password_hash) VALUES ('u', '')`);
  await client.query(`INSERT INTO graphs (name, owner_id) SELECT g, id FROM users, unnest(ARRAY['a', 'b', 'without tables']) AS g`);
  for (const id of [1, 2]) await client.query(createGraphTables(id));
}

async function withMigrations({ url }: TestDatabase, all: readonly Migration[], test: Test): Promise<void> {
  const source = new DataSource({ type: 'postgres', url, migrations: [...all] });
  const client = new pg.Client(url);
  try {
    await source.initialize();
    await client.connect();
    await test({
      client,
      run: async () => (await source.runMigrations({ transaction: 'each' })).map(({ name }) => name),
      undo: () => source.undoLastMigration({ transaction: 'each' }),
    });
  } finally {
    if (source.isInitialized) await source.destroy();
    await client.end();
  }
}
