import { graphTables } from '../src/database/graph-tables.js';
import { type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, counts, tablesPath } from './support/ingestion.js';
import { column, isSkipped, loadRows, nodesOf, revise, shownRows } from './support/unchanged-runs.js';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app.close());

const load = (table: string, rows: string[], query: Record<string, string> = {}) => loadRows(app, table, rows, query);
const shown = (graphId: number) => shownRows(app, graphId);

let tablesMade = 0;

/** Makes a table of three rows by default, and returns its name. */
async function aTable(rows = ['1,2,x,1', '2,3,y,2', '3,1,z,3']): Promise<string> {
  const table = `unchanged_${++tablesMade}`;
  await load(table, rows);
  return table;
}

async function run(jobId: number, query = ''): Promise<any> {
  const { body } = await app.admin.post(`/api/ingestion/jobs/${jobId}/run?allow_deletes=true${query}`).set('Prefer', 'wait=60').expect(200);
  return body;
}

async function versionOf(graphId: number): Promise<number> {
  return (await app.pool.query('SELECT version FROM graphs WHERE id = $1', [graphId])).rows[0].version;
}

/** Returns a job that has run once, on a graph of its own. */
async function aJobThatRan(mapping: string): Promise<{ graphId: number; jobId: number; first: any }> {
  const graphId = await aGraph(app);
  const jobId = await aJob(app, graphId, mapping);
  const first = await run(jobId);
  expect(first).toMatchObject({ status: 'succeeded' });
  return { graphId, jobId, first };
}

