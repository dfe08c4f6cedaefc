import { grantConnection, type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, counts, runToEnd } from './support/ingestion.js';
import { node, nodes, syncJobs } from './support/sync-jobs.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.close();
});

const { aTable, shown, keys, edgeCount, revise, runAllowed, retire } = syncJobs(() => app);

describe('retiring a job', () => {
  it('removes what only it made, ends it, and sets its connection free', async () => {
    const table = await aTable('id\na\nb\n');
    const graphId = await aGraph(app);
    const jobId = await aJob(app, graphId, nodes(node(table)));
    await runToEnd(app, jobId);
    const run = await retire(jobId);
    expect(run.report.targets).toEqual([expect.objectContaining({ target: '人', kind: 'node', read: 0, deleted: 2 })]);
    expect(await keys(graphId)).toEqual([]);
    const { body } = await app.admin.get(`/api/ingestion/jobs/${jobId}`).expect(200);
    expect(body).toMatchObject({ connection: null, retired_at: expect.any(String) });
    expect((await app.admin.get(`/api/graphs/${graphId}/schema`)).body).toEqual({ nodes: [], edges: [] });
    for (const [path, sent] of [['run', {}], ['retire', {}], ['revisions', { mapping_yaml: nodes(node(table)) }]] as const) {
      const refused = await app.admin.post(`/api/ingestion/jobs/${jobId}/${path}`).send(sent).expect(409);
      expect(refused.body.code).toBe('job_retired');
    } // prettier-ignore
  });
});

