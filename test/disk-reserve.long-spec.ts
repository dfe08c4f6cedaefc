import { readFileSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import http from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { EmbeddedPostgres } from '../src/database/embedded/embedded-postgres.js';
import { describeOnSmallDisk, SmallDisk } from './support/small-disk.js';
import { firstToken, ServiceProcess } from './support/service-process.js';

const diskMegabytes = 512;
const mebibyte = 1_048_576;
/** Size in bytes of a file of PostgreSQL's write-ahead log. */
const logFile = 16 * mebibyte;
const rows = 30_000;
const patienceMs = 120_000;

interface Answer {
  status: number;
  retryAfter: string | undefined;
  body: any;
}

let disk: SmallDisk | null;
let service: ServiceProcess;
let token: string;

beforeAll(async () => {
  disk = await SmallDisk.mount(diskMegabytes, 0);
  if (!disk) return;
  service = await ServiceProcess.start({ environment: { DATA_DIR: disk.directory } });
  token = await firstToken(service.url);
}, patienceMs);
afterAll(async () => {
  await service?.kill();
  await disk?.unmount();
});

/** Sends a request. The answer counts even if it comes before the whole body was sent. */
function send(method: string, route: string, body?: string | object | Readable, type = 'application/json'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = http.request(`${service.url}/api${route}`, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': type }) },
    });
    request.on('error', reject);
    request.on('response', response => {
      let text = '';
      response.on('data', piece => (text += piece));
      response.on('end', () => {
        resolve({ status: response.statusCode!, retryAfter: response.headers['retry-after'], body: text === '' ? null : JSON.parse(text) });
        if (body instanceof Readable) request.destroy();
      });
    });
    if (body instanceof Readable) body.pipe(request);
    else request.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
}

const put = (table: string, body: string | Readable, query = ''): Promise<Answer> =>
  send('PUT', `/warehouse/connections/1/tables/${table}${query}`, body, 'text/csv');
/** A CSV file that takes about 17 MB on disk. The rows differ from each other. */
const csv = (letter: string): string =>
  `id,v\n${Array.from({ length: rows }, (_, id) => `${id},${id % 7}${letter.repeat(500)}\n`).join('')}`;
const refused: Partial<Answer> = { status: 503, retryAfter: '30', body: expect.objectContaining({ code: 'disk_full' }) };
const serverPid = (): number => Number.parseInt(readFileSync(path.join(disk!.directory, 'postgres', 'postmaster.pid'), 'utf8'), 10);
const freeBytes = async (): Promise<number> => {
  const { bavail, bsize } = await statfs(disk!.directory);
  return bavail * bsize;
};

/** A CSV body with an endless number of rows. */
function endless(): Readable {
  const block = Buffer.from(`1,${'x'.repeat(1_000)}\n`.repeat(250));
  function* blocks(): Generator<Buffer> {
    yield Buffer.from('id,v\n');
    for (;;) yield block;
  }
  return Readable.from(blocks());
}

/**
 * Loads tables until one is refused for lack of disk space.
 * @returns the names of the acknowledged tables
 */
async function fill(prefix: string): Promise<string[]> {
  const loaded: string[] = [];
  for (;;) {
    const name = `${prefix}${loaded.length}`;
    const answer = await put(name, csv('a'));
    if (answer.status !== 201) {
      expect(answer).toMatchObject(refused);
      return loaded;
    }
    loaded.push(name);
    expect(loaded.length).toBeLessThan(diskMegabytes / 10);
  }
}

async function untilRoom(): Promise<void> {
  for (const deadline = Date.now() + patienceMs; Date.now() < deadline; await sleep(100)) {
    if ((await put('probe', 'a\n1\n')).status < 300) return;
  }
  throw new Error('There was no room again');
}

