import { setTimeout as sleep } from 'node:timers/promises';
import { AnswerStore } from '../src/queries/answer-store.js';
import { QueriesRepository } from '../src/queries/queries.repository.js';
import { RetentionService } from '../src/retention/retention.service.js';
import { startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { upload, aGraph, aJob, ingest, rejectedRows, runToEnd } from './support/ingestion.js';

const megabyte = 1_048_576;

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp({ ANSWERS_MAX_MB: '1', ANSWERS_MAX_COUNT: '40', REJECTED_KEPT_ROWS: '1000' });
});
afterAll(() => test.close());

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

  /** Inserts a stored answer and returns its id. */
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
    // The first sixty rows are short and the last two long, so an estimate from the first rows would be far too low.
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
    // PostgreSQL writes jsonb with a blank after each comma and colon, so the text that is read is a little longer.
    expect(bytes).toBeLessThanOrEqual(read);
    expect(bytes).toBeGreaterThan(read * 0.9);
    const { body } = await test.admin.get(`/api/graphs/${graphId}/queries/${answer.query_id}`).expect(200);
    expect([body.rows, body.columns]).toEqual([answer.rows, answer.columns]);
  });

  it('stays near the share of a graph, however fast answers come', async () => {
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
    // Ids must grow with time, so the events of 400 days ago get the least ids.
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
    // The last run of a job stays, however old it is.
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
    // This run reads no row, but removes a property from both nodes. The nodes then name it as the run that wrote them.
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
