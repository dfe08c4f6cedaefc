import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { pino } from 'pino';
import { emptyDatabase } from '../../test/support/database.js';
import { mulberry32 } from '../../test/support/seeded.js';
import { migrations } from './migrations/migrations.js';
import { prepareDatabase } from './prepare-database.js';

const kills = 10;

const names = migrations.map(({ name }) => name);

describe('prepareDatabase', () => {
  it('runs each migration once when several instances start on one empty database', async () => {
    const database = await emptyDatabase();
    try {
      await Promise.all(Array.from({ length: 4 }, () => prepareDatabase(database.url, pino({ level: 'silent' }))));
      expect(await migrated(database.url)).toEqual(names);
    } finally {
      await database.drop();
    }
  });

  it('completes what a killed process has begun', async () => {
    const random = mulberry32(31);
    let fullMs = 0;
    const cutShort: boolean[] = [];
    // The first process runs to its end. Its duration is the longest time after which the others are killed.
    for (let killed = -1; killed < kills; killed++) {
      const database = await emptyDatabase();
      const ms = await runProcess(database.url, killed < 0 ? Infinity : ((killed + random()) / kills) * fullMs);
      fullMs ||= ms;
      const before = killed < 0 ? names : await migrated(database.url);
      await prepareDatabase(database.url, pino({ level: 'silent' }));
      expect(await migrated(database.url)).toEqual(names);
      cutShort.push(before.length < names.length);
      await database.drop();
    }
    expect(cutShort).toContain(true);
  });
});

/**
 * Runs the preparation in a separate process and kills the process after `livesMs`. Returns the milliseconds from the start of the
 * preparation to the end of the process.
 */
async function runProcess(url: string, livesMs: number): Promise<number> {
  const module = pathToFileURL(path.resolve(__dirname, '..', '..', 'dist', 'src', 'database', 'prepare-database.js')).href;
  const script = `import { prepareDatabase } from '${module}'; console.log('begun'); await prepareDatabase(process.argv[1]);`;
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script, url], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  await once(child.stdout, 'data');
  const begunAt = performance.now();
  if (livesMs < Infinity) setTimeout(() => child.kill('SIGKILL'), livesMs);
  await ended;
  return performance.now() - begunAt;
}

async function migrated(url: string): Promise<string[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<{ name: string }>('SELECT name FROM migrations ORDER BY id');
    return rows.map(({ name }) => name);
  } catch (error) {
    if ((error as { code?: string }).code === '42P01') return [];
    throw error;
  } finally {
    await client.end();
  }
}