describeOnSmallDisk('a whole DATA_DIR on a small disk', () => {
  it('is filled by uploads to the reserve, and everything but large writes goes on', async () => {
    const pid = serverPid();
    const { body: graph } = await send('POST', '/graphs', { name: '图' });
    const loaded = await fill('t');
    expect(loaded.length).toBeGreaterThan(3);

    // Uploads are refused even if several come at once, or are endless.
    const attempts = await Promise.all([
      put('e0', endless()),
      put('e1', endless()),
      ...['e2', 'e3', 'e4'].map(name => put(name, csv('b'))),
    ]);
    for (const attempt of attempts) expect(attempt).toMatchObject(refused);
    const password = { username: 'admin', password: 'correct-horse-7' };
    for (let time = 0; time < 50; time++) {
      expect(await send('POST', '/auth/login', password)).toMatchObject({ status: 200 });
      expect(await send('POST', '/graphs', { name: `g${time}` })).toMatchObject({ status: 201 });
      expect(await send('POST', `/graphs/${graph.id}/query`, { cypher: `RETURN ${time} AS n` })).toMatchObject({ status: 200 });
    }
    expect(await freeBytes()).toBeGreaterThan(logFile);
    for (const name of loaded) {
      expect((await send('GET', `/warehouse/connections/1/tables/${name}`)).body).toMatchObject({ row_estimate: rows });
    }
    expect(await send('GET', '/warehouse/connections/1/tables/e0')).toMatchObject({ status: 404 });

    for (const name of loaded.slice(1))
      expect(await send('DELETE', `/warehouse/connections/1/tables/${name}`)).toMatchObject({ status: 204 });
    await untilRoom();
    expect(serverPid()).toBe(pid);
    expect(service.log.filter(({ msg }) => msg === 'The embedded PostgreSQL ended; starting it again')).toEqual([]);
  });

  it('ends uploads that reach the reserve together, and a step that takes room without a byte arriving', async () => {
    const pid = serverPid();
    const answers = await Promise.all(['a0', 'a1', 'a2', 'a3'].map(name => put(name, endless())));
    for (const answer of answers)
      expect([answer.status, answer.body.code]).toEqual([503, expect.stringMatching(/^(disk_full|uploads_busy)$/)]);
    await untilRoom();
    // The last line gives the column another type, so PostgreSQL rewrites the whole table. The free space is not enough for that.
    const widened = `n,v\n${`1,${'w'.repeat(600)}\n`.repeat(150_000)}1.5,x\n`;
    await disk!.fill(64 * mebibyte + 120 * mebibyte);
    expect(await put('widened', widened)).toMatchObject(refused);
    expect(await send('GET', '/warehouse/connections/1/tables/widened')).toMatchObject({ status: 404 });
    await disk!.empty();
    await untilRoom();
    expect((await put('widened', widened)).body).toMatchObject({ rows: 150_001 });
    expect(serverPid()).toBe(pid);
    expect((await send('GET', '/warehouse/connections/1/tables/t0')).body).toMatchObject({ row_estimate: rows });
  });

  it('ends a statement that sorts on disk below the reserve, whoever runs it', async () => {
    const client = new pg.Client(await EmbeddedPostgres.urlOf(disk!.directory));
    await client.connect();
    try {
      const sort =
        'SELECT count(*) FROM (SELECT repeat(md5(i::text), 8) AS v FROM generate_series(1, 400000) i ORDER BY 1 OFFSET 1) AS sorted';
      await client.query("SET work_mem = '1MB'");
      await disk!.fill(60 * mebibyte);
      await expect(client.query(sort)).rejects.toMatchObject({ code: '57014' });
    } finally {
      await client.end();
      await disk!.empty();
    }
    await untilRoom();
  });

  it('keeps all that was acknowledged over a restart with a full disk', async () => {
    await disk!.fill(40 * mebibyte);
    expect(await put('none', 'a\n1\n')).toMatchObject(refused);
    const { body: before } = await send('GET', '/graphs?limit=100');
    await service.stop();
    service = await ServiceProcess.start({ environment: { DATA_DIR: disk!.directory } });
    expect((await send('GET', '/graphs?limit=100')).status).toBe(401);
    const login = await send('POST', '/auth/login', { username: 'admin', password: 'correct-horse-7' });
    token = login.body.token;
    expect((await send('GET', '/graphs?limit=100')).body).toEqual(before);
    expect(await put('none', 'a\n1\n')).toMatchObject(refused);
    await disk!.empty();
    await untilRoom();
  });

  it(
    'answers a line that needs more memory than a session may take as the fault of the file',
    async () => {
      const line = `{"id":1,"v":[${'[],'.repeat(5_000_000)}[]]}\n`;
      const answer = await send('PUT', '/warehouse/connections/1/tables/dense', line, 'application/x-ndjson');
      expect(answer).toMatchObject({ status: 422, body: { detail: { errors: [{ type: expect.stringMatching(/^ndjson_/) }] } } });
      expect(await send('GET', '/auth/me')).toMatchObject({ status: 200 });
    },
    patienceMs,
  );
});
