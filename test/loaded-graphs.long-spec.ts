import { setTimeout as sleep } from 'node:timers/promises';
import { smallRoom } from '../src/retrieval/process/load/load-room.js';
import { createLog } from '../src/common/logging/log.js';
import { cellAt, type PropertyColumn } from '../src/graph-index/property-column.js';
import { textAt } from '../src/graph-index/stored-texts.js';
import { bytesOf } from '../src/graph-index/shared-arrays.js';
import { GraphExceedsMemoryError } from '../src/retrieval/retrieval.errors.js';
import { type LoadedElements } from '../src/retrieval/process/graph-in-memory.js';
import { LoadedGraphs } from '../src/retrieval/process/loaded-graphs.js';
import { loadIndex } from '../src/retrieval/process/load-index.js';
import { runSearch } from '../src/retrieval/process/run-search.js';
import { type GraphReader, type RetrievalDatabase } from '../src/retrieval/process/retrieval-database.js';
import { readToOneTypes } from '../src/retrieval/process/to-one-types.js';
import { warmGraph } from '../src/retrieval/process/warm-graph.js';
import { startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { Dice } from './support/dice.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';
import { localParts } from './support/local-parts.js';
import { retrievalDatabaseOf } from './support/retrieval-database.js';

const budgetBytes = 64_000_000;
const seeds = Array.from({ length: 40 }, (_, i) => i + 1);
const runsOfSeed = 8;

let test: TestApp;
let database: RetrievalDatabase;
/** The COPY statements since the list was last emptied. */
let copied: string[] = [];
beforeAll(async () => {
  test = await startTestApp();
  database = retrievalDatabaseOf(test);
});
afterAll(async () => {
  await database?.close();
  await test?.close();
});

/** The database, with all COPY statements noted in `copied`. */
function watched(): RetrievalDatabase {
  const readGraph: RetrievalDatabase['readGraph'] = (graphId, timeoutMs, signal, work, limitBytes) => {
    const watch = (reader: GraphReader): GraphReader => ({ ...reader, copy: (sql, take) => (copied.push(sql), reader.copy(sql, take)) });
    return database.readGraph(graphId, timeoutMs, signal, reader => work(watch(reader)), limitBytes);
  };
  const same: RetrievalDatabase = Object.assign(Object.create(database) as RetrievalDatabase, { readGraph, atLeast: () => same });
  return same;
}

const opened = (bytes = budgetBytes): LoadedGraphs => new LoadedGraphs(watched(), bytes, localParts(bytes), null, () => undefined);

const aSearch = { text: '7', limit: 10, offset: 0, filter: { labels: [], where: { x: [3] } }, timeoutMs: 10_000, language: 'en' as const };

const names = ['id', 'x', 'y', 'z'];

/** All elements of a graph in memory, first with some named properties, then with all. */
async function elementsOf(graphs: LoadedGraphs, graphId: number): Promise<unknown[]> {
  const graph = await database.readGraph(graphId, 10_000, new AbortController().signal, reader => graphs.get(reader));
  const named = (await graphs.elementsOf(graph, { names: new Set(names), looked: new Set(['x']) }))!;
  const whole = (await graphs.elementsOf(graph, { names: null, looked: new Set() }))!;
  return [shown(named), shown(whole)];
}

/**
 * A comparable form of loaded elements. The numbers that stand for types, labels and texts may differ, so they are replaced by names and
 * values.
 */
function shown({ topology, columns, whole }: LoadedElements): unknown {
  const { labelSets, types, nodeSets, edgeTypes, setOffsets, setNodes, ...rest } = topology;
  const values = (column: PropertyColumn) =>
    Array.from(column.codes, (_, place) => {
      const cell = cellAt(column, place);
      return cell && 'text' in cell ? textAt(column, cell.text) : (cell?.number ?? null);
    });
  const columnsOf = (kind: 'nodes' | 'edges') => Object.fromEntries([...columns[kind]].map(([name, column]) => [name, values(column)]));
  const textsOf = (kind: 'nodes' | 'edges') => whole && Array.from(whole[kind].texts, text => textAt(whole[kind], text));
  return {
    ...rest,
    labels: Array.from(nodeSets, set => labelSets[set]!.join()),
    types: Array.from(edgeTypes, type => types[type]),
    ofSets: Object.fromEntries(labelSets.map((set, i) => [set.join(), [...setNodes.subarray(setOffsets[i], setOffsets[i + 1])]])),
    nodes: [columnsOf('nodes'), textsOf('nodes')],
    edges: [columnsOf('edges'), textsOf('edges')],
  };
}

interface Job {
  id: number;
  prefix: string;
  mapping: Mapping;
}
type Mapping = Record<'a' | 'b' | 'r' | 's', Record<string, string>> & { labels: string; deletes: string };

const valueTypes = ['int', 'float', 'string', 'decimal(10,2)'];
function aMapping(dice: Dice): Mapping {
  const properties = () => Object.fromEntries(['x', 'y', 'z'].filter(() => dice.chance(0.7)).map(name => [name, dice.of(valueTypes)]));
  const labels = dice.of(['[]', '[C]', `[{name: C, when: u > 4}, D]`, `[{name: D, when: u < 3}]`]);
  return { a: properties(), b: properties(), r: properties(), s: properties(), labels, deletes: dice.of(['snapshot', 'snapshot', 'none']) };
}

function toYaml({ a, b, r, s, labels, deletes }: Mapping, prefix: string): string {
  const columns = (of: Record<string, string>) => Object.entries(of).map(([name, type]) => `, {column: u, property: ${name}, type: '${type}'}`).join(''); // prettier-ignore
  const rule = `deletes: {mode: ${deletes}}`;
  return `version: 1
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: a, label: A, labels: ${labels}, table: ${prefix}a, key: [id], ${rule}, columns: [{column: id, type: int}${columns(a)}]}
  - {id: b, label: B, table: ${prefix}b, key: [id], ${rule}, columns: [{column: id, type: int}${columns(b)}]}
edges:
  - {type: R, table: ${prefix}r, ${rule}, from: {node: a, match: {f: id}}, to: {node: b, match: {t: id}, on_missing: create}, columns: [{column: f}${columns(r)}]}
  - {type: S, table: ${prefix}r, ${rule}, from: {node: b, match: {t: id}}, to: {node: b, match: {f: id}}, columns: [{column: f}${columns(s)}]}
`;
}

async function loadedGraph(prefix: string, rows = 30) {
  const graphId = await aGraph(test);
  const fill = async (count: number): Promise<void> => {
    const lines = Array.from({ length: count }, (_, i) => i);
    await upload(test, `${prefix}a`, `id,u\n${lines.map(i => `${i},${i % 7}`).join('\n')}\n`, 'id:int,u:int');
    await upload(test, `${prefix}b`, `id,u\n${lines.map(i => `${i},${i % 5}`).join('\n')}\n`, 'id:int,u:int');
    await upload(test, `${prefix}r`, `f,t,u\n${lines.map(i => `${i},${(i * 7) % 30},${i % 3}`).join('\n')}\n`, 'f:int,t:int,u:int');
  };
  await fill(rows);
  const mapping = { a: { x: 'int' }, b: { y: 'string' }, r: { x: 'int', z: 'float' }, s: {}, labels: '[]', deletes: 'snapshot' };
  const jobId = await aJob(test, graphId, toYaml(mapping, prefix));
  await runToEnd(test, jobId);
  const graphs = opened();
  await elementsOf(graphs, graphId);
  copied = [];
  return { graphId, jobId, graphs, fill };
}

describe('a version that is brought forward', () => {
  let columns = 0;
  it.each(seeds)('is the same as one that is loaded, run after run, seed %i', async seed => {
    const dice = new Dice(seed);
    const graphId = await aGraph(test);
    const tables = new Map<string, string[]>();
    const edit = async (name: string): Promise<void> => {
      const isEdge = name.endsWith('r');
      const row = (): string => (isEdge ? `${dice.below(40)},${dice.below(40)},${dice.below(9)}` : `${dice.below(40)},${dice.below(9)}`);
      const old = tables.get(name) ?? Array.from({ length: 60 }, row);
      const left = old.filter(() => !dice.chance(0.04)).map(line => (dice.chance(0.05) ? line.replace(/\d+$/, String(dice.below(9))) : line)); // prettier-ignore
      tables.set(name, [...left, ...Array.from({ length: dice.below(4) }, row)]);
      const header = isEdge ? 'f,t,u' : 'id,u';
      const types = header.split(',').map(column => `${column}:int`);
      await upload(test, name, `${header}\n${tables.get(name)!.join('\n')}\n`, types.join());
    };
    const jobs: Job[] = [];
    const run = async (job: Job): Promise<void> => {
      const { status, error } = await runToEnd(test, job.id, { allow_deletes: true });
      expect([error, status]).toEqual([null, 'succeeded']);
    };
    for (const prefix of [`bf${seed}p`, `bf${seed}q`]) {
      for (const table of ['a', 'b', 'r']) await edit(prefix + table);
      const mapping = aMapping(dice);
      jobs.push({ id: await aJob(test, graphId, toYaml(mapping, prefix)), prefix, mapping });
      await run(jobs.at(-1)!);
    }
    const graphs = opened();
    await elementsOf(graphs, graphId);
    for (let i = 0; i < runsOfSeed; i++) {
      const job = dice.of(jobs);
      await edit(job.prefix + dice.of(['a', 'b', 'r']));
      if (dice.chance(0.3)) {
        job.mapping = { ...job.mapping, [dice.of(['a', 'b', 'r', 's'])]: aMapping(dice).a, labels: aMapping(dice).labels };
        await test.admin
          .post(`/api/ingestion/jobs/${job.id}/revisions`)
          .send({ mapping_yaml: toYaml(job.mapping, job.prefix) })
          .expect(200);
      }
      await run(job);
      // In 30 % of cases nothing is loaded after the run, so several versions are brought forward together later.
      if (dice.chance(0.3)) continue;
      copied = [];
      const brought = await elementsOf(graphs, graphId);
      expect(copied.filter(sql => /ORDER BY id$/.test(sql))).toEqual([]);
      columns += copied.filter(sql => /graph_changes.*properties \?/s.test(sql)).length;
      expect(brought).toEqual(await elementsOf(opened(), graphId));
    }
  });

  it('had columns that were brought forward', () => {
    expect(columns).toBeGreaterThan(3 * seeds.length);
  });

  const isLoaded = (): boolean => copied.some(sql => /ORDER BY id$/.test(sql));

  it('is loaded in full where the earlier version had other contents, and where a run noted nothing', async () => {
    const { graphId, jobId, graphs, fill } = await loadedGraph('bfo');
    const next = async (rows: number, afterwards?: string): Promise<boolean> => {
      copied = [];
      await fill(rows);
      const { error } = await runToEnd(test, jobId);
      expect(error).toBeNull();
      if (afterwards) await asSuperuser(test.databaseUrl, afterwards);
      const found = await elementsOf(graphs, graphId);
      const full = isLoaded();
      expect(found).toEqual(await elementsOf(opened(), graphId));
      return full;
    };
    expect(await next(32)).toBe(false);
    await test.admin.patch(`/api/graphs/${graphId}`).send({ name: 'renamed' }).expect(200);
    expect(await next(33)).toBe(false);
    // The changed time of the version has the same effect as restoring a backup.
    await asSuperuser(test.databaseUrl, `UPDATE graphs SET version_at = now() WHERE id = ${graphId}`);
    expect(await next(34)).toBe(true);
    const notNoted = `DELETE FROM graph_changes WHERE graph_id = ${graphId}`;
    expect(await next(35, notNoted)).toBe(true);
    expect(await next(36)).toBe(false);
    expect(await next(5_000)).toBe(true);
  });

  it('keeps as many versions of changes as are of use', async () => {
    const { graphId, jobId, fill } = await loadedGraph('bfk');
    for (let i = 1; i <= 10; i++) {
      await fill(30 + i);
      await runToEnd(test, jobId);
    }
    const { rows } = await test.pool.query('SELECT version FROM graph_changes WHERE graph_id = $1 ORDER BY 1', [graphId]);
    expect(rows.map(({ version }) => version as number)).toEqual([4, 5, 6, 7, 8, 9, 10, 11]);
  });

  it('has nothing of a run whose connection was cut before it committed', async () => {
    const { graphId, jobId, graphs, fill } = await loadedGraph('bfc');
    await fill(33);
    const lock = await test.pool.connect();
    await lock.query('BEGIN');
    await lock.query('SELECT FROM graphs WHERE id = $1 FOR NO KEY UPDATE', [graphId]);
    const running = runToEnd(test, jobId);
    const waits = `FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO graph_changes%' AND pid <> pg_backend_pid()`;
    const waiting = async () => (await test.pool.query(`SELECT pid ${waits}`)).rowCount;
    for (let tries = 0; !(await waiting()) && tries < 400; tries++) await sleep(50);
    expect(await waiting()).toBe(1);
    await asSuperuser(test.databaseUrl, `SELECT pg_terminate_backend(pid) ${waits}`);
    await lock.query('ROLLBACK');
    lock.release();
    await running;
    expect(await elementsOf(graphs, graphId)).toEqual(await elementsOf(opened(), graphId));
    await fill(34);
    await runToEnd(test, jobId);
    copied = [];
    const found = await elementsOf(graphs, graphId);
    expect(isLoaded()).toBe(false);
    expect(found).toEqual(await elementsOf(opened(), graphId));
  });
});

describe('the properties that a filtered search asks for', () => {
  it('are read of nodes alone, and of the next version beside those that queries ask for', async () => {
    const { graphId, jobId, fill } = await loadedGraph('bfw');
    const graphs = opened();
    const graph = await database.readGraph(graphId, 10_000, new AbortController().signal, reader => graphs.get(reader));
    await graphs.elementsOf(graph, { names: new Set(['z']), looked: new Set() });
    copied = [];
    await runSearch(database, graphs, { ...aSearch, graphId }, new AbortController().signal);
    const columns = () => copied.flatMap(sql => /\? '(\w+)'/.exec(sql)?.[1] ?? []);
    expect(columns()).toEqual(['x']);
    await fill(33);
    await runToEnd(test, jobId);
    copied = [];
    await warmGraph(database, graphs, graphId, createLog('error'));
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
    const found = await database.readGraph(graphId, 10_000, new AbortController().signal, read);
    expect(found).toEqual({ outgoing: ['BOTH', 'OUT'], incoming: ["IN'TO\t"] });
  });
});

describe('the parts that a query needs', () => {
  it('are refused where they do not fit together, without loading them again', async () => {
    const { graphId } = await loadedGraph('bfm', 3_000);
    const read = { names: new Set(['id', 'x', 'z']), looked: new Set<string>() };
    const load = async (bytes: number) => {
      const graphs = opened(bytes);
      const graph = await database.readGraph(graphId, 10_000, new AbortController().signal, reader => graphs.get(reader));
      return (names = read.names) => graphs.elementsOf(graph, { ...read, names });
    };
    const { topology, columns } = (await (await load(budgetBytes))())!;
    const parts = [topology, ...columns.nodes.values(), ...columns.edges.values()];
    const bytes = parts.reduce((sum, part) => sum + bytesOf(part), 0);
    const [fits, tooSmall] = [await load(bytes), await load(bytes - 1)];
    await fits();
    await expect(tooSmall()).rejects.toThrow(GraphExceedsMemoryError);
    copied = [];
    await fits();
    await expect(tooSmall()).rejects.toThrow(GraphExceedsMemoryError);
    expect(copied).toEqual([]);
    // A single property fits.
    expect(await tooSmall(new Set(['x']))).not.toBeNull();
  });

  it('are refused likewise where they do not fit beside the search index', async () => {
    const { graphId } = await loadedGraph('bff', 3_000);
    const find = (graphs: LoadedGraphs) => runSearch(database, graphs, { ...aSearch, graphId }, new AbortController().signal);
    const roomy = opened();
    const { rows } = await find(roomy);
    const graph = roomy.find(graphId)!;
    const { topology, columns } = (await roomy.elementsOf(graph, { names: new Set(['x']), looked: new Set() }))!;
    const { scratchBytes } = (await roomy.indexOf(graph))!.index;
    const signal = new AbortController().signal;
    const index = await database.readGraph(graphId, 10_000, signal, reader => loadIndex(reader, graph.schema, smallRoom(budgetBytes)));
    const bytes = [topology, columns.nodes.get('x')!, index].reduce((sum, part) => sum + bytesOf(part), scratchBytes);
    const [fits, tooSmall] = [bytes, bytes - 1].map(budget => opened(budget)) as [LoadedGraphs, LoadedGraphs];
    expect((await find(fits)).rows).toEqual(rows);
    await expect(find(tooSmall)).rejects.toThrow(GraphExceedsMemoryError);
    copied = [];
    expect((await find(fits)).rows).toEqual(rows);
    await expect(find(tooSmall)).rejects.toThrow(GraphExceedsMemoryError);
    expect(copied).toEqual([]);
    // Without the properties, the search index fits.
    expect(await tooSmall.indexOf(tooSmall.find(graphId)!)).not.toBeNull();
    expect(copied).toEqual([]);
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
    const graphs = opened();
    const ids = [await aWideGraph(), await aWideGraph()] as const;
    const [many, few] = await Promise.all(
      ids.map(id => database.readGraph(id, 10_000, new AbortController().signal, reader => graphs.get(reader))),
    );
    graphs.askedBy(ids[0], 'ann');
    graphs.askedBy(ids[1], 'bob');
    // The topology of both graphs is loaded, so the following calls load only columns.
    for (const graph of [many!, few!]) await graphs.elementsOf(graph, { names: new Set(), looked: new Set() });
    copied = [];
    await Promise.all([
      graphs.elementsOf(many!, { names: new Set(properties), looked: new Set() }),
      graphs.elementsOf(few!, { names: new Set(['p0', 'p1']), looked: new Set() }),
    ]);
    const places = copied.flatMap((sql, at) => (sql.includes(`nodes_${ids[1]}"`) ? [at] : []));
    expect([copied.length, places.length]).toEqual([42, 2]);
    expect(Math.max(...places)).toBeLessThan(8);
  });
});
