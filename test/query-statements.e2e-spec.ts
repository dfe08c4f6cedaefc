import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createLog } from '../src/common/logging/log.js';
import { Pace } from '../src/common/turns/pace.js';
import { LoadedGraphs } from '../src/retrieval/process/loaded-graphs.js';
import { RetrievalDatabase, VersionMovedError } from '../src/retrieval/process/retrieval-database.js';
import { runCypher } from '../src/retrieval/process/run-cypher.js';
import { type RetrievalAnswer } from '../src/retrieval/protocol.js';
import { startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { cypherRequest } from './support/cypher-request.js';
import { ingest, upload } from './support/ingestion.js';
import { localParts } from './support/local-parts.js';

/** Counts the SQL statements of an answer by the retrieval code, and checks that all of them read the same version of the graph. */
describe('the statements of a query', () => {
  let test: TestApp;
  let database: RetrievalDatabase;
  let graphs: LoadedGraphs;
  let graphId: number;
  let statements: pg.QueryConfig[];
  beforeAll(async () => {
    test = await startTestApp();
    database = RetrievalDatabase.open({ databaseUrl: test.databaseUrl }, 2, 16_000_000, createLog('error'));
    graphs = new LoadedGraphs(database, 64_000_000, localParts(64_000_000), null, () => undefined);
    await upload(test, 'people', 'id,name,follows\n1,a,2\n2,b,3\n3,c,1\n', 'id:int,name:text,follows:int');
    ({ graphId } = await ingest(
      test,
      `version: 1
nodes:
  - {id: p, label: Person, table: people, key: [id], columns: [{column: id, type: int}, {column: name}]}
edges:
  - {type: FOLLOWS, table: people, from: {node: p, match: {id: id}}, to: {node: p, match: {follows: id}}}`,
    ));
    await ask('MATCH p = (:Person {id: 1})-->() RETURN p', 0);
    await ask(hops, 0);
  });
  beforeEach(() => {
    statements = [];
    takesLong(false);
    const { query } = pg.Client.prototype as unknown as { query: (...given: unknown[]) => unknown };
    jest.spyOn(pg.Client.prototype as unknown as { query: typeof query }, 'query').mockImplementation(function (this: pg.Client, ...given) {
      const [config] = given;
      // Keeps only statements of the retrieval connections: the API of this test runs in the same process.
      const { connectionParameters } = this as unknown as { connectionParameters: pg.ClientConfig };
      if (connectionParameters.application_name === 'graph-service retrieval')
        statements.push(typeof config === 'string' ? { text: config } : (config as pg.QueryConfig));
      return query.apply(this, given);
    });
  });
  afterEach(() => jest.restoreAllMocks());
  afterAll(async () => {
    await database.close();
    await test.close();
  });

  function ask(text: string, leastVersion: number, of = database.atLeast(leastVersion)): Promise<RetrievalAnswer> {
    return runCypher(of, graphs, cypherRequest(graphId, text), new AbortController().signal);
  }
  /** Mocks `Pace.isOverdue`: with true, work in memory finds at each check that it has taken longer than a turn. */
  const takesLong = (isOverdue: boolean) => jest.spyOn(Pace.prototype, 'isOverdue', 'get').mockReturnValue(isOverdue);
  const version = async (): Promise<number> =>
    (await test.pool.query('SELECT version FROM graphs WHERE id = $1', [graphId])).rows[0].version;
  const moveOn = async (): Promise<number> =>
    (await test.pool.query('UPDATE graphs SET version = version + 1 WHERE id = $1 RETURNING version', [graphId])).rows[0].version;
  const hops = 'MATCH (a:Person {id: 1})-[:FOLLOWS]->(b) RETURN b.name AS name';

  it('is one for a graph in memory: its evidence', async () => {
    const now = await version();
    statements = [];
    const answer = await ask(hops, now);
    expect(answer).toMatchObject({ graph_version: now, rows: [['b']], plan: { executor: 'memory', reason: 'graph_loaded' } });
    expect(answer.citations.map(({ key }) => key)).toEqual([{ id: '1' }, { id: '2' }]);
    expect(statements.map(({ text }) => text)).toEqual([expect.stringContaining('ingestion_runs')]);
  });

  it('is none for a query that rests on nothing', async () => {
    const now = await version();
    statements = [];
    expect((await ask('RETURN 1 AS one', now)).rows).toEqual([[1]]);
    expect((await ask('MATCH (a:Person {id: 9})-[:FOLLOWS]->(b) RETURN count(b) AS n', now)).rows).toEqual([[0]]);
    expect(statements).toEqual([]);
  });

  it('is the same evidence as in a transaction', async () => {
    const now = await version();
    for (const text of [
      hops,
      'MATCH p = (:Person)-->(:Person) RETURN p',
      'MATCH (a)-->(b) RETURN a.name AS name, count(b) AS n ORDER BY name',
    ]) {
      const [alone, together] = [await ask(text, now), await ask(text, 0)];
      expect({ ...alone, timing_ms: {} }).toEqual({ ...together, timing_ms: {} });
    }
  });

  it('answers anew when the graph has another version by the time that the evidence is read', async () => {
    const before = await version();
    expect(graphs.find(graphId)?.version).toBe(before);
    const after = await moveOn();
    // The request asks for the former version at least, as a caller does who asks while a run ends.
    const answer = await ask(hops, before);
    expect([answer.graph_version, answer.rows]).toEqual([after, [['b']]]);
    expect(graphs.find(graphId)?.version).toBe(after);
  });

  it('keeps its version once the work takes long', async () => {
    const now = await version();
    const rows = (count: number) => `MATCH (:Person {id: 1})-[:FOLLOWS]->(b) UNWIND range(1, ${count}) AS x RETURN b.name AS name`;
    await ask(rows(1), 0);
    statements = [];
    takesLong(true);
    await ask(rows(3), now);
    expect(statements.map(({ text }) => text)).toEqual([expect.stringContaining('ingestion_runs')]);
    statements = [];
    await ask(rows(50), now);
    expect(statements[0]?.text).toContain('REPEATABLE READ');
    const read = database.readVersion({ graphId, version: now }, 30_000, new AbortController().signal, async reader => {
      await reader.hold();
      await moveOn();
      return reader.query<{ version: number }>('SELECT version FROM graphs WHERE id = $1', [graphId]);
    });
    expect(await read).toEqual([{ version: now }]);
    const late = database.readVersion({ graphId, version: now }, 30_000, new AbortController().signal, reader => reader.hold());
    await expect(late).rejects.toThrow(VersionMovedError);
  });

  it('finds no rows, as a statement of its own, without losing the version', async () => {
    const now = await version();
    const read = (id: number) =>
      database.readVersion({ graphId, version: id }, 30_000, new AbortController().signal, reader =>
        reader.query('SELECT id FROM graphs WHERE false'),
      );
    expect(await read(now)).toEqual([]);
    await expect(read(now - 1)).rejects.toThrow(VersionMovedError);
    await expect(
      database.readVersion({ graphId: 999_999, version: 1 }, 1_000, new AbortController().signal, reader =>
        reader.query('SELECT 1 AS one'),
      ),
    ).rejects.toMatchObject({ code: 'graph_not_found' });
  });

  it('is cancelled at the time-out and by the signal, also outside of a transaction', async () => {
    const now = await version();
    const slow = (seconds: number, timeoutMs: number, signal: AbortSignal) =>
      database.readVersion({ graphId, version: now }, timeoutMs, signal, reader => reader.query(`SELECT pg_sleep(${seconds})`));
    await expect(slow(60, 200, new AbortController().signal)).rejects.toMatchObject({ code: 'query_timeout' });
    const gone = new AbortController();
    const left = expect(slow(61, 60_000, gone.signal)).rejects.toThrow('The caller has gone');
    const running = `SELECT FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND state = 'active' AND query LIKE '%pg_sleep(61)%'`;
    while ((await asSuperuser(test.databaseUrl, running)).rowCount === 0) await sleep(20);
    gone.abort(new Error('The caller has gone'));
    await left;
    // The cancelled statements left the connections usable.
    expect((await ask(hops, now)).rows).toEqual([['b']]);
  });

  it('prepares its statements for the first graphs of a connection only', async () => {
    const now = await version();
    for (let other = 1; other <= 40; other++) {
      await database
        .readVersion({ graphId: other * 1000, version: now }, 1_000, new AbortController().signal, reader =>
          reader.query('SELECT 1 AS one', [], 'one'),
        )
        .catch(() => undefined);
    }
    const names = new Set(statements.flatMap(({ name }) => name ?? []));
    expect(statements.filter(({ values }) => values?.length === 0)).toHaveLength(40);
    expect(names.size).toBeGreaterThan(0);
    expect(names.size).toBeLessThanOrEqual(2 * 16);
  });
});
