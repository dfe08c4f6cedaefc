import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { binding, connections, connectionUsers, grants, load, loadStaff, mapping, postJob, run } from './support/connection-users.js';

describe('the use of a warehouse connection by jobs and metrics', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    await loadStaff(test.admin);
  });
  afterAll(() => test.close());

  const { someone, revoke } = connectionUsers(() => test);
  const aMetric = async (user: Client, graphId: number): Promise<number> =>
    (await user.post('/api/metrics').send({ graph_id: graphId, name: '工资', formula: 'SUM(工资)', binding }).expect(201)).body.id;

  describe('a job', () => {
    it('is created and run by users with a right on the connection', async () => {
      const { user, graphId } = await someone('mapper', 'read');
      const { body: job } = await postJob(user, graphId).expect(201);
      expect((await run(user, job.id)).status).toBe('succeeded');
    });

    it.each([
      ['revoked', (id: number) => revoke(id).expect(204), (id: number) => test.admin.post(grants).send({ user_id: id, right: 'read' }).expect(201)],
      ['disabled', (id: number) => test.admin.patch(`/api/users/${id}`).send({ disabled: true }).expect(200), (id: number) => test.admin.patch(`/api/users/${id}`).send({ disabled: false }).expect(200)],
    ] as const)('fails at its next run when its saver is %s, says so, and runs again when that is undone', async (how, lose, regain) => {
      const { user, id, graphId } = await someone(`saver-${how}`, 'read');
      const { body: job } = await postJob(user, graphId).expect(201);
      await run(test.admin, job.id);
      await lose(id);
      // The user who starts the run does not matter: the admin may read the connection, but the job reads it in the name of its saver.
      const failed = await run(test.admin, job.id);
      expect(failed).toMatchObject({
        status: 'failed',
        error: { code: 'connection_access_lost', context: { kind: 'job', id: job.id, saved_by: `saver-${how}`, connection_id: 1 } },
      });
      expect(failed.error.detail).toMatch(new RegExp(`saver-${how}.* / Job .*saver-${how}.*an admin can grant it`));
      const { body: graph } = await test.admin.get(`/api/graphs/${graphId}`).expect(200);
      expect(graph.version).toBe(1);
      await regain(id);
      expect((await run(test.admin, job.id)).status).toBe('succeeded');
    }); // prettier-ignore

    it('fails when its saver is deleted, and can be saved anew by another user with the right', async () => {
      const { user: owner, graphId } = await someone('heir', 'read');
      const { user: saver, id } = await someone('leaving', 'read');
      await owner.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'leaving', role: 'editor' }).expect(201);
      const { body: job } = await postJob(saver, graphId).expect(201);
      const own = (await saver.get('/api/graphs').expect(200)).body.items.find((graph: any) => graph.name === 'leaving');
      await saver.delete(`/api/graphs/${own.id}`).expect(204);
      await test.admin.delete(`/api/users/${id}`).expect(204);
      const failed = await run(owner, job.id);
      expect(failed.error).toMatchObject({ code: 'connection_access_lost', context: { saved_by: null } });
      const { body: again } = await postJob(owner, graphId).expect(201);
      expect((await run(owner, again.id)).status).toBe('succeeded');
    });

    it('finishes when the right is revoked after it has begun to read, and its next run fails', async () => {
      const { user, id, graphId } = await someone('interrupted', 'read');
      const { body: job } = await postJob(user, graphId).expect(201);
      let runId = 0;
      await test.pool.transaction(async client => {
        await client.query('LOCK TABLE mirror.staff IN ACCESS EXCLUSIVE MODE');
        runId = (await user.post(`/api/ingestion/jobs/${job.id}/run`).expect(202)).body.id;
        for (let phase = ''; !phase.startsWith('staging'); await sleep(20))
          phase = (await user.get(`/api/ingestion/runs/${runId}`)).body.phase ?? '';
        await revoke(id).expect(204);
      });
      for (let status = 'running'; status === 'running'; await sleep(20)) {
        status = (await user.get(`/api/ingestion/runs/${runId}`)).body.status;
        if (status !== 'running') expect(status).toBe('succeeded');
      }
      expect((await run(user, job.id)).error.code).toBe('connection_access_lost');
    });

    it('loses its right when its saver stops being an admin', async () => {
      const { id, graphId } = await someone('officer');
      await test.admin.patch(`/api/users/${id}`).send({ is_admin: true }).expect(200);
      const { body: job } = await postJob(await test.asUser('officer'), graphId).expect(201);
      expect((await run(test.admin, job.id)).status).toBe('succeeded');
      await test.admin.patch(`/api/users/${id}`).send({ is_admin: false }).expect(200);
      expect((await run(test.admin, job.id)).error.code).toBe('connection_access_lost');
    });

    it('tells the members of its graph nothing of other tables and columns when its source has changed', async () => {
      const { user, graphId } = await someone('changer', 'read');
      const withExpression = `version: 1
nodes:
  - {id: p, label: 员工, table: volatile, key: [id], columns: [{column: id, type: int}, {expression: upper(nickname), property: 名}]}
`;
      await load(test.admin, 'id,nickname\n1,甲\n', 'volatile').expect(201);
      const { body: job } = await postJob(user, graphId, withExpression).expect(201);
      const { body: plain } = await postJob(user, graphId, mapping('volatile', 'nickname')).expect(201);
      await load(test.admin, 'id,nicknames\n1,甲\n', 'volatile').expect(200);
      const gone = [await run(user, job.id), await run(user, plain.id)];
      await test.admin.delete(`${connections}/1/tables/volatile?force=true`).expect(204);
      await load(test.admin, 'id\n1\n', 'volatiles').expect(201);
      gone.push(await run(user, job.id));
      expect(gone.map(({ status, error }) => [status, error.code])).toEqual(gone.map(() => ['failed', 'source_changed']));
      expect(JSON.stringify(gone)).not.toMatch(/nicknames|volatiles/);
      // A user who may use the connection does get similar names, when checking the same mapping.
      const checked = await user.post('/api/ingestion/mappings/validate').send({ mapping_yaml: withExpression }).expect(422);
      expect(JSON.stringify(checked.body)).toMatch(/did you mean 'volatiles'/);
    });
  });

  describe('a metric', () => {
    it('is executed by viewers who may not use its connection, and fails for all when its binder may no longer', async () => {
      const { user: binder, id, graphId } = await someone('binder', 'read');
      const { user: viewer } = await someone('viewer');
      await binder.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'viewer', role: 'viewer' }).expect(201);
      const metricId = await aMetric(binder, graphId);
      const execute = (user: Client) => user.post(`/api/metrics/${metricId}/execute`).send({});
      expect((await execute(viewer).expect(200)).body.rows).toEqual([['30']]);
      await viewer.post(`/api/graphs/${graphId}/query`).send({ question: '工资是多少？' }).expect(200);

      await revoke(id).expect(204);
      for (const user of [viewer, binder, test.admin]) {
        const { body } = await execute(user).expect(409);
        expect(body).toMatchObject({
          code: 'connection_access_lost',
          context: { kind: 'metric', id: metricId, saved_by: 'binder', connection_id: 1 },
        });
        expect(body.detail).toMatch(/binder.*bind the metric again/);
      }
      await binder.put(`/api/metrics/${metricId}/binding`).send(binding).expect(403);
      // An admin, who has the right, saves the binding anew.
      await test.admin.put(`/api/metrics/${metricId}/binding`).send(binding).expect(200);
      await execute(viewer).expect(200);
    });

    it('needs the right of each binder if it names others', async () => {
      const { user: owner, graphId } = await someone('composer', 'read');
      const { user: other, id } = await someone('other-binder', 'read');
      await owner.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'other-binder', role: 'editor' }).expect(201);
      await aMetric(owner, graphId);
      await other.post('/api/metrics').send({ graph_id: graphId, name: '人数', formula: 'COUNT(*)', binding }).expect(201);
      const { body: mean } = await owner
        .post('/api/metrics')
        .send({ graph_id: graphId, name: '均值', formula: '[工资] / [人数]' })
        .expect(201);
      expect((await owner.post(`/api/metrics/${mean.id}/execute`).send({}).expect(200)).body.rows.map((row: unknown[]) => Number(row[0]))).toEqual([15]); // prettier-ignore
      await revoke(id).expect(204);
      const { body } = await owner.post(`/api/metrics/${mean.id}/execute`).send({}).expect(409);
      expect(body.context).toMatchObject({ saved_by: 'other-binder' });
    });
  });
});
