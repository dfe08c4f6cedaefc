import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { BackupReader } from '../src/backup/backup-reader.js';
import { runBackupCommand, runDemo } from './support/commands.js';
import { findEngine, PostgresEngine } from './support/postgres-engine.js';
import { ServiceProcess } from './support/service-process.js';
import { tellMissing } from './support/shared-data.js';

const question = 'Which products does Alpine Dairy GmbH supply?';

/** Tests both commands on a service with users, keys, a mirror, a graph and a metric. */
describe('backup and restore', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'backup-'));
  chmodSync(folder, 0o755);
  const file = path.join(folder, 'backup.tar.gz');
  const fresh = path.join(folder, 'data');
  let service: ServiceProcess;
  let answer: unknown;

  beforeAll(async () => {
    service = await ServiceProcess.start();
    expect(await runDemo(service.url)).toMatchObject({ code: 0, stderr: '' });
    answer = await ask(service.url);
    const { code, stderr } = await runBackupCommand('backup', file, { DATA_DIR: service.dataDirectory });
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringMatching(/Backed up: \d+ 张表 \/ tables, \d+ 行 \/ rows/) });
    expect(stderr.trim().split('\n').at(-1)).toMatch(
      /备份不含加密密钥.*secret-encryption\.key.*The encryption key is not in the backup: .*secret-encryption\.key/,
    );
  });
  afterAll(async () => {
    await service.kill();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  it('write a file of a running service that only its owner may read, and never over another', async () => {
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const again = await runBackupCommand('backup', file, { DATA_DIR: service.dataDirectory });
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/文件已存在.*exists and is not overwritten/) });
  });

  it('refuse to restore beneath a running service, and over what it left', async () => {
    const beneath = await runBackupCommand('restore', file, { DATA_DIR: service.dataDirectory });
    expect(beneath).toMatchObject({ code: 1, stderr: expect.stringMatching(/Another instance is using the data directory/) });
    expect((await service.stop()).code).toBe(0);
    const over = await runBackupCommand('restore', file, { DATA_DIR: service.dataDirectory });
    expect(over).toMatchObject({ code: 1, stderr: expect.stringMatching(/目标数据库不为空.*not empty/) });
  });

  it('bring every row, key, comment and sequence into a new data directory, and its service gives the same answer', async () => {
    expect(await runBackupCommand('restore', file, { DATA_DIR: fresh })).toMatchObject({ code: 0 });
    const again = path.join(folder, 'again.tar.gz');
    expect(await runBackupCommand('backup', again, { DATA_DIR: fresh })).toMatchObject({ code: 0 });
    await expectSame(again);
    const restored = await ServiceProcess.start({ environment: { DATA_DIR: fresh } });
    try {
      expect(await ask(restored.url)).toEqual(answer);
      const { status, stderr } = { status: (await runDemo(restored.url)).code, stderr: restored.stderr };
      expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    } finally {
      await restored.stop();
      await restored.kill();
    }
  });

  it('refuse a data directory of another major of PostgreSQL, as the start does, and say how to move', async () => {
    const version = path.join(fresh, 'postgres', 'PG_VERSION');
    const own = readFileSync(version, 'utf8');
    writeFileSync(version, '17\n');
    const sentence =
      /由 PostgreSQL 17 创建.*was made by PostgreSQL 17, and this release brings PostgreSQL 18.*npm run backup.*npm run restore/;
    const other = await ServiceProcess.spawn({ environment: { DATA_DIR: fresh } });
    expect({ ...(await other.ended), stderr: other.stderr }).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) });
    await other.kill();
    const written = await runBackupCommand('backup', path.join(folder, 'other.tar.gz'), { DATA_DIR: fresh });
    expect(written).toMatchObject({ code: 1, stderr: expect.stringMatching(sentence) });
    writeFileSync(version, own);
  });

  it.each([16, 17, 18])('bring them to a PostgreSQL %i of an owner who may create roles', async major => {
    const bin = await findEngine(major);
    if (bin === null) return tellMissing(`PostgreSQL ${major} is not on this machine; npm run test:engines installs it`);
    const engine = await PostgresEngine.start(bin);
    try {
      const { ownerUrl } = await engine.createDatabase('service', 'CREATEROLE');
      expect(await runBackupCommand('restore', file, { DATABASE_URL: ownerUrl })).toMatchObject({ code: 0 });
      const again = path.join(folder, `from-${major}.tar.gz`);
      expect(await runBackupCommand('backup', again, { DATABASE_URL: ownerUrl })).toMatchObject({ code: 0 });
      await expectSame(again);
      const restored = await ServiceProcess.start({ environment: { DATABASE_URL: ownerUrl } });
      expect(await ask(restored.url)).toEqual(answer);
      const beneath = await runBackupCommand('restore', file, { DATABASE_URL: ownerUrl });
      expect(beneath).toMatchObject({ code: 1, stderr: expect.stringMatching(/stop all of its processes before a restore/) });
      await restored.stop();
      await restored.kill();
    } finally {
      await engine.remove();
    }
  });

  it.each([
    ['nowhere/x.tar.gz', /no such file or folder/, /no such file or folder/],
    [`${'长'.repeat(100)}.tar.gz`, /name is too long/, /name is too long/],
    ['data', /is not overwritten/, /is a folder/],
  ])('say what is wrong with the file %s', async (name, unwritable, unreadable) => {
    const target = path.join(folder, name);
    const written = await runBackupCommand('backup', target, { DATA_DIR: service.dataDirectory });
    expect(written).toMatchObject({ code: 1, stderr: expect.stringMatching(unwritable) });
    const read = await runBackupCommand('restore', target, { DATA_DIR: path.join(folder, 'unused') });
    expect(read).toMatchObject({ code: 1, stderr: expect.stringMatching(unreadable) });
    expect(existsSync(path.join(folder, 'unused'))).toBe(false);
  });

  it('say where there is nothing to back up', async () => {
    const none = path.join(folder, 'none');
    const { code, stderr } = await runBackupCommand('backup', path.join(folder, 'none.tar.gz'), { DATA_DIR: none });
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/holds no data of the service: check DATA_DIR/) });
    expect(existsSync(none)).toBe(false);
  });

  /** Expects another backup file to have the same tables with identical rows. */
  async function expectSame(other: string): Promise<void> {
    const [one, two] = await Promise.all([file, other].map(each => BackupReader.check(each)));
    expect(two!.manifest.tables).toEqual(one!.manifest.tables);
    expect(two!.manifest.sequences).toEqual(one!.manifest.sequences);
    expect(two!.summary.tables).toEqual(one!.summary.tables);
    expect(one!.summary.tables.reduce((sum, { rows }) => sum + rows, 0)).toBeGreaterThan(1000);
  }
});

async function ask(url: string): Promise<unknown> {
  const send = async (route: string, body: object, token?: string): Promise<any> => {
    const headers = { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    return (await fetch(`${url}/api${route}`, { method: 'POST', headers, body: JSON.stringify(body) })).json();
  };
  const { token } = await send('/auth/login', { username: 'admin', password: 'demo-Graph-2026' });
  const { status, rows, citations } = await send('/graphs/1/query', { question, cache: 'refresh' }, token);
  expect(status).toBe('succeeded');
  // The order of the citations depends on the executor (SQL or memory), so they are sorted.
  return { rows, citations: citations.map((citation: object) => JSON.stringify(citation)).sort() };
}
