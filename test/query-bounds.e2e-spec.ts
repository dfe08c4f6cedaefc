import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { AnswerTooLargeError } from '../src/common/errors/answer-too-large.error.js';
import { withinBytes } from '../src/database/byte-budget.js';
import { DatabaseLink } from '../src/database/database-link.js';
import { graphTables } from '../src/database/graph-tables.js';
import { type WatchedPool } from '../src/database/watched-pool.js';
import { RetrievalSupervisor } from '../src/retrieval/retrieval.supervisor.js';
import { AnswerStore } from '../src/queries/answer-store.js';
import { QueriesRepository } from '../src/queries/queries.repository.js';
import { RetentionService } from '../src/retention/retention.service.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { cloneDatabase, type TestDatabase, asSuperuser } from './support/database.js';
import { upload, aGraph, aJob, ingest, rejectedRows, runToEnd } from './support/ingestion.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { itLong } from './support/tier.js';

const megabyte = 1_048_576;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp(
    {
      ANSWER_MAX_BYTES: String(megabyte),
      ANSWERS_MAX_MB: '1',
      ANSWERS_MAX_COUNT: '40',
      REJECTED_KEPT_ROWS: '1000',
    },
    { retrievalAtStart: true },
  );
});
afterAll(() => test.close());

describe('a byte budget', () => {
  let database: TestDatabase;
  let link: DatabaseLink;
  let pool: WatchedPool;
  beforeAll(async () => {
    database = await cloneDatabase();
    link = new DatabaseLink({ url: database.url, log: pino({ enabled: false }) });
    pool = link.open('bounded', { max: 1 });
  });
  afterAll(async () => {
    link.onApplicationShutdown();
    await pool.end();
    await database.drop();
  });

  const read = async (sql: string, limitBytes = 4 * megabyte) => {
    const client = await pool.connect();
    let broken: Error | undefined;
    try {
      return await withinBytes(client, { limitBytes, source: 'query' }, () => client.query(sql));
    } catch (error) {
      broken = error as Error;
      throw error;
    } finally {
      client.release(broken);
    }
  };

  it.each([
    ['one value', `SELECT repeat('x', 200000000)`],
    ['many rows', `SELECT repeat('中', 1000) FROM generate_series(1, 100000)`],
    ['rows without an end', `SELECT repeat('x', 100), generate_series(1, 1000000000)`],
  ])('stops %s while the bytes arrive, and never holds more memory than the budget justifies', async (_, sql) => {
    const before = process.memoryUsage().rss;
    const error: AnswerTooLargeError = await read(sql).catch(thrown => thrown);
    expect(error).toBeInstanceOf(AnswerTooLargeError);
    expect([error.status, error.code]).toEqual([422, 'answer_too_large']);
    const { at_least_bytes: received, limit_bytes: limit } = error.context as Record<string, number>;
    expect([limit, received! > limit!, received! < limit! + megabyte]).toEqual([4 * megabyte, true, true]);
    expect(error.detail).toMatch(/4\.0 MB 的上限.* \/ .*4\.0 MB that one may have.*substring/);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * megabyte);
  });

  it('never gives the cut connection to anybody else, and ends its statement on the server', async () => {
    const { result } = await read('SELECT pg_backend_pid() AS pid');
    const { pid } = result.rows[0];
    await read(`SELECT repeat('x', 100), generate_series(1, 1000000000)`).catch(() => undefined);
    const next = await read('SELECT pg_backend_pid() AS pid');
    expect(next.result.rows[0].pid).not.toBe(pid);
    const running = async () => (await read(`SELECT FROM pg_stat_activity WHERE pid = ${pid}`)).result.rowCount;
    for (const deadline = Date.now() + 20_000; (await running()) !== 0; await sleep(20)) expect(Date.now()).toBeLessThan(deadline);
    expect(link.isUp).toBe(true);
  });

  it('passes an answer that fits, with its size, and errors of the statement as they are', async () => {
    const { result, bytes } = await read(`SELECT repeat('x', ${megabyte}) AS x`, 2 * megabyte);
    expect([result.rows[0].x.length, Math.floor(bytes / megabyte)]).toEqual([megabyte, 1]);
    await expect(read('SELECT 1 / 0')).rejects.toMatchObject({ code: '22012' });
    await expect(read('SELECT 1')).resolves.toMatchObject({ result: { rowCount: 1 } });
  });
});

