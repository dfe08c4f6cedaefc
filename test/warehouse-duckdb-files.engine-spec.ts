import { execFile } from 'node:child_process';
import { appendFile, mkdir, rename, symlink, writeFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { type WarehouseClient } from '../src/warehouse/clients/warehouse.client.js';
import { startTestApp } from './support/app.js';
import { DuckdbFiles } from './support/duckdb-files.js';

const claim = { caller: 1 };
let files: DuckdbFiles;
let folder: WarehouseClient;

beforeAll(async () => {
  files = await DuckdbFiles.create();
  await mkdir(files.path('folder'));
  folder = await files.connect('duckdb:///folder/');
});
afterAll(() => files.remove());

const put = (name: string, content: string | Buffer): Promise<void> => writeFile(files.path('folder', name), content);

async function read(table: string, columns: string[], from = folder): Promise<string> {
  const reading = await from.openReading({ claim, timeoutMs: 20_000 });
  try {
    return await text(reading.rows({ table, columns }));
  } finally {
    await reading.close();
  }
}

const query = (sql: string, more: { parameters?: unknown[]; timeoutMs?: number; maxBytes?: number } = {}) =>
  folder.query({ claim, sql, parameters: [], timeoutMs: 10_000, maxRows: 2, ...more });

describe('the files of a folder', () => {
  it('are tables, and no guess changes their texts', async () => {
    await put(
      'c.csv',
      'id,plz,big,amount,day,odd,t,empty\n1,00789,12345678901234567890123,12.50,2024-01-02,01/02/2024,T,""\n2,1,2,3,,x,F,\n',
    );
    const { columns } = (await folder.catalog(claim).describe('c'))!;
    expect(columns.map(column => column.type)).toEqual(['bigint', 'text', 'text', 'text', 'date', 'text', 'text', 'text']);
    expect(await read('c', columns.map(column => column.name))).toBe(
      '1\t00789\t12345678901234567890123\t12.50\t2024-01-02\t01/02/2024\tT\t\n2\t1\t2\t3\t\\N\tx\tF\t\\N\n',
    ); // prettier-ignore
    await put('j.ndjson', '{"id":1,"at":"2024-01-02T10:00:00.123456789Z","tags":["a"],"o":{"x":1}}\n{"id":2,"tags":[]}\n');
    expect(await read('j', ['id', 'at', 'tags', 'o'])).toBe('1\t2024-01-02T10:00:00.123456789Z\t{"a"}\t{"x":1}\n2\t\\N\t{}\t\\N\n');
    await files.run(
      null,
      `COPY (SELECT i::INTEGER AS id, [i::VARCHAR] AS list FROM range(3) t(i)) TO '${files.path('folder', 'p.parquet')}'`,
    );
    expect(await read('p', ['list', 'id'])).toBe('{"0"}\t0\n{"1"}\t1\n{"2"}\t2\n');
    expect(await folder.catalog(claim).find('p')).toMatchObject({ rowEstimate: 3, columnCount: 2 });
    expect(await folder.catalog(claim).find('P')).toBeNull();
    expect((await folder.catalog(claim).list('c', 1)).map(({ name }) => name)).toEqual(['j']);
  });

  it('refuse a reading during which a file changed', async () => {
    await put('growing.csv', `id,note\n${`1,${'x'.repeat(1000)}\n`.repeat(20_000)}`);
    const reading = await folder.openReading({ claim, timeoutMs: 20_000 });
    const rows = reading.rows({ table: 'growing', columns: ['id', 'note'] });
    await new Promise(resolve => rows.once('readable', resolve));
    await appendFile(files.path('folder', 'growing.csv'), '2,late\n');
    await expect(text(rows)).rejects.toMatchObject({ code: 'table_being_replaced' });
    await reading.close();
  });

  it('can be queried by one SELECT, which reads and writes nothing else', async () => {
    await put('q.csv', 'id\n1\n2\n3\n');
    expect(await query('SELECT id, $1 AS p, true AS b, 0.1::DOUBLE AS d FROM q ORDER BY id DESC -- end', { parameters: ['x'] })).toMatchObject({
      columns: [{ name: 'id', type: 'bigint' }, { name: 'p', type: 'text' }, { name: 'b', type: 'boolean' }, { name: 'd', type: 'double precision' }],
      rows: [['3', 'x', true, 0.1], ['2', 'x', true, 0.1]],
      truncated: true,
    }); // prettier-ignore
    const refused = [
      'SELECT 1; SELECT 2',
      `COPY (SELECT 1) TO '${files.path('folder', 'written.csv')}'`,
      `ATTACH '${files.path('folder', 'written.duckdb')}'`,
      "SELECT * FROM read_text('/etc/passwd')",
      "SET memory_limit = '9GB'",
      'INSTALL httpfs',
      'SELECT * FROM nothing',
      'SELECT * FROM inner AS t',
    ];
    for (const sql of refused) await expect(query(sql)).rejects.toMatchObject({ code: 'warehouse_query_failed' });
    await expect(query("SELECT repeat('x', 1000) FROM range(100)", { maxBytes: 1500 })).rejects.toMatchObject({ code: 'answer_too_large' });
  });

  it('end a statement at its time, and a reading too, and work again', async () => {
    const slow = 'SELECT count(*) FROM range(1000000000) a, range(1000) b WHERE a.range % 7 = b.range % 5';
    await expect(query(slow, { timeoutMs: 600 })).rejects.toMatchObject({ code: 'warehouse_timeout' });
    expect((await query('SELECT 1 AS one')).rows).toEqual([[1]]);
  });

  it('can neither end the service nor fill its memory, whatever is in them', async () => {
    await put(
      'corrupt.parquet',
      Buffer.concat([Buffer.from('PAR1'), Buffer.alloc(5000, 7), Buffer.from([0xff, 0xff, 0xff, 0x7f]), Buffer.from('PAR1')]),
    );
    await put('line.csv', `a,b\n${'x'.repeat(40_000_000)}`);
    await put('bomb.csv.gz', gzipSync(Buffer.alloc(300_000_000, 'x')));
    await put('wide.csv', `${Array.from({ length: 10_000 }, (_, index) => `c${index}`).join(',')}\n${'1,'.repeat(9_999)}1\n`);
    const before = process.memoryUsage.rss();
    for (const table of ['corrupt', 'line', 'bomb']) await expect(read(table, ['a'])).rejects.toMatchObject({ status: expect.any(Number) });
    await expect(folder.catalog(claim).describe('wide')).rejects.toMatchObject({ code: 'warehouse_query_failed' });
    await expect(query('SELECT list(range) FROM range(1000000000)', { timeoutMs: 100_000 })).rejects.toMatchObject({
      code: 'warehouse_query_failed',
    });
    expect(process.memoryUsage.rss() - before).toBeLessThan(150_000_000);
    expect((await folder.catalog(claim).list('corrup', 1))[0]).toMatchObject({ name: 'corrupt', columnCount: 0 });
  });
});

describe('a folder with files that cannot be read', () => {
  const broken: Record<string, string> = {
    'damaged.parquet': 'not of the format', 'dangling.csv': 'a link to nothing', 'folded.json': 'not a regular file',
    'loop.csv': 'a link to nothing', 'out.csv': 'leads out of the directory', 'pipe.csv': 'not a regular file', 'plain.csv.gz': 'not of the format',
  }; // prettier-ignore
  const path = (name: string) => files.path('mixed', name);
  let mixed: WarehouseClient;

  beforeAll(async () => {
    await mkdir(path('folded.json'), { recursive: true });
    await writeFile(path('good.csv'), 'pipe,name\n1,a\n');
    await writeFile(path('damaged.parquet'), `PAR1${'x'.repeat(500)}PAR1`);
    await writeFile(path('plain.csv.gz'), 'no gzip');
    await symlink('/etc/passwd', path('out.csv'));
    await symlink(path('nothing.csv'), path('dangling.csv'));
    await symlink(path('loop.csv'), path('loop.csv'));
    await promisify(execFile)('mkfifo', [path('pipe.csv')]);
    mixed = await files.connect('duckdb:///mixed/');
  });

  it('lists the others with their columns, and says of each what is wrong with it', async () => {
    const listed = await mixed.catalog(claim).list('', 200);
    expect(listed.map(({ name, columnCount, comment }) => [name, columnCount, comment])).toEqual(
      [...Object.entries(broken), ['good.csv', '']].sort().map(([file, problem]) => {
        const name = file!.split('.')[0];
        return name === 'good' ? [name, 2, null] : [name, 0, expect.stringMatching(`'${file}' cannot be read: .*${problem}`)];
      }),
    );
  });

  it('names them in the test of the connection', async () => {
    const { warnings } = await mixed.test(claim);
    expect(warnings.map(({ en }) => en)).toEqual([
      'Files that cannot be read (5): dangling.csv (it is a link to nothing), folded.json (it is not a regular file), loop.csv (it is a link to nothing), out.csv (a link leads out of the directory DUCKDB_DIR), pipe.csv (it is not a regular file)',
    ]);
  });

  it.each(Object.entries(broken))('refuses to describe and to read %s by its name', async (file, problem) => {
    const table = file.split('.')[0]!;
    const refusal = { code: 'warehouse_query_failed', message: expect.stringMatching(`'${file}' cannot be read: .*${problem}`) };
    await expect(mixed.catalog(claim).describe(table)).rejects.toMatchObject(refusal);
    await expect(read(table, ['id'], mixed)).rejects.toMatchObject(refusal);
    await expect(mixed.sample({ claim, table, maxRows: 1, timeoutMs: 5_000 })).rejects.toMatchObject(refusal);
  });

  it('runs a statement that names one as a column, and refuses one that reads one without naming the file', async () => {
    const ask = (sql: string) => mixed.query({ claim, sql, parameters: [], timeoutMs: 10_000, maxRows: 2 });
    expect((await ask('SELECT pipe, name AS out FROM good')).rows).toEqual([['1', 'a']]);
    for (const file of Object.keys(broken)) {
      const failed = ask(`SELECT * FROM ${file.split('.')[0]}`);
      await expect(failed).rejects.toMatchObject({ code: 'warehouse_query_failed', message: expect.not.stringContaining(file) });
    }
  });

  it('lists names and sizes where looking into a file ends the process', async () => {
    await writeFile(path('bomb.csv.gz'), gzipSync(Buffer.alloc(300_000_000, 'x')));
    const listed = await mixed.catalog(claim).list('', 200);
    expect(listed.map(({ name }) => name)).toEqual(expect.arrayContaining(['bomb', 'good', 'pipe']));
    expect((await mixed.catalog(claim).find('good'))?.columnCount).toBe(2);
  });
});

describe('a database with a view that fails', () => {
  it('lists and describes its other tables', async () => {
    await files.run(
      'views.duckdb',
      'CREATE TABLE good AS SELECT 1 AS id', 'CREATE TABLE dropped AS SELECT 1 AS id', 'CREATE VIEW gone AS SELECT id FROM dropped', 'DROP TABLE dropped',
      "CREATE VIEW outside AS SELECT * FROM read_text('/etc/host*')", "CREATE VIEW failing AS SELECT error('x') AS id",
    ); // prettier-ignore
    const client = await files.connect('duckdb:///views.duckdb');
    expect((await client.catalog(claim).list('', 200)).map(({ name }) => name)).toEqual(['failing', 'gone', 'good', 'outside']);
    expect((await client.catalog(claim).describe('good'))?.columns.map(({ name }) => name)).toEqual(['id']);
    for (const name of ['gone', 'outside'])
      await expect(client.catalog(claim).describe(name)).rejects.toMatchObject({ code: 'warehouse_query_failed' });
    expect((await client.sample({ claim, table: 'good', maxRows: 1, timeoutMs: 5_000 })).rows).toEqual([[1]]);
  });
});

describe('a database', () => {
  it('can be written by others as soon as an answer is there, also one that was refused', async () => {
    await files.run('shared.duckdb', "CREATE TABLE t AS SELECT i, repeat('x', 1000) AS x FROM range(5000) AS r (i)");
    const client = await files.connect('duckdb:///shared.duckdb');
    const ask = (maxBytes: number) =>
      client.query({ claim, sql: 'SELECT * FROM t', parameters: [], timeoutMs: 10_000, maxRows: 3, maxBytes });
    const write = () => files.run('shared.duckdb', 'INSERT INTO t VALUES (-1, NULL)');
    // 20 s is well below the time for which an idle process is kept.
    const soon = async (work: Promise<unknown>) => {
      const started = Date.now();
      await work;
      expect(Date.now() - started).toBeLessThan(20_000);
    };
    expect((await ask(100_000)).truncated).toBe(true);
    await soon(write());
    await expect(ask(1_500)).rejects.toMatchObject({ code: 'answer_too_large' });
    await soon(write());
  });

  it('is read anew by a process that was kept, whether it was written or replaced', async () => {
    const client = await files.connect('duckdb:///kept.duckdb');
    const rows = async () => {
      const [described, answer] = [
        await client.catalog(claim).describe('t'),
        await client.query({ claim, sql: 'SELECT max(i) FROM t', parameters: [], timeoutMs: 10_000, maxRows: 1 }),
      ];
      return [described?.columns.map(({ type }) => type), answer.rows];
    };
    await files.run('kept.duckdb', 'CREATE TABLE t AS SELECT 1 AS i');
    expect(await rows()).toEqual([['integer'], [[1]]]);
    await files.run('kept.duckdb', 'INSERT INTO t VALUES (2)');
    expect(await rows()).toEqual([['integer'], [[2]]]);
    await files.run('other.duckdb', 'CREATE TABLE t AS SELECT 3::BIGINT AS i');
    await rename(files.path('other.duckdb'), files.path('kept.duckdb'));
    expect(await rows()).toEqual([['bigint'], [['3']]]);
    await expect(client.query({ claim, sql: 'SELECT nothing FROM t', parameters: [], timeoutMs: 10_000, maxRows: 1 })).rejects.toThrow();
    expect(await rows()).toEqual([['bigint'], [['3']]]);
  });

  it('shows no statement of another caller to a view (risk: a log that a view began and a kept engine goes on with)', async () => {
    const views = ["logging AS SELECT * FROM enable_logging('QueryLog')", 'logs AS SELECT message FROM duckdb_logs()'];
    await files.run('logged.duckdb', 'CREATE TABLE t AS SELECT 1 AS i', ...views.map(view => `CREATE VIEW ${view}`));
    const client = await files.connect('duckdb:///logged.duckdb');
    const rows = async (sql: string) => (await client.query({ claim, sql, parameters: [], timeoutMs: 10_000, maxRows: 100 })).rows;
    expect(await rows('SELECT * FROM logging')).toEqual([]);
    expect(await rows("SELECT i FROM t WHERE 'private' <> ''")).toEqual([[1]]);
    expect(await rows('SELECT * FROM logs')).toEqual([]);
  });

  it.each(['memory', 'temp', 'a.b', 'two words'])('may be named %s, also where a view says so', async name => {
    await files.run(`${name}.duckdb`, 'CREATE TABLE t AS SELECT 1 AS i');
    const named = await files.nameOf(`${name}.duckdb`);
    await files.run(`${name}.duckdb`, `CREATE VIEW v AS SELECT * FROM "${named}".main.t`);
    const client = await files.connect(`duckdb:///${name}.duckdb`);
    expect(await client.catalog(claim).listNames()).toEqual(['t', 'v']);
    expect((await client.query({ claim, sql: 'SELECT * FROM v', parameters: [], timeoutMs: 10_000, maxRows: 1 })).rows).toEqual([[1]]);
  });
});

describe('a connection to files', () => {
  const failing = async (dsn: string) => (await files.connect(dsn)).test(claim);

  it('says what it reads with, and which files are not tables', async () => {
    await put('Case.csv', 'a\n1\n');
    await put('case.csv', 'a\n1\n');
    expect(await folder.test(claim)).toMatchObject({ serverVersion: expect.stringMatching(/^v1\.5/), isReadOnly: true, canWrite: false, warnings: [{ en: expect.stringContaining('case.csv') }] }); // prettier-ignore
  });

  it('says how it fails, without a path', async () => {
    await writeFile(files.path('text.duckdb'), 'no database'.repeat(5000));
    await symlink('/etc', files.path('out'));
    const code = (failure: string) => ({ code: 'warehouse_unavailable', failure, message: expect.not.stringContaining(files.directory) });
    await expect(failing('duckdb:///missing.duckdb')).rejects.toMatchObject(code('DATABASE_MISSING'));
    await expect(failing('duckdb:///folder')).rejects.toMatchObject(code('DATABASE_MISSING'));
    await expect(failing('duckdb:///text.duckdb')).rejects.toMatchObject(code('NOT_A_DATABASE'));
    await expect(failing('duckdb:///out/')).rejects.toMatchObject(code('OUTSIDE_DIRECTORY'));
  });

  it('is refused where the operator has set no directory', async () => {
    const test = await startTestApp({ WORKER: 'off' });
    try {
      const { body } = await test.admin
        .post('/api/warehouse/connections')
        .send({ name: 'files', type: 'duckdb', dsn: 'duckdb:///a/' })
        .expect(422);
      expect(body).toMatchObject({ code: 'duckdb_directory_unset', detail: expect.stringContaining('DUCKDB_DIR') });
    } finally {
      await test.close();
    }
  });
});
