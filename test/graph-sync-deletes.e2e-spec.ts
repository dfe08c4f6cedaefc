import { graphTables } from '../src/database/graph-tables.js';
import { type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, counts, runToEnd, upload } from './support/ingestion.js';
import { node, nodes, syncJobs } from './support/sync-jobs.js';

let app: TestApp;

beforeAll(async () => {
  app = await startTestApp();
});
afterAll(async () => {
  await app.close();
});

const { aTable, shown, keys, edgeCount, revise, runAllowed, retire } = syncJobs(() => app);

describe('a run again', () => {
  it('removes the nodes whose row is gone, with their edges, and counts both', async () => {
    const people = await aTable('id\na\nb\nc\n');
    const knows = await aTable('a,b\na,b\nb,c\n', 'a:text,b:text');
    const graphId = await aGraph(app);
    const edges = `edges:\n  - {type: 认识, table: ${knows}, from: {node: n, match: {a: id}}, to: {node: n, match: {b: id}, on_missing: skip}}\n`;
    const jobId = await aJob(app, graphId, nodes(node(people)) + edges);
    await runToEnd(app, jobId);
    await upload(app, people, 'id\na\nb\n', 'id:text');
    const run = await runToEnd(app, jobId);
    expect(run.report.targets[0]).toMatchObject({ read: 2, unchanged: 2, deleted: 1, edges_removed: 1 });
    expect(counts(run)['认识']).toEqual([2, 0, 0, 1, 0, 0, 1]);
    expect([await keys(graphId), await edgeCount(graphId)]).toEqual([['a', 'b'], 1]);
    const { body } = await app.admin.get(`/api/graphs/${graphId}`);
    expect(body).toMatchObject({ node_count: 2, edge_count: 1 });
  });

  it('removes rows that where leaves out, and keeps the node of a row that a rule now rejects as it was', async () => {
    const table = await aTable('id,n\na,1\nb,2\nc,3\nd,4\n', 'id:text,n:int');
    const graphId = await aGraph(app);
    const columns = '{column: id}, {column: n, rules: [{min: 0}]}';
    const jobId = await aJob(app, graphId, nodes(node(table, { columns, more: `, where: 'n < 10'` })));
    await runToEnd(app, jobId);
    await upload(app, table, 'id,n\na,1\nb,-2\nc,30\nd,5\n', 'id:text,n:int');
    expect(counts(await runToEnd(app, jobId))['人']).toEqual([3, 0, 1, 1, 1, 1, 0]);
    expect(await shown(graphId)).toEqual({ a: { id: 'a', n: 1 }, b: { id: 'b', n: 2 }, d: { id: 'd', n: 5 } });
  });

  it('keeps what left the source under deletes: none, and under incremental', async () => {
    const table = await aTable('id,n\na,1\nb,2\n', 'id:text,n:int');
    const graphId = await aGraph(app);
    const none = await aJob(app, graphId, nodes(node(table, { more: ', deletes: {mode: none}' })));
    const other = await aGraph(app);
    const incremental = await aJob(app, other, nodes(node(table, { more: ', incremental: {cursor: n, type: int}' })));
    for (const job of [none, incremental]) await runToEnd(app, job);
    await upload(app, table, 'id,n\na,1\n', 'id:text,n:int');
    for (const job of [none, incremental]) expect((await runToEnd(app, job)).report.totals.deleted).toBe(0);
    expect([await keys(graphId), await keys(other)]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('removes edges whose row is gone, of this type between these labels only', async () => {
    const people = await aTable('id\na\nb\nc\n');
    const towns = await aTable('id\nx\n');
    const knows = await aTable('a,b\na,b\nb,c\nc,a\n', 'a:text,b:text');
    const lives = await aTable('a,b\na,x\n', 'a:text,b:text');
    const graphId = await aGraph(app);
    const edge = (table: string, to: string): string =>
      `  - {type: 连, table: ${table}, from: {node: n, match: {a: id}}, to: {node: ${to}, match: {b: id}}}\n`;
    const jobId = await aJob(
      app,
      graphId,
      `${nodes(node(people), node(towns, { label: '城' }))}edges:\n${edge(knows, 'n')}${edge(lives, 'n2')}`,
    );
    await runToEnd(app, jobId);
    await upload(app, knows, 'a,b\na,b\nb,c\n', 'a:text,b:text');
    const run = await runToEnd(app, jobId);
    expect(counts(run)).toMatchObject({ '人-[连]->人': [2, 0, 0, 2, 1, 0, 0], '人-[连]->城': [1, 0, 0, 1, 0, 0, 0] });
    expect(await edgeCount(graphId)).toBe(3);
  });

  it.each([
    ['more than half of the rows are gone', 'id\na\n', '2 of 3'],
    ['the source is empty', 'id\n', '3 of 3'],
  ])('stops when %s, says so, and goes on when that is allowed', async (_name, csv, part) => {
    const table = await aTable('id\na\nb\nc\n');
    const graphId = await aGraph(app);
    const jobId = await aJob(app, graphId, nodes(node(table)));
    await runToEnd(app, jobId);
    await upload(app, table, csv, 'id:text');
    const stopped = await runToEnd(app, jobId);
    expect(stopped).toMatchObject({ status: 'failed', allow_deletes: false, error: { code: 'too_many_deletes' } });
    expect(stopped.error.detail).toContain(part);
    expect(stopped.error.detail).toContain('?allow_deletes=true');
    expect(await keys(graphId)).toEqual(['a', 'b', 'c']);
    expect(await runAllowed(jobId)).toMatchObject({ status: 'succeeded', allow_deletes: true });
    expect(await keys(graphId)).toEqual(csv.trim().split('\n').slice(1));
  });
});

describe('two jobs for one label', () => {
  it('keep a node as long as one yields it, and its properties as long as one maps them', async () => {
    const one = await aTable('id,v\na,1\nb,1\nc,1\nd,1\n', 'id:text,v:text');
    const two = await aTable('id,w\nb,2\nc,2\ne,2\n', 'id:text,w:text');
    const graphId = await aGraph(app);
    const first = await aJob(app, graphId, nodes(node(one, { columns: '{column: id}, {column: v}' })));
    const second = await aJob(app, graphId, nodes(node(two, { columns: '{column: id}, {column: w}' })));
    await runToEnd(app, first);
    const run = await runToEnd(app, second);
    expect(run.report.targets[0]).toMatchObject({ inserted: 1, updated: 2, shared: 2 });
    await upload(app, one, 'id,v\na,1\nc,1\nd,1\n', 'id:text,v:text');
    expect((await runToEnd(app, first)).report.totals).toMatchObject({ deleted: 0, lost_properties: 1 });
    expect(await shown(graphId)).toEqual({
      a: { id: 'a', v: '1' },
      b: { id: 'b', w: '2' },
      c: { id: 'c', v: '1', w: '2' },
      d: { id: 'd', v: '1' },
      e: { id: 'e', w: '2' },
    });
    // The node that only the second job yields now cites a run of that job.
    const { rows } = await app.pool.query(
      `SELECT r.job_id FROM ${graphTables(graphId).nodes} n JOIN ingestion_runs r ON r.id = n.run_id WHERE n.key = 'b'`,
    );
    expect(rows).toEqual([{ job_id: second }]);
    const ended = await retire(first);
    expect(ended).toMatchObject({ status: 'succeeded', retires: true });
    expect(ended.report.totals).toMatchObject({ read: 0, updated: 0, deleted: 2, lost_properties: 1 });
    expect(await shown(graphId)).toEqual({ b: { id: 'b', w: '2' }, c: { id: 'c', w: '2' }, e: { id: 'e', w: '2' } });
    expect((await app.admin.get(`/api/graphs/${graphId}`)).body.node_count).toBe(3);
    await runAllowed(second);
    await upload(app, two, 'id,w\nb,2\nc,2\n', 'id:text,w:text');
    await runToEnd(app, second);
    expect(await keys(graphId)).toEqual(['b', 'c']);
  });

  it('count the nodes and edges that lose properties and stay, and take none of them for removed', async () => {
    const people = await aTable('id\n1\n2\n3\n4\n');
    const table = [await aTable('id,a\n1,x\n2,x\n3,x\n', 'id:text,a:text'), await aTable('id,b\n2,y\n3,y\n4,y\n', 'id:text,b:text')];
    const graphId = await aGraph(app);
    await runToEnd(app, await aJob(app, graphId, nodes(node(people, { label: '城' }))));
    const mapping = (index: 0 | 1, columns: string, more = ''): string =>
      `${nodes(node(table[index]!, { columns: `{column: id}, ${columns}`, more }))}edges:
  - {type: 住, table: ${table[index]}, from: {node: n, match: {id: id}}, to: {node: 'label:城', match: {id: id}}, columns: [${columns}]${more}}\n`;
    const first = await aJob(app, graphId, mapping(0, '{column: a}'));
    for (const jobId of [first, await aJob(app, graphId, mapping(1, '{column: b}'))]) await runToEnd(app, jobId);

    await upload(app, table[0]!, 'id,a\n1,x\n', 'id:text,a:text');
    const run = await runToEnd(app, first);
    const still = { read: 1, inserted: 0, updated: 0, unchanged: 1, deleted: 0 };
    expect(run.report.targets).toMatchObject([
      { target: '人', ...still, lost_properties: 2 },
      { target: '住', ...still, lost_properties: 2 },
    ]);
    expect(await shown(graphId)).toEqual({
      1: { id: '1', a: 'x' },
      2: { id: '2', b: 'y' },
      3: { id: '3', b: 'y' },
      4: { id: '4', b: 'y' },
    });
    expect((await runToEnd(app, first, { full: true })).report.totals).toMatchObject({ unchanged: 2, lost_properties: 0 });

    // A property that a revision no longer maps also disappears from nodes without a row, which stay because of `deletes: none`.
    await upload(app, table[0]!, 'id,a\n', 'id:text,a:text');
    const none = ', deletes: {mode: none}';
    await revise(first, mapping(0, '{column: a}', none));
    expect((await runToEnd(app, first)).report.totals).toMatchObject({ deleted: 0, lost_properties: 0 });
    const trial = (await revise(first, mapping(0, '{column: a, property: c}', none), true)).trial;
    expect([trial.outcome, trial.targets.map((each: any) => each.lost_properties)]).toEqual(['succeeds', [1, 1]]);
    await revise(first, mapping(0, '{column: a, property: c}', none));
    expect((await runToEnd(app, first)).report.totals).toMatchObject({ read: 0, updated: 0, deleted: 0, lost_properties: 2 });
    expect((await shown(graphId))[1]).toEqual({ id: '1' });
  });

  it('stop at more than half of what would really disappear, and count no write then', async () => {
    const one = await aTable('id\na\nb\nc\n');
    const graphId = await aGraph(app);
    const edges = `edges:\n  - {type: 自, table: ${one}, from: {node: n, match: {id: id}}, to: {node: n, match: {id: id}}}\n`;
    const first = await aJob(app, graphId, nodes(node(one)) + edges);
    const second = await aJob(app, graphId, nodes(node(await aTable('id\nc\n'))));
    for (const jobId of [first, second]) await runToEnd(app, jobId);
    await upload(app, one, 'id\n', 'id:text');
    const stopped = await runToEnd(app, first);
    expect(stopped.error).toMatchObject({ code: 'too_many_deletes', context: { targets: [{ target: '人', had: 3, removed: 2 }, { target: '自' }] } }); // prettier-ignore
    expect(stopped.report.totals).toMatchObject({ deleted: 0, edges_removed: 0, lost_properties: 0 });
    expect(stopped.report.targets[0].edges_removed).toBe(0);
    await upload(app, one, 'id\na\n', 'id:text');
    // Node a stays. Node b is deleted with its edge. Node c stays, because the other job yields it, but its edge is deleted.
    expect((await runToEnd(app, first)).report).toMatchObject({ targets: [{ deleted: 1, edges_removed: 1 }, { deleted: 1 }] });
  });
});
