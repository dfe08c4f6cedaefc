import http from 'node:http';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, keyClient, startTestApp, type TestApp } from './support/app.js';
import { aJob, upload } from './support/ingestion.js';

const mapping = `version: 1
nodes: [{id: thing, label: 物, table: things, key: [id], columns: [{column: id, property: 编号}]}]`;

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp({ UPLOAD_IDLE_SECONDS: '1', WORKER: 'off' });
});
afterAll(() => app.close(), 60_000);

describe('an open event stream', () => {
  let graphId: number;
  let runId: number;
  let owner: Client;
  beforeAll(async () => {
    owner = await app.asUser('owner');
    graphId = (await owner.post('/api/graphs').send({ name: '图' }).expect(201)).body.id;
    await upload(app, 'things', 'id\n1\n');
    const jobId = await aJob(app, graphId, mapping);
    runId = (await app.admin.post(`/api/ingestion/jobs/${jobId}/run`).expect(202)).body.id;
  });

  /** Returns the events when the stream ends. */
  async function open(headers: Record<string, string>): Promise<{ status: number; text: Promise<string>; close: () => void }> {
    const gone = new AbortController();
    const response = await fetch(`${app.url}/api/ingestion/runs/${runId}/events`, { headers, signal: gone.signal });
    return { status: response.status, text: response.text().catch(() => ''), close: () => gone.abort() };
  }
  const bearer = (client: Client) => ({ Authorization: `Bearer ${client.token}` });
  async function aReader(name: string): Promise<Client> {
    const reader = await app.asUser(name);
    await owner.post(`/api/permissions/graphs/${graphId}/members`).send({ username: name, role: 'viewer' }).expect(201);
    return reader;
  }
  const idOf = async (name: string) => (await app.pool.query('SELECT id FROM users WHERE username = $1', [name])).rows[0].id as number;

  it.each<[string, string, (reader: Client, name: string) => PromiseLike<unknown>]>([
    ['lost the role', 'graph_forbidden', async (_, name) => owner.delete(`/api/permissions/graphs/${graphId}/members/${await idOf(name)}`).expect(204)],
    ['logged out', 'not_authenticated', reader => reader.post('/api/auth/logout').expect(204)],
    ['was disabled', 'not_authenticated', async (_, name) => app.admin.patch(`/api/users/${await idOf(name)}`).send({ disabled: true }).expect(200)],
    ['must change the password', 'not_authenticated', async (_, name) => app.admin.post(`/api/users/${await idOf(name)}/reset-password`).expect(200)],
  ])('ends with the reason once its reader %s', async (what, code, lose) => {
    const name = `reader-${what.replaceAll(' ', '-')}`;
    const reader = await aReader(name);
    const stream = await open(bearer(reader));
    expect(stream.status).toBe(200);
    await lose(reader, name);
    const text = await stream.text;
    expect(text).toContain('event: progress');
    expect(text.trimEnd().split('\n\n').at(-1)).toMatch(new RegExp(`event: access_lost[^]*data: \\{"detail":".+ / .+","code":"${code}"\\}$`));
  }, 30_000); // prettier-ignore

  it('ends with the reason once its key is revoked', async () => {
    const { body: key } = await owner
      .post('/api/api-keys')
      .send({ name: 'k', graph_ids: [graphId] })
      .expect(201);
    await keyClient(app.url, key.raw_key).get(`/api/ingestion/runs/${runId}`).expect(200);
    const stream = await open({ 'X-API-Key': key.raw_key });
    await owner.delete(`/api/api-keys/${key.id}`).expect(204);
    expect(await stream.text).toMatch(/event: access_lost[^]*not_authenticated/);
  }, 30_000);

  it('is one of ten that a user may have, which others do not share', async () => {
    const reader = await aReader('many');
    const streams = await Promise.all(Array.from({ length: 10 }, () => open(bearer(reader))));
    expect(streams.map(({ status }) => status)).toEqual(Array(10).fill(200));
    const refused = await fetch(`${app.url}/api/ingestion/runs/${runId}/events`, { headers: bearer(reader) });
    expect([refused.status, ((await refused.json()) as { code: string }).code, refused.headers.get('retry-after')]).toEqual([
      503,
      'too_many_watchers',
      expect.stringMatching(/^[1-9]/),
    ]);
    const others = await open(bearer(await aReader('another')));
    expect(others.status).toBe(200);
    for (const stream of [...streams, others]) stream.close();
    await Promise.all([...streams, others].map(({ text }) => text));
    // Closing a stream gives its place back.
    for (const deadline = Date.now() + 20_000; ; await sleep(100)) {
      const again = await open(bearer(reader));
      again.close();
      if (again.status === 200) break;
      if (Date.now() > deadline) throw new Error('The places of closed streams were not given back');
    }
  }, 60_000);
});

describe('uploads', () => {
  const put = (client: Client, table: string) => {
    const request = http.request(`${app.url}/api/warehouse/connections/1/tables/${table}`, {
      method: 'PUT',
      headers: { Authorization: `Bearer ${client.token}`, 'Content-Type': 'text/csv', 'Transfer-Encoding': 'chunked' },
    });
    request.on('error', () => undefined);
    const answer = once(request, 'response').then(async ([response]: http.IncomingMessage[]) => {
      let text = '';
      for await (const chunk of response!) text += String(chunk);
      return { status: response!.statusCode, body: JSON.parse(text) };
    });
    return { request, answer };
  };
  const anAdmin = async (name: string): Promise<Client> => {
    const client = await app.asUser(name);
    await app.pool.query('UPDATE users SET is_admin = true WHERE username = $1', [name]);
    return client;
  };

  it('that hardly progress are ended, and load nothing', async () => {
    const { request, answer } = put(app.admin, 'stalled');
    request.write('id\n1\n');
    // A byte now and then is not enough.
    const drip = setInterval(() => request.write('2\n'), 200);
    try {
      expect(await answer).toMatchObject({ status: 408, body: { code: 'upload_stalled' } });
    } finally {
      clearInterval(drip);
    }
    await app.admin.get('/api/warehouse/connections/1/tables/stalled').expect(404);
  }, 30_000);

  it("of one user leave places to another's", async () => {
    const [greedy, other] = [await anAdmin('greedy'), await anAdmin('other')];
    const steady: NodeJS.Timeout[] = [];
    const slow = Array.from({ length: 6 }, (_, number) => {
      const upload = put(greedy, `slow_${number}`);
      upload.request.write('id\n');
      steady.push(setInterval(() => upload.request.write('1\n'.repeat(20_000)), 200));
      return upload;
    });
    try {
      await sleep(500);
      await other.put('/api/warehouse/connections/1/tables/quick').set('Content-Type', 'text/csv').send('id\n1\n').expect(201);
      // Two work and four wait, so the seventh finds no place.
      await greedy
        .put('/api/warehouse/connections/1/tables/seventh')
        .set('Content-Type', 'text/csv')
        .send('id\n1\n')
        .expect(503)
        .expect(({ body, headers }) =>
          expect([body.code, headers['retry-after']]).toEqual(['uploads_busy', expect.stringMatching(/^\d+$/)]),
        );
    } finally {
      steady.forEach(clearInterval);
      for (const { request } of slow) request.destroy();
      await Promise.allSettled(slow.map(({ answer }) => answer));
    }
  }, 60_000);
});
