import { type LoadedGraph, LoadedGraphs } from '../src/retrieval/process/loaded-graphs.js';
import { type RetrievalDatabase } from '../src/retrieval/process/retrieval-database.js';
import { runQuery } from '../src/retrieval/process/run-query.js';
import { type RetrievalAnswer, type RetrievalQuery } from '../src/retrieval/protocol.js';
import { startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { Dice } from './support/dice.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';
import { localParts } from './support/local-parts.js';
import { retrievalDatabaseOf } from './support/retrieval-database.js';

const mapping = `version: 1
nodes:
  - {id: c, label: 客户, aliases: [Customer], table: held_customers, key: [id], display: name, columns: [{column: id, type: int}, {column: name}, {column: city}, {column: level, type: int}]}
  - {id: o, label: 订单, table: held_orders, key: [id], columns: [{column: id, type: int}, {column: amount, type: int}]}
edges:
  - {type: 下单, aliases: [placed], table: held_orders, from: {node: c, match: {customer: id}}, to: {node: o, match: {id: id}}}
`;
const questions: Pick<RetrievalQuery, 'kind' | 'text'>[] = [
  { kind: 'search', text: '贸易' },
  { kind: 'search', text: 'customer trade 3' },
  { kind: 'question', text: '客户有多少' },
  { kind: 'question', text: '杭州的客户有哪些订单' },
  { kind: 'cypher', text: 'MATCH (c:客户)-[:下单]->(o:订单) RETURN c.city AS city, count(*) AS n, sum(o.amount) AS amount ORDER BY city' },
  {
    kind: 'cypher',
    text: 'MATCH (c:客户)-[r:下单]->(o:订单)<-[:下单]-(d) WHERE c.level > 2 RETURN c, r, o, d ORDER BY id(o), id(c), id(d)',
  },
  { kind: 'cypher', text: 'MATCH p = (c:客户)-[*1..2]-(x) WITH p, x ORDER BY id(x), length(p) RETURN p LIMIT 20' },
];

let test: TestApp;
let database: RetrievalDatabase;
beforeAll(async () => {
  test = await startTestApp();
  database = retrievalDatabaseOf(test);
});
afterAll(async () => {
  await database?.close();
  await test?.close();
});

/** Loads versions newer than the one given to `close` only after `open` is called. */
class SlowGraphs extends LoadedGraphs {
  private newest = Infinity;
  private gate: Promise<void> = Promise.resolve();
  open: () => void = () => undefined;

  close(version: number): void {
    this.newest = version;
    this.gate = new Promise(resolve => (this.open = resolve));
  }

  override async indexOf(graph: LoadedGraph) {
    if (graph.version > this.newest) await this.gate;
    return super.indexOf(graph);
  }

  override async elementsOf(graph: LoadedGraph, read: Parameters<LoadedGraphs['elementsOf']>[1]) {
    if (graph.version > this.newest) await this.gate;
    return super.elementsOf(graph, read);
  }
}

/** Uploads random customers and their orders. Each id is kept with a chance of 80 %, so two uploads with different seeds share most ids. */
async function uploadRandom(seed: number): Promise<void> {
  const roll = new Dice(seed);
  const customers = Array.from({ length: 30 }, (_, id) => id).filter(() => roll.chance(0.8));
  const names = ['华东贸易', '北方贸易', 'Trade', 'Steel'];
  const cities = ['杭州', '上海', '宁波'];
  const rows = customers.map(id => `${id},${roll.of(names)} ${id},${roll.of(cities)},${roll.below(6)}`);
  await upload(test, 'held_customers', `id,name,city,level\n${rows.join('\n')}\n`, 'id:int,name:text,city:text,level:int');
  const orders = Array.from({ length: 60 }, (_, id) => id).filter(() => roll.chance(0.8));
  const lines = orders.map(id => `${id},${roll.of(customers)},${roll.below(100)}`);
  await upload(test, 'held_orders', `id,customer,amount\n${lines.join('\n')}\n`, 'id:int,customer:int,amount:int');
}

const opened: SlowGraphs[] = [];
afterEach(() => {
  for (const graphs of opened.splice(0)) {
    graphs.open();
    graphs.releaseAll();
  }
});

describe('a version that is held while the next one loads', () => {
  const today = '2026-01-01';
  const usual = { caller: '1', limit: 100, timeout_ms: 20_000, today };
  const ask = (graphs: LoadedGraphs, query: Partial<RetrievalQuery>) =>
    runQuery(database, graphs, { ...usual, ...query } as RetrievalQuery, new AbortController().signal);
  const shown = ({ timing_ms: _, warnings, plan, is_of_its_moment: __, ...rest }: RetrievalAnswer) =>
    JSON.parse(JSON.stringify({ ...rest, warnings: warnings.filter(text => !/正在载入|being loaded/.test(text)), cypher: plan.cypher }));

  /**
   * Compares only columns, version and sorted rows of a question: SQL may have answered it before, with other evidence for the same rows.
   */
  const comparable = (kind: string, answer: RetrievalAnswer) => {
    const { rows, columns, graph_version, ...rest } = shown(answer);
    return kind === 'question'
      ? { columns, graph_version, rows: rows.map((row: unknown) => JSON.stringify(row)).sort() }
      : { rows, columns, graph_version, ...rest };
  };

  async function loadedGraph() {
    const graphId = await aGraph(test);
    await uploadRandom(graphId);
    const jobId = await aJob(test, graphId, mapping);
    await runToEnd(test, jobId);
    const graphs = new SlowGraphs(database, 64_000_000, localParts(64_000_000), null, () => undefined);
    opened.push(graphs);
    return { graphId, jobId, graphs };
  }

  it('gives the very answers that it gave before the run, with a warning, and nothing of the new version', async () => {
    const { graphId, jobId, graphs } = await loadedGraph();
    for (let version = 1; version <= 4; version++) {
      // Asks each question once, so that the graph is loaded and memory gives the answers below.
      for (const each of questions) await ask(graphs, { graph_id: graphId, ...each, least_version: version });
      const before = [];
      for (const each of questions) {
        before.push(comparable(each.kind, await ask(graphs, { graph_id: graphId, ...each, least_version: version })));
      }
      graphs.close(version);
      await graphs.hold(graphId, 0);
      await uploadRandom(graphId * 100 + version);
      await runToEnd(test, jobId, { allow_deletes: true });
      const [least_version, oldest_version] = [version + 1, version];
      for (const [i, each] of questions.entries()) {
        const answer = await ask(graphs, { graph_id: graphId, ...each, least_version, oldest_version, timeout_ms: 5_000 });
        expect(comparable(each.kind, answer)).toEqual(before[i]);
        expect(answer.graph_version).toBe(version);
        expect(answer.is_of_its_moment).toBe(true);
        expect(answer.warnings[0]).toMatch(/版正在载入|is being loaded/);
      }
      graphs.open();
      const fresh = new LoadedGraphs(database, 64_000_000, localParts(64_000_000), null, () => undefined);
      for (const each of questions) {
        const answer = await ask(graphs, { graph_id: graphId, ...each, least_version });
        expect(answer.graph_version).toBe(version + 1);
        const rowsOf = (each: RetrievalAnswer) =>
          shown(each)
            .rows.map((row: unknown) => JSON.stringify(row))
            .sort();
        expect(rowsOf(answer)).toEqual(rowsOf(await ask(fresh, { graph_id: graphId, ...each })));
      }
    }
  });

  /** Returns a graph whose version 1 is held, and whose version 2 exists but cannot be loaded before `graphs.open()`. */
  async function heldGraph(seed: number) {
    const { graphId, jobId, graphs } = await loadedGraph();
    const search = { graph_id: graphId, kind: 'search', text: '贸易' } as const;
    await ask(graphs, search);
    graphs.close(1);
    await graphs.hold(graphId, 0);
    await uploadRandom(seed);
    await runToEnd(test, jobId, { allow_deletes: true });
    return { graphs, search };
  }
  const snapshotsHeld = async (): Promise<number | null> =>
    (
      await test.pool.query(
        `SELECT FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction' AND query LIKE '%pg_export_snapshot%'`,
      )
    ).rowCount;

  it('answers nobody who has seen the new one, and nobody once that is loaded', async () => {
    const { graphs, search } = await heldGraph(7);
    const seen = ask(graphs, { ...search, least_version: 2, oldest_version: 2 });
    expect(await ask(graphs, { ...search, least_version: 2, oldest_version: 1 })).toMatchObject({ graph_version: 1 });
    graphs.open();
    expect(await seen).toMatchObject({ graph_version: 2, warnings: [] });
    expect(await ask(graphs, { ...search, least_version: 2, oldest_version: 1 })).toMatchObject({ graph_version: 2 });
    expect(await snapshotsHeld()).toBe(0);
  });

  it('waits for the new one where the snapshot is gone', async () => {
    const { graphs, search } = await heldGraph(8);
    await asSuperuser(
      test.databaseUrl,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_export_snapshot%' AND pid <> pg_backend_pid()`,
    );
    const waiting = ask(graphs, { ...search, least_version: 2, oldest_version: 1 });
    setTimeout(graphs.open, 500);
    expect(await waiting).toMatchObject({ graph_version: 2, warnings: [] });
  });

  it('is not taken where the graph is small or not in memory', async () => {
    const { graphId, graphs } = await loadedGraph();
    await graphs.hold(graphId, 0);
    await ask(graphs, { graph_id: graphId, kind: 'search', text: '贸易' });
    await graphs.hold(graphId);
    expect(await snapshotsHeld()).toBe(0);
  });
});
