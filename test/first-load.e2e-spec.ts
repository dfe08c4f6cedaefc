import { type TestApp, startTestApp } from './support/app.js';
import { graphTables } from '../src/database/graph-tables.js';
import { aGraph, aJob, counts, ingest, runToEnd, upload } from './support/ingestion.js';

const rows = 12_000;
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  const lines = (line: (i: number) => string, count = rows): string => Array.from({ length: count }, (_, i) => line(i)).join('\n');
  await upload(app, 'things', `id,name\n${lines(i => `${i},东西${i}`, 2_000)}\n`);
  await upload(app, 'links', `a,b,note\n${lines(i => `${i % 2_000},${(i * 7 + Math.floor(i / 2_000)) % 2_000},第${i}条`)}\n`);
  await upload(app, 'twice', `a,b,note\n${lines(i => `${i % 100},${i % 50},第${i}条`)}\n`);
  await upload(app, 'few', `a,b,note\n1,2,一\n3,4,二\n`);
}, 60_000);
afterAll(() => app.close());

const edge = (type: string, table: string): string =>
  `  - {type: ${type}, table: ${table}, from: {node: t, match: {a: id}}, to: {node: t, match: {b: id}}, columns: [{column: note, property: 注}]}\n`;
const mapping = (...edges: string[]): string =>
  `version: 1\nnodes:\n  - {id: t, label: 东西, table: things, key: [id], columns: [{column: id, property: 编号}, {column: name, property: 名称}]}\nedges:\n${edges.join('')}`;

