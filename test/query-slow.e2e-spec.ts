import { type Client, keyClient, startTestApp, type TestApp } from './support/app.js';
import { endless, slow, slowRows, statementsNow, until } from './support/slow-queries.js';
import { Settings } from '../src/config/settings.js';
import { RetrievalClient } from '../src/retrieval/retrieval.client.js';
import { RetrievalBusyError } from '../src/retrieval/retrieval.errors.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { itLong } from './support/tier.js';

let test: TestApp;
let owner: Client;
let graph: TradingGraph;
beforeAll(async () => {
  test = await startTestApp();
  owner = await test.asUser('owner');
  graph = await createTradingGraph(test, owner);
});
afterAll(() => test?.close());

const queryPath = () => `/api/graphs/${graph.id}/query`;
const submit = (body: object, as = owner) => as.post(queryPath()).set('Prefer', 'respond-async').send(body);
const stateOf = async (location: string, as = owner) => (await as.get(location)).body;
const untilEnded = (location: string) => until(async () => !['queued', 'running'].includes((await stateOf(location)).status));

async function addViewer(name: string): Promise<Client> {
  const viewer = await test.asUser(name);
  await owner.post(`/api/permissions/graphs/${graph.id}/members`).send({ username: name, role: 'viewer' }).expect(201);
  return viewer;
}

describe('a query that prefers not to wait', () => {
  it('answers 202 with its place, and has its answer there', async () => {
    const { body, headers } = await submit({ cypher: slow(1), include: ['plan'] }).expect(202);
    expect(headers).toMatchObject({ 'preference-applied': 'respond-async', location: body.location });
    expect(body).toMatchObject({ graph_id: graph.id, kind: 'cypher', status: 'running', error: null, ended_at: null });
    expect(body.location).toBe(`/api/graphs/${graph.id}/queries/${body.query_id}`);
    await untilEnded(body.location);
    const { body: answer } = await owner.get(body.location).expect(200);
    expect(answer).toMatchObject({ query_id: body.query_id, status: 'succeeded', rows: slowRows(1), plan: { executor: 'sql' } });
    const again = await submit({ cypher: slow(1) }).expect(200);
    expect([again.body.cache.status, again.body.query_id]).toEqual(['hit', body.query_id]);
    expect(again.headers['preference-applied']).toBeUndefined();
  });

  it('answers at once if it ends within the wait', async () => {
    const { body } = await owner
      .post(queryPath())
      .set('Prefer', 'respond-async, wait=20')
      .send({ cypher: slow(2) })
      .expect(200);
    expect(body).toMatchObject({ status: 'succeeded', rows: slowRows(2), cache: { status: 'miss' } });
  });

  it('gives the error that the request would have got', async () => {
    const cypher = 'MATCH (n:产品) RETURN n.单价 +';
    const { body: refused } = await owner.post(queryPath()).send({ cypher }).expect(400);
    const { body } = await submit({ cypher }).expect(202);
    await untilEnded(body.location);
    const { body: failed } = await owner.get(body.location).expect(200);
    expect(failed).toMatchObject({ status: 'failed', error: { status: 400, retry_after_s: null, body: refused } });
    await submit({ search: 'x', parameters: {} }).expect(422);
  });

  itLong('gives an answer that is too large to be stored', async () => {
    const cypher = `UNWIND range(1, 9000) AS i RETURN i, '${'长'.repeat(100)}' AS t`;
    const { body: direct } = await owner.post(queryPath()).send({ cypher, limit: 9000 }).expect(200);
    const { body } = await submit({ cypher, limit: 9000 }).expect(202);
    await untilEnded(body.location);
    const { body: answer } = await owner.get(body.location).expect(200);
    expect(answer.query_id).toBe(body.query_id);
    expect(answer.rows).toEqual(direct.rows);
    expect(answer.rows).toHaveLength(9000);
  });

  itLong('keeps its answer when the graph has a new version', async () => {
    const { body } = await submit({ cypher: slow(3) }).expect(202);
    await untilEnded(body.location);
    const before = await stateOf(body.location);
    await graph.ingestAgain();
    await owner
      .post(queryPath())
      .send({ cypher: slow(3) })
      .expect(200);
    expect(await stateOf(body.location)).toMatchObject({ graph_version: before.graph_version, rows: slowRows(3) });
  });

  it('is seen with an API key of its user, on the graphs of that key', async () => {
    const { body: other } = await owner.post('/api/graphs').send({ name: 'other' }).expect(201);
    const key = async (ids: number[]) =>
      keyClient(
        test.url,
        (
          await owner
            .post('/api/api-keys')
            .send({ name: `k${ids[0]}`, graph_ids: ids })
            .expect(201)
        ).body.raw_key,
      );
    const [own, foreign] = [await key([graph.id]), await key([other.id])];
    const { body } = await submit({ cypher: slow(6) }, own).expect(202);
    await until(async () => (await own.get(body.location)).body.status === 'succeeded');
    await foreign.get(body.location).expect(403);
  });

  itLong('does not fail because others of the same user come first, nor does their time count', async () => {
    const others = await Promise.all(Array.from({ length: 8 }, (_, n) => submit({ cypher: endless(n), timeout_ms: 2_000 }).expect(202)));
    const { body: last } = await submit({ cypher: slow(31) }).expect(202);
    for (const { location } of [...others.map(({ body }) => body), last]) await untilEnded(location);
    const ends = await Promise.all(others.map(({ body }) => stateOf(body.location)));
    // Each query ended at its own time-out of two seconds, so the wait for a turn did not count.
    expect(ends.map(({ error }) => error.body.code)).toEqual(ends.map(() => 'query_timeout'));
    expect(await stateOf(last.location)).toMatchObject({ status: 'succeeded', rows: slowRows(31) });
  });

  itLong('waits for its next turn if retrieval has no place for it', async () => {
    const asked = jest.spyOn(test.app.get(RetrievalClient), 'query').mockRejectedValueOnce(new RetrievalBusyError(1));
    const { body } = await submit({ cypher: slow(32) }).expect(202);
    await until(async () => (await stateOf(body.location)).status === 'queued');
    await untilEnded(body.location);
    expect(await stateOf(body.location)).toMatchObject({ status: 'succeeded', rows: slowRows(32) });
    expect(asked).toHaveBeenCalledTimes(2);
    asked.mockRestore();
  });

  itLong('may not be among more than twenty of one user', async () => {
    const many = await Promise.all(Array.from({ length: 22 }, (_, n) => submit({ cypher: endless(n) })));
    expect(many.map(({ status }) => status).sort()).toEqual([...Array.from({ length: 20 }, () => 202), 503, 503]);
    const refused = many.find(({ status }) => status === 503)!;
    expect([refused.body.code, refused.headers['retry-after']]).toEqual(['queries_busy', '5']);
    for (const { body, status } of many) if (status === 202) await owner.delete(body.location).expect(200);
    await until(async () => (await statementsNow(test)) === 0);
  });
});

