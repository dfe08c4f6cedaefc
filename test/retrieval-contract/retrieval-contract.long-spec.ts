import http from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiError } from '../../src/common/errors/api-error.js';
import { exchange } from '../../src/retrieval/exchange.js';
import { headers, protocolVersion, type RetrievalQuery } from '../../src/retrieval/protocol.js';
import { isLargeAnswer } from '../../src/retrieval/read-answer.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { asSuperuser, cloneDatabase } from '../support/database.js';
import { createTradingGraph, type TradingGraph } from '../support/trading-graph.js';
import { type Place, places } from './places.js';

/** A query that takes long enough to be still running when the test kills or stops the process. */
const slow = (n: number) => `MATCH (a), (b), (c), (d), (e), (f), (g), (h), (i) WHERE a.x${n} IS NULL RETURN count(*) AS n`;

describe('the protocol', () => {
  let test: TestApp;
  let graph: TradingGraph;
  let databaseUrl: string;
  beforeAll(async () => {
    test = await startTestApp();
    graph = await createTradingGraph(test, await test.asUser('owner'));
    const { access } = await cloneDatabase();
    databaseUrl = access.on(new URL(test.databaseUrl.replace('@/', '@localhost/')).pathname.slice(1)).retrieval;
  });
  afterAll(() => test.close());

  describe.each(Object.entries(places))('spoken with %s', (_, startPlace) => {
    let place: Place;
    beforeAll(async () => {
      place = await startPlace(databaseUrl);
      await answering();
    });
    afterAll(() => place.close());

    const query = (change: Partial<RetrievalQuery> = {}): RetrievalQuery => ({
      graph_id: graph.id,
      caller: '1',
      kind: 'cypher',
      text: 'MATCH (r:地区) RETURN r.地区名称 AS name ORDER BY name',
      limit: 100,
      timeout_ms: 20_000,
      today: '2026-01-01',
      ...change,
    });
    const failure = (change: Partial<RetrievalQuery>, client = place.client, signal?: AbortSignal): Promise<ApiError> =>
      client.query(query(change), signal).then(
        () => Promise.reject(new Error('It answered')),
        (error: ApiError) => error,
      );
    const working = async () =>
      (await asSuperuser(test.databaseUrl, `SELECT FROM pg_stat_activity WHERE application_name = 'graph-service retrieval' AND state = 'active' AND datname = current_database() AND query LIKE '%count(%'`)).rowCount ?? 0; // prettier-ignore
    async function until(condition: () => Promise<boolean>): Promise<void> {
      for (const deadline = Date.now() + 25_000; !(await condition()); await sleep(20)) expect(Date.now()).toBeLessThan(deadline);
    }
    const answering = () => until(() => place.client.isAlive(1_000));
    const idle = () => until(async () => (await working()) === 0);
    /** Sends a request with headers that a client would not send. */
    async function raw(path: string, sent: Record<string, string>) {
      const address = await place.peer.process.address();
      const { request } = address.protocol === 'https:' ? https : http;
      const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
        request({ ...address, agent: false, path, headers: sent }, resolve)
          .on('error', reject)
          .end();
      });
      let body = '';
      for await (const chunk of response) body += String(chunk);
      return { status: response.statusCode, version: response.headers[headers.version], body: JSON.parse(body) };
    }

    it('names its version, and refuses a caller of another', async () => {
      for (const version of ['1', '99']) {
        const { status, version: theirs, body } = await raw('/v1/health', { [headers.version]: version });
        expect([status, theirs, body.code]).toEqual([503, String(protocolVersion), 'retrieval_version']);
        expect(body.text.en).toContain(`version ${protocolVersion} of the protocol and the API version ${version}`);
      }
    });

    it('tells its health to an orchestrator that knows no version, and no more than that', async () => {
      expect(await raw('/v1/health', {})).toMatchObject({ status: 200, body: { status: 'ok' } });
      expect((await raw('/v1/query', {})).body.code).toBe('retrieval_version');
      expect(await place.client.check(1_000)).toEqual(['ok']);
    });

    it('answers a query', async () => {
      const answer = await place.client.query(query());
      expect([answer.rows, answer.graph_version]).toEqual([[['华东'], ['华北'], ['华南']], 1]);
    });

    it('never answers with an older version than the caller has seen', async () => {
      expect((await place.client.query(query({ least_version: 1 }))).graph_version).toBe(1);
      const { status, code, headers: sent } = await failure({ least_version: 2 });
      expect([status, code, sent]).toEqual([503, 'replica_behind', { 'Retry-After': '2' }]);
    });

    it('passes a failure on with its status, code and sentences', async () => {
      const { status, code, text } = await failure({ text: 'MATCH (r:地区 RETURN r' });
      expect([status, code]).toEqual([400, 'cypher_syntax_error']);
      expect([text.zh, text.en].every(sentence => sentence.length > 5)).toBe(true);
    });

    it("ends a query at its caller's time-out", async () => {
      const { status, code } = await failure({ text: slow(1), timeout_ms: 300 });
      expect([status, code]).toEqual([400, 'query_timeout']);
      await idle();
    });

    it('ends a query when the time is over that the call has left, whatever its time-out', async () => {
      const address = await place.peer.process.address();
      const payload = Buffer.from(JSON.stringify(query({ text: slow(2), timeout_ms: 60_000 })));
      const request = { ...address, agent: false as const, method: 'POST', path: '/v1/query' };
      const { status, bytes } = await exchange(request, { payload, timeoutMs: 20_000, travelMs: 19_500, key: place.key });
      expect([status, JSON.parse(bytes.toString()).code]).toEqual([400, 'query_timeout']);
      await idle();
    });

    it('ends the work of a caller who goes away', async () => {
      const gone = new AbortController();
      const failed = failure({ text: slow(3), timeout_ms: 60_000 }, place.client, gone.signal);
      await until(async () => (await working()) === 1);
      gone.abort(new Error('The caller has gone'));
      expect((await failed).message).toBe('The caller has gone');
      await idle();
    });

    const long = (rows: number) => `UNWIND range(1, ${rows}) AS n RETURN n, '${'长'.repeat(100)}' AS text`;

    it('sends a large answer whole', async () => {
      const answer = await place.client.query(query({ text: long(9_000), limit: 10_000 }));
      expect(isLargeAnswer(answer)).toBe(true);
      const rows = JSON.parse((answer.rows as unknown as { bytes: Buffer }).bytes.toString()) as unknown[][];
      expect(rows).toEqual(Array.from({ length: 9_000 }, (_row, i) => [i + 1, '长'.repeat(100)]));
    });

    it.each([
      ['before the first byte', 65_536],
      ['in the middle of the answer', 1_048_576],
    ])('stops an answer beyond the budget of the caller %s', async (_when, budget) => {
      const { status, code, context } = await failure({ text: long(9_000), limit: 10_000 }, place.clientOf(budget));
      expect([status, code, context?.limit_bytes]).toEqual([422, 'answer_too_large', budget]);
      expect((await place.client.query(query())).rows).toHaveLength(3);
    });

    it('refuses a caller whose line is full at once, and says when to come again', async () => {
      const others = new AbortController();
      const asked = Array.from({ length: 60 }, async (_query, n) => {
        const error = await failure({ text: slow(100 + n), caller: 'greedy' }, place.client, others.signal);
        if (error.code === 'retrieval_busy') others.abort();
        return error;
      });
      const refused = (await Promise.all(asked)).filter(({ code }) => code === 'retrieval_busy');
      expect(refused.length).toBeGreaterThan(0);
      for (const { status, headers: sent } of refused) expect([status, Number(sent?.['Retry-After']) > 0]).toEqual([503, true]);
      await idle();
    });

    it('gives an error instead of waiting for a process that hangs, and goes on when it answers again', async () => {
      const { name } = place.peer;
      process.kill(place.pid(), 'SIGSTOP');
      const { status, code } = await failure({ text: slow(4), timeout_ms: 60_000 });
      expect([name, status, code]).toEqual([name, 503, 'retrieval_unavailable']);
      await place.recover();
      await answering();
      expect((await place.client.query(query())).rows).toHaveLength(3);
    });

    it('fails the query during which the process ends, and goes on with the next process', async () => {
      const failed = failure({ text: slow(5), timeout_ms: 30_000 });
      await until(async () => (await working()) === 1);
      process.kill(place.pid(), 'SIGKILL');
      expect((await failed).code).toBe('retrieval_unavailable');
      await place.recover();
      await answering();
      expect((await place.client.query(query())).rows).toHaveLength(3);
    });
  });
});
