import { type TestApp } from './app.js';
import { ingest, runToEnd } from './ingestion.js';

/**
 * Expects that a run on a table ends at once as long as its rows are the same. The table has two rows of `id` and `v`. `rewrite` stores the
 * same rows again, and `change` changes one of them.
 */
export async function expectWorkOnlyAfterChange(
  test: TestApp,
  {
    connection,
    table,
    rewrite,
    change,
  }: { connection: string; table: string; rewrite: () => Promise<unknown>; change: () => Promise<unknown> },
): Promise<void> {
  const columns = '[{column: id}, {column: v}]';
  const { jobId, run } = await ingest(
    test,
    `version: 1\nsource: {connection: ${connection}}\nnodes: [{id: n, label: N, table: ${table}, key: [id], columns: ${columns}}]`,
  );
  expect(run.error).toBeNull();
  await rewrite();
  const again = await runToEnd(test, jobId);
  expect(again.report.unchanged_source).toMatchObject({ run_id: run.id, data_versions: {} });
  expect(again.report).toMatchObject({ totals: { read: 2, unchanged: 2 }, source: { copied: { tables: 1, rows: 2 } } });
  await change();
  const worked = await runToEnd(test, jobId);
  expect(worked.report.unchanged_source).toBeUndefined();
  expect(worked.report.totals).toMatchObject({ read: 2, updated: 1, unchanged: 1 });
  expect((await runToEnd(test, jobId)).report.unchanged_source).toMatchObject({ run_id: worked.id });
}
