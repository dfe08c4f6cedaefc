import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { aGraph, aJob, upload } from './support/ingestion.js';

const mapping = `version: 1
nodes:
  - {id: r, label: 行, table: lines, key: [id], columns: [{column: id}]}
`;

describe('a right that is lost while work waits', () => {
  let app: TestApp;
  let users = 0;
  beforeAll(async () => {
    app = await startTestApp();
    await upload(app, 'lines', 'id\n1\n2\n');
  });
  afterAll(() => app.close());

  /** Makes a job of the admin, on a graph that another user may edit. */
  async function anEditor(): Promise<{ editor: Client; id: number; graphId: number; jobId: number }> {
    const username = `editor-${++users}`;
    const editor = await app.asUser(username);
    const graphId = await aGraph(app);
    await app.admin.post(`/api/permissions/graphs/${graphId}/members`).send({ username, role: 'editor' }).expect(201);
    const { body } = await editor.get('/api/auth/me').expect(200);
    return { editor, id: body.user_id, graphId, jobId: await aJob(app, graphId, mapping) };
  }
  async function untilEnd(runId: number): Promise<any> {
    for (const deadline = Date.now() + 20_000; ; await sleep(30)) {
      const { body } = await app.admin.get(`/api/ingestion/runs/${runId}`).expect(200);
      if (body.finished_at !== null) return body;
      if (Date.now() > deadline) throw new Error(JSON.stringify(body));
    }
  }
  const versionOf = async (graphId: number) => (await app.admin.get(`/api/graphs/${graphId}`).expect(200)).body.version;

  it.each([
    ['removed from the graph', 'DELETE FROM graph_members WHERE user_id = $1'],
    ['made a viewer', `UPDATE graph_members SET role = 'viewer' WHERE user_id = $1`],
    ['disabled', 'UPDATE users SET disabled_at = now() WHERE id = $1'],
    ['bound to change the password', 'UPDATE users SET must_change_password = true WHERE id = $1'],
    ['deleted', 'DELETE FROM users WHERE id = $1'],
  ])('ends a queued run of a user who was %s', async (_, lose) => {
    const { id, graphId, jobId } = await anEditor();
    const runId = await app.pool.transaction(async client => {
      const { rows } = await client.query<{ id: number }>(
        'INSERT INTO ingestion_runs (job_id, requested_by) VALUES ($1, $2) RETURNING id',
        [jobId, id],
      );
      await client.query(lose, [id]);
      return rows[0]!.id;
    });
    expect(await untilEnd(runId)).toMatchObject({ status: 'failed', error: { code: 'requester_access_lost' } });
    expect(await versionOf(graphId)).toBe(0);
  });

  it('ends a run that has begun, and nothing of it is kept', async () => {
    const { editor, graphId, id, jobId } = await anEditor();
    let runId = 0;
    await app.pool.transaction(async client => {
      await client.query('LOCK TABLE mirror.lines IN ACCESS EXCLUSIVE MODE');
      runId = (await editor.post(`/api/ingestion/jobs/${jobId}/run`).expect(202)).body.id;
      for (let phase = ''; !phase.startsWith('staging'); await sleep(20))
        phase = (await editor.get(`/api/ingestion/runs/${runId}`)).body.phase ?? '';
      await app.admin.delete(`/api/permissions/graphs/${graphId}/members/${id}`).expect(204);
    });
    expect(await untilEnd(runId)).toMatchObject({ status: 'failed', error: { code: 'requester_access_lost' } });
    expect(await versionOf(graphId)).toBe(0);
  });

  it('ends the events of a run with its graph', async () => {
    const { editor, graphId, id, jobId } = await anEditor();
    const { rows } = await app.pool.query(
      `INSERT INTO ingestion_runs (job_id, requested_by, status, lease_owner, lease_until)
       VALUES ($1, $2, 'running', gen_random_uuid(), now() + interval '1 h') RETURNING id`,
      [jobId, id],
    );
    const headers = { Authorization: `Bearer ${editor.token}` };
    const stream = await fetch(`${app.url}/api/ingestion/runs/${rows[0].id}/events`, { headers });
    const text = stream.text();
    await app.admin.delete(`/api/graphs/${graphId}`).expect(204);
    expect(await text).toMatch(/event: access_lost\n[^]*"code":"run_not_found"/);
  });

  it('keeps what happens from the webhooks of a user who left, until an editor changes them', async () => {
    const received: string[] = [];
    const receiver = http.createServer((request, response) => {
      received.push(request.url!);
      request.resume().on('end', () => response.end());
    });
    await new Promise<void>(resolve => receiver.listen(0, '127.0.0.1', resolve));
    try {
      const { editor, graphId, id, jobId } = await anEditor();
      const hooks = `/api/ingestion/jobs/${jobId}/webhooks`;
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/left`;
      const { body: hook } = await editor.post(hooks).send({ url }).expect(201);
      const at = `${hooks}/${hook.id}`;
      const untilLast = async (status: string): Promise<any> => {
        for (const deadline = Date.now() + 20_000; ; await sleep(30)) {
          const [last] = (await app.admin.get(`${at}/deliveries`).expect(200)).body.items;
          if (last?.status === status) return last;
          if (Date.now() > deadline) throw new Error(JSON.stringify(last));
        }
      };
      await editor.post(`${at}/test`).expect(202);
      await untilLast('delivered');
      await app.admin.delete(`/api/permissions/graphs/${graphId}/members/${id}`).expect(204);
      await app.admin.post(`/api/ingestion/jobs/${jobId}/run`).set('Prefer', 'wait=30').expect(200);
      const held = await untilLast('failed');
      expect(held).toMatchObject({ event: 'run.succeeded', attempts: 1, error: { code: 'access_lost' } });
      expect(received).toHaveLength(1);

      await app.admin.patch(at).send({ enabled: true }).expect(200);
      await app.admin.post(`${at}/deliveries/${held.id}/redeliver`).expect(202);
      await untilLast('delivered');
      expect(received).toHaveLength(2);
    } finally {
      receiver.closeAllConnections();
      receiver.close();
    }
  });
});
