import pg from 'pg';
import { DataSource } from 'typeorm';
import { migrations } from '../../src/database/migrations/migrations.js';
import { emptyDatabase } from './database.js';

export interface UndoneMigration {
  client: pg.Client;
  run: () => Promise<void>;
  undo: () => Promise<void>;
}

/** Gives the test a database as it was before a migration, which has been run there and undone. */
export async function withUndone(migration: (typeof migrations)[number], test: (given: UndoneMigration) => Promise<void>): Promise<void> {
  const database = await emptyDatabase();
  const upTo = migrations.slice(0, migrations.indexOf(migration) + 1);
  const source = new DataSource({ type: 'postgres', url: database.url, migrations: upTo });
  const client = new pg.Client(database.url);
  const run = async () => void (await source.runMigrations({ transaction: 'each' }));
  const undo = () => source.undoLastMigration({ transaction: 'each' });
  try {
    await source.initialize();
    await run();
    await undo();
    await client.connect();
    await test({ client, run, undo });
  } finally {
    await source.destroy();
    await client.end();
    await database.drop();
  }
}
