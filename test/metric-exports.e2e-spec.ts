import { createHash } from 'node:crypto';
import http from 'node:http';
import net from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { liveBytes } from './support/live-memory.js';
import { isLong, itLong } from './support/tier.js';

const people = isLong ? 120_000 : 40_000;
const note = 'x'.repeat(400);

let test: TestApp;
let foreign: ForeignPostgres;
let editor: Client;
let viewer: Client;
let graphId: number;
let spent: number;
let spentFar: number;

beforeAll(async () => {
  [test, foreign] = await Promise.all([
    startTestApp({ WORKER: 'off', UPLOAD_IDLE_SECONDS: '2', WAREHOUSE_TIMEOUT_MS: '600000' }),
    ForeignPostgres.start(),
  ]);
  editor = await test.asUser('lin');
  viewer = await test.asUser('wei');
  await grantConnection(test, 'lin');
  const far = await aForeignConnection(test, foreign);
  await test.admin.post(`/api/permissions/connections/${far}/users`).send({ username: 'lin', right: 'read' }).expect(201);
  graphId = (await editor.post('/api/graphs').send({ name: '导出' }).expect(201)).body.id;
  await editor.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'wei', role: 'viewer' }).expect(201);
  await load();
  await foreign.run('CREATE TABLE far (who text, amount numeric)');
  await foreign.run("INSERT INTO far SELECT 'p' || lpad(n::text, 6, '0'), n / 3.0 FROM generate_series(1, 30000) n");
  spent = await aMetric('花费', 'SUM(amount)', {
    relation: { table: 'spent' },
    dimensions: [
      { name: '人', column: 'who' },
      { name: '备注', column: 'note' },
    ],
  });
  spentFar = await aMetric('远', 'SUM(amount)', {
    connection_id: far,
    relation: { table: 'far' },
    dimensions: [{ name: '人', column: 'who' }],
  });
});
afterAll(() => Promise.all([test?.close(), foreign?.remove()]));

async function load(): Promise<void> {
  const lines = Array.from({ length: people }, (_, n) => `p${n},${(n * 7919) % 100_003}.${n % 100},${n % 1000 === 0 ? '' : note}`);
  const answer = await test.admin
    .put('/api/warehouse/connections/1/tables/spent?types=amount:decimal')
    .set('Content-Type', 'text/csv')
    .send(`who,amount,note\n${lines.join('\n')}\n`);
  if (answer.status >= 300) throw new Error(answer.text);
}

