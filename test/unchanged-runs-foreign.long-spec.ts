import { type TestApp, startTestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection, contentOf } from './support/foreign-tables.js';
import { aJob, counts, ingest, runToEnd } from './support/ingestion.js';

let app: TestApp;
let foreign: ForeignPostgres;

beforeAll(async () => {
  [app, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
  await aForeignConnection(app, foreign);
});
afterAll(async () => {
  await Promise.all([app.close(), foreign.remove()]);
});

describe('A run on rows of another server that have not changed', () => {
  const isSkipped = (run: any): boolean => run.report.unchanged_source !== undefined;
  const again = (jobId: number, query = {}): Promise<any> => runToEnd(app, jobId, { allow_deletes: true, ...query });
  const columns = '[{column: id, type: string}, {column: v, type: string}, {column: w, type: string}]';
  const mappingOf = (table: string, more = '', source = ''): string =>
    `version: 1\nsource: {connection: far${source}}\nnodes: [{id: n, label: N, table: ${table}, ${more}key: [id], columns: ${columns}}]`;
  let tables = 0;
  async function aTable(): Promise<string> {
    const table = `same_${++tables}`;
    await foreign.run(`
      CREATE TABLE ${table} (id int, v text, w text, at timestamptz);
      INSERT INTO ${table} SELECT n, 'v' || n, 'w' || n % 3, '2024-01-01 00:00+00'::timestamptz + n * interval '1 hour' FROM generate_series(1, 5) n`);
    return table;
  }
  /** Returns a job that has run twice. The second run ended at once, because nothing had changed. */
  async function aJobAtRest(table: string, more = ''): Promise<{ graphId: number; jobId: number; first: any }> {
    const { graphId, jobId, run: first } = await ingest(app, mappingOf(table, more));
    expect(first.error).toBeNull();
    expect(isSkipped(await again(jobId))).toBe(true);
    return { graphId, jobId, first };
  }
  const revise = (jobId: number, mapping: string) =>
    app.admin.post(`/api/ingestion/jobs/${jobId}/revisions`).send({ mapping_yaml: mapping }).expect(200);

  it('ends after its copy, with the counts of the last run and a note, and leaves the graph and its version', async () => {
    const table = await aTable();
    const { graphId, jobId, first } = await aJobAtRest(table);
    const before = await contentOf(app, graphId);
    const second = await again(jobId);
    expect(second).toMatchObject({
      status: 'succeeded',
      report: { graph_version: first.report.graph_version, inputs: first.report.inputs },
    });
    expect(counts(second)).toEqual({ N: [5, 0, 0, 5, 0, 0, 0] });
    expect(second.report.source).toEqual(first.report.source);
    expect(second.report.unchanged_source).toEqual({
      run_id: first.id,
      data_versions: {},
      message: expect.stringMatching(/只比较了行.*full=true.* \/ .*compared.*full=true/),
    });
    expect(second.report.steps.map(({ step }: any) => step)).toEqual(['checking', 'copying']);
    const full = await again(jobId, { full: true });
    expect([isSkipped(full), counts(full)]).toEqual([false, { N: [5, 0, 0, 5, 0, 0, 0] }]);
    expect(await contentOf(app, graphId)).toEqual(before);
    expect(isSkipped(await again(jobId))).toBe(true);
  });

  it('does its work after each change of its rows, and of their meaning', async () => {
    const table = await aTable();
    const { graphId, jobId } = await aJobAtRest(table);
    const changes: [change: string, counts: number[]][] = [
      ["UPDATE # SET v = 'V3' WHERE id = 3", [5, 0, 1, 4, 0, 0, 0]],
      ['UPDATE # SET v = NULL WHERE id = 5', [5, 0, 1, 4, 0, 0, 0]],
      ['UPDATE # SET v = NULL, w = v WHERE id = 4', [5, 0, 1, 4, 0, 0, 0]],
      ["INSERT INTO # VALUES (6, 'x', 'y')", [6, 1, 0, 5, 0, 0, 0]],
      ['DELETE FROM # WHERE id = 6', [5, 0, 0, 5, 1, 0, 0]],
      ['ALTER TABLE # RENAME v TO x; ALTER TABLE # RENAME w TO v; ALTER TABLE # RENAME x TO w', [5, 0, 5, 0, 0, 0, 0]],
      // Only the type of the column changes; the texts of its values stay the same.
      ['ALTER TABLE # ALTER id TYPE bigint', [5, 0, 0, 5, 0, 0, 0]],
      // PostgreSQL stores an updated row in another place, so the order of the rows changes.
      ['UPDATE # SET v = v WHERE id = 1', [5, 0, 0, 5, 0, 0, 0]],
    ];
    for (const [change, expected] of changes) {
      await foreign.run(change.replaceAll('#', table));
      const after = await again(jobId);
      expect([change, isSkipped(after), counts(after)]).toEqual([change, false, { N: expected }]);
      expect([change, isSkipped(await again(jobId))]).toEqual([change, true]);
    }
    const fresh = await ingest(app, mappingOf(table));
    expect(await contentOf(app, graphId)).toEqual(await contentOf(app, fresh.graphId));
    await foreign.run(`TRUNCATE ${table}`);
    expect(counts(await again(jobId))).toEqual({ N: [0, 0, 0, 0, 5, 0, 0] });
    expect(isSkipped(await again(jobId))).toBe(true);
  });

  it('does nothing after changes beside the rows that it reads', async () => {
    const table = await aTable();
    const { jobId } = await aJobAtRest(table);
    const changes = [
      'UPDATE # SET at = now() WHERE id = 5',
      'ALTER TABLE # ADD more int DEFAULT 3',
      'CREATE TABLE #_2 AS TABLE #; DROP TABLE #; ALTER TABLE #_2 RENAME TO #',
      "ALTER ROLE reader SET timezone = 'Asia/Shanghai'",
    ];
    for (const change of changes) {
      await foreign.run(change.replaceAll('#', table));
      expect([change, isSkipped(await again(jobId))]).toEqual([change, true]);
    }
  });

  it('does its work after another statement, another zone, and the run of another job', async () => {
    const table = await aTable();
    const { graphId, jobId } = await aJobAtRest(table);
    for (const mapping of [
      mappingOf(table, "where: 'id < 9', "),
      mappingOf(table, '', ', timezone: Asia/Shanghai'),
      mappingOf(await aTable()),
    ]) {
      await revise(jobId, mapping);
      expect(isSkipped(await again(jobId))).toBe(false);
      expect(isSkipped(await again(jobId))).toBe(true);
    }
    await again(await aJob(app, graphId, mappingOf(table).replace('label: N', 'label: M')));
    expect(isSkipped(await again(jobId))).toBe(false);
  });

  it('does its work if one of the tables of a query has changed', async () => {
    const [one, other] = [await aTable(), await aTable()];
    const query = `SELECT a.id, b.v, b.w FROM ${one} a JOIN ${other} b ON b.id = a.id`;
    const { jobId } = await ingest(app, mappingOf('#').replace('table: #', `query: '${query}'`));
    expect(isSkipped(await again(jobId))).toBe(true);
    await foreign.run(`UPDATE ${other} SET v = 'new' WHERE id = 1`);
    const after = await again(jobId);
    expect([isSkipped(after), counts(after)]).toEqual([false, { N: [5, 0, 1, 4, 0, 0, 0] }]);
  });

  it.each(["where: 'now() > make_date(2020, 1, id)', ", "where: 'id > 1', incremental: {cursor: id, type: int}, "])(
    'does its work where the outcome may differ: %s',
    async more => {
      const { jobId } = await ingest(app, mappingOf(await aTable(), more));
      expect(isSkipped(await again(jobId))).toBe(false);
    },
  );

  it('does its work if the last run rejected rows', async () => {
    const table = await aTable();
    const mapping = mappingOf(table).replace('{column: v,', '{column: v, rules: [{one_of: [v1, v2, v3, v4]}],');
    const { jobId, run } = await ingest(app, mapping.replace('nodes:', 'defaults: {on_error: quarantine, max_error_rate: 1}\nnodes:'));
    const second = await again(jobId);
    expect([run.report.totals.rejected, isSkipped(second), second.report.totals.rejected]).toEqual([1, false, 1]);
  });

  it('ends at once if it reads on from a cursor and reads the same rows again', async () => {
    const table = await aTable();
    const { jobId } = await ingest(app, mappingOf(table, 'incremental: {cursor: at, type: datetime}, '));
    expect(counts(await again(jobId))).toEqual({ N: [1, 0, 0, 1, 0, 0, 0] });
    const third = await again(jobId);
    expect([isSkipped(third), third.report.source.copied.rows]).toEqual([true, 1]);
    // The row is below the cursor, where a run that works would not read it either.
    await foreign.run(`UPDATE ${table} SET v = 'late' WHERE id = 1`);
    expect(isSkipped(await again(jobId))).toBe(true);
    await foreign.run(`INSERT INTO ${table} VALUES (9, 'x', 'y', '2024-01-01 05:00+00')`);
    const fourth = await again(jobId);
    expect([isSkipped(fourth), counts(fourth)]).toEqual([false, { N: [2, 1, 0, 1, 0, 0, 0] }]);
  });
});
