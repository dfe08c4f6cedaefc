import { setImmediate as nextTurn } from 'node:timers/promises';
import { createLog } from '../src/common/logging/log.js';
import { bytesOf } from '../src/graph-index/shared-arrays.js';
import { GraphExceedsMemoryError } from '../src/retrieval/retrieval.errors.js';
import { smallRoom } from '../src/retrieval/process/load/load-room.js';
import { loadIndex } from '../src/retrieval/process/load-index.js';
import { type LoadedGraphs } from '../src/retrieval/process/loaded-graphs.js';
import { type GraphReader } from '../src/retrieval/process/retrieval-database.js';
import { runSearch } from '../src/retrieval/process/run-search.js';
import { readToOneTypes } from '../src/retrieval/process/to-one-types.js';
import { warmGraph } from '../src/retrieval/process/warm-graph.js';
import { type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { budgetBytes, GraphLoads } from './support/graph-loads.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';
import { mostConnections } from './support/retrieval-database.js';

let loads: GraphLoads;
let test: TestApp;
beforeAll(async () => {
  loads = await GraphLoads.start();
  ({ test } = loads);
});
afterAll(() => loads?.close());

const aSearch = { text: '7', limit: 10, offset: 0, filter: { labels: [], where: { x: [3] } }, timeoutMs: 10_000, language: 'en' as const };

describe('the properties that a filtered search asks for', () => {
  it('are read of nodes alone, and of the next version beside those that queries ask for', async () => {
    const { graphId, jobId, fill } = await loads.loadedGraph('bfw');
    const graphs = loads.opened();
    const graph = await loads.database.readGraph(graphId, 10_000, new AbortController().signal, reader => graphs.get(reader));
    await graphs.elementsOf(graph, { names: new Set(['z']), looked: new Set() });
    loads.copied = [];
    await runSearch(loads.database, graphs, { ...aSearch, graphId }, new AbortController().signal);
    const columns = () => loads.copied.flatMap(sql => /\? '(\w+)'/.exec(sql)?.[1] ?? []);
    expect(columns()).toEqual(['x']);
    await fill(33);
    await runToEnd(test, jobId);
    loads.copied = [];
    await warmGraph(loads.database, graphs, graphId, createLog('error'));
    expect(columns().sort()).toEqual(['x', 'z']);
  });
});

describe('the types of edges that lead to one node', () => {
  it('are those that no node has twice at one end, in a graph of many pages', async () => {
    const graphId = await aGraph(test);
    const edges = 'graph_data.to_one_edges';
    await asSuperuser(
      test.databaseUrl,
      `CREATE TABLE ${edges} AS
         SELECT t.type, CASE t.type WHEN 'MANY' THEN i % 7 WHEN 'LATE' THEN least(i, 59998) ELSE i END AS source_id,
                CASE t.type WHEN 'IN''TO\t' THEN i ELSE i % 1000 END AS target_id
         FROM (VALUES ('MANY'), ('LATE'), ('OUT'), ('IN''TO\t')) t (type), generate_series(1, 59999) i ORDER BY i;
       INSERT INTO ${edges} VALUES ('IN''TO\t', 1, 0), ('BOTH', 1, 1);
       GRANT SELECT ON ${edges} TO PUBLIC`,
    );
    const read = (reader: GraphReader) => readToOneTypes({ ...reader, tables: { ...reader.tables, edges } });
    const found = await loads.database.readGraph(graphId, 10_000, new AbortController().signal, read);
    expect(found).toEqual({ outgoing: ['BOTH', 'OUT'], incoming: ["IN'TO\t"] });
  });
});

describe('the parts that a query needs', () => {
  it('are refused where they do not fit together, without loading them again', async () => {
    const { graphId } = await loads.loadedGraph('bfm', 3_000);
    const read = { names: new Set(['id', 'x', 'z']), looked: new Set<string>() };
    const load = async (bytes: number) => {
      const graphs = loads.opened(bytes);
      const graph = await loads.database.readGraph(graphId, 10_000, new AbortController().signal, reader => graphs.get(reader));
      return (names = read.names) => graphs.elementsOf(graph, { ...read, names });
    };
    const { topology, columns } = (await (await load(budgetBytes))())!;
    const parts = [topology, ...columns.nodes.values(), ...columns.edges.values()];
    const bytes = parts.reduce((sum, part) => sum + bytesOf(part), 0);
    const [fits, tooSmall] = [await load(bytes), await load(bytes - 1)];
    await fits();
    await expect(tooSmall()).rejects.toThrow(GraphExceedsMemoryError);
    loads.copied = [];
    await fits();
    await expect(tooSmall()).rejects.toThrow(GraphExceedsMemoryError);
    expect(loads.copied).toEqual([]);
    // A single property fits.
    expect(await tooSmall(new Set(['x']))).not.toBeNull();
  });

  it('are refused likewise where they do not fit beside the search index', async () => {
    const { graphId } = await loads.loadedGraph('bff', 3_000);
    const find = (graphs: LoadedGraphs) => runSearch(loads.database, graphs, { ...aSearch, graphId }, new AbortController().signal);
    const roomy = loads.opened();
    const { rows } = await find(roomy);
    const graph = roomy.find(graphId)!;
    const { topology, columns } = (await roomy.elementsOf(graph, { names: new Set(['x']), looked: new Set() }))!;
    const { scratchBytes } = (await roomy.indexOf(graph))!.index;
    const signal = new AbortController().signal;
    const index = await loads.database.readGraph(graphId, 10_000, signal, reader =>
      loadIndex(reader, graph.schema, smallRoom(budgetBytes)),
    );
    const bytes = [topology, columns.nodes.get('x')!, index].reduce((sum, part) => sum + bytesOf(part), scratchBytes);
    const [fits, tooSmall] = [bytes, bytes - 1].map(budget => loads.opened(budget)) as [LoadedGraphs, LoadedGraphs];
    expect((await find(fits)).rows).toEqual(rows);
    await expect(find(tooSmall)).rejects.toThrow(GraphExceedsMemoryError);
    loads.copied = [];
    expect((await find(fits)).rows).toEqual(rows);
    await expect(find(tooSmall)).rejects.toThrow(GraphExceedsMemoryError);
    expect(loads.copied).toEqual([]);
    // Without the properties, the search index fits.
    expect(await tooSmall.indexOf(tooSmall.find(graphId)!)).not.toBeNull();
    expect(loads.copied).toEqual([]);
  });
});

describe('small loads of a thread', () => {
  const properties = Array.from({ length: 40 }, (_, i) => `p${i}`);
  async function aWideGraph(): Promise<number> {
    const graphId = await aGraph(test);
    await upload(test, 'wide', 'id,u\n1,2\n2,3\n', 'id:int,u:int');
    const columns = ['{column: id, type: int}', ...properties.map(name => `{column: u, property: ${name}, type: int}`)].join(', ');
    await runToEnd(
      test,
      await aJob(test, graphId, `version: 1\nnodes:\n  - {id: a, label: A, table: wide, key: [id], columns: [${columns}]}\n`),
    );
    return graphId;
  }

  it('take turns by the user who asked the graph, however many properties a query names', async () => {
    const graphs = loads.opened();
    const ids = [await aWideGraph(), await aWideGraph()] as const;
    const [many, few] = await Promise.all(
      ids.map(id => loads.database.readGraph(id, 10_000, new AbortController().signal, reader => graphs.get(reader))),
    );
    graphs.askedBy(ids[0], 'ann');
    graphs.askedBy(ids[1], 'bob');
    // The topology of both graphs is loaded, so the following calls load only columns.
    for (const graph of [many!, few!]) await graphs.elementsOf(graph, { names: new Set(), looked: new Set() });
    // All connections are open. A load that had to wait for a new one would come late.
    let begun = 0;
    const untilAllHaveBegun = async () => {
      for (begun++; begun < mostConnections;) await nextTurn();
    };
    const reads = Array.from({ length: mostConnections }, () =>
      loads.database.readGraph(ids[0], 10_000, new AbortController().signal, untilAllHaveBegun),
    );
    await Promise.all(reads);
    loads.copied = [];
    await Promise.all([
      graphs.elementsOf(many!, { names: new Set(properties), looked: new Set() }),
      graphs.elementsOf(few!, { names: new Set(['p0', 'p1']), looked: new Set() }),
    ]);
    const places = loads.copied.flatMap((sql, at) => (sql.includes(`nodes_${ids[1]}"`) ? [at] : []));
    expect([loads.copied.length, places.length]).toEqual([42, 2]);
    expect(Math.max(...places)).toBeLessThan(8);
  });
});
