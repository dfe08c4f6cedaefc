import { startTestApp, type TestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { ingest } from './support/ingestion.js';

describe('source rows within the bounds of an answer', () => {
  let test: TestApp;
  let foreign: ForeignPostgres;
  beforeAll(async () => {
    [test, foreign] = await Promise.all([
      startTestApp({ ANSWER_MAX_BYTES: String(2 ** 20), WAREHOUSE_TIMEOUT_MS: '6000' }),
      ForeignPostgres.start(),
    ]);
    await aForeignConnection(test, foreign);
  });
  afterAll(async () => {
    await Promise.all([test.close(), foreign.remove()]);
  });

  const node = (table: string, more: string) =>
    `version: 1\nsource: {connection: far}\nnodes: [{id: n, label: N, table: ${table}, ${more}}]\n`;

  async function ask(graphId: number) {
    const { body } = await test.admin
      .post(`/api/graphs/${graphId}/query`)
      .send({ cypher: 'MATCH (n:N) RETURN n.region ORDER BY n.region', include: ['source_rows'] })
      .expect(200);
    return { rows: body.source_rows.map((each: any) => each.row) as any[], warnings: body.warnings.join() as string };
  }

  it('are found in a wide table that repeats the keys, and a row that is larger than an answer does not hide the others', async () => {
    await foreign.run(`
      CREATE TABLE wide AS SELECT 'r' || i % 4 AS region, repeat('x', 20000) AS v FROM generate_series(1, 2000) i;
      CREATE TABLE aside (text text); INSERT INTO aside VALUES (repeat('y', 2000000));
      ALTER TABLE wide ADD note text`);
    const { graphId } = await ingest(test, node('wide', 'key: [region], columns: [{column: region}, {column: v}]'));
    const lengths = async () => {
      const { rows, warnings } = await ask(graphId);
      return { rows: rows.map(({ region, v, note }) => [region, v.length, note]), warnings };
    };
    const whole = ['r0', 'r1', 'r2', 'r3'].map(region => [region, 20_000, null]);
    expect(await lengths()).toEqual({ rows: whole, warnings: '' });
    await foreign.run(`UPDATE wide SET note = aside.text FROM aside WHERE region = 'r2'`);
    const { rows, warnings } = await lengths();
    expect(rows).toEqual(whole.filter(([region]) => region !== 'r2'));
    expect(warnings).toMatch(/1 cited rows of wide were not found: their rows have more bytes than an answer may have/);
  });

  it('take one time together', async () => {
    await foreign.run(`
      CREATE TABLE pace (seconds float); INSERT INTO pace VALUES (0);
      CREATE FUNCTION nap() RETURNS text LANGUAGE sql VOLATILE SECURITY DEFINER AS $$ SELECT pg_sleep(seconds)::text FROM public.pace $$;
      CREATE TABLE sleepers AS SELECT 'a' AS region;
      CREATE VIEW sleepy AS WITH s AS MATERIALIZED (SELECT public.nap()) SELECT sleepers.* FROM sleepers, s`);
    const { graphId } = await ingest(test, node('sleepy', 'key: [region], columns: [{column: region}]'));
    await foreign.run(`UPDATE pace SET seconds = 4; UPDATE sleepers SET region = 'b'`);
    const started = performance.now();
    expect(await ask(graphId)).toEqual({ rows: [], warnings: 'The time was over before the source rows of sleepy were read' });
    expect(performance.now() - started).toBeLessThan(8_000);
  });
});