describe('the size of an answer', () => {
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    owner = await test.asUser('asker');
    graph = await createTradingGraph(test, owner);
  });

  const tooLarge = { code: 'answer_too_large', context: { limit_bytes: megabyte, at_least_bytes: expect.any(Number) } };
  const nodes = () => graphTables(graph.id).nodes;
  const ask = (body: object) => owner.post(`/api/graphs/${graph.id}/query`).send(body);

  it('ends a query with the caller’s own 422, and both processes live on', async () => {
    const pid = test.app.get(RetrievalSupervisor).pid;
    await test.pool.query(`UPDATE mirror.customers SET country = repeat('长', 100000)`);
    await graph.ingestAgain();
    const { status, body } = await ask({ cypher: 'MATCH (a:客户), (b:客户), (c:客户) RETURN a, b, c' });
    expect([status, body]).toEqual([422, expect.objectContaining(tooLarge)]);
    expect((await ask({ search: 'Chai' })).body.rows[0][0].display).toBe('Chai');
    expect(test.app.get(RetrievalSupervisor).pid).toBe(pid);
  });

  it('bounds a metric and says how to make it smaller', async () => {
    await test.pool.query(`INSERT INTO mirror.products (product_id, product_name, category) SELECT 1000 + i, repeat(i::text, 50000), '大' FROM generate_series(1, 30) i`); // prettier-ignore
    await test.pool.query(`INSERT INTO mirror.order_lines SELECT 10248, 100 + i, 1000 + i, 1, 1, 0 FROM generate_series(1, 30) i`);
    const { status, body } = await owner.post(`/api/metrics/${graph.metricId}/execute`).send({ dimensions: ['产品'] });
    expect([status, body]).toEqual([422, expect.objectContaining({ ...tooLarge, success: false })]);
    expect(body.message).toMatch(/维度.* \/ .*dimensions/);
    await owner
      .post(`/api/metrics/${graph.metricId}/execute`)
      .send({ dimensions: ['地区'] })
      .expect(200);
  });

  it('bounds the routes of nodes and neighbours', async () => {
    const { rows } = await test.pool.query(`SELECT id FROM ${nodes()} WHERE label = '地区' AND key = '1'`);
    await test.pool.query(`UPDATE ${graphTables(graph.id).edges} SET properties = jsonb_build_object('x', repeat('y', 700000)) WHERE target_id = $1`, [rows[0].id]); // prettier-ignore
    const neighbors = await owner.get(`/api/graphs/${graph.id}/nodes/${rows[0].id}/neighbors`);
    expect([neighbors.status, neighbors.body]).toEqual([422, expect.objectContaining(tooLarge)]);
    await test.pool.query(`UPDATE ${nodes()} SET properties = jsonb_build_object('x', repeat('y', 2000000)) WHERE id = $1`, [rows[0].id]); // prettier-ignore
    const node = await owner.get(`/api/graphs/${graph.id}/nodes/${rows[0].id}`);
    expect([node.status, node.body]).toEqual([422, expect.objectContaining(tooLarge)]);
  });

  it('shows the columns of a table with too large a sample, and says why the rows are missing', async () => {
    await upload(test, 'wide', `id,text\n1,${'x'.repeat(900_000)}\n2,${'y'.repeat(900_000)}\n`);
    const { body } = await test.admin.get('/api/warehouse/connections/1/tables/wide').expect(200);
    expect(body).toMatchObject({ columns: [{ name: 'id' }, { name: 'text' }], sample: [], sample_note: expect.stringContaining('1.0 MB') });
  });

  it('answers without source rows that would be too large, and says so', async () => {
    await test.pool.query(`UPDATE mirror.customers SET country = repeat('z', 2000000) WHERE customer_id = 'HWTEC'`);
    const { body } = await ask({ search: 'HWTEC', limit: 1, include: ['source_rows'] });
    expect([body.source_rows, body.warnings.at(-1)]).toEqual([[], expect.stringMatching(/customers.*more than the 1\.0 MB/)]);
  });
});

