import { type Client, grantConnection, keyClient, startTestApp, type TestApp } from './support/app.js';
import { connectionUsers, load, loadSecrets, loadStaff, mapping, postJob, run } from './support/connection-users.js';

describe('source rows of a warehouse connection', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    await loadStaff(test.admin);
    await loadSecrets(test.admin);
  });
  afterAll(() => test.close());

  const { someone, revoke } = connectionUsers(() => test);

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
      // The answer comes from the cache, but its source rows are read anew.
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
});
