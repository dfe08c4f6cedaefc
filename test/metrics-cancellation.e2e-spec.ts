import pg from 'pg';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { createSoldMetrics } from './support/sold-metrics.js';

let test: TestApp;
let editor: Client;
let graphId: number;

beforeAll(async () => {
  test = await startTestApp();
  ({ editor, graphId } = await createSoldMetrics(test));
});
afterAll(() => test?.close());

it('cancels the statement of a caller who goes', async () => {
  const tables = 'abcdefghijkl'.split('').map(alias => `sold ${alias}`);
  const sql = `SELECT a.id FROM ${tables.join(' CROSS JOIN ')} WHERE a.id + b.id + c.id + d.id + e.id + f.id + g.id + h.id + i.id + j.id + k.id + l.id < 0`;
  const made = await editor
    .post('/api/metrics')
    .send({ graph_id: graphId, name: '慢', formula: 'COUNT(*)', binding: { relation: { sql } } });
  const owner = new pg.Client(test.databaseUrl);
  await owner.connect();
  const running = async (): Promise<number> => {
    const { rows } = await owner.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%l.id < 0%' AND pid <> pg_backend_pid()`,
    );
    return rows[0]!.n;
  };
  const until = async (wanted: number): Promise<void> => {
    while ((await running()) !== wanted) await new Promise(resolve => setTimeout(resolve, 100));
  };
  const caller = new AbortController();
  const asked = fetch(`${test.url}/api/metrics/${made.body.id}/execute`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${editor.token}`, 'Content-Type': 'application/json' },
    body: '{}',
    signal: caller.signal,
  });
  await until(1);
  caller.abort();
  await expect(asked).rejects.toThrow('abort');
  await until(0);
  await owner.end();
  // The time limit of this test is below the statement's own time-out of 30 s, so only a cancellation can end it in time.
}, 25_000);
