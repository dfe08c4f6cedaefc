import { setTimeout as sleep } from 'node:timers/promises';
import { graphTables } from '../src/database/graph-tables.js';
import { compilePlan } from '../src/cypher/executors/sql/compile-plan.js';
import { parseCypher } from '../src/cypher/syntax/parse-cypher.js';
import { planCypher } from '../src/cypher/plan/plan-cypher.js';
import { readGraphElements } from '../src/retrieval/process/read-graph-elements.js';
import { type GraphReader } from '../src/retrieval/process/retrieval-database.js';
import { startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { aGraph, aJob, ingest, runToEnd, upload } from './support/ingestion.js';

const customers = 300;
const ordersOfEach = 40;
const linesOfEach = 3;
const products = 500;

const mapping = `
version: 1
nodes:
  - {id: c, label: 客户, table: s_customers, key: [id], columns: [{column: id}]}
  - {id: o, label: 订单, table: s_orders, key: [id], columns: [{column: id}]}
  - {id: p, label: 产品, table: s_products, key: [id], columns: [{column: id}]}
edges:
  - {type: 下单, table: s_orders, from: {node: c, match: {customer: id}}, to: {node: o, match: {id: id}}}
  - {type: 包含, table: s_lines, from: {node: o, match: {order: id}}, to: {node: p, match: {product: id}}}
`;

const csv = (header: string, rows: number, row: (i: number) => string): string =>
  `${header}\n${Array.from({ length: rows }, (_, i) => row(i)).join('\n')}\n`;

describe("a graph's statistics", () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
    const orders = customers * ordersOfEach;
    await upload(app, 's_customers', csv('id', customers, i => `c${i}`), 'id:text');
    await upload(app, 's_orders', csv('id,customer', orders, i => `o${i},c${i % customers}`), 'id:text,customer:text');
    await upload(app, 's_products', csv('id', products, i => `p${i}`), 'id:text');
    await upload(app, 's_lines', csv('order,product', orders * linesOfEach, i => `o${i % orders},p${(i * 7 + Math.floor(i / orders)) % products}`), 'order:text,product:text');
  }); // prettier-ignore
  afterAll(() => app.close());

  /** The plan of a Cypher text with its actual rows. */
  async function explain(graphId: number, text: string): Promise<string> {
    const reader = { graphId, query: async (sql: string, values: unknown[]) => (await app.pool.query(sql, values)).rows };
    const plan = planCypher(parseCypher(text), await readGraphElements(reader as unknown as GraphReader));
    const { sql, parameters } = compilePlan(plan, { graphId, limit: 1_000_000 });
    const { rows } = await app.pool.query(`EXPLAIN (ANALYZE) ${sql}`, parameters);
    return rows.map(row => row['QUERY PLAN']).join('\n');
  }

  it('serve its queries as soon as its run has ended (risk: two hops from one node read a million edges)', async () => {
    const { graphId, run } = await ingest(app, mapping);
    expect(run.report.warnings).toEqual([]);
    const { rows } = await app.pool.query('SELECT reltuples::int AS rows FROM pg_class WHERE oid = $1::regclass', [
      graphTables(graphId).edges,
    ]);
    expect(rows[0].rows).toBe(customers * ordersOfEach * (1 + linesOfEach));
    for (const text of [
      "MATCH (c:客户 {id: 'c7'})-[:下单]->(o) RETURN o.id",
      "MATCH (c:客户 {id: 'c7'})-[:下单]->(:订单)-[:包含]->(p:产品) RETURN p.id",
    ]) {
      const plan = await explain(graphId, text);
      expect(plan).not.toContain('Seq Scan');
    }
    // Three of four edges have this type, so PostgreSQL reads the whole table and joins by hash.
    const expected = Number(/rows=(\d+)/.exec(await explain(graphId, 'MATCH ()-[r:包含]->() RETURN id(r)'))?.[1]);
    expect(Math.abs(expected / (customers * ordersOfEach * linesOfEach) - 1)).toBeLessThan(0.1);
    expect(await explain(graphId, 'MATCH (o:订单)-[:包含]->(p:产品) RETURN o.id, p.id')).toContain('Hash Join');
  });

  it('are renewed late when ANALYZE fails, and the run says so', async () => {
    const graphId = await aGraph(app);
    const { nodes } = graphTables(graphId);
    // An index on an expression that ANALYZE cannot compute until it is repaired.
    const refusing = (
      statement: string,
    ): string => `CREATE OR REPLACE FUNCTION no_statistics(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS
      $$ BEGIN IF current_query() LIKE '${statement}%' THEN RAISE 'no statistics'; END IF; RETURN $1; END $$`;
    await asSuperuser(app.databaseUrl, `${refusing('ANALYZE')}; CREATE INDEX ON ${nodes} (no_statistics(key))`);
    const jobId = await aJob(app, graphId, mapping);
    const run = await runToEnd(app, jobId);
    expect(run).toMatchObject({ status: 'succeeded', report: { warnings: [{ code: 'statistics_not_renewed', sqlstate: 'P0001' }] } });
    // Tried again after the run, in vain. The next run that changes something succeeds.
    await asSuperuser(app.databaseUrl, refusing('no statement'));
    await upload(
      app,
      's_products',
      csv('id', products + 1, i => `p${i}`),
      'id:text',
    );
    expect((await runToEnd(app, jobId)).report.warnings).toEqual([]);
    const { rows } = await app.pool.query('SELECT reltuples::int AS rows FROM pg_class WHERE oid = $1::regclass', [nodes]);
    expect(rows[0].rows).toBe(customers + customers * ordersOfEach + products + 1);
  });

  it('come with freed space after a run rewrote much of a table, so that the table does not grow with every run', async () => {
    const rows = 3_000;
    const values = (round: number): string => csv('id,n', rows, i => `${i},${i + round}`);
    await upload(app, 's_values', values(0), 'id:text,n:int');
    const graphId = await aGraph(app);
    const jobId = await aJob(
      app,
      graphId,
      'version: 1\nnodes:\n  - {id: v, label: 值, table: s_values, key: [id], columns: [{column: id}, {column: n}]}\n',
    );
    expect((await runToEnd(app, jobId)).report).not.toHaveProperty('upkeep');
    const { nodes } = graphTables(graphId);
    const size = async (): Promise<number> => Number((await app.pool.query('SELECT pg_table_size($1) AS size', [nodes])).rows[0].size);
    const once = await size();
    for (let round = 1; round <= 4; round++) {
      await upload(app, 's_values', values(round), 'id:text,n:int');
      const { id, report } = await runToEnd(app, jobId);
      expect(report.totals.updated).toBe(rows);
      expect(await untilKeptUp(id)).toEqual({ analyzed: [], vacuumed: ['nodes'] });
    }
    expect(await size()).toBeLessThan(3 * once);
  });

  async function untilKeptUp(runId: number): Promise<unknown> {
    for (;;) {
      const { body } = await app.admin.get(`/api/ingestion/runs/${runId}`).expect(200);
      if (body.report.upkeep) return body.report.upkeep;
      await sleep(50);
    }
  }
});