describe('a revision', () => {
  it('drops a label, an edge type and a property with the next run, and records who saved it', async () => {
    const people = await aTable('id,v\na,1\nb,1\n', 'id:text,v:text');
    const towns = await aTable('id\nx\n');
    const lives = await aTable('a,b\na,x\n', 'a:text,b:text');
    const graphId = await aGraph(app);
    const edges = `edges:\n  - {type: 住在, table: ${lives}, from: {node: n, match: {a: id}}, to: {node: n2, match: {b: id}}}\n`;
    const before = nodes(node(people, { columns: '{column: id}, {column: v}' }), node(towns, { label: '城' })) + edges;
    const jobId = await aJob(app, graphId, before);
    await runToEnd(app, jobId);
    const saved = await revise(jobId, nodes(node(people)));
    expect(saved).toMatchObject({ revision: 2, trial: null });
    expect(saved.changes.map((each: any) => [each.target, each.change])).toEqual([
      ['人', 'changed'],
      ['城', 'removed'],
      ['住在', 'removed'],
    ]);
    // Nothing changes before the next run.
    expect(await edgeCount(graphId)).toBe(1);
    const run = await runToEnd(app, jobId);
    expect(run).toMatchObject({ status: 'succeeded', revision: 2 });
    expect(counts(run)).toEqual({ 人: [2, 0, 2, 0, 0, 0, 0], 住在: [0, 0, 0, 0, 1, 0, 0], 城: [0, 0, 0, 0, 1, 0, 0] });
    expect([await shown(graphId), await keys(graphId, '城'), await edgeCount(graphId)]).toEqual([
      { a: { id: 'a' }, b: { id: 'b' } },
      [],
      0,
    ]);

    const { body } = await app.admin.get(`/api/ingestion/jobs/${jobId}/revisions?limit=1`).expect(200);
    expect(body.items).toEqual([{ revision: 2, saved_by: { id: 1, username: 'admin' }, saved_at: expect.any(String) }]);
    const { body: next } = await app.admin.get(`/api/ingestion/jobs/${jobId}/revisions?cursor=${body.next_cursor}`).expect(200);
    expect(next).toMatchObject({ items: [{ revision: 1 }], next_cursor: null });
    const { body: first } = await app.admin.get(`/api/ingestion/jobs/${jobId}/revisions/1`).expect(200);
    expect(first).toMatchObject({ revision: 1, mapping_yaml: before });
    await app.admin.get(`/api/ingestion/jobs/${jobId}/revisions/3`).expect(404);
    expect((await app.admin.get(`/api/ingestion/jobs/${jobId}`)).body).toMatchObject({ revision: 2, mapping_yaml: nodes(node(people)) });
  });

  it('leaves no orphans when it changes the key, whatever its deletes, and reads an incremental source from the beginning', async () => {
    const table = await aTable('id,code,n\na,1,1\nb,2,2\n', 'id:text,code:text,n:int');
    const graphId = await aGraph(app);
    const mapping = (key: string, columns = ''): string =>
      nodes(node(table, { key, columns: `{column: id}, {column: code}${columns}`, more: ', incremental: {cursor: n, type: int}' }));
    const jobId = await aJob(app, graphId, mapping('id'));
    await runToEnd(app, jobId);
    await revise(jobId, mapping('id', ', {column: n}'));
    const filled = await runToEnd(app, jobId);
    expect(filled.report.cursors).toEqual({ 人: { from: null, to: '2' } });
    expect(await shown(graphId)).toEqual({ a: { id: 'a', code: '1', n: 1 }, b: { id: 'b', code: '2', n: 2 } });
    expect((await runToEnd(app, jobId)).report.cursors).toEqual({ 人: { from: '2', to: '2' } });
    await revise(jobId, mapping('code'));
    expect((await runToEnd(app, jobId)).error.code).toBe('too_many_deletes');
    expect(counts(await runAllowed(jobId))['人']).toEqual([2, 2, 0, 0, 2, 0, 0]);
    expect(await shown(graphId)).toEqual({ 1: { id: 'a', code: '1' }, 2: { id: 'b', code: '2' } });
  });

  it('tells in a dry run what would change, and changes nothing', async () => {
    const table = await aTable('id,n\na,1\nb,2\nc,-3\n', 'id:text,n:int');
    const graphId = await aGraph(app);
    const jobId = await aJob(app, graphId, nodes(node(table)));
    await runToEnd(app, jobId);
    const version = (await app.admin.get(`/api/graphs/${graphId}`)).body.version;
    const columns = '{column: id}, {column: n, rules: [{min: 0}]}';
    const answer = await revise(jobId, nodes(node(table, { columns, more: ', where: n < 2' })), true);
    expect(answer).toMatchObject({
      revision: null,
      changes: [
        {
          target: '人',
          change: 'changed',
          keys: ['where'],
          properties: { added: ['n'], removed: [], changed: [] },
          rules: { added: ['n: min {"bound":"0"}'], removed: [] },
          reads_other_rows: true,
        },
      ],
      trial: { outcome: 'succeeds', error: null, needs_allow_deletes: false },
    });
    expect(answer.trial.targets).toEqual([expect.objectContaining({ read: 2, updated: 1, deleted: 1, rejected: 1, inserted: 0 })]);
    expect(answer.trial.rejected_sample).toHaveLength(1);
    expect(await shown(graphId)).toEqual({ a: { id: 'a' }, b: { id: 'b' }, c: { id: 'c' } });
    expect((await app.admin.get(`/api/ingestion/jobs/${jobId}`)).body.revision).toBe(1);
    expect((await app.admin.get(`/api/graphs/${graphId}`)).body.version).toBe(version);

    const failing = nodes(node(table, { columns })).replace('quarantine', 'fail');
    expect((await revise(jobId, failing, true)).trial).toMatchObject({ outcome: 'fails', error: { code: 'rows_rejected' } });
    const few = nodes(node(table, { more: ', where: n = 1' }));
    expect((await revise(jobId, few, true)).trial).toMatchObject({ outcome: 'succeeds', needs_allow_deletes: true });
  });

  it('is saved in the name of its author, who must be allowed to read the connection, and its runs read in that name', async () => {
    const table = await aTable('id\na\n');
    const graphId = await aGraph(app);
    const jobId = await aJob(app, graphId, nodes(node(table)));
    const editor = await app.asUser('reviser');
    await app.admin.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'reviser', role: 'editor' }).expect(201);
    const post = (): ReturnType<typeof editor.post> =>
      editor.post(`/api/ingestion/jobs/${jobId}/revisions`).send({ mapping_yaml: nodes(node(table, { more: ', where: id IS NOT NULL' })) });
    await post().expect(403);
    await grantConnection(app, 'reviser');
    await post().expect(200);
    expect(await runToEnd(app, jobId)).toMatchObject({ status: 'succeeded', revision: 2 });
    await app.pool.query('DELETE FROM connection_grants');
    const { status, error } = await runToEnd(app, jobId);
    expect([status, error.code]).toEqual(['failed', 'connection_access_lost']);
    expect(error.detail).toContain(`save the mapping again (POST /api/ingestion/jobs/${jobId}/revisions)`);
  });

  it('is refused like the mapping of a new job', async () => {
    const table = await aTable('id\na\n');
    const jobId = await aJob(app, await aGraph(app), nodes(node(table)));
    const { body } = await app.admin.post(`/api/ingestion/jobs/${jobId}/revisions`).send({ mapping_yaml: 'version: 2\n' }).expect(422);
    expect(body.detail.errors.length).toBeGreaterThan(0);
    const both = nodes(node(table, { more: ', incremental: {cursor: id, type: int}, deletes: {mode: snapshot}' }));
    const refused = await app.admin.post(`/api/ingestion/jobs/${jobId}/revisions`).send({ mapping_yaml: both }).expect(422);
    expect(refused.body.detail.errors).toEqual([
      expect.objectContaining({ type: 'deletes_with_incremental', path: 'nodes[0].deletes.mode' }),
    ]);
  });
});
