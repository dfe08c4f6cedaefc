import { Egress } from '../src/egress/egress.js';
import { postgresKind } from '../src/warehouse/clients/postgres/postgres-kind.js';
import { startTestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { allowAnyStatement } from './support/statement-check.js';

allowAnyStatement();

it('keep the place of their caller until the server has ended them', async () => {
  const [test, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
  const egress = test.app.get(Egress);
  // One of the four connections is for queries like these, so the second query needs the place of the first.
  const client = await postgresKind.open({ dsn: foreign.dsn(), options: { pool_max: 4 }, egress, answerMaxBytes: 1_000_000 });
  try {
    const claim = { caller: 7 };
    // PostgreSQL compares these texts for some seconds, and checks neither the time-out nor a cancellation meanwhile.
    const sql = `SELECT strpos(repeat('a', 240000), 'b' || repeat('a', 120000)) AS stuck`;
    const run = (text: string) => client.query({ sql: text, parameters: [], maxRows: 1, timeoutMs: 500, claim });
    await expect(run(sql)).rejects.toMatchObject({ code: 'warehouse_timeout' });
    const others = `SELECT count(*)::int FROM pg_stat_activity WHERE query LIKE '%AS stuck%' AND pid <> pg_backend_pid()`;
    expect((await run(others)).rows).toEqual([[0]]);
  } finally {
    await client.close();
    await Promise.all([test.close(), foreign.remove()]);
  }
});
