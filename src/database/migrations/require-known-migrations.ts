import type pg from 'pg';
import { version } from '../../config/version.js';
import { migrations } from './migrations.js';

/** The database has migrations of a newer release, which this release does not know. */
export class DatabaseIsNewerError extends Error {
  constructor(unknown: readonly string[]) {
    super(
      `该数据库已由更新的版本升级（本版本 ${version} 不认识迁移 ${unknown.join('、')}），未作任何改动；请使用该新版本，或把升级前的备份恢复到一个空数据库 / ` +
        `A newer release has upgraded this database (release ${version} does not know its migrations ${unknown.join(', ')}); nothing was changed: ` +
        'use that newer release, or restore a backup from before the upgrade into an empty database',
    );
  }
}

/** The names of the migrations that were run on the database, oldest first. Empty for a database without the service's tables. */
export async function listAppliedMigrations(client: pg.ClientBase): Promise<string[]> {
  const { rows: found } = await client.query<{ is: boolean }>(`SELECT to_regclass('public.migrations') IS NOT NULL AS is`);
  if (!found[0]!.is) return [];
  const { rows } = await client.query<{ name: string }>('SELECT name FROM public.migrations ORDER BY id');
  return rows.map(({ name }) => name);
}

/** @throws DatabaseIsNewerError */
export async function requireKnownMigrations(client: pg.ClientBase): Promise<void> {
  const known = new Set(migrations.map(({ name }) => name));
  const unknown = (await listAppliedMigrations(client)).filter(name => !known.has(name));
  if (unknown.length > 0) throw new DatabaseIsNewerError(unknown);
}