describe('a query that is cancelled', () => {
  it('ends in PostgreSQL, stores nothing, and stays cancelled', async () => {
    const { body } = await submit({ cypher: endless() }).expect(202);
    await until(async () => (await statementsNow(test)) === 1);
    for (let time = 0; time < 2; time++) {
      expect((await owner.delete(body.location).expect(200)).body).toMatchObject({
        query_id: body.query_id,
        status: 'cancelled',
        error: null,
      });
    }
    await until(async () => (await statementsNow(test)) === 0);
    expect(await stateOf(body.location)).toMatchObject({ status: 'cancelled' });
    const { rows } = await test.pool.query(`SELECT FROM queries WHERE request ->> 'text' = $1`, [endless()]);
    expect(rows).toEqual([]);
    await until(async () => (await test.pool.query('SELECT FROM query_claims')).rowCount === 0);
  });

  itLong('goes on for others who wait for the same', async () => {
    const viewer = await addViewer('companion');
    const { body: first } = await submit({ cypher: endless(1) }).expect(202);
    const { body: second } = await submit({ cypher: endless(1) }, viewer).expect(202);
    await until(async () => (await statementsNow(test)) === 1);
    await owner.delete(first.location).expect(200);
    expect(await stateOf(second.location, viewer)).toMatchObject({ status: 'running' });
    expect(await statementsNow(test)).toBe(1);
    await viewer.delete(second.location).expect(200);
    await until(async () => (await statementsNow(test)) === 0);
  });

  it('is cancelled by its user and by managers of the graph only', async () => {
    const [viewer, manager] = [await addViewer('bystander'), await test.asUser('manager')];
    await owner.post(`/api/permissions/graphs/${graph.id}/members`).send({ username: 'manager', role: 'manager' }).expect(201);
    const { body } = await submit({ cypher: endless(2) }).expect(202);
    for (const request of [viewer.get(body.location), viewer.delete(body.location)]) {
      expect((await request.expect(404)).body.code).toBe('query_not_found');
    }
    await (await test.asUser('stranger')).delete(body.location).expect(403);
    expect(await stateOf(body.location)).toMatchObject({ status: 'running' });
    expect((await manager.delete(body.location).expect(200)).body).toMatchObject({ status: 'cancelled', request: {}, error: null });
    await manager.delete(body.location).expect(404);
    await until(async () => (await statementsNow(test)) === 0);
  });

  it('is kept while it and its request fit into the share of its user', async () => {
    const cancelled = async () => {
      const { body } = await submit({ cypher: endless(), parameters: { x: '长'.repeat(10_000) } }).expect(202);
      await owner.delete(body.location).expect(200);
      return { id: body.query_id as number, location: body.location as string };
    };
    const first = await cancelled();
    const { rows } = await test.pool.query('SELECT bytes FROM query_runs WHERE id = $1', [first.id]);
    expect(rows[0].bytes).toBeGreaterThan(30_000);
    await test.pool.query('UPDATE query_runs SET bytes = 64 * 1024 * 1024 WHERE id = $1', [first.id]);
    expect(await stateOf(first.location)).toMatchObject({ status: 'cancelled' });
    const second = await cancelled();
    await owner.get(first.location).expect(404);
    expect(await stateOf(second.location)).toMatchObject({ status: 'cancelled' });
  });

  it('shows the numbers of its parameters as they were sent, also once it is stored', async () => {
    const sent = '{"cypher": "RETURN $x AS x, 0 AS stored", "parameters": {"x": [9007199254740993]}}';
    const { body } = await owner.post(queryPath()).set('Content-Type', 'application/json').send(sent).expect(200);
    await until(async () => (await test.pool.query('SELECT FROM queries WHERE id = $1', [body.query_id])).rowCount === 1);
    const { body: list } = await owner.get(`/api/graphs/${graph.id}/queries`).expect(200);
    const listed = list.items.find(({ query_id }: { query_id: number }) => query_id === body.query_id);
    expect(listed.request.parameters).toEqual({ x: ['9007199254740993'] });
  });

  it('is listed by the beginning of its text, if its request is large', async () => {
    const cypher = `RETURN size($long) AS n /* ${'x'.repeat(5_000)} */`;
    const { body } = await submit({ cypher, parameters: { long: 'y'.repeat(20_000) } }).expect(202);
    const { body: list } = await owner.get(`/api/graphs/${graph.id}/queries`).expect(200);
    const listed = list.items.find(({ query_id }: { query_id: number }) => query_id === body.query_id);
    expect([listed.request, listed.is_request_cut]).toEqual([{ cypher: cypher.slice(0, 2_000) }, true]);
    expect(list.items.some((item: object) => !('is_request_cut' in item))).toBe(true);
  });

  itLong('leaves one that has ended as it is', async () => {
    const { body } = await owner
      .post(queryPath())
      .send({ cypher: slow(4) })
      .expect(200);
    const { body: left } = await owner.delete(`/api/graphs/${graph.id}/queries/${body.query_id}`).expect(200);
    expect(left).toMatchObject({ query_id: body.query_id, status: 'succeeded' });
    await owner.delete(`/api/graphs/${graph.id}/queries/999999999`).expect(404);
  });
});

