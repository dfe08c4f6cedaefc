import { once } from 'node:events';
import http from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, keyClient, startTestApp, type TestApp } from './support/app.js';
import { aJob, numbersCsv, quickMapping as quick, slowMapping as slow, upload } from './support/ingestion.js';

describe('runs of several users', () => {
  let app: TestApp;
  let users: Client[];
  beforeAll(async () => {
    app = await startTestApp();
    await upload(app, 'numbers', numbersCsv);
    users = await Promise.all(['a', 'b', 'c', 'd'].map(name => app.asUser(`user-${name}`)));
    // The users become admins, because an admin may read every connection.
    await app.pool.query(`UPDATE users SET is_admin = true WHERE username LIKE 'user-%'`);
  });
  afterEach(async () => {
    await app.pool.query(`UPDATE ingestion_runs SET status = 'cancelled' WHERE status = 'queued'`);
    await app.pool.query('UPDATE ingestion_runs SET cancel_requested = true');
    for (let going = 1; going > 0; await sleep(50)) {
      going = (await app.pool.query(`SELECT FROM ingestion_runs WHERE status = 'running'`)).rowCount!;
    }
  });
  afterAll(() => app.close());

  /** Queues a run of a new job, on a new graph by default. */
  async function start(as: Client, mapping: string, onGraph?: number): Promise<number> {
    const graphId = onGraph ?? (await as.post('/api/graphs').send({ name: '图' }).expect(201)).body.id;
    const { body: job } = await as.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: mapping }).expect(201);
    return (await as.post(`/api/ingestion/jobs/${job.id}/run`).expect(202)).body.id;
  }
  const statusOf = async (id: number) => (await app.pool.query('SELECT status FROM ingestion_runs WHERE id = $1', [id])).rows[0].status;
  const until = async (id: number, status: string) => {
    for (const deadline = Date.now() + 30_000; (await statusOf(id)) !== status; await sleep(50))
      if (Date.now() > deadline) throw new Error(`Run ${id} is ${await statusOf(id)}, not ${status}`);
  };

  it("start while another user's two long runs go on", async () => {
    const first = await start(users[0]!, slow);
    const second = await start(users[0]!, slow);
    await until(first, 'running');
    const others = await start(users[1]!, quick);
    await until(others, 'succeeded');
    expect([await statusOf(first), await statusOf(second)]).toEqual(['running', 'queued']);
  });

  it('start while two long runs of another graph wait, even if two users asked for those', async () => {
    const { body: graph } = await users[0]!.post('/api/graphs').send({ name: '共有' }).expect(201);
    const first = await start(users[0]!, slow, graph.id);
    const second = await start(users[1]!, slow, graph.id);
    await until(first, 'running');
    const others = await start(users[2]!, quick);
    await until(others, 'succeeded');
    expect([await statusOf(first), await statusOf(second)]).toEqual(['running', 'queued']);
  });

  it('come in turn, however many one user has queued', async () => {
    const blocking = [await start(users[3]!, slow), await start(app.admin, slow)];
    for (const run of blocking) await until(run, 'running');
    const queued: number[] = [];
    for (const user of [0, 0, 0, 1, 1, 2]) queued.push(await start(users[user]!, quick));
    await app.admin.post(`/api/ingestion/runs/${blocking[1]}/cancel`).expect(202);
    for (const run of queued) await until(run, 'succeeded');
    const { rows } = await app.pool.query('SELECT id FROM ingestion_runs WHERE id = ANY ($1) ORDER BY started_at', [queued]);
    // Expected order by user: 0, 1 and 2 in any order, then 0 and 1, then 0. Runs of earlier tests decide which user is the very first.
    const order = rows.map(({ id }) => [0, 0, 0, 1, 1, 2][queued.indexOf(id)]);
    expect([...order.slice(0, 3)].sort()).toEqual([0, 1, 2]);
    expect([...order.slice(3, 5)].sort()).toEqual([0, 1]);
    expect(order[5]).toBe(0);
  });

  it('wait in the queue up to 20 of one user, also when they are asked for all at once', async () => {
    const blocking = [await start(users[3]!, slow), await start(app.admin, slow)];
    for (const run of blocking) await until(run, 'running');
    const { body: graph } = await users[0]!.post('/api/graphs').send({ name: '图' }).expect(201);
    const jobs = await Promise.all(
      Array.from({ length: 24 }, () => users[0]!.post('/api/ingestion/jobs').send({ graph_id: graph.id, mapping_yaml: quick })),
    );
    const answers = await Promise.all(jobs.map(({ body }) => users[0]!.post(`/api/ingestion/jobs/${body.id}/run`)));
    expect(answers.filter(({ status }) => status === 202)).toHaveLength(20);
    const refused = answers.filter(({ status }) => status !== 202);
    for (const { status, body } of refused)
      expect({ status, body }).toMatchObject({ status: 409, body: { code: 'too_many_runs_waiting' } });
    await start(users[1]!, quick);
  });
});

