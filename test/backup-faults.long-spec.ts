import { spawnSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync, gzipSync } from 'node:zlib';
import pg from 'pg';
import { type Entry, readArchive, tarEnd, tarEntry } from '../src/backup/archive.js';
import { BackupDamagedError, BackupIsNewerError, TargetNotEmptyError } from '../src/backup/backup.errors.js';
import { BackupReader } from '../src/backup/backup-reader.js';
import { type Manifest, type Summary } from '../src/backup/manifest.js';
import { Progress } from '../src/backup/progress.js';
import { restoreBackup } from '../src/backup/restore-backup.js';
import { type BackupReport, writeBackup } from '../src/backup/write-backup.js';
import { migrations } from '../src/database/migrations/migrations.js';
import { prepareDatabase, runMigrations } from '../src/database/prepare-database.js';
import { ended, runBackupCommand, spawnBackupCommand } from './support/commands.js';
import { asSuperuser, emptyDatabase, type TestDatabase } from './support/database.js';
import { findEngine, PostgresEngine } from './support/postgres-engine.js';
import { tellMissing } from './support/shared-data.js';

const silent = new Progress(() => undefined);

const someRows = `
  INSERT INTO users (username, password_hash) VALUES ('张三', 'x'), (E'a\\\\b\\n\\t', 'y');
  INSERT INTO graphs (name, owner_id) SELECT 'g', id FROM users ORDER BY id LIMIT 1`;

const oddTable = `
  CREATE TABLE mirror."../""x"" 表; '" (
    "a ""b""" numeric(10,2) PRIMARY KEY, "数" text[] NOT NULL, at timestamp(3) with time zone, f float8, b bytea, j jsonb, UNIQUE ("数", at));
  CREATE INDEX ON mirror."../""x"" 表; '" (f);
  COMMENT ON TABLE mirror."../""x"" 表; '" IS E'it''s \\\\ 表';
  COMMENT ON COLUMN mirror."../""x"" 表; '"."数" IS 'a; b';
  INSERT INTO mirror."../""x"" 表; '"
    VALUES (1.50, '{a,"b c",NULL}', '2024-02-29 01:02:03.004+08', 0.1, '\\x00ff', '{"a": "\\\\N"}'), (2, '{}', NULL, 'NaN', NULL, NULL)`;

function holdsTheSame(bytes: Buffer, whole: Buffer): boolean {
  try {
    return bytes.length === whole.length && gunzipSync(bytes).equals(gunzipSync(whole));
  } catch {
    return false;
  }
}

