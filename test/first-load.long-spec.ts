import { setTimeout as sleep } from 'node:timers/promises';
import { graphTables } from '../src/database/graph-tables.js';
import { compilePlan } from '../src/cypher/executors/sql/compile-plan.js';
import { prepareCypher } from '../src/cypher/prepare-cypher.js';
import { readGraphElements } from '../src/retrieval/process/read-graph-elements.js';
import { type GraphReader } from '../src/retrieval/process/retrieval-database.js';
import { type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, counts, ingest, runToEnd, upload } from './support/ingestion.js';
import { asSuperuser } from './support/database.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describe('the first load of many edges', () => {
  const rows = 12_000;
  beforeAll(async () => {
    const lines = (line: (i: number) => string, count = rows): string => Array.from({ length: count }, (_, i) => line(i)).join('\n');
    await upload(test, 'things', `id,name\n${lines(i => `${i},东西${i}`, 2_000)}\n`);
    await upload(test, 'links', `a,b,note\n${lines(i => `${i % 2_000},${(i * 7 + Math.floor(i / 2_000)) % 2_000},第${i}条`)}\n`);
    await upload(test, 'twice', `a,b,note\n${lines(i => `${i % 100},${i % 50},第${i}条`)}\n`);
    await upload(test, 'few', `a,b,note\n1,2,一\n3,4,二\n`);
  });

  const edge = (type: string, table: string): string =>
    `  - {type: ${type}, table: ${table}, from: {node: t, match: {a: id}}, to: {node: t, match: {b: id}}, columns: [{column: note, property: 注}]}\n`;
  const mapping = (...edges: string[]): string =>
    `version: 1\nnodes:\n  - {id: t, label: 东西, table: things, key: [id], columns: [{column: id, property: 编号}, {column: name, property: 名称}]}\nedges:\n${edges.join('')}`;

  /** The columns, indexes and rights of a graph's edges, without the graph's id. */
  async function layoutOf(graphId: number): Promise<unknown> {
    const table = graphTables(graphId).edges;
    const { rows: found } = await test.pool.query(
      `SELECT (SELECT json_agg((a.attname, a.atttypid::regtype, a.attnotnull, pg_get_expr(d.adbin, d.adrelid)) ORDER BY a.attnum)
             FROM pg_attribute a LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
             WHERE a.attrelid = c.oid AND a.attnum > 0) AS columns,
            (SELECT json_agg(pg_get_indexdef(indexrelid) ORDER BY indexrelid::regclass::text) FROM pg_index WHERE indrelid = c.oid) AS indexes,
            (SELECT json_agg((conname, contype) ORDER BY conname) FROM pg_constraint WHERE conrelid = c.oid) AS constraints,
            c.relowner::regrole::text AS owner, c.relacl::text AS rights, c.relname AS name
     FROM pg_class c WHERE c.oid = $1::regclass`,
      [table],
    );
    return JSON.parse(JSON.stringify(found[0]).replaceAll(`edges_${graphId}`, 'edges'));
  }

  async function countEdges(graphId: number, type: string): Promise<number> {
    const { rows: found } = await test.pool.query(`SELECT count(*)::int AS edges FROM ${graphTables(graphId).edges} WHERE type = $1`, [
      type,
    ]);
    return found[0].edges;
  }

  async function stubsOf(graphId: number): Promise<unknown> {
    const { rows: found } = await test.pool.query(
      `SELECT count(*)::int AS stubs, min((properties ->> '编号')::int) AS least, max((properties ->> '编号')::int) AS most
     FROM ${graphTables(graphId).nodes} WHERE owners = '{}'`,
    );
    return found[0];
  }

  /** Names of the tables in which a run prepares its edges, hidden from everybody else. */
  async function tablesApart(): Promise<unknown[]> {
    return (await test.pool.query(`SELECT relname FROM pg_class WHERE relname LIKE '%apart%'`)).rows;
  }
  it('leaves the table as it was made, with its rows', async () => {
    const empty = await layoutOf(await aGraph(test));
    const { run, graphId } = await ingest(test, mapping(edge('连', 'links')));
    expect(run.error).toBeNull();
    expect(counts(run).连).toEqual([rows, rows, 0, 0, 0, 0, 0]);
    expect(await countEdges(graphId, '连')).toBe(rows);
    expect(await layoutOf(graphId)).toEqual(empty);
    expect(await tablesApart()).toEqual([]);
    const { body } = await test.admin
      .post(`/api/graphs/${graphId}/query`)
      .send({ cypher: 'MATCH (a:东西 {编号: 1})-[e:连]->(b) RETURN count(b) AS found' })
      .expect(200);
    expect(JSON.stringify(body)).toContain('6');
  });

  it('counts rows without nodes that repeat each other as the next run does', async () => {
    await upload(test, 'lost', 'a,b,note\n1,2,一\n1,9999,二\n1,9999,三\n9998,2,四\n9998,2,五\n,9999,六\n,9999,七\n');
    const job = await aJob(test, await aGraph(test), `defaults: {on_error: quarantine, max_error_rate: 1}\n${mapping(edge('失', 'lost'))}`);
    const first = await runToEnd(test, job);
    const again = await runToEnd(test, job);
    expect(counts(first).失).toEqual([7, 1, 0, 0, 0, 2, 4]);
    expect(counts(again).失).toEqual([7, 0, 0, 1, 0, 2, 4]);
    expect(again.report.warnings).toEqual(first.report.warnings);
    expect(first.report.warnings).toMatchObject([{ code: 'duplicate_key', target: '失', count: 2 }]);
  });

  it('keeps the first of two rows that are one edge, in each of several types, and changes nothing when it runs again', async () => {
    const graphId = await aGraph(test);
    const job = await aJob(test, graphId, mapping(edge('少', 'few'), edge('重', 'twice'), edge('连', 'links')));
    const first = await runToEnd(test, job);
    expect(counts(first)).toMatchObject({
      少: [2, 2, 0, 0, 0, 0, 0],
      重: [rows, 100, 0, 0, 0, 0, rows - 100],
      连: [rows, rows, 0, 0, 0, 0, 0],
    });
    expect(await layoutOf(graphId)).toEqual(await layoutOf(await aGraph(test)));
    const { rows: kept } = await test.pool.query(
      `SELECT min(substring(properties ->> '注' FROM '[0-9]+')::int) AS least, max(substring(properties ->> '注' FROM '[0-9]+')::int) AS most
       FROM ${graphTables(graphId).edges} WHERE type = '重'`,
    );
    expect(kept).toEqual([{ least: 0, most: 99 }]);
    const again = await runToEnd(test, job);
    expect(again.report.totals).toMatchObject({ inserted: 0, updated: 0, deleted: 0, unchanged: 2_000 + 2 + 100 + rows });
  });

  it('makes the missing ends of the edges, marks the rows that can have none, and removes the ends with their edges', async () => {
    const graphId = await aGraph(test);
    // The things 0 to 1999 exist. `abc` cannot be the number of a thing.
    await upload(test, 'beyond', `a,b,note\n${Array.from({ length: rows }, (_, i) => `${i % 3_000},${i + 1_000},第${i}条`).join('\n')}\n`);
    await upload(test, 'odd', 'a,b,note\n1,2,一\n1,abc,二\n');
    const typed = (...edges: string[]): string =>
      `defaults: {on_error: quarantine, max_error_rate: 1}\n${mapping(...edges)
        .replace('{column: id, property: 编号}', '{column: id, property: 编号, type: int}')
        .replace(/\b(id)\}\}/g, '$1}, on_missing: create}')}`;
    const job = await aJob(test, graphId, typed(edge('越', 'beyond'), edge('怪', 'odd')));
    const first = await runToEnd(test, job);
    expect(first).toMatchObject({ status: 'succeeded', error: null });
    expect(counts(first)).toMatchObject({ 越: [rows, rows, 0, 0, 0, 0, 0], 怪: [2, 1, 0, 0, 0, 1, 0] });
    // The values of `a` are 0 to 2999, those of `b` 1000 to 12999, so 2000 to 12999 are missing.
    expect(first.report.totals.stubs_created).toBe(11_000);
    expect(await stubsOf(graphId)).toEqual({ stubs: 11_000, least: 2_000, most: 12_999 });
    expect(await layoutOf(graphId)).toEqual(await layoutOf(await aGraph(test)));
    expect(await tablesApart()).toEqual([]);

    const again = await runToEnd(test, job);
    expect(again.report).toMatchObject({
      stubs_removed: 0,
      totals: { inserted: 0, deleted: 0, stubs_created: 0, unchanged: 2_000 + rows + 1 },
    });
    await upload(test, 'beyond', 'a,b,note\n1,2500,一\n');
    const { body: last } = await test.admin.post(`/api/ingestion/jobs/${job}/run?allow_deletes=true`).set('Prefer', 'wait=60').expect(200);
    expect(last.report).toMatchObject({ stubs_removed: 10_999, totals: { deleted: rows, stubs_created: 0 } });
    expect(await stubsOf(graphId)).toEqual({ stubs: 1, least: 2_500, most: 2_500 });
  });

  it('does not wait long for a reader of the empty table, nor disturbs it', async () => {
    const graphId = await aGraph(test);
    const { edges } = graphTables(graphId);
    const reader = await test.pool.connect();
    try {
      await reader.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM ${edges}`);
      const run = await runToEnd(test, await aJob(test, graphId, mapping(edge('连', 'links'))));
      expect(run).toMatchObject({ status: 'succeeded', error: null });
      expect((await reader.query(`SELECT FROM ${edges}`)).rowCount).toBe(0);
    } finally {
      await reader.query('ROLLBACK');
      reader.release();
    }
    expect(await countEdges(graphId, '连')).toBe(rows);
    expect(await layoutOf(graphId)).toEqual(await layoutOf(await aGraph(test)));
    expect(await tablesApart()).toEqual([]);
  });

  it('shows a reader whose snapshot is older than the new table no row', async () => {
    const graphId = await aGraph(test);
    const reader = await test.pool.connect();
    try {
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
      const run = await runToEnd(test, await aJob(test, graphId, mapping(edge('连', 'links'))));
      expect(run.status).toBe('succeeded');
      expect((await reader.query(`SELECT FROM ${graphTables(graphId).edges}`)).rowCount).toBe(0);
    } finally {
      await reader.query('ROLLBACK');
      reader.release();
    }
    expect(await countEdges(graphId, '连')).toBe(rows);
  });

  it('leaves nothing behind when the run fails', async () => {
    const graphId = await aGraph(test);
    const before = await layoutOf(graphId);
    const failing = mapping(edge('连', 'links'), edge('少', 'few').replace('match: {b: id}}', 'match: {note: id}, on_missing: fail}'));
    const run = await runToEnd(test, await aJob(test, graphId, failing));
    expect(run.status).toBe('failed');
    expect(await countEdges(graphId, '连')).toBe(0);
    expect(await layoutOf(graphId)).toEqual(before);
    expect(await tablesApart()).toEqual([]);
  });
});

describe("a graph's statistics", () => {
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
  beforeAll(async () => {
    const orders = customers * ordersOfEach;
    await upload(
      test,
      's_customers',
      csv('id', customers, i => `c${i}`),
      'id:text',
    );
    await upload(
      test,
      's_orders',
      csv('id,customer', orders, i => `o${i},c${i % customers}`),
      'id:text,customer:text',
    );
    await upload(
      test,
      's_products',
      csv('id', products, i => `p${i}`),
      'id:text',
    );
    await upload(
      test,
      's_lines',
      csv('order,product', orders * linesOfEach, i => `o${i % orders},p${(i * 7 + Math.floor(i / orders)) % products}`),
      'order:text,product:text',
    );
  });

  /** The plan of a Cypher query, with the actual numbers of rows. */
  async function explain(graphId: number, text: string): Promise<string> {
    const reader = { graphId, query: async (sql: string, values: unknown[]) => (await test.pool.query(sql, values)).rows };
    const { plan } = prepareCypher(text, await readGraphElements(reader as unknown as GraphReader), '{}');
    const { sql, parameters } = compilePlan(plan!, { graphId, limit: 1_000_000 });
    const { rows } = await test.pool.query(`EXPLAIN (ANALYZE) ${sql}`, parameters);
    return rows.map(row => row['QUERY PLAN']).join('\n');
  }

  it('serve its queries as soon as its run has ended (risk: two hops from one node read a million edges)', async () => {
    const { graphId, run } = await ingest(test, mapping);
    expect(run.report.warnings).toEqual([]);
    const { rows } = await test.pool.query('SELECT reltuples::int AS rows FROM pg_class WHERE oid = $1::regclass', [
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
    const graphId = await aGraph(test);
    const { nodes } = graphTables(graphId);
    // An index on an expression for which ANALYZE fails until the function is repaired.
    const refusing = (
      statement: string,
    ): string => `CREATE OR REPLACE FUNCTION no_statistics(text) RETURNS text IMMUTABLE LANGUAGE plpgsql AS
      $$ BEGIN IF current_query() LIKE '${statement}%' THEN RAISE 'no statistics'; END IF; RETURN $1; END $$`;
    await asSuperuser(test.databaseUrl, `${refusing('ANALYZE')}; CREATE INDEX ON ${nodes} (no_statistics(key))`);
    const jobId = await aJob(test, graphId, mapping);
    const run = await runToEnd(test, jobId);
    expect(run).toMatchObject({ status: 'succeeded', report: { warnings: [{ code: 'statistics_not_renewed', sqlstate: 'P0001' }] } });
    // The service repeats ANALYZE after the run, which fails again. After the repair, the next run that changes something succeeds.
    await asSuperuser(test.databaseUrl, refusing('no statement'));
    await upload(
      test,
      's_products',
      csv('id', products + 1, i => `p${i}`),
      'id:text',
    );
    expect((await runToEnd(test, jobId)).report.warnings).toEqual([]);
    const { rows } = await test.pool.query('SELECT reltuples::int AS rows FROM pg_class WHERE oid = $1::regclass', [nodes]);
    expect(rows[0].rows).toBe(customers + customers * ordersOfEach + products + 1);
  });

  it('come with freed space after a run rewrote much of a table, so that the table does not grow with every run', async () => {
    const rows = 3_000;
    const values = (round: number): string => csv('id,n', rows, i => `${i},${i + round}`);
    await upload(test, 's_values', values(0), 'id:text,n:int');
    const graphId = await aGraph(test);
    const jobId = await aJob(
      test,
      graphId,
      'version: 1\nnodes:\n  - {id: v, label: 值, table: s_values, key: [id], columns: [{column: id}, {column: n}]}\n',
    );
    expect((await runToEnd(test, jobId)).report).not.toHaveProperty('upkeep');
    const { nodes } = graphTables(graphId);
    const size = async (): Promise<number> => Number((await test.pool.query('SELECT pg_table_size($1) AS size', [nodes])).rows[0].size);
    const once = await size();
    for (let round = 1; round <= 4; round++) {
      await upload(test, 's_values', values(round), 'id:text,n:int');
      const { id, report } = await runToEnd(test, jobId);
      expect(report.totals.updated).toBe(rows);
      expect(await untilKeptUp(id)).toEqual({ analyzed: [], vacuumed: ['nodes'] });
    }
    expect(await size()).toBeLessThan(3 * once);
  });

  async function untilKeptUp(runId: number): Promise<unknown> {
    for (;;) {
      const { body } = await test.admin.get(`/api/ingestion/runs/${runId}`).expect(200);
      if (body.report.upkeep) return body.report.upkeep;
      await sleep(50);
    }
  }
});