describe("the operator's ceiling of a statement", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ INGESTION_MAX_STATEMENT_TIMEOUT_MS: '1000' });
    await upload(app, 'numbers', numbersCsv);
  });
  afterAll(() => app.close());

  it('refuses a mapping that asks for more, with the place and the ceiling', async () => {
    const { body: graph } = await app.admin.post('/api/graphs').send({ name: '图' }).expect(201);
    const mapping = quick.replace('version: 1', 'version: 1\nsource: {statement_timeout: 24h}');
    const { body } = await app.admin.post('/api/ingestion/jobs').send({ graph_id: graph.id, mapping_yaml: mapping }).expect(422);
    expect(body.detail.errors).toEqual([
      expect.objectContaining({ path: 'source.statement_timeout', line: 2, msg: expect.stringContaining('at most 1s') }),
    ]);
  });

  it('also holds for a job that was saved before it', async () => {
    const { body: graph } = await app.admin.post('/api/graphs').send({ name: '图' }).expect(201);
    const { body: job } = await app.admin.post('/api/ingestion/jobs').send({ graph_id: graph.id, mapping_yaml: quick }).expect(201);
    await app.pool.query('UPDATE ingestion_jobs SET mapping_yaml = $2 WHERE id = $1', [job.id, slow.replace('30m', '24h')]);
    const { body: run } = await app.admin.post(`/api/ingestion/jobs/${job.id}/run`).set('Prefer', 'wait=60').expect(200);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'statement_timeout' } });
  });
});

const mapping = `version: 1
nodes: [{id: thing, label: 物, table: things, key: [id], columns: [{column: id, property: 编号}]}]`;

describe('places of several users', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp({ UPLOAD_IDLE_SECONDS: '1', WORKER: 'off' });
  });
  afterAll(() => app.close());

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

    /** Opens the event stream. `text` resolves when the stream ends. */
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

    /** Opens a stream, takes the access of its reader away, and returns the text of the stream once it has ended. */
    async function textAfter(headers: Record<string, string>, lose: () => PromiseLike<unknown>): Promise<string> {
      const stream = await open(headers);
      expect(stream.status).toBe(200);
      await lose();
      return stream.text;
    }

    // All readers lose their access at the same time, because a stream checks its access only every two seconds.
    it('ends with the reason once its reader lost the role, logged out, was disabled or must change the password, or the key is revoked', async () => {
      const losses: Record<string, [code: string, lose: (reader: Client, id: number) => PromiseLike<unknown>]> = {
        'lost-the-role': ['graph_forbidden', (_, id) => owner.delete(`/api/permissions/graphs/${graphId}/members/${id}`).expect(204)],
        'logged-out': ['not_authenticated', reader => reader.post('/api/auth/logout').expect(204)],
        'was-disabled': ['not_authenticated', (_, id) => app.admin.patch(`/api/users/${id}`).send({ disabled: true }).expect(200)],
        'must-change-the-password': ['not_authenticated', (_, id) => app.admin.post(`/api/users/${id}/reset-password`).expect(200)],
      };
      const ofReaders = Object.entries(losses).map(async ([name, [code, lose]]) => {
        const reader = await aReader(name);
        const id = await idOf(name);
        return { name, code, text: await textAfter(bearer(reader), () => lose(reader, id)) };
      });
      const { body: key } = await owner
        .post('/api/api-keys')
        .send({ name: 'k', graph_ids: [graphId] })
        .expect(201);
      await keyClient(app.url, key.raw_key).get(`/api/ingestion/runs/${runId}`).expect(200);
      const ofKey = await textAfter({ 'X-API-Key': key.raw_key }, () => owner.delete(`/api/api-keys/${key.id}`).expect(204));
      const ends = [...(await Promise.all(ofReaders)), { name: 'key', code: 'not_authenticated', text: ofKey }];
      for (const { name, code, text } of ends) {
        expect([name, text]).toEqual([name, expect.stringContaining('event: progress')]);
        const last = text.trimEnd().split('\n\n').at(-1);
        const lost = new RegExp(`event: access_lost[^]*data: \\{"detail":".+ / .+","code":"${code}"\\}$`);
        expect([name, last]).toEqual([name, expect.stringMatching(lost)]);
      }
    });

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
      // After streams are closed, the user may open new ones.
      for (const deadline = Date.now() + 20_000; ; await sleep(100)) {
        const again = await open(bearer(reader));
        again.close();
        if (again.status === 200) break;
        if (Date.now() > deadline) throw new Error('The places of closed streams were not given back');
      }
    });
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

    it('are ended if they hardly progress, and load nothing', async () => {
      const { request, answer } = put(app.admin, 'stalled');
      request.write('id\n1\n');
      // One line every 200 ms is below the least rate of an upload.
      const drip = setInterval(() => request.write('2\n'), 200);
      try {
        expect(await answer).toMatchObject({ status: 408, body: { code: 'upload_stalled' } });
      } finally {
        clearInterval(drip);
      }
      await app.admin.get('/api/warehouse/connections/1/tables/stalled').expect(404);
    });

    it('leave places to those of another user', async () => {
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
        // Two uploads are processed and four wait, so the seventh is refused.
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
    });
  });
});
