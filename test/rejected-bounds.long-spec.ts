import { type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, aTable, rejectedRows, rowMapping, runToEnd } from './support/ingestion.js';
import { until } from './support/slow-queries.js';

const megabyte = 1024 * 1024;

describe('the rejected rows of a user', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({ REJECTED_MAX_MB_PER_USER: '1' });
  });
  afterAll(() => test.close());

  const keptBytes = async (runId: number): Promise<number> => {
    const { rows } = await test.pool.query(
      'SELECT coalesce(sum(octet_length(reasons::text) + octet_length(sample::text)), 0)::int AS bytes FROM ingestion_rejected WHERE run_id = $1',
      [runId],
    );
    return rows[0].bytes;
  };

  const sampleOf = async (runId: number): Promise<number> => {
    const { rows } = await test.pool.query(
      `SELECT jsonb_array_length(report -> 'rejected_sample') AS rows FROM ingestion_runs WHERE id = $1`,
      [runId],
    );
    return rows[0].rows;
  };

  /** Runs a job, and waits until its rejected rows are counted, which happens after the run has succeeded. */
  const runAndCount = async (job: number) => {
    const run = await runToEnd(test, job);
    await until(
      async () => (await test.pool.query('SELECT FROM ingestion_runs WHERE id = $1 AND rejected_bytes > 0', [run.id])).rowCount === 1,
    );
    return run;
  };

  it('are as many as fit into their bound, those of the newest runs', async () => {
    const lines = Array.from({ length: 12_000 }, (_, id) => `${id},${'x'.repeat(id === 0 ? 1 : 500)}`);
    const table = await aTable(test, `id,v\n${lines.join('\n')}\n`, 'id:text,v:text');
    const aJobOf = async () =>
      aJob(
        test,
        await aGraph(test),
        rowMapping(table, ['{column: v, rules: [{max_length: 3}]}'], 'on_error: quarantine, max_error_rate: 1, max_error_rows: 20000'),
      );
    const [first, second] = [await aJobOf(), await aJobOf()];
    const run = await runAndCount(first);
    expect(run).toMatchObject({ status: 'succeeded', report: { warnings: [{ code: 'rejected_rows_cut' }] } });
    expect(await keptBytes(run.id)).toBeGreaterThan(megabyte / 4);
    expect(await keptBytes(run.id)).toBeLessThan(4 * megabyte);
    const next = await runAndCount(second);
    expect(await rejectedRows(test, run.id)).toEqual([]);
    expect((await rejectedRows(test, next.id)).length).toBeGreaterThan(0);
    expect(await sampleOf(run.id)).toBe(0);
    expect(await sampleOf(next.id)).toBeGreaterThan(0);
  });

  it('show a sample in the reports of the newest ten runs of a job, which counts towards the bound', async () => {
    const table = await aTable(test, 'id,v\n1,long\n2,x\n', 'id:text,v:text');
    const job = await aJob(
      test,
      await aGraph(test),
      rowMapping(table, ['{column: v, rules: [{max_length: 3}]}'], 'on_error: quarantine, max_error_rate: 1'),
    );
    const runs: number[] = [];
    for (let count = 0; count < 12; count++) runs.push((await runAndCount(job)).id);
    expect(await Promise.all(runs.map(sampleOf))).toEqual([0, 0, ...Array.from({ length: 10 }, () => 1)]);
    const { rows } = await test.pool.query('SELECT rejected_bytes AS bytes FROM ingestion_runs WHERE id = ANY ($1) ORDER BY id', [runs]);
    expect(Number(rows[0].bytes)).toBeLessThan(Number(rows[11].bytes));
    expect(await rejectedRows(test, runs[0]!)).toHaveLength(1);
  });
});
