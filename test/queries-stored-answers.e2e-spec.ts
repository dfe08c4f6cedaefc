import { type Client, startTestApp, type TestApp } from './support/app.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { RetrievalSupervisor } from '../src/retrieval/retrieval.supervisor.js';
import { itLong } from './support/tier.js';

describe('answers that are kept', () => {
  let test: TestApp;
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    test = await startTestApp({}, { own: true });
    owner = await test.asUser('asker');
    graph = await createTradingGraph(test, owner);
  });
  afterAll(() => test.close());

  const ask = (query: object, status?: number) => graph.ask(query, status);

  describe('stored answers', () => {
    const query = { cypher: 'MATCH (r:地区) RETURN r ORDER BY r.地区编号' };

    it('answers an identical request from the store until the graph has a new version', async () => {
      const first = await ask(query);
      const again = await ask({ ...query, include: ['plan'], answer: 'none' });
      expect([first.cache.status, again.cache.status, again.query_id, again.rows]).toEqual(['miss', 'hit', first.query_id, first.rows]);
      await graph.ingestAgain();
      const next = await ask(query);
      expect([next.cache.status, next.graph_version, next.rows]).toEqual(['miss', first.graph_version + 1, first.rows]);
      expect((await ask(query)).cache.status).toBe('hit');
    });

    it('ignores the store with cache: refresh and keeps the new answer', async () => {
      const first = await ask(query);
      const refreshed = await ask({ ...query, cache: 'refresh' });
      expect([refreshed.cache.status, refreshed.query_id === first.query_id]).toEqual(['refresh', false]);
      expect((await ask(query)).query_id).toBe(refreshed.query_id);
    });

    it('shows by a link what it showed, with its version, whatever was asked or loaded since', async () => {
      const linked = async (id: number) => (await owner.get(`/api/graphs/${graph.id}/queries/${id}`).expect(200)).body;
      const first = await ask({ ...query, cache: 'refresh' });
      const second = await ask({ ...query, cache: 'refresh' });
      expect(second.query_id).not.toBe(first.query_id);
      await graph.ingestAgain();
      const third = await ask(query);
      expect(third.graph_version).toBe(first.graph_version + 1);
      for (const { query_id, graph_version, rows, citations, warnings } of [first, second]) {
        const later = [...warnings, expect.stringMatching(/已更新|has changed/)];
        expect(await linked(query_id)).toMatchObject({ query_id, graph_version, rows, citations, warnings: later });
      }
      expect((await linked(third.query_id)).warnings).toEqual(third.warnings);
      expect((await ask(query)).query_id).toBe(third.query_id);
    });

    it('keeps two requests apart that differ in a parameter', async () => {
      const cypher = 'MATCH (p:产品) WHERE p.单价 > $min RETURN count(p) AS n';
      const counts = [(await ask({ cypher, parameters: { min: 18 } })).rows, (await ask({ cypher, parameters: { min: 50 } })).rows];
      expect(counts).toEqual([[[2]], [[1]]]);
    });

    it('is fetched by its id, by those who may see the graph, from that graph only', async () => {
      const { query_id: id, rows } = await ask(query);
      expect((await owner.get(`/api/graphs/${graph.id}/queries/${id}`).expect(200)).body.rows).toEqual(rows);
      const { body: other } = await owner.post('/api/graphs').send({ name: 'other' }).expect(201);
      expect((await owner.get(`/api/graphs/${other.id}/queries/${id}`).expect(404)).body.code).toBe('query_not_found');
      await (await test.asUser('stranger')).get(`/api/graphs/${graph.id}/queries/${id}`).expect(403);
      await (await test.asUser('stranger')).post(`/api/graphs/${graph.id}/query`).send(query).expect(403);
    });

    it('joins identical requests in flight', async () => {
      const cypher = 'MATCH (a:产品), (b:产品), (c:产品), (d:产品), (e:产品), (f:产品), (g:产品) RETURN count(*) AS n';
      const answers = await Promise.all([ask({ cypher }), ask({ cypher }), ask({ cypher })]);
      expect(new Set(answers.map(answer => answer.query_id)).size).toBe(1);
      expect(answers[0].rows).toEqual([[5 ** 7]]);
    });
  });

  describe('the retrieval process', () => {
    itLong('is started again when it is killed; until then queries answer 503 and everything else works', async () => {
      const supervisor = test.app.get(RetrievalSupervisor);
      const before = supervisor.pid;
      process.kill(before as number, 'SIGKILL');
      let answer;
      do answer = await owner.post(`/api/graphs/${graph.id}/query`).send({ search: '华为', cache: 'refresh' });
      while (answer.status === 200);
      expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([503, 'retrieval_unavailable', '2']);
      await owner.get(`/api/graphs/${graph.id}`).expect(200);
      const deadline = Date.now() + 15_000;
      do answer = await owner.post(`/api/graphs/${graph.id}/query`).send({ search: '华为', cache: 'refresh' });
      while (answer.status === 503 && Date.now() < deadline);
      expect(answer.body.rows[0][0].display).toBe('华为技术有限公司');
      expect(supervisor.pid).not.toBe(before);
    });
  });
});

describe('a slow query', () => {
  itLong('answers 502 when retrieval takes too long, goes on, and is answered from the store afterwards', async () => {
    const test = await startTestApp({ QUERY_UPSTREAM_TIMEOUT_MS: '5' });
    try {
      const { id } = await createTradingGraph(test, test.admin);
      const cypher = 'MATCH (a:产品), (b:产品), (c:产品), (d:产品), (e:产品), (f:产品), (g:产品) RETURN count(*) AS n';
      const send = () => test.admin.post(`/api/graphs/${id}/query`).send({ cypher });
      const first = await send();
      expect([first.status, first.body.code]).toEqual([502, 'upstream_timeout']);
      let next = await send();
      for (const deadline = Date.now() + 20_000; next.status === 502 && Date.now() < deadline;) next = await send();
      expect(next.body.rows).toEqual([[5 ** 7]]);
      const { body: again } = await send();
      expect([again.cache.status, again.query_id]).toEqual(['hit', next.body.query_id]);
    } finally {
      await test.close();
    }
  });
});