describe('a backup', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'backup-faults-'));
  const file = path.join(folder, 'whole.tar.gz');
  const databases: TestDatabase[] = [];

  beforeAll(async () => {
    const { url } = await aDatabase();
    await prepareDatabase(url);
    await asSuperuser(url, `${someRows}; ${oddTable}`);
    await backUp(url, file);
  });
  afterAll(async () => {
    for (const database of databases) await database.drop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function aDatabase(): Promise<TestDatabase> {
    const database = await emptyDatabase();
    databases.push(database);
    return database;
  }

  const aFile = (): string => path.join(folder, `${randomBytes(6).toString('hex')}.tar.gz`);

  async function backUp(url: string, to: string): Promise<BackupReport> {
    const client = new pg.Client(url);
    await client.connect();
    return writeBackup(client, to, silent).finally(() => client.end());
  }

  async function restore(from: string, url: string): Promise<unknown> {
    return restoreBackup({ file: from, checked: await BackupReader.check(from), ownerUrl: url, progress: silent });
  }

  /** Expects an empty database after a broken or refused restore: no users, and no tables of graphs or the mirror. */
  async function expectNothing(url: string): Promise<void> {
    const { rows } = await asSuperuser(url, `SELECT to_regclass('public.users') IS NOT NULL AS is`);
    const left = rows[0].is ? (await asSuperuser(url, 'SELECT FROM users')).rowCount : 0;
    expect([left, (await asSuperuser(url, `SELECT FROM pg_tables WHERE schemaname IN ('mirror', 'graph_data')`)).rowCount]).toEqual([0, 0]);
  }

  /** Writes a changed copy of the backup, in which the checksum of the manifest is correct again. */
  async function edited(change: (manifest: Manifest, entries: Entry[], summary: Summary) => void): Promise<string> {
    const entries: Entry[] = [];
    for await (const entry of readArchive(file)) entries.push(entry);
    const parse = <T>(entry: Entry): T => JSON.parse(entry.body.toString()) as T;
    const [manifest, summary] = [parse<Manifest>(entries[0]!), parse<Summary>(entries.at(-1)!)];
    change(manifest, entries, summary);
    entries[0]!.body = Buffer.from(JSON.stringify(manifest));
    summary.manifest_sha256 = createHash('sha256').update(entries[0]!.body).digest('hex');
    entries.at(-1)!.body = Buffer.from(JSON.stringify(summary));
    const target = aFile();
    writeFileSync(target, gzipSync(Buffer.concat([...entries.flatMap(tarEntry), tarEnd])));
    return target;
  }

  it('keeps odd names, types, keys and texts, and is a tar archive', async () => {
    const { url } = await aDatabase();
    await restore(file, url);
    const again = aFile();
    await backUp(url, again);
    const [one, two] = [await BackupReader.check(file), await BackupReader.check(again)];
    expect(two.summary.tables).toEqual(one.summary.tables);
    expect(two.manifest.tables).toEqual(one.manifest.tables);
    expect((await asSuperuser(url, `INSERT INTO users (username, password_hash) VALUES ('new', 'x') RETURNING id`)).rows).toEqual([
      { id: 3 },
    ]);
    expect(spawnSync('tar', ['tzf', file], { encoding: 'utf8' }).stdout).toMatch(/^manifest\.json\ntables\/[\s\S]*\nsummary\.json\n$/);
  });

  it('is refused when it is cut off, changed anywhere, or something else', async () => {
    const whole = readFileSync(file);
    const broken: Buffer[] = [
      Buffer.from('hello'),
      gzipSync('hello'),
      gzipSync(Buffer.alloc(1024)),
      Buffer.concat([whole, Buffer.from('more')]),
    ];
    for (let part = 0; part < 40; part++) {
      const at = Math.floor((whole.length * part) / 40);
      const flipped = Buffer.from(whole);
      flipped[at + 10]! ^= 0x10;
      broken.push(whole.subarray(0, at), flipped);
    }
    for (const [index, bytes] of broken.entries()) {
      const target = aFile();
      writeFileSync(target, bytes);
      const outcome = await BackupReader.check(target).then(() => 'taken', (error: unknown) => error); // prettier-ignore
      // Some bits of the gzip header, such as those of its time, may change: they are not part of the content.
      if (outcome === 'taken' && holdsTheSame(bytes, whole)) continue;
      if (!(outcome instanceof BackupDamagedError)) throw new Error(`Backup ${index}: ${String(outcome)}`);
    }
    expect(broken.length).toBe(84);
  });

  it.each<[string, RegExp | typeof BackupIsNewerError, (manifest: Manifest, entries: Entry[], summary: Summary) => void]>([
    ['a type with a statement in it', /wrong table/, m => (m.tables.at(-1)!.columns[0]!.type = 'text); DROP TABLE users; --')],
    ['a default with one', /wrong table/, m => (m.tables.at(-1)!.columns[0]!.default = `(SELECT 'x')`)],
    ['a table of the system', /wrong table/, m => ((m.tables[0] as { schema: string }).schema = 'pg_catalog')],
    ['a sequence with a statement', /wrong sequence/, m => (m.sequences[0]!.next = '1; DROP TABLE users')],
    ['a table twice', /twice/, m => m.tables.push(m.tables[0]!)],
    ['a table less', /rows are missing or out of order|summary of other tables/, m => m.tables.pop()],
    ['migrations out of order', /out of order/, m => m.migrations.reverse()],
    ['null for everything', /no backup/, m => Object.keys(m).forEach(key => delete (m as unknown as Record<string, unknown>)[key])],
    ['a later format', BackupIsNewerError, m => (m.format = 2)],
    ['a later migration', BackupIsNewerError, m => m.migrations.push('FoldTime1800000000001')],
    ['other rows', /rows of table .* were changed/, (_m, entries) => (entries[1]!.body = Buffer.from('1\t2\n'))],
    ['a piece less', /missing|changed/, (_m, entries) => entries.splice(1, 1)],
  ])('is refused before any connection when somebody wrote into it %s', async (_title, expected, change) => {
    const outcome = await BackupReader.check(await edited(change)).catch((error: unknown) => error);
    if (expected instanceof RegExp) expect(String(outcome)).toMatch(expected);
    expect(outcome).toBeInstanceOf(expected instanceof RegExp ? BackupDamagedError : expected);
  });

  it.each<[string, (manifest: Manifest, entries: Entry[], summary: Summary) => void]>([
    ['a column by another name', m => (m.tables[0]!.columns[0]!.name = 'other')],
    ['another count of rows', (_m, _entries, summary) => (summary.tables.at(-1)!.rows += 1)],
    ['a key that its rows break', m => m.tables.at(-1)!.indexes.push({ primary: true, unique: true, columns: ['f'] })],
    ['a type that its rows are not of', m => (m.tables.at(-1)!.columns[1]!.type = 'integer')],
    ['a type that does not exist', m => (m.tables.at(-1)!.columns[1]!.type = 'public.nonsense')],
  ])('leaves nothing behind when it has %s', async (_title, change) => {
    const { url } = await aDatabase();
    await expect(restore(await edited(change), url)).rejects.toThrow();
    await expectNothing(url);
    await restore(file, url);
    await expect(restore(file, url)).rejects.toThrow(TargetNotEmptyError);
  });

  it('gets the later migrations if it is of an earlier release', async () => {
    const [earlier, later] = [await aDatabase(), await aDatabase()];
    await runMigrations(earlier.url, migrations.slice(0, 8));
    await asSuperuser(earlier.url, someRows);
    const old = aFile();
    await backUp(earlier.url, old);
    expect((await BackupReader.check(old)).manifest.migrations).toHaveLength(8);
    await restore(old, later.url);
    const { rows } = await asSuperuser(later.url, 'SELECT username, normal_name FROM users ORDER BY id LIMIT 1');
    expect(rows).toEqual([{ username: '张三', normal_name: null }]);
    expect((await asSuperuser(later.url, 'SELECT FROM migrations')).rowCount).toBe(migrations.length);
    const prepared = await aDatabase();
    await prepareDatabase(prepared.url);
    await expect(restore(old, prepared.url)).rejects.toThrow(TargetNotEmptyError);
  });

  it('holds generated columns, and values of types that no other server has as text', async () => {
    const [source, target] = [await aDatabase(), await aDatabase()];
    await prepareDatabase(source.url);
    await asSuperuser(
      source.url,
      `CREATE TYPE mirror.color AS ENUM ('red', 'blue');
       CREATE TABLE mirror.t (a int, twice int GENERATED ALWAYS AS (a * 2) STORED, "Color" mirror.color, "all" mirror.color[]);
       INSERT INTO mirror.t VALUES (1, DEFAULT, 'red', '{blue,red}'); CREATE VIEW mirror.v AS SELECT 1`,
    );
    const made = aFile();
    expect((await backUp(source.url, made)).leftOut).toEqual([
      'mirror.v',
      'type mirror.color of mirror.t."Color"',
      'type mirror.color[] of mirror.t."all"',
    ]);
    await restore(made, target.url);
    const { rows } = await asSuperuser(target.url, 'SELECT * FROM mirror.t');
    expect(rows).toEqual([{ a: 1, twice: 2, Color: 'red', all: '{blue,red}' }]);
  });

  it('is never written over another, not even over one that is made meanwhile', async () => {
    const { url } = await aDatabase();
    await prepareDatabase(url);
    await asSuperuser(url, 'CREATE TABLE mirror.big AS SELECT i, md5(i::text) FROM generate_series(1, 100000) i');
    const target = aFile();
    const [one, two] = [1, 2].map(() => spawnBackupCommand('backup', target, { DATABASE_URL: url })).map(ended);
    const outcomes = await Promise.all([one!, two!]);
    expect(outcomes.map(({ code }) => code).sort()).toEqual([0, 1]);
    expect(outcomes.find(({ code }) => code === 1)!.stderr).toMatch(/exists and is not overwritten/);
    await BackupReader.check(target);
    expect(readdirSync(folder).filter(name => name.endsWith('.part'))).toEqual([]);
  });

  it('names the tables that it may not read, and the right that it needs', async () => {
    const { url } = await aDatabase();
    await prepareDatabase(url);
    const role = `reader_${randomBytes(6).toString('hex')}`;
    await asSuperuser(
      url,
      `CREATE ROLE ${role}; GRANT USAGE ON SCHEMA public, mirror, graph_data TO ${role};
       GRANT SELECT ON ALL TABLES IN SCHEMA public, mirror, graph_data TO ${role}; CREATE TABLE mirror.t1 (id int)`,
    );
    const client = new pg.Client(url);
    await client.connect();
    try {
      await client.query(`SET ROLE ${role}`);
      const to = aFile();
      await expect(writeBackup(client, to, silent)).rejects.toThrow(
        `have their owner or an administrator run GRANT SELECT ON "mirror"."t1" TO "${role}", or drop them`,
      );
      expect(readdirSync(folder).filter(name => name.startsWith(path.basename(to)))).toEqual([]);
    } finally {
      await client.end();
      await asSuperuser(url, `DROP OWNED BY ${role}; DROP ROLE ${role}`);
    }
  });

  it('says that a server has too few locks for all tables', async () => {
    const engine = await PostgresEngine.start((await findEngine(18))!, { max_locks_per_transaction: '10', max_connections: '5' });
    try {
      const { ownerUrl } = await engine.createDatabase('service', 'CREATEROLE');
      await prepareDatabase(ownerUrl);
      for (let from = 1; from <= 2000; from += 25) {
        await asSuperuser(ownerUrl, `DO $$ BEGIN FOR n IN ${from}..${from + 24} LOOP EXECUTE 'CREATE TABLE mirror.t' || n || ' (a int)'; END LOOP; END $$`); // prettier-ignore
      }
      await expect(backUp(ownerUrl, aFile())).rejects.toThrow(/too few locks for 20\d\d tables.*max_locks_per_transaction/);
    } finally {
      await engine.remove();
    }
  });

  it('sees every table whole while tables are replaced all the time', async () => {
    const { url } = await aDatabase();
    await prepareDatabase(url);
    const replace = `BEGIN; DROP TABLE IF EXISTS mirror.t; CREATE TABLE mirror.t AS SELECT generate_series(1, 500) AS id; COMMIT`;
    await asSuperuser(url, replace);
    // With so many tables, describing them takes longer than the time between two replacements.
    const columns = Array.from({ length: 40 }, (_, index) => `c${index} int`).join(', ');
    await asSuperuser(
      url,
      `DO $$ BEGIN FOR n IN 1..300 LOOP EXECUTE 'CREATE TABLE mirror.other' || n || ' (${columns})'; END LOOP; END $$`,
    );
    const stop = new AbortController();
    const replacing = (async () => {
      for (; !stop.signal.aborted; await sleep(20)) await asSuperuser(url, replace);
    })();
    for (let round = 0; round < 5; round++) {
      const target = aFile();
      await backUp(url, target);
      const { manifest, summary } = await BackupReader.check(target);
      expect(summary.tables[manifest.tables.findIndex(({ name }) => name === 't')]!.rows).toBe(500);
    }
    stop.abort();
    await replacing;
  });

  it('leaves an empty database when the restore is killed, and then restores into it', async () => {
    const [source, target] = [await aDatabase(), await aDatabase()];
    await prepareDatabase(source.url);
    await asSuperuser(source.url, `${someRows}; CREATE TABLE mirror.big AS SELECT i, md5(i::text) FROM generate_series(1, 1000000) i`);
    const large = aFile();
    await backUp(source.url, large);
    const child = spawnBackupCommand('restore', large, { DATABASE_URL: target.url });
    const isLoading = async (): Promise<boolean> =>
      (await asSuperuser(source.url, `SELECT FROM pg_stat_activity WHERE query LIKE 'COPY "mirror"."big"%' AND state = 'active'`))
        .rowCount === 1;
    while (!(await isLoading())) await sleep(10);
    child.kill('SIGKILL');
    await ended(child);
    await expectNothing(target.url);
    expect(await runBackupCommand('restore', large, { DATABASE_URL: target.url })).toMatchObject({ code: 0 });
    expect((await asSuperuser(target.url, 'SELECT count(*)::int AS n FROM mirror.big')).rows).toEqual([{ n: 1_000_000 }]);
  });

  it('leaves no half of itself on a disk that is full', async () => {
    const small = path.join(folder, 'small');
    mkdirSync(small);
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', small]).status !== 0)
      return tellMissing('only root may mount a small disk');
    try {
      const { url } = await aDatabase();
      await prepareDatabase(url);
      await asSuperuser(url, 'CREATE TABLE mirror.big AS SELECT i, md5(i::text) FROM generate_series(1, 100000) i');
      const { code, stderr } = await runBackupCommand('backup', path.join(small, 'x.tar.gz'), { DATABASE_URL: url });
      expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/磁盘空间不足.*no space is left/) });
      expect(readdirSync(small)).toEqual([]);
    } finally {
      spawnSync('umount', [small]);
    }
  });
});
