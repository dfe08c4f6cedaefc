import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, grantConnection, keyClient, startTestApp, type TestApp } from './support/app.js';

const connections = '/api/warehouse/connections';
const grants = '/api/permissions/connections/1/users';

const mapping = (table = 'staff', column = 'name') => `version: 1
nodes:
  - {id: p, label: 员工, table: ${table}, key: [id], columns: [{column: id, type: int}, {column: ${column}}]}
`;
const binding = { relation: { table: 'staff' }, columns: { 工资: 'wage' } };

describe('the use of a warehouse connection', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    await load(test.admin, 'id,name,wage\n1,甲,10\n2,乙,20\n').expect(201);
    await load(test.admin, 'id,secret_column\n1,x\n', 'secrets').expect(201);
  });
  afterAll(() => test.close());

  const load = (as: Client, csv: string, table = 'staff') =>
    as.put(`${connections}/1/tables/${table}`).set('Content-Type', 'text/csv').send(csv);
  const idOf = async (user: Client): Promise<number> => (await user.get('/api/auth/me').expect(200)).body.user_id;
  const revoke = (grantee: number | string) => test.admin.delete(`${grants}/${grantee}`);

  /** A registered user with a graph of their own. */
  async function someone(username: string, right?: 'read' | 'write'): Promise<{ user: Client; id: number; graphId: number }> {
    const user = await test.asUser(username);
    if (right) await grantConnection(test, username, right);
    const { body } = await user.post('/api/graphs').send({ name: username }).expect(201);
    return { user, id: await idOf(user), graphId: body.id };
  }

  const postJob = (user: Client, graphId: number, yaml = mapping()) =>
    user.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: yaml });
  const run = async (user: Client, jobId: number) =>
    (await user.post(`/api/ingestion/jobs/${jobId}/run`).set('Prefer', 'wait=60').expect(200)).body;
  const aMetric = async (user: Client, graphId: number): Promise<number> =>
    (await user.post('/api/metrics').send({ graph_id: graphId, name: '工资', formula: 'SUM(工资)', binding }).expect(201)).body.id;

  describe('grants', () => {
    it('are made for a user by name or id, or for everyone, changed by granting again, listed and revoked', async () => {
      const { user, id } = await someone('grantee');
      const made = await test.admin.post(grants).send({ username: 'grantee', right: 'read' }).expect(201);
      expect(made.body).toMatchObject({ user_id: id, username: 'grantee', right: 'read', granted_by: 'admin' });
      expect((await user.get(connections).expect(200)).body.items).toMatchObject([{ id: 1, right: 'read' }]);
      expect((await test.admin.post(grants).send({ user_id: id, right: 'write' }).expect(200)).body.right).toBe('write');
      expect((await user.get(`${connections}/1`).expect(200)).body.right).toBe('write');
      const all = await test.admin.post(grants).send({ user_id: 'everyone', right: 'read' }).expect(201);
      expect(all.body).toMatchObject({ user_id: 'everyone', username: null, right: 'read' });
      const first = (await test.admin.get(`${grants}?limit=1`).expect(200)).body;
      const second = (await test.admin.get(`${grants}?cursor=${first.next_cursor}`).expect(200)).body;
      expect([...first.items, ...second.items].map(each => each.user_id)).toEqual([id, 'everyone']);
      // The higher of the user's own right and everyone's counts.
      expect((await user.get(`${connections}/1`).expect(200)).body.right).toBe('write');
      await revoke(id).expect(204);
      expect((await user.get(`${connections}/1`).expect(200)).body.right).toBe('read');
      await revoke('everyone').expect(204);
      await user.get(`${connections}/1`).expect(403);
      expect((await revoke('everyone').expect(404)).body.code).toBe('connection_grant_not_found');
    });

    it('name the mistakes in a request', async () => {
      expect((await test.admin.post(grants).send({ right: 'read' }).expect(400)).body.code).toBe('one_user_expected');
      const both = { user_id: 'everyone', username: 'admin', right: 'read' };
      expect((await test.admin.post(grants).send(both).expect(400)).body.code).toBe('one_user_expected');
      await test.admin.post(grants).send({ user_id: 'everyone' }).expect(400);
      expect((await test.admin.post(grants).send({ username: 'ghost', right: 'read' }).expect(404)).body.code).toBe('user_not_found');
      for (const user_id of ['all', 0, -1, 1.5, true, [1], { id: 1 }, 2 ** 31]) {
        const { body } = await test.admin.post(grants).send({ user_id, right: 'read' }).expect(422);
        expect(body.detail.errors[0]).toMatchObject({
          loc: ['body', 'user_id'],
          type: 'grantee_type',
          msg: '应为用户 id 或 "everyone" / user_id must be the id of a user, or "everyone"',
        });
      }
      const { body } = await test.admin.post(grants).send({ username: 'admin', right: 'own' }).expect(422);
      expect(body.detail.errors[0]).toMatchObject({ loc: ['body', 'right'], type: 'not_one_of', msg: expect.stringContaining('read') });
      await revoke('all').expect(422);
      const nowhere = '/api/permissions/connections/999/users';
      await test.admin.post(nowhere).send({ user_id: 'everyone', right: 'read' }).expect(404);
      await test.admin.get(nowhere).expect(404);
    });

    it('are recorded with the people who made and received them', async () => {
      const { id } = await someone('recorded');
      await grantConnection(test, 'recorded');
      await grantConnection(test, 'recorded', 'write');
      await revoke(id).expect(204);
      const { body } = await test.admin.get('/api/audit-events?limit=3').expect(200);
      expect(body.items.map(({ action, actor, target, target_id, context }: any) => [action, actor, target, target_id, context])).toEqual([
        ['connection.revoked', 'admin', 'connection', 1, { user: 'recorded' }],
        ['connection.grant_changed', 'admin', 'connection', 1, { user: 'recorded', right: 'write' }],
        ['connection.granted', 'admin', 'connection', 1, { user: 'recorded', right: 'read' }],
      ]);
    });

    it('go with their user and their connection', async () => {
      const { user, id, graphId } = await someone('going', 'read');
      const { body: second } = await test.admin.post(connections).send({ name: 'second', type: 'pg_mirror' }).expect(201);
      await test.admin.post(`/api/permissions/connections/${second.id}/users`).send({ user_id: id, right: 'read' }).expect(201);
      expect((await user.get(connections).expect(200)).body.items).toHaveLength(2);
      await test.admin.delete(`${connections}/${second.id}`).expect(204);
      await user.delete(`/api/graphs/${graphId}`).expect(204);
      await test.admin.delete(`/api/users/${id}`).expect(204);
      expect((await test.pool.query('SELECT FROM connection_grants WHERE user_id = $1', [id])).rowCount).toBe(0);
    });
  });

  describe('without a grant', () => {
    let stranger: Client;
    let graphId: number;
    beforeAll(async () => ({ user: stranger, graphId } = await someone('stranger')));

    it('the lists are empty, and tables are neither shown, loaded nor dropped, with a sentence that says whom to ask', async () => {
      expect((await stranger.get(connections).expect(200)).body.items).toEqual([]);
      for (const request of [
        stranger.get(`${connections}/1`),
        stranger.get(`${connections}/1/tables`),
        stranger.get(`${connections}/1/tables/secrets`),
        stranger.get(`${connections}/1/tables/nothing`),
        load(stranger, 'a\n1\n'),
        stranger.delete(`${connections}/1/tables/staff`),
      ]) {
        const { body } = await request.expect(403);
        expect([body.code, body.detail]).toEqual(['connection_forbidden', expect.stringContaining('ask an admin')]);
      }
    });

    it('nothing is mapped or bound, and no error tells the name of a table or a column', async () => {
      const metric = (await stranger.post('/api/metrics').send({ graph_id: graphId, name: 'm', formula: 'COUNT(*)' }).expect(201)).body.id;
      const sql = { relation: { sql: 'SELECT * FROM secret' } };
      const answers = [
        await stranger.post('/api/ingestion/mappings/validate').send({ mapping_yaml: mapping('secret') }),
        await stranger.post('/api/ingestion/mappings/validate').send({ mapping_yaml: mapping('secrets', 'secret_colum') }),
        await postJob(stranger, graphId, mapping('secret')),
        await stranger.put(`/api/metrics/${metric}/binding`).send({ relation: { table: 'secret' } }),
        await stranger.put(`/api/metrics/${metric}/binding`).send({ relation: { table: 'secrets' }, columns: { a: 'secret_colum' } }),
        await stranger.put(`/api/metrics/${metric}/binding`).send(sql),
        await stranger.post('/api/metrics').send({ graph_id: graphId, name: 'n', formula: 'COUNT(*)', binding: sql }),
      ];
      expect(answers.map(({ status, body }) => [status, body.code])).toEqual(answers.map(() => [403, 'connection_forbidden']));
      expect(JSON.stringify(answers.map(({ body }) => body))).not.toMatch(/secret/);
    });

    it('a right to read is no right to write', async () => {
      const { user } = await someone('only-reader', 'read');
      await user.get(`${connections}/1/tables/staff`).expect(200);
      const { body } = await load(user, 'a\n1\n').expect(403);
      expect(body.context).toEqual({ required_right: 'write' });
      await user.delete(`${connections}/1/tables/staff`).expect(403);
    });
  });

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
      // The one who starts it does not matter: the admin may read the connection, the job may not.
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

    it('loses its right when its saver is no admin any more', async () => {
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
      await test.admin.delete(`${connections}/1/tables/volatile`).expect(204);
      await load(test.admin, 'id\n1\n', 'volatiles').expect(201);
      gone.push(await run(user, job.id));
      expect(gone.map(({ status, error }) => [status, error.code])).toEqual(gone.map(() => ['failed', 'source_changed']));
      expect(JSON.stringify(gone)).not.toMatch(/nicknames|volatiles/);
      // Somebody who may use the connection gets near names in the check of the same mapping.
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
      // Saved anew by somebody with the right.
      await test.admin.put(`/api/metrics/${metricId}/binding`).send(binding).expect(200);
      await execute(viewer).expect(200);
    });

    it('that names others needs the right of each binder', async () => {
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

  describe('source rows', () => {
    it('are shown to viewers who may not use the connection, for the rows of their answer, while the job’s saver may', async () => {
      const { user: owner, id, graphId } = await someone('loader', 'read');
      const { user: viewer } = await someone('onlooker');
      await owner.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'onlooker', role: 'viewer' }).expect(201);
      const { body: job } = await postJob(owner, graphId).expect(201);
      await run(owner, job.id);
      const query = { cypher: "MATCH (p:员工) WHERE p.name = '甲' RETURN p", include: ['source_rows'] };
      const ask = async () => (await viewer.post(`/api/graphs/${graphId}/query`).send(query).expect(200)).body;
      expect((await ask()).source_rows).toEqual([{ citation: 0, row: { id: 1, name: '甲' } }]);
      await revoke(id).expect(204);
      // The answer is the stored one, but its rows are read anew.
      const later = await ask();
      expect([later.cache.status, later.rows.length, later.source_rows]).toEqual(['hit', 1, []]);
      expect(later.warnings.join()).toMatch(/loader/);
    });

    it('have all columns for users with a right of their own on the connection only, and never for API keys', async () => {
      const { user: owner, id, graphId } = await someone('all-columns', 'read');
      const { user: manager, id: managerId } = await someone('some-columns');
      const { body: key } = await owner
        .post('/api/api-keys')
        .send({ name: 'reader', graph_ids: [graphId] })
        .expect(201);
      await owner.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'some-columns', role: 'manager' }).expect(201);
      const { body: job } = await postJob(owner, graphId).expect(201);
      await run(owner, job.id);
      const query = { cypher: "MATCH (p:员工) WHERE p.name = '乙' RETURN p", include: ['source_rows'] };
      const columnsOf = async (as: Client) =>
        (await as.post(`/api/graphs/${graphId}/query`).send(query).expect(200)).body.source_rows.map((each: any) => Object.keys(each.row));
      const [shown, all] = [[['id', 'name']], [['id', 'name', 'wage']]];
      expect(await columnsOf(owner)).toEqual(all);
      expect(await columnsOf(keyClient(test.url, key.raw_key))).toEqual(shown);
      expect(await columnsOf(manager)).toEqual(shown);
      await grantConnection(test, 'some-columns');
      expect(await columnsOf(manager)).toEqual(all);
      await revoke(managerId).expect(204);
      expect(await columnsOf(manager)).toEqual(shown);
      await revoke(id).expect(204);
    });

    it('show a viewer the columns of keys, ends and properties, and not those of filters, expressions and masks', async () => {
      const { user: owner, graphId } = await someone('masker', 'read');
      const { user: viewer } = await someone('masked');
      await owner.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'masked', role: 'viewer' }).expect(201);
      await load(
        test.admin,
        'id,name,phone,born,boss,pay,kind\n1,甲,13800001111,1990,,5,a\n2,乙,13900002222,1991,1,6,a\n',
        'people',
      ).expect(201);
      const yaml = `version: 1
nodes:
  - id: p
    label: 人
    table: people
    key: [id]
    where: "kind = 'a'"
    columns:
      - {column: id, type: int}
      - {column: name, transform: [trim]}
      - {column: phone, type: string, transform: [{substring: [1, 3]}]}
      - {expression: "born > 1980", property: grown, type: boolean}
  - {id: q, label: 主管, table: people, key: [id], columns: [{column: id, type: int}]}
edges:
  - type: 上级
    table: people
    key: [id]
    where: "boss IS NOT NULL"
    from: {node: p, match: {id: id}}
    to: {node: p, match: {boss: id}}
    columns: [{column: pay, type: int}]
  - type: 上级
    table: people
    key: [id]
    where: "kind = 'b'"
    from: {node: p, match: {id: id}}
    to: {node: q, match: {boss: id}}
    columns: [{column: born, type: int}]
`;
      const { body: job } = await postJob(owner, graphId, yaml).expect(201);
      expect(await run(owner, job.id)).toMatchObject({ status: 'succeeded' });
      const ask = async (cypher: string) =>
        (
          await viewer
            .post(`/api/graphs/${graphId}/query`)
            .send({ cypher, include: ['source_rows'] })
            .expect(200)
        ).body.source_rows;
      expect((await ask("MATCH (p:人) WHERE p.name = '甲' RETURN p"))[0].row).toEqual({ id: 1, name: '甲' });
      const rows = (await ask('MATCH (:人)-[e:上级]->(:人) RETURN e')).map((each: any) => each.row);
      expect(rows).toContainEqual({ id: 2, boss: 1 });
      expect(JSON.stringify(rows)).not.toMatch(/phone|born|pay|kind/);
    });

    it('are never rows that the mapping left out, even with the key of a loaded row', async () => {
      const { user: owner, graphId } = await someone('filterer', 'read');
      await load(test.admin, 'id,team,name\n1,open,甲\n1,hidden,丙\n2,open,乙\n', 'teams').expect(201);
      const filtered = mapping('teams').replace('key: [id]', `key: [id], where: "teams.team = 'open'"`);
      const { body: job } = await postJob(owner, graphId, filtered).expect(201);
      await run(owner, job.id);
      const query = { cypher: 'MATCH (p:员工) RETURN p ORDER BY p.id', include: ['source_rows'] };
      const ask = async () => (await owner.post(`/api/graphs/${graphId}/query`).send(query).expect(200)).body.source_rows;
      expect(await ask()).toEqual([
        { citation: 0, row: { id: 1, team: 'open', name: '甲' } },
        { citation: 1, row: { id: 2, team: 'open', name: '乙' } },
      ]);
      await load(test.admin, 'id,team,name\n1,hidden,丙\n2,open,乙\n', 'teams').expect(200);
      expect(await ask()).toEqual([{ citation: 1, row: { id: 2, team: 'open', name: '乙' } }]);
    });

    it('are found by keys of several columns', async () => {
      const { user: owner, graphId } = await someone('composer', 'read');
      await load(test.admin, 'a,b,v\n1,x,一\n1,y,二\n2,x,三\n', 'pairs').expect(201);
      const pairs =
        'version: 1\nnodes:\n  - {id: p, label: 对, table: pairs, key: [a, b], columns: [{column: a, type: int}, {column: b}, {column: v}]}\n';
      const { body: job } = await postJob(owner, graphId, pairs).expect(201);
      await run(owner, job.id);
      const query = { cypher: "MATCH (p:对) WHERE p.v <> '二' RETURN p ORDER BY p.v", include: ['source_rows'] };
      const { body } = await owner.post(`/api/graphs/${graphId}/query`).send(query).expect(200);
      expect(body.source_rows.map((each: any) => each.row.v)).toEqual(['一', '三']);
    });

    it('cannot be asked of another table, row or job', async () => {
      const { user: owner, graphId } = await someone('spoofer');
      await grantConnection(test, 'spoofer');
      const { body: job } = await postJob(owner, graphId).expect(201);
      await run(owner, job.id);
      const cited = { _kind: 'node', id: 999_999, label: '员工', key: '2', job_id: job.id, table: 'secrets' };
      for (const query of [
        { cypher: 'MATCH (p:员工) WHERE p.id = 1 RETURN $cited AS cited', parameters: { cited } },
        { cypher: "MATCH (p:员工) WHERE p.id = 1 RETURN {_kind: 'node', id: 999999, table: 'secrets', key: '2'} AS cited" },
        { cypher: "MATCH (p:员工) WHERE p.id = 1 RETURN p.id, 'secrets' AS `table`" },
      ]) {
        const { status, body } = await owner.post(`/api/graphs/${graphId}/query`).send({ ...query, include: ['source_rows'] });
        if (status === 200) expect([query.cypher, (body.source_rows ?? []).map((each: any) => each.row.id)]).toEqual([query.cypher, [1]]);
        else expect([query.cypher, status]).toEqual([query.cypher, 422]);
        expect(JSON.stringify(body.source_rows ?? [])).not.toMatch(/secret_column/);
      }
    });
  });

  describe('a key with tables:write', () => {
    const newKey = (user: Client, graphId: number, more: object = { permissions: ['tables:write'] }) =>
      user.post('/api/api-keys').send({ name: 'nightly', graph_ids: [graphId], ...more });

    it('is made by a user who may write a connection, and listed with its permissions', async () => {
      const { user: reader, graphId: readers } = await someone('key-reader', 'read');
      expect((await newKey(reader, readers).expect(403)).body.code).toBe('permission_not_held');
      const { user, graphId } = await someone('key-writer', 'write');
      const { body: key } = await newKey(user, graphId).expect(201);
      expect(key.permissions).toEqual(['tables:write']);
      expect((await newKey(user, graphId, {}).expect(201)).body.permissions).toEqual([]);
      expect((await user.get('/api/api-keys').expect(200)).body.items.map((each: any) => each.permissions)).toEqual([['tables:write'], []]);
      const { body } = await newKey(user, graphId, { permissions: ['tables:write', 'tables:all'] }).expect(422);
      expect(body.detail.errors[0]).toMatchObject({ loc: ['body', 'permissions'], type: 'not_one_of', msg: expect.stringContaining('tables:write') });
      const { body: audit } = await test.admin.get('/api/audit-events?limit=2').expect(200);
      expect(audit.items[1].context).toMatchObject({ permissions: ['tables:write'] });
    }); // prettier-ignore

    it('loads tables and runs a job without a password, until its user may no longer write', async () => {
      const { user, id, graphId } = await someone('night-loader', 'write');
      const { body: job } = await postJob(user, graphId).expect(201);
      const key = keyClient(test.url, (await newKey(user, graphId).expect(201)).body.raw_key);
      await load(key, 'id,name,wage\n1,甲,10\n2,乙,20\n').expect(200);
      expect((await run(key, job.id)).status).toBe('succeeded');
      expect((await key.get(`${connections}/1/tables`).expect(200)).body.items.length).toBeGreaterThan(0);
      await key.get(`${connections}/1/tables/staff`).expect(200);
      await load(key, 'a\n1\n', 'nightly').expect(201);
      await key.delete(`${connections}/1/tables/nightly`).expect(204);
      await grantConnection(test, 'night-loader', 'read');
      // Its user may still read. The key was made for writing and sees only tables that it may write.
      await user.get(`${connections}/1/tables/staff`).expect(200);
      for (const request of [load(key, 'a\n1\n', 'nightly'), key.get(`${connections}/1/tables/staff`)])
        expect((await request.expect(403)).body.code).toBe('connection_forbidden');
      await revoke(id).expect(204);
    });

    it('does nothing else that a key without it may not', async () => {
      const { user, graphId } = await someone('curious', 'write');
      const key = keyClient(test.url, (await newKey(user, graphId).expect(201)).body.raw_key);
      for (const request of [
        key.get(connections),
        key.get(`${connections}/1`),
        key.post('/api/ingestion/mappings/validate').send({ mapping_yaml: mapping() }),
        key.get('/api/api-keys'),
        key.get(grants),
      ])
        expect((await request.expect(403)).body.code).toBe('api_key_not_allowed');
      const plain = keyClient(test.url, (await newKey(user, graphId, {}).expect(201)).body.raw_key);
      const { body } = await load(plain, 'a\n1\n').expect(403);
      expect([body.code, body.detail]).toEqual(['api_key_permission', expect.stringContaining('tables:write')]);
    });
  });
});