describe('a run on tables of the mirror that have not changed', () => {
  it('succeeds at once, with the counts of the last run and a note, and leaves the graph and its version', async () => {
    const table = await aTable(['1,2,x,1', '2,3,y,2', '2,3,again,2', '3,1,z,3']);
    const edges = `edges:\n  - {type: R, table: ${table}, from: {node: n, match: {id: id}}, to: {node: n, match: {ref: id}}, columns: [${column('c')}]}\n`;
    const { graphId, jobId, first } = await aJobThatRan(nodesOf(table) + edges);
    expect(counts(first)).toEqual({ N: [4, 3, 0, 0, 0, 0, 1], R: [4, 3, 0, 0, 0, 0, 1] });
    const before = { graph: await shown(graphId), version: await versionOf(graphId) };
    for (const _ of [1, 2]) {
      const second = await run(jobId);
      expect(second).toMatchObject({ status: 'succeeded', full: false, report: { graph_version: before.version } });
      expect(counts(second)).toEqual({ N: [4, 0, 0, 3, 0, 0, 1], R: [4, 0, 0, 3, 0, 0, 1] });
      expect(second.report.unchanged_source).toEqual({
        run_id: first.id,
        data_versions: first.report.inputs.data_versions,
        message: expect.stringMatching(/full=true.* \/ .*full=true/),
      });
      expect(second.report.warnings).toEqual(first.report.warnings);
      expect(second.report.inputs).toEqual(first.report.inputs);
    }
    const full = await run(jobId, '&full=true');
    expect(full).toMatchObject({ full: true, report: { graph_version: before.version + 1 } });
    expect(isSkipped(full)).toBe(false);
    expect(counts(full)).toEqual({ N: [4, 0, 0, 3, 0, 0, 1], R: [4, 0, 0, 3, 0, 0, 1] });
    expect(await shown(graphId)).toEqual(before.graph);
    expect(isSkipped(await run(jobId))).toBe(true);
  });

  it.each([
    ['replaced', (table: string) => load(table, ['1,2,x,1', '2,3,y,2', '3,1,z,3'])],
    ['appended to', (table: string) => load(table, ['4,1,w,4'], { mode: 'append' })],
    ['upserted', (table: string) => load(table, ['3,1,other,3'], { mode: 'upsert', key: 'id' })],
    [
      'dropped and made again',
      async (table: string) => {
        await app.admin.delete(`${tablesPath}/${table}?force=true`).expect(204);
        await load(table, ['1,2,x,1']);
      },
    ],
    [
      'filled anew by SQL',
      (table: string) => app.pool.query(`TRUNCATE mirror.${table}; INSERT INTO mirror.${table} VALUES ('1', '2', 'x', 1)`),
    ],
    [
      'grown by SQL',
      (table: string) => app.pool.query(`INSERT INTO mirror.${table} SELECT 'n' || i, '1', 'w', i FROM generate_series(1, 1000) i`),
    ],
  ])('does all work once its table was %s', async (_, change) => {
    const table = await aTable();
    const { graphId, jobId } = await aJobThatRan(nodesOf(table));
    expect(isSkipped(await run(jobId))).toBe(true);
    await change(table);
    const after = await run(jobId);
    expect([after.status, isSkipped(after)]).toEqual(['succeeded', false]);
    const { rows } = await app.pool.query(`SELECT id AS key, v FROM mirror.${table} ORDER BY 1`);
    expect((await shown(graphId)).map((node: any) => ({ key: node.key, v: node.properties.v }))).toEqual(rows);
    expect(isSkipped(await run(jobId))).toBe(true);
  });

  it('does all work if only one of several tables has changed, also one that only a query names', async () => {
    const [one, other] = [await aTable(), await aTable()];
    const query = `SELECT a.id, b.v FROM ${one} a JOIN ${other} b ON b.id = a.id WHERE b.c < 3`;
    const { jobId } = await aJobThatRan(
      `version: 1\nnodes:\n  - {id: n, label: N, query: '${query}', key: [id], columns: [${column('id')}, ${column('v')}]}\n`,
    );
    expect(isSkipped(await run(jobId))).toBe(true);
    await load(other, ['1,1,new,1']);
    const after = await run(jobId);
    expect(isSkipped(after)).toBe(false);
    expect(counts(after)).toEqual({ N: [1, 0, 1, 0, 1, 0, 0] });
  });

  it('does all work after a new revision, another job of the graph, and its retirement', async () => {
    const table = await aTable();
    const { graphId, jobId } = await aJobThatRan(nodesOf(table));
    await revise(app, jobId, nodesOf(table, "where: 'c < 3', "));
    expect(isSkipped(await run(jobId))).toBe(false);
    expect(isSkipped(await run(jobId))).toBe(true);
    const otherId = await aJob(app, graphId, nodesOf(table, '', [column('id'), '{constant: mine, property: v}']));
    await run(otherId);
    expect(isSkipped(await run(jobId))).toBe(false);
    expect(isSkipped(await run(otherId))).toBe(false);
    await app.admin.post(`/api/ingestion/jobs/${otherId}/retire`).set('Prefer', 'wait=60').expect(200);
    expect(isSkipped(await run(jobId))).toBe(false);
    expect(isSkipped(await run(jobId))).toBe(true);
  });

  it('does all work after a run that failed in between changed the mapping', async () => {
    const table = await aTable();
    const { jobId } = await aJobThatRan(nodesOf(table));
    await revise(app, jobId, nodesOf(table, '', [column('id'), column('v', ', rules: [{max_length: 0}]')]));
    expect(await run(jobId)).toMatchObject({ status: 'failed' });
    await revise(app, jobId, nodesOf(table));
    expect(isSkipped(await run(jobId))).toBe(false);
  });

  it('does all work if the last run rejected rows', async () => {
    const table = await aTable();
    const mapping = nodesOf(table, '', [column('id'), column('v', ', rules: [{one_of: [x, y]}]')]);
    const { jobId } = await aJobThatRan(mapping.replace('nodes:', 'defaults: {on_error: quarantine, max_error_rate: 1}\nnodes:'));
    const second = await run(jobId);
    expect([isSkipped(second), second.report.totals.rejected]).toEqual([false, 1]);
  });

  it('does all work on a view, since the rows of a view change without it', async () => {
    const table = await aTable();
    await app.pool.query(`CREATE VIEW mirror.${table}_view AS SELECT * FROM mirror.${table}`);
    const { jobId, first } = await aJobThatRan(nodesOf(`${table}_view`));
    expect(first.report.inputs).toBeNull();
    expect(isSkipped(await run(jobId))).toBe(false);
    // A view with the name of a former table, which had data versions.
    const gone = await aTable();
    await app.pool.query(`DROP TABLE mirror.${gone}; CREATE VIEW mirror.${gone} AS SELECT * FROM mirror.${table}`);
    const { jobId: other } = await aJobThatRan(nodesOf(gone));
    expect(isSkipped(await run(other))).toBe(false);
  });

  it('waits for the run that reads from the cursor, as that one may read rows in another way', async () => {
    const table = await aTable(['1,2,x,1', '1,3,y,9']);
    const { graphId, jobId } = await aJobThatRan(nodesOf(table, 'incremental: {cursor: c, type: int}, '));
    expect(await shown(graphId)).toMatchObject([{ properties: { v: 'x' } }]);
    const second = await run(jobId);
    expect([isSkipped(second), counts(second)]).toEqual([false, { N: [1, 0, 1, 0, 0, 0, 0] }]);
    const third = await run(jobId);
    expect([isSkipped(third), counts(third)]).toEqual([true, { N: [1, 0, 0, 1, 0, 0, 0] }]);
    expect(third.report.cursors).toEqual({ N: { from: '9', to: '9' } });
    const job = await app.admin.get(`/api/ingestion/jobs/${jobId}`).expect(200);
    expect(job.body.cursors).toEqual({ N: '9' });
    await load(table, ['2,1,z,10'], { mode: 'append' });
    expect(counts(await run(jobId))).toEqual({ N: [2, 1, 0, 1, 0, 0, 0] });
  });

  it.each([
    ["where: 'now() > make_date(2020, 1, c)', ", ''],
    ["where: 'current_date > make_date(2020, 1, c)', ", ''],
    [`where: "make_date(2020, 1, c) < 'today'", `, ''],
    [`where: "make_date(2020, 1, c) < date ' Yesterday'", `, ''],
    [`where: "v::date > '2020-01-01' OR c > 0", `, ''],
    ['', '{expression: "to_char(c, \'9\')", property: w}'],
    ['', "{expression: 'age(make_date(2020, 1, c))::text', property: w}"],
    ['', "{column: v, property: w, rules: [{expression: 'now() IS NOT NULL'}]}"],
    ['', "{column: v, property: w, rules: [{when: 'now() IS NOT NULL', rules: [{max_length: 20}]}]}"],
    ['', "{expression: 'make_date(2020, 1, c)', property: w, type: date, rules: [not_in_future]}"],
  ])('does all work where the outcome may depend on the time: %s%s', async (more, added) => {
    const table = await aTable(['1,2,2020-01-01,1', '2,2,2020-01-01,2']);
    const { jobId, first } = await aJobThatRan(nodesOf(table, more, [column('id'), ...(added === '' ? [] : [added])]));
    expect(first.report.inputs).toBeNull();
    expect(isSkipped(await run(jobId))).toBe(false);
  });

  it.each([
    [`where: "v <> 'unknown' AND char_length(v) = 1", `, ''],
    [`where: "make_date(2020, 1, c) < date '2030-01-01'", `, ''],
    ['', "{expression: 'upper(v)', property: w, rules: [{expression: 'c > 0'}]}"],
  ])('does nothing where all functions are immutable: %s%s', async (more, added) => {
    const { jobId } = await aJobThatRan(nodesOf(await aTable(), more, [column('id'), ...(added === '' ? [] : [added])]));
    expect(isSkipped(await run(jobId))).toBe(true);
  });

  it('counts from the snapshot that it staged from, so rows that come meanwhile are read by the next run', async () => {
    const table = await aTable();
    const { jobId, first } = await aJobThatRan(nodesOf(table));
    const client = await app.pool.connect();
    try {
      // The lock on the nodes lets the run stage, and then makes it wait for the graph.
      const { nodes } = graphTables(first.graph_id);
      await load(table, ['1,2,second,1']);
      await client.query(`BEGIN; LOCK TABLE ${nodes} IN SHARE ROW EXCLUSIVE MODE`);
      const { body: queued } = await app.admin.post(`/api/ingestion/jobs/${jobId}/run?allow_deletes=true`).expect(202);
      for (let phase = ''; phase !== 'waiting for the graph';)
        phase = (await app.admin.get(`/api/ingestion/runs/${queued.id}`).expect(200)).body.phase ?? '';
      await load(table, ['1,2,third,1']);
      await client.query('COMMIT');
      for (let status = ''; status !== 'succeeded';) status = (await app.admin.get(`/api/ingestion/runs/${queued.id}`)).body.status;
    } finally {
      client.release(true);
    }
    expect(await shown(first.graph_id)).toMatchObject([{ properties: { v: 'second' } }]);
    expect(isSkipped(await run(jobId))).toBe(false);
    expect(await shown(first.graph_id)).toMatchObject([{ properties: { v: 'third' } }]);
  });
});