describe('a query that takes longer than the service waits', () => {
  let patience: jest.ReplaceProperty<number>;
  beforeEach(() => {
    patience = jest.replaceProperty(test.app.get(Settings), 'queryUpstreamTimeoutMs', 20);
  });
  afterEach(() => patience.restore());

  it('answers 502 with the place of its answer, goes on, and is a hit afterwards', async () => {
    const send = () => owner.post(queryPath()).send({ cypher: slow() });
    const { body, headers } = await send().expect(502);
    const location = `/api/graphs/${graph.id}/queries/${body.context.query_id}`;
    expect([body.code, headers.location, headers['retry-after']]).toEqual(['upstream_timeout', location, '60']);
    expect(body.detail).toContain(location);
    await until(async () => (await owner.get(location)).body.status === 'succeeded');
    expect((await owner.get(location).expect(200)).body.rows).toEqual(slowRows());
    patience.restore();
    const { body: again } = await send().expect(200);
    expect([again.cache.status, again.query_id]).toEqual(['hit', body.context.query_id]);
  });

  it('can be cancelled there', async () => {
    const { headers } = await owner.post(queryPath()).send({ cypher: endless() }).expect(502);
    await until(async () => (await statementsNow(test)) === 1);
    await owner.delete(headers.location!).expect(200);
    await until(async () => (await statementsNow(test)) === 0);
  });
});