describe('the metrics of a graph', () => {
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    owner = await test.asUser('asker');
    graph = await createTradingGraph(test, owner);
  });

  const create = async (name: string, formula: string): Promise<number> =>
    (await test.admin.post('/api/metrics').send({ graph_id: graph.id, name, formula }).expect(201)).body.id;
  const ask = async (question: string) => (await owner.post(`/api/graphs/${graph.id}/query`).send({ question, include: ['plan'] })).body;

  it('are asked by their current names', async () => {
    expect((await ask('2025年的销售额')).plan.kind).toBe('metric');
    expect((await ask('2025年的流水')).plan.kind).not.toBe('metric');
    await test.admin
      .patch(`/api/metrics/${graph.metricId}`)
      .send({ aliases: ['流水'] })
      .expect(200);
    expect((await ask('2025年的流水')).plan.kind).toBe('metric');
    const { body } = await test.admin.get(`/api/metrics/${graph.metricId}`).expect(200);
    const id = await create('另一个', '[销售额] * 2');
    expect((await ask('2025年的另一个')).plan.kind).toBe('metric');
    await test.admin.delete(`/api/metrics/${id}`).expect(204);
    expect((await ask('2025年的另一个')).plan.kind).not.toBe('metric');
    expect(body.aliases).toEqual(['流水']);
  });

  it('have at most as many parts together as a statement may have', async () => {
    const wide = await create('宽', `[销售额]${'+1'.repeat(250)}`);
    const wider = await create('更宽', `[宽]${'+[宽]'.repeat(50)}`);
    expect((await test.admin.get(`/api/metrics/${wide}`).expect(200)).body.warnings).toEqual([]);
    const { body } = await test.admin.get(`/api/metrics/${wider}`).expect(200);
    expect([body.pattern, JSON.stringify(body.warnings)]).toEqual([null, expect.stringContaining('600')]);
    const executed = await test.admin.post(`/api/metrics/${wider}/execute`).send({}).expect(400);
    expect(JSON.stringify(executed.body)).toContain('more than 600 parts');
  });

  it('have bindings of at most 65,536 characters', async () => {
    const columns = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`c${i}`, `'${'x'.repeat(900)}'`]));
    const { body } = await test.admin
      .put(`/api/metrics/${graph.metricId}/binding`)
      .send({ relation: { table: 'orders' }, columns })
      .expect(422);
    expect(body.detail.errors).toEqual([{ loc: ['body'], type: 'too_large', msg: expect.stringContaining('65536') }]);
  });

  it('are left out of questions when they have too many names', async () => {
    await test.pool.query(
      `INSERT INTO metrics (graph_id, name, aliases, formula)
       SELECT $1, '数' || i, (SELECT array_agg(i || '_' || j || repeat('名', 110)) FROM generate_series(1, 20) AS j), '[销售额]+1'
       FROM generate_series(1, 230) AS i`,
      [graph.id],
    );
    const refused = await ask('2025年的流水');
    expect(refused).toMatchObject({ code: 'too_many_metric_names' });
    const list = (limit: number) => test.admin.get(`/api/metrics?graph_id=${graph.id}&limit=${limit}`);
    // 200 of them have more bytes than an answer may have.
    expect((await list(200).expect(422)).body).toMatchObject({ code: 'answer_too_large', message: expect.stringContaining('limit') });
    expect((await list(100).expect(200)).body.items).toHaveLength(100);
  });
});

