import { readFileSync } from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { tablesPath, uploadRequest } from './support/ingestion.js';
import { rawUpload as sendByHand } from './support/raw-upload.js';
import { liveBytes } from './support/live-memory.js';
import { describeWithShared, sharedFolder } from './support/shared-data.js';

describe('large and contended uploads', () => {
  let test: TestApp;
  let user: Client;

  beforeAll(async () => {
    test = await startTestApp();
    user = await test.asUser('reader');
    await grantConnection(test, 'reader');
  });
  afterAll(() => test.close());

  const upload = (table: string, csv: string | Buffer, query?: Record<string, string>) => uploadRequest(test.admin, table, csv, query);

  async function rowsOf(table: string): Promise<Record<string, unknown>[]> {
    return (await test.pool.query(`SELECT * FROM mirror."${table}" ORDER BY ctid`)).rows;
  }

  const rawUpload = (table: string, headers?: Record<string, string>) => sendByHand(test, test.admin, table, headers);

  async function until(condition: () => Promise<boolean>): Promise<void> {
    for (let tries = 0; tries < 800; tries++) {
      if (await condition()) return;
      await sleep(25);
    }
    throw new Error('It did not happen within 20 s');
  }

  const runningUploads = async (): Promise<number> =>
    (
      await test.pool.query(
        `SELECT count(*)::int AS n FROM pg_stat_activity WHERE application_name = 'graph-service mirror upload' AND state <> 'idle' AND datname = current_database()`,
      )
    ).rows[0].n;

  /** The number of transactions that wait for a lock on the table. */
  const waiters = async (table: string): Promise<number> =>
    (await test.pool.query('SELECT FROM pg_locks WHERE relation = $1::text::regclass AND NOT granted', [`mirror.${table}`])).rows.length;

  it('replaces a table in one moment: readers see the old one until the new one is complete', async () => {
    await upload('swapped', 'a\n1\n').expect(201);
    const { request, answer } = rawUpload('swapped');
    request.write(`a\n${'2\n'.repeat(1_000_000)}`);
    await until(async () => (await runningUploads()) > 0);
    expect((await user.get(`${tablesPath}/swapped`).expect(200)).body.row_estimate).toBe(1);
    request.end('3\n');
    expect(await answer).toMatchObject({ status: 200, body: { rows: 1_000_001 } });
    expect((await user.get(`${tablesPath}/swapped`).expect(200)).body.sample[0]).toEqual({ a: 2 });
  });

  it.each([
    ['a grant', 'connection_forbidden', async (id: number) => test.admin.delete(`/api/permissions/connections/1/users/${id}`).expect(204)],
    ['the account', 'not_authenticated', async (id: number) => test.admin.patch(`/api/users/${id}`).send({ disabled: true }).expect(200)],
  ])('keeps the old table when %s is taken away while the body is sent', async (what, code, lose) => {
    const username = `sender-without-${what.slice(-5)}`;
    const sender = await test.asUser(username);
    await grantConnection(test, username, 'write');
    const { body: me } = await sender.get('/api/auth/me').expect(200);
    const table = `kept_${me.user_id}`;
    await upload(table, 'a\n1\n').expect(201);
    const { request, answer } = rawUpload(table, { Authorization: `Bearer ${sender.token}` });
    request.write(`a\n${'2\n'.repeat(1_000_000)}`);
    await until(async () => (await runningUploads()) > 0);
    await lose(me.user_id);
    request.end('3\n');
    expect((await answer).body).toMatchObject({ code });
    expect(await rowsOf(table)).toEqual([{ a: 1 }]);
  });

  it('lets readers pass while it waits for a long query of the table (risk: one slow reader stops all others)', async () => {
    await upload('long_read', 'a\n1\n').expect(201);
    const reader = await test.pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT a FROM mirror.long_read');
    const answer = upload('long_read', 'a\n2\n').then(response => response.status);
    await until(async () => (await waiters('long_read')) > 0);
    const { body } = await user.get(`${tablesPath}/long_read`).expect(200);
    expect(body.sample).toEqual([{ a: 1 }]);
    await reader.query('COMMIT');
    reader.release();
    expect(await answer).toBe(200);
  });

  it('keeps the old table when the grant is taken away while the upload waits for a reader', async () => {
    const sender = await test.asUser('waiting-sender');
    await grantConnection(test, 'waiting-sender', 'write');
    const { body: me } = await sender.get('/api/auth/me').expect(200);
    await upload('waited_for', 'a\n1\n').expect(201);
    const reader = await test.pool.connect();
    await reader.query('BEGIN');
    await reader.query('SELECT a FROM mirror.waited_for');
    const answer = uploadRequest(sender, 'waited_for', 'a\n2\n').then(({ status, body }) => [status, body.code]);
    await until(async () => (await waiters('waited_for')) > 0);
    await test.admin.delete(`/api/permissions/connections/1/users/${me.user_id}`).expect(204);
    await reader.query('COMMIT');
    reader.release();
    expect(await answer).toEqual([403, 'connection_forbidden']);
    expect(await rowsOf('waited_for')).toEqual([{ a: 1 }]);
  });

  it('serialises uploads of one table', async () => {
    const csv = (value: number) => `a\n${`${value}\n`.repeat(50_000)}`;
    const answers = await Promise.all([1, 2, 3].map(value => upload('contended', csv(value))));
    expect(answers.map(answer => answer.status).sort()).toEqual([200, 200, 201]);
    const { rows } = await test.pool.query('SELECT count(*)::int AS n, count(DISTINCT a)::int AS kinds FROM mirror.contended');
    expect(rows[0]).toEqual({ n: 50_000, kinds: 1 });
  });

  it('rolls back when the client goes away', async () => {
    await upload('left', 'a,b\n1,x\n').expect(201);
    const { request } = rawUpload('left', { 'Content-Length': '100000000' });
    request.write(`a,b\n${'2,y\n'.repeat(1_000_000)}`);
    await until(async () => (await runningUploads()) > 0);
    request.destroy();
    await until(async () => (await runningUploads()) === 0);
    expect(await rowsOf('left')).toEqual([{ a: 1, b: 'x' }]);
    await upload('left', 'a,b\n3,z\n').expect(200);
  });

  it('answers while the client is still sending, and keeps the connection usable', async () => {
    const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
    const send = (body: Buffer): Promise<{ status: number }> =>
      new Promise((resolve, reject) => {
        const request = http.request(`${test.url}${tablesPath}/early`, {
          agent,
          method: 'PUT',
          headers: { Authorization: `Bearer ${test.admin.token}`, 'Content-Type': 'text/csv' },
        });
        request.on('error', reject);
        request.on('response', response => {
          response.resume();
          response.on('end', () => resolve({ status: response.statusCode ?? 0 }));
        });
        Readable.from([body.subarray(0, 100), body.subarray(100)]).pipe(request);
      });
    const broken = Buffer.from(`a,b\n1\n${'1,2\n'.repeat(5_000_000)}`);
    expect(await send(broken)).toEqual({ status: 422 });
    expect(await send(Buffer.from('a,b\n1,2\n'))).toEqual({ status: 201 });
    agent.destroy();
  });

  it('answers 500 and lives on when its database connection is cut', async () => {
    const { request, answer } = rawUpload('cut');
    request.write(`a,b\n${'2,y\n'.repeat(1_000_000)}`);
    await until(async () => (await runningUploads()) > 0);
    await asSuperuser(
      test.databaseUrl,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'graph-service mirror upload' AND datname = current_database()`,
    );
    request.end('2,y\n'.repeat(1_000_000));
    expect(await answer).toMatchObject({ status: 500, body: { success: false, code: 'database_unavailable' } });
    await upload('cut', 'a,b\n3,z\n').expect(201);
  });

  it.each([
    ['a replacement takes the place of a table that was dropped meanwhile', '', 204, 200],
    ['an upsert keeps its table from being dropped', '?mode=upsert&key=a', 409, 200],
  ])('%s', async (_title, query, dropped, loaded) => {
    await upload('dropped_meanwhile', 'a,b\n1,x\n');
    const { request, answer } = rawUpload(`dropped_meanwhile${query}`);
    request.write(`a,b\n${Array.from({ length: 50_000 }, (_, index) => `${index},y\n`).join('')}`);
    await until(async () => (await runningUploads()) > 0);
    await test.admin.delete(`${tablesPath}/dropped_meanwhile`).expect(dropped);
    request.end('50000,z\n');
    expect((await answer).status).toBe(loaded);
    expect(await rowsOf('dropped_meanwhile')).toHaveLength(50_001);
  });

  it.each<[string, string, (numbers: string) => string, string]>([
    ['CSV', 'text/csv', numbers => `1,"${numbers}"\n`, 'id,note\n'],
    ['NDJSON', 'application/x-ndjson', numbers => `{"id": 1, "note": "x", "o": [${numbers}]}\n`, ''],
  ])(
    'holds a large upload of %s in bounded memory, and answers others meanwhile',
    async (format, type, lineOf, header) => {
      const lines = lineOf(`${'12345,'.repeat(15)}6`).repeat(1_000);
      const long = lineOf(`${'1234,'.repeat(400_000)}5`);
      const chunks = Math.ceil(60e6 / lines.length);
      const most = 30e6;
      const before = liveBytes();
      let heldBytes = 0;
      async function* body(): AsyncGenerator<Buffer> {
        yield Buffer.from(header);
        for (let index = 0; index < chunks; index++) yield Buffer.from(lines);
        // Bytes that are only passed on are freed within a moment. A file that is kept in memory would stay there until its end.
        for (let tries = 0; tries < 40; tries++) {
          heldBytes = liveBytes() - before;
          if (heldBytes < most) break;
          await sleep(250);
        }
        yield Buffer.from(long);
      }
      let [slowestMs, isDone] = [0, false];
      const asking = (async () => {
        while (!isDone) {
          const asked = performance.now();
          expect((await fetch(`${test.url}/health`)).status).toBe(200);
          slowestMs = Math.max(slowestMs, performance.now() - asked);
          await sleep(5);
        }
      })();
      const { request, answer } = rawUpload(`large_${format}`, { 'Content-Type': type });
      const startedAt = performance.now();
      Readable.from(body(), { highWaterMark: 1 }).pipe(request);
      expect(await answer).toMatchObject({ status: 201, body: { rows: chunks * 1_000 + 1 } });
      const tookMs = performance.now() - startedAt;
      isDone = true;
      await asking;
      // A service that collects the file first would keep all of it in memory, and make other requests wait while it parses.
      expect(heldBytes).toBeLessThan(most);
      expect(slowestMs).toBeLessThan(tookMs / 2);
    },
    180_000,
  );

  describeWithShared('real files', 'data', () => {
    const file = (name: string): Buffer => readFileSync(path.join(sharedFolder, 'data', name));
    const typesIn = (body: { columns: { name: string; type: string }[] }): Record<string, string> =>
      Object.fromEntries(body.columns.map(column => [column.name, column.type]));

    it('loads Northwind, with its codes as text', async () => {
      const counts: Record<string, number> = {
        customers: 91,
        orders: 830,
        order_details: 2155,
        products: 77,
        suppliers: 29,
        employees: 9,
        territories: 53,
      };
      for (const [table, rows] of Object.entries(counts)) {
        const { body } = await upload(table, file(`northwind/csv/${table}.csv`)).expect(201);
        expect([table, body.rows]).toEqual([table, rows]);
      }
      const territories = (await user.get(`${tablesPath}/territories`)).body;
      expect(typesIn(territories).territory_id).toBe('text');
      expect(territories.sample[0].territory_id).toBe('01581');
      const orders = typesIn((await user.get(`${tablesPath}/orders`)).body);
      expect(orders).toMatchObject({ order_id: 'integer', order_date: 'date', freight: 'numeric', ship_postal_code: 'text' });
      const { rows } = await test.pool.query(
        `SELECT extract(year FROM order_date)::int AS year, round(sum(unit_price * quantity * (1 - discount)), 2)::text AS revenue
         FROM mirror.orders JOIN mirror.order_details USING (order_id) GROUP BY 1 ORDER BY 1`,
      );
      expect(rows.map(row => row.revenue)).toEqual(['208083.97', '617085.20', '440623.87']);
    });

    it('loads the divisions of China, as numbers by default and as text when asked', async () => {
      const counts: Record<string, number> = { provinces: 31, cities: 342, areas: 2978, streets: 41352 };
      for (const [table, rows] of Object.entries(counts)) {
        expect((await upload(table, file(`china_divisions/${table}.csv`)).expect(201)).body.rows).toBe(rows);
      }
      const asText = await upload('provinces', file('china_divisions/provinces.csv'), { types: 'code:text' }).expect(200);
      expect(typesIn(asText.body)).toEqual({ code: 'text', name: 'text' });
    });

    it('loads OpenFlights, which has no header and its own null marker', async () => {
      const columns = 'airline,airline_id,source,source_id,destination,destination_id,codeshare,stops,equipment';
      const { body } = await upload('routes', file('openflights/routes.dat'), { header: 'false', columns, null: '\\N' }).expect(201);
      expect(body.rows).toBe(67_663);
      expect(typesIn(body)).toMatchObject({ airline_id: 'integer', source_id: 'integer', stops: 'integer', codeshare: 'text' });
      const airports = 'id,name,city,country,iata,icao,latitude,longitude,altitude,timezone,dst,tz,type,source';
      const loaded = await upload('airports', file('openflights/airports.dat'), { header: 'false', columns: airports, null: '\\N' }).expect(
        201,
      );
      expect(typesIn(loaded.body)).toMatchObject({ id: 'integer', latitude: 'numeric', iata: 'text' });
    });

    it('loads a GB18030 file to the same rows as the UTF-8 one, and says what to do when not told', async () => {
      const utf8 = file('china_divisions/cities.csv').toString('utf8');
      await upload('cities_utf8', utf8).expect(201);
      const gb18030 = encodeGbk(utf8);
      await upload('cities_gb', gb18030, { encoding: 'gb18030' }).expect(201);
      const { rows } = await test.pool.query('SELECT count(*)::int AS n FROM mirror.cities_utf8 JOIN mirror.cities_gb USING (code, name)');
      expect(rows[0].n).toBe(342);
      const { body } = await upload('cities_gb', gb18030).expect(422);
      expect(body.detail.errors[0]).toMatchObject({ type: 'csv_not_utf8', line: 2 });
      expect(body.detail.errors[0].msg).toContain('encoding=gb18030');
    });
  });
});

/** Encodes text as GBK. Node only decodes GBK, so this inverts the table of its decoder. */
function encodeGbk(text: string): Buffer {
  const decoder = new TextDecoder('gb18030');
  const codes = new Map<string, Buffer>();
  for (let lead = 0x81; lead <= 0xfe; lead++) {
    for (let trail = 0x40; trail <= 0xfe; trail++) {
      const bytes = Buffer.from([lead, trail]);
      const character = decoder.decode(bytes);
      if (trail !== 0x7f && [...character].length === 1) codes.set(character, bytes);
    }
  }
  return Buffer.concat([...text].map(character => codes.get(character) ?? Buffer.from(character)));
}