/** The columns, indexes and rights of a graph's edges, without the graph's id. */
async function layoutOf(graphId: number): Promise<unknown> {
  const table = graphTables(graphId).edges;
  const { rows: found } = await app.pool.query(
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
  const { rows: found } = await app.pool.query(`SELECT count(*)::int AS edges FROM ${graphTables(graphId).edges} WHERE type = $1`, [type]);
  return found[0].edges;
}

async function stubsOf(graphId: number): Promise<unknown> {
  const { rows: found } = await app.pool.query(
    `SELECT count(*)::int AS stubs, min((properties ->> '编号')::int) AS least, max((properties ->> '编号')::int) AS most
     FROM ${graphTables(graphId).nodes} WHERE owners = '{}'`,
  );
  return found[0];
}

/** Names of tables that only a run may see. */
async function tablesApart(): Promise<unknown[]> {
  return (await app.pool.query(`SELECT relname FROM pg_class WHERE relname LIKE '%apart%'`)).rows;
}

describe('the first load of many edges', () => {
  it('leaves the table as it was made, with its rows', async () => {
    const empty = await layoutOf(await aGraph(app));
    const { run, graphId } = await ingest(app, mapping(edge('连', 'links')));
    expect(run.error).toBeNull();
    expect(counts(run).连).toEqual([rows, rows, 0, 0, 0, 0, 0]);
    expect(await countEdges(graphId, '连')).toBe(rows);
    expect(await layoutOf(graphId)).toEqual(empty);
    expect(await tablesApart()).toEqual([]);
    const { body } = await app.admin
      .post(`/api/graphs/${graphId}/query`)
      .send({ cypher: 'MATCH (a:东西 {编号: 1})-[e:连]->(b) RETURN count(b) AS found' })
      .expect(200);
    expect(JSON.stringify(body)).toContain('6');
  });

  it('counts rows without nodes that repeat each other as the next run does', async () => {
    await upload(app, 'lost', 'a,b,note\n1,2,一\n1,9999,二\n1,9999,三\n9998,2,四\n9998,2,五\n,9999,六\n,9999,七\n');
    const job = await aJob(app, await aGraph(app), `defaults: {on_error: quarantine, max_error_rate: 1}\n${mapping(edge('失', 'lost'))}`);
    const first = await runToEnd(app, job);
    const again = await runToEnd(app, job);
    expect(counts(first).失).toEqual([7, 1, 0, 0, 0, 2, 4]);
    expect(counts(again).失).toEqual([7, 0, 0, 1, 0, 2, 4]);
    expect(again.report.warnings).toEqual(first.report.warnings);
    expect(first.report.warnings).toMatchObject([{ code: 'duplicate_key', target: '失', count: 2 }]);
  });

  it('keeps the first of two rows that are one edge, in each of several types, and changes nothing when it runs again', async () => {
    const graphId = await aGraph(app);
    const job = await aJob(app, graphId, mapping(edge('少', 'few'), edge('重', 'twice'), edge('连', 'links')));
    const first = await runToEnd(app, job);
    expect(counts(first)).toMatchObject({
      少: [2, 2, 0, 0, 0, 0, 0],
      重: [rows, 100, 0, 0, 0, 0, rows - 100],
      连: [rows, rows, 0, 0, 0, 0, 0],
    });
    expect(await layoutOf(graphId)).toEqual(await layoutOf(await aGraph(app)));
    const { rows: kept } = await app.pool.query(
      `SELECT min(substring(properties ->> '注' FROM '[0-9]+')::int) AS least, max(substring(properties ->> '注' FROM '[0-9]+')::int) AS most
       FROM ${graphTables(graphId).edges} WHERE type = '重'`,
    );
    expect(kept).toEqual([{ least: 0, most: 99 }]);
    const again = await runToEnd(app, job);
    expect(again.report.totals).toMatchObject({ inserted: 0, updated: 0, deleted: 0, unchanged: 2_000 + 2 + 100 + rows });
  });

  it('makes the missing ends of the edges, marks the rows that can have none, and removes the ends with their edges', async () => {
    const graphId = await aGraph(app);
    // Of the things, 0 to 1999 are there. No thing can have the number abc.
    await upload(app, 'beyond', `a,b,note\n${Array.from({ length: rows }, (_, i) => `${i % 3_000},${i + 1_000},第${i}条`).join('\n')}\n`);
    await upload(app, 'odd', 'a,b,note\n1,2,一\n1,abc,二\n');
    const typed = (...edges: string[]): string =>
      `defaults: {on_error: quarantine, max_error_rate: 1}\n${mapping(...edges)
        .replace('{column: id, property: 编号}', '{column: id, property: 编号, type: int}')
        .replace(/\b(id)\}\}/g, '$1}, on_missing: create}')}`;
    const job = await aJob(app, graphId, typed(edge('越', 'beyond'), edge('怪', 'odd')));
    const first = await runToEnd(app, job);
    expect(first).toMatchObject({ status: 'succeeded', error: null });
    expect(counts(first)).toMatchObject({ 越: [rows, rows, 0, 0, 0, 0, 0], 怪: [2, 1, 0, 0, 0, 1, 0] });
    // The left ends reach from 0 to 2999, the right ones from 1000 to 12999.
    expect(first.report.totals.stubs_created).toBe(11_000);
    expect(await stubsOf(graphId)).toEqual({ stubs: 11_000, least: 2_000, most: 12_999 });
    expect(await layoutOf(graphId)).toEqual(await layoutOf(await aGraph(app)));
    expect(await tablesApart()).toEqual([]);

    const again = await runToEnd(app, job);
    expect(again.report).toMatchObject({
      stubs_removed: 0,
      totals: { inserted: 0, deleted: 0, stubs_created: 0, unchanged: 2_000 + rows + 1 },
    });
    await upload(app, 'beyond', 'a,b,note\n1,2500,一\n');
    const { body: last } = await app.admin.post(`/api/ingestion/jobs/${job}/run?allow_deletes=true`).set('Prefer', 'wait=60').expect(200);
    expect(last.report).toMatchObject({ stubs_removed: 10_999, totals: { deleted: rows, stubs_created: 0 } });
    expect(await stubsOf(graphId)).toEqual({ stubs: 1, least: 2_500, most: 2_500 });
  });

  it('does not wait long for a reader of the empty table, nor disturbs it', async () => {
    const graphId = await aGraph(app);
    const { edges } = graphTables(graphId);
    const reader = await app.pool.connect();
    try {
      await reader.query(`BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM ${edges}`);
      const run = await runToEnd(app, await aJob(app, graphId, mapping(edge('连', 'links'))));
      expect(run).toMatchObject({ status: 'succeeded', error: null });
      expect((await reader.query(`SELECT FROM ${edges}`)).rowCount).toBe(0);
    } finally {
      await reader.query('ROLLBACK');
      reader.release();
    }
    expect(await countEdges(graphId, '连')).toBe(rows);
    expect(await layoutOf(graphId)).toEqual(await layoutOf(await aGraph(app)));
    expect(await tablesApart()).toEqual([]);
  });

  it('shows a reader whose snapshot is older than the new table no row', async () => {
    const graphId = await aGraph(app);
    const reader = await app.pool.connect();
    try {
      await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
      const run = await runToEnd(app, await aJob(app, graphId, mapping(edge('连', 'links'))));
      expect(run.status).toBe('succeeded');
      expect((await reader.query(`SELECT FROM ${graphTables(graphId).edges}`)).rowCount).toBe(0);
    } finally {
      await reader.query('ROLLBACK');
      reader.release();
    }
    expect(await countEdges(graphId, '连')).toBe(rows);
  });

  it('leaves nothing behind when the run fails', async () => {
    const graphId = await aGraph(app);
    const before = await layoutOf(graphId);
    const failing = mapping(edge('连', 'links'), edge('少', 'few').replace('match: {b: id}}', 'match: {note: id}, on_missing: fail}'));
    const run = await runToEnd(app, await aJob(app, graphId, failing));
    expect(run.status).toBe('failed');
    expect(await countEdges(graphId, '连')).toBe(0);
    expect(await layoutOf(graphId)).toEqual(before);
    expect(await tablesApart()).toEqual([]);
  });
});