async function aMetric(name: string, formula: string, binding: object): Promise<number> {
  const { body, status } = await editor.post('/api/metrics').send({ graph_id: graphId, name, formula, binding });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

const order = { order: [{ by: '人' }] };
const all = { dimensions: ['人'], ...order };
const wide = { dimensions: ['人', '备注'], ...order };

/** Sends a request, and leaves the answer unread until the test reads it. */
function begin(id: number, request: object, by: Client, format = 'csv') {
  const sent = http.request(`${test.url}/api/metrics/${id}/execute?format=${format}`, {
    method: 'POST',
    agent: new http.Agent(),
    headers: { Authorization: `Bearer ${by.token}`, 'Content-Type': 'application/json' },
  });
  sent.end(JSON.stringify(request));
  const response = new Promise<http.IncomingMessage>((resolve, reject) => {
    sent.once('response', answer => {
      // A failure shows only when a test reads the answer later, so its event is ignored here.
      answer.on('error', () => undefined);
      answer.pause();
      resolve(answer);
    });
    sent.once('error', reject);
  });
  response.catch(() => undefined);
  return { sent, response };
}

/** Reads the rest of the answer. Returns its bytes, and whether it was complete. */
async function rest(response: http.IncomingMessage): Promise<{ complete: boolean; bytes: number }> {
  let bytes = 0;
  response.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume();
  if (!response.closed) await new Promise(resolve => response.once('close', resolve));
  return { complete: response.complete, bytes };
}

async function until(condition: () => Promise<boolean>): Promise<void> {
  for (let tries = 0; tries < 1_600; tries++) {
    if (await condition()) return;
    await sleep(25);
  }
  throw new Error('It did not happen within 40 s');
}

/** The sessions that read an export from the mirror at the moment. */
async function exporting(): Promise<number[]> {
  const { rows } = await asSuperuser(
    test.databaseUrl,
    `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND state <> 'idle' AND pid <> pg_backend_pid()
     AND (query LIKE 'FETCH % FROM result' OR query LIKE 'DECLARE result%' OR query = 'COMMIT') AND application_name LIKE '%mirror reader%'`,
  );
  return rows.map(({ pid }: { pid: number }) => pid);
}

const hash = (text: string): string => createHash('sha256').update(text).digest('hex');

describe('all rows of a result', () => {
  it('go to an editor as CSV and NDJSON, as many as an independent query counts', async () => {
    const { rows } = await test.pool.query<{ who: string; sum: string }>(
      'SELECT who, sum(amount)::text FROM mirror.spent GROUP BY who ORDER BY who COLLATE "C"',
    );
    expect(rows).toHaveLength(people);
    const csv = await editor.post(`/api/metrics/${spent}/execute`).query({ format: 'csv' }).send(all).buffer(true).expect(200);
    expect(csv.headers['content-type']).toBe('text/csv; charset=utf-8');
    const sorted = (lines: string[]) => [...lines].sort();
    expect(hash(sorted(csv.text.trimEnd().split('\r\n').slice(1)).join('\n'))).toBe(
      hash(sorted(rows.map(({ who, sum }) => `${who},${sum}`)).join('\n')),
    );
    const ndjson = await editor
      .post('/api/metrics/query')
      .set('Accept', 'application/x-ndjson')
      .send({ graph_id: graphId, metrics: [spent], ...all })
      .buffer(true)
      .expect(200);
    const objects = ndjson.text.trimEnd().split('\n');
    expect(hash(sorted(objects).join('\n'))).toBe(
      hash(sorted(rows.map(({ who, sum }) => JSON.stringify({ 人: who, 花费: sum }))).join('\n')),
    );
    // The order and digits of the export are the same as in an answer in JSON.
    const { body } = await editor
      .post(`/api/metrics/${spent}/execute`)
      .send({ ...all, limit: 10_000 })
      .expect(200);
    expect(body.truncated).toBe(true);
    expect(csv.text.split('\r\n').slice(1, 10_001)).toEqual(body.rows.map((row: string[]) => row.join(',')));
  });

  it('leave an audit event each, and refused ones and answers with a limit none', async () => {
    const exportsOf = async () =>
      (await test.admin.get('/api/audit-events?limit=100').expect(200)).body.items.filter(
        ({ action }: { action: string }) => action === 'metric.exported',
      );
    const before = await exportsOf();
    await editor.post(`/api/metrics/${spentFar}/execute?format=ndjson`).send(all).buffer(true).expect(200);
    await editor.post(`/api/metrics/${spentFar}/execute?format=csv`).send({ limit: 5 }).expect(200);
    await editor
      .post(`/api/metrics/${spentFar}/execute?format=csv`)
      .send({ dimensions: ['没有'] })
      .expect(422);
    const after = await exportsOf();
    expect(after.slice(0, after.length - before.length)).toEqual([
      expect.objectContaining({
        actor: 'lin',
        target: 'graph',
        target_id: graphId,
        context: { metrics: [spentFar], format: 'ndjson' },
        request_id: expect.any(String),
      }),
    ]);
  });

  itLong('come from another database too, rounded to the format', async () => {
    await editor.patch(`/api/metrics/${spentFar}`).send({ format: '0.00' }).expect(200);
    const { text } = await editor.post(`/api/metrics/${spentFar}/execute`).query({ format: 'csv' }).send(all).buffer(true).expect(200);
    const lines = text.trimEnd().split('\r\n');
    expect(lines).toHaveLength(30_001);
    expect([lines[1], lines[2], lines[30_000]]).toEqual(['p000001,0.33', 'p000002,0.67', 'p030000,10000.00']);
  });

  it('do not go to a viewer, who gets the word why', async () => {
    const { body } = await viewer.post(`/api/metrics/${spent}/execute`).query({ format: 'csv' }).send(all).expect(422);
    expect(body.detail.errors).toMatchObject([{ loc: ['body', 'limit'], type: 'too_many_rows', msg: expect.stringContaining('editors') }]);
    const { text } = await viewer
      .post(`/api/metrics/${spent}/execute`)
      .query({ format: 'csv' })
      .send({ ...all, limit: 3 })
      .expect(200);
    expect(text.trimEnd().split('\r\n')).toHaveLength(4);
  });

  it('take no option that would have no effect on them', async () => {
    const request = { ...all, totals: true, dry_run: true, cache: { max_age_s: 5 } };
    const { body } = await editor.post(`/api/metrics/${spent}/execute`).query({ format: 'ndjson' }).send(request).expect(422);
    expect(body.detail.errors.map((each: { loc: string[]; type: string }) => [each.loc[1], each.type])).toEqual([
      ['totals', 'no_effect'],
      ['dry_run', 'no_effect'],
      ['cache', 'no_effect'],
    ]);
  });

  it('are an error in JSON when the first of them cannot be read', async () => {
    const request = { ...all, filter_clause: "amount / nullif(who, who)::numeric > 1 OR (who || 'x')::numeric > 1" };
    const { body } = await editor.post(`/api/metrics/${spent}/execute`).query({ format: 'csv' }).send(request).expect(400);
    expect(body.code).toMatch(/warehouse_query_failed|unsafe_filter_clause/);
  });
});

describe('an export', () => {
  itLong('needs little memory, however large it is', async () => {
    await rest(await begin(spent, { ...wide, filters: [{ field: '人', op: '=', value: 'p1' }] }, editor).response);
    const before = liveBytes();
    const response = await begin(spent, wide, editor).response;
    let most = 0;
    let bytes = 0;
    for await (const chunk of response) {
      const was = bytes;
      bytes += (chunk as Buffer).length;
      if (Math.floor(bytes / 5_000_000) > Math.floor(was / 5_000_000)) most = Math.max(most, liveBytes() - before);
    }
    expect(bytes).toBeGreaterThan(people * note.length);
    expect(most).toBeLessThan(12_000_000);
  });

  itLong('ends with the client that goes, and gives its place back', async () => {
    for (let times = 0; times < 3; times++) {
      const { sent, response } = begin(spent, wide, editor);
      await response;
      await until(async () => (await exporting()).length === 1);
      sent.destroy();
      await until(async () => (await exporting()).length === 0);
    }
  });

  itLong('is cut if nobody reads it, and keeps neither others from exporting nor the table from being replaced', async () => {
    const { response } = begin(spent, wide, editor);
    const stalled = await response;
    const other = await rest(await begin(spent, all, test.admin).response);
    expect(other).toMatchObject({ complete: true });
    await load();
    await viewer.post(`/api/metrics/${spent}/execute`).send({}).expect(200);
    await until(async () => (await exporting()).length === 0);
    // The table was replaced meanwhile. The received part comes from the old table and is incomplete.
    expect(await rest(stalled)).toMatchObject({ complete: false });
  });

  it('does not look complete if it fails in the middle', async () => {
    // With HTTP/1.0, only a reset shows that the connection ended before the answer did. Node's own client does not always report it.
    const resets = jest.spyOn(net.Socket.prototype, 'resetAndDestroy');
    const response = await begin(spent, wide, editor).response;
    await until(async () => (await exporting()).length === 1);
    const [pid] = await exporting();
    await asSuperuser(test.databaseUrl, `SELECT pg_terminate_backend(${pid})`);
    expect(response.statusCode).toBe(200);
    expect(await rest(response)).toMatchObject({ complete: false });
    expect(resets).toHaveBeenCalledTimes(1);
    resets.mockRestore();
  });

  itLong('ends when its caller loses the right to it', async () => {
    const leaver = await test.asUser('leaver');
    const { body: member } = await editor
      .post(`/api/permissions/graphs/${graphId}/members`)
      .send({ username: 'leaver', role: 'editor' })
      .expect(201);
    const response = await begin(spent, wide, leaver).response;
    await editor.patch(`/api/permissions/graphs/${graphId}/members/${member.user_id}`).send({ role: 'viewer' }).expect(200);
    let bytes = 0;
    // A slow reader still reads when the right is checked again, after two seconds.
    const read = async () => {
      for await (const chunk of response) {
        bytes += (chunk as Buffer).length;
        await sleep(Math.min(40, bytes / 1000));
      }
    };
    await expect(read()).rejects.toThrow('aborted');
    expect(bytes).toBeLessThan(people * note.length);
  });

  itLong('is one of its caller at a time: further ones wait, and too many are refused', async () => {
    const first = begin(spent, wide, editor);
    await first.response;
    const further = Array.from({ length: 36 }, () => begin(spent, all, editor));
    const refused = further.map(async ({ response }) => {
      const answer = await response;
      if (answer.statusCode !== 503) throw new Error(`${answer.statusCode}`);
      return answer.headers['retry-after'];
    });
    expect(await Promise.any(refused)).toMatch(/^\d+$/);
    expect(await exporting()).toHaveLength(1);
    for (const { sent } of [first, ...further]) sent.destroy();
    await Promise.allSettled(refused);
    await until(async () => (await exporting()).length === 0);
  });
});