describe('stored data', () => {
  let retention: RetentionService;
  let graphId: number;
  beforeAll(async () => {
    retention = test.app.get(RetentionService);
    graphId = await aGraph(test);
  });

  const one = async (sql: string, values: unknown[] = []) => (await test.pool.query(sql, values)).rows[0];
  const stored = async (graph: number): Promise<{ n: number; bytes: number }> =>
    one('SELECT count(*)::int AS n, coalesce(sum(bytes), 0)::int AS bytes FROM queries WHERE graph_id = $1', [graph]);
  const ask = async (graph: number, parameters: object, cypher = 'RETURN $text AS text') =>
    (await test.admin.post(`/api/graphs/${graph}/query`).send({ cypher, parameters }).expect(200)).body;

  /** An answer of which only the id matters. */
  const anAnswer = async (graph: number, { bytes = 100, daysAgo = 0, version = 0 } = {}): Promise<number> => {
    const { id } = await one(
      `INSERT INTO queries (graph_id, graph_version, request_hash, kind, request, answer, bytes, created_at)
       SELECT $1, version + $4, uuid_send(gen_random_uuid()), 'cypher', '{}', '{}', $2, now() - make_interval(days => $3) FROM graphs WHERE id = $1 RETURNING id`,
      [graph, bytes, daysAgo, version],
    );
    return id;
  };
  const kept = async (graph: number): Promise<number[]> =>
    (await test.pool.query('SELECT id FROM queries WHERE graph_id = $1 ORDER BY created_at, id', [graph])).rows.map(({ id }) => id);

  it('holds no answer beyond its cap, wherever its bytes are', async () => {
    // The first fifty rows say nothing about the last.
    const lines = [
      ...Array.from({ length: 60 }, (_, index) => `${index + 10},x`),
      ...['70', '71'].map(id => `${id},${'图'.repeat(90_000)}`),
    ];
    await upload(test, 'tail', `id,text\n${lines.join('\n')}\n`, 'id:text,text:text');
    const mapping = `version: 1
name: 尾
nodes:
  - {id: r, label: 行, table: tail, key: [id], columns: [{column: id}, {column: text}]}
`;
    const { graphId: graph } = await ingest(test, mapping);
    const rows = (where: string) => ask(graph, {}, `MATCH (n:行) ${where} RETURN n.text AS text ORDER BY n.id`);
    expect((await rows("WHERE n.id < '70'")).query_id).toEqual(expect.any(Number));
    const all = await rows('');
    expect([all.rows.length, all.query_id]).toEqual([62, null]);
    await test.app.get(AnswerStore).beforeApplicationShutdown();
    expect((await stored(graph)).n).toBe(1);
  });

  it('has the size of its text, and is read back as it was', async () => {
    const answer = await ask(graphId, { text: '图谱'.repeat(1_000) });
    await test.app.get(AnswerStore).beforeApplicationShutdown();
    const { bytes, read } = await one('SELECT bytes, octet_length(answer::text) AS read FROM queries WHERE id = $1', [answer.query_id]);
    expect(bytes).toBeGreaterThan(6_000);
    // jsonb is read back with a blank after each comma and colon.
    expect(bytes).toBeLessThanOrEqual(read);
    expect(bytes).toBeGreaterThan(read * 0.9);
    const { body } = await test.admin.get(`/api/graphs/${graphId}/queries/${answer.query_id}`).expect(200);
    expect([body.rows, body.columns]).toEqual([answer.rows, answer.columns]);
  });

  itLong('stays near the share of a graph, however fast answers come', async () => {
    const graph = await aGraph(test);
    const others = await anAnswer(graphId);
    for (let batch = 0; batch < 5; batch++) {
      await Promise.all(Array.from({ length: 8 }, (_, index) => ask(graph, { text: `${batch}${index}`.padEnd(100_000, 'x') })));
    }
    await test.app.get(AnswerStore).beforeApplicationShutdown();
    const { n, bytes } = await stored(graph);
    expect(bytes).toBeLessThan(1.4 * megabyte);
    expect(n).toBeGreaterThan(3);
    for (let index = 0; index < 60; index++) await ask(graph, { text: `n${index}` });
    await test.app.get(AnswerStore).beforeApplicationShutdown();
    expect((await stored(graph)).n).toBeLessThan(50);
    expect(await kept(graphId)).toContain(others);
  });

  it('loses the oldest answers beyond the share of their graph and of one request, and old ones, but none for a newer version', async () => {
    const [large, many, changed] = [await aGraph(test), await aGraph(test), await aGraph(test)];
    await one('UPDATE graphs SET version = version + 1 WHERE id = $1 RETURNING id', [changed]);
    const days = [5, 4, 3, 2, 1];
    const ofLarge: number[] = [];
    for (const daysAgo of days) ofLarge.push(await anAnswer(large, { bytes: 400_000, daysAgo }));
    for (let index = 0; index < 45; index++) await anAnswer(many, { daysAgo: 6 });
    const earlier = await anAnswer(changed, { version: -1, daysAgo: 1 });
    const current = await anAnswer(changed);
    await anAnswer(changed, { daysAgo: 8 });
    const repeated = await aGraph(test);
    await test.pool.query(
      `INSERT INTO queries (graph_id, graph_version, request_hash, kind, request, answer, bytes)
       SELECT $1, 1, '\\x01', 'cypher', '{}', '{}', 100 FROM generate_series(1, 130)`,
      [repeated],
    );
    const before = await kept(repeated);
    await test.app.get(QueriesRepository).cutToShare(repeated, { bytes: 1e9, count: 1_000 });
    expect(await kept(repeated)).toEqual(before.slice(-20));
    await retention.sweep();
    expect(await kept(large)).toEqual(ofLarge.slice(-2));
    expect((await stored(many)).n).toBe(40);
    expect(await kept(changed)).toEqual([earlier, current]);
  });

  it('is swept by one process at a time', async () => {
    const old = await anAnswer(graphId, { daysAgo: 8 });
    await test.pool.transaction(async client => {
      await client.query('SELECT pg_advisory_xact_lock(7301002)');
      expect(Object.values(await retention.sweep()).every(removed => removed === 0)).toBe(true);
    });
    expect(await kept(graphId)).toContain(old);
    await retention.sweep();
    expect(await kept(graphId)).not.toContain(old);
  });

  it('holds an audit event for a year', async () => {
    await test.pool.query("INSERT INTO audit_events (at, action, target) SELECT now() - make_interval(days => d), 'test.old', 'x' FROM unnest('{366,364}'::int[]) d");
    // Ids grow with time.
    await asSuperuser(test.databaseUrl, "UPDATE audit_events SET at = now() - interval '400 days' WHERE id <= (SELECT min(id) + 2 FROM audit_events)");
    const before = (await one('SELECT count(*)::int AS n FROM audit_events')).n;
    const removed = await retention.sweep();
    const after = (await one("SELECT count(*)::int AS n, count(*) FILTER (WHERE at < now() - interval '365 days')::int AS old FROM audit_events"));
    expect(after).toEqual({ n: before - 4, old: 0 });
    expect(removed['audit events']).toBe(4);
  }); // prettier-ignore

  it('holds the first rejected rows of a run, and its counts of all', async () => {
    await upload(test, 'bad', `id,v\n${Array.from({ length: 1_500 }, (_, index) => `${index},x`).join('\n')}\n`, 'id:int,v:text');
    const mapping = `version: 1
name: 坏
defaults: {on_error: quarantine, max_error_rate: 1, max_error_rows: 100000}
nodes:
  - {id: r, label: 甲, table: bad, key: [id], columns: [{column: id}, {column: v, type: int}]}
`;
    const graph = await aGraph(test);
    const job = await aJob(test, graph, mapping);
    const runs = [await runToEnd(test, job), await runToEnd(test, job), await runToEnd(test, job)];
    const [first] = runs;
    expect([first.status, first.report.totals.rejected]).toEqual(['succeeded', 1_500]);
    expect(await rejectedRows(test, first.id)).toHaveLength(1_000);
    expect(first.report.warnings).toContainEqual(expect.objectContaining({ code: 'rejected_rows_cut', target: '甲', count: 500 }));

    const age = (run: { id: number }, days: number) => one('UPDATE ingestion_runs SET finished_at = now() - make_interval(days => $2) WHERE id = $1 RETURNING id', [run.id, days]); // prettier-ignore
    await age(runs[0], 91);
    await age(runs[1], 31);
    const removed = await retention.sweep();
    expect([removed['rejected rows'], removed.runs]).toEqual([2_000, 1]);
    await test.admin.get(`/api/ingestion/runs/${first.id}`).expect(404);
    await test.admin.get(`/api/ingestion/runs/${runs[1].id}`).expect(200);
    expect(await rejectedRows(test, runs[1].id)).toHaveLength(0);
    expect(await rejectedRows(test, runs[2].id)).toHaveLength(1_000);
    // The last run of a job stays, however old.
    for (const run of runs.slice(1)) await age(run, 1_000);
    await retention.sweep();
    await test.admin.get(`/api/ingestion/runs/${runs[1].id}`).expect(404);
    await test.admin.get(`/api/ingestion/runs/${runs[2].id}`).expect(200);
  });

  it('holds every run that wrote rows, which the graph still names as their source', async () => {
    await upload(test, 'parts', 'id,v\n1,a\n2,b\n', 'id:text,v:text');
    const mapping = `version: 1
name: 部件
nodes:
  - {id: p, label: 部件, table: parts, key: [id], columns: [{column: id}, {column: v}]}
`;
    const graph = await aGraph(test);
    const job = await aJob(test, graph, mapping);
    const wrote = await runToEnd(test, job);
    const wroteNothing = await runToEnd(test, job);
    // Without a row, this run takes a property from both nodes, which name it from then on.
    await upload(test, 'parts', 'id,v\n', 'id:text,v:text');
    const shorter = mapping.replace(', {column: v}]', '], deletes: {mode: none}');
    await test.admin.post(`/api/ingestion/jobs/${job}/revisions`).send({ mapping_yaml: shorter }).expect(200);
    const tookAway = await runToEnd(test, job);
    for (let again = 0; again < 2; again++) await runToEnd(test, job, { full: true });
    await one("UPDATE ingestion_runs SET finished_at = now() - interval '1000 days' WHERE job_id = $1 RETURNING id", [job]);
    await retention.sweep();
    await test.admin.get(`/api/ingestion/runs/${wroteNothing.id}`).expect(404);
    for (const { id } of [wrote, tookAway]) await test.admin.get(`/api/ingestion/runs/${id}`).expect(200);
    const { citations } = await ask(graph, {}, 'MATCH (p:部件) RETURN p');
    expect(citations).toMatchObject([{ job_id: job, loaded_at: expect.any(String) }, { job_id: job }]);
  });

  it('is removed around a row that another transaction holds', async () => {
    const [held, free] = [await anAnswer(graphId, { daysAgo: 9 }), await anAnswer(graphId, { daysAgo: 9 })];
    await test.pool.transaction(async client => {
      await client.query('SELECT FROM queries WHERE id = $1 FOR UPDATE', [held]);
      await Promise.race([retention.sweep(), sleep(10_000).then(() => Promise.reject(new Error('the sweep waits')))]);
    });
    const ids = await kept(graphId);
    expect([ids.includes(held), ids.includes(free)]).toEqual([true, false]);
  });
});
