import { cellAt, type PropertyColumn } from '../../src/graph-index/property-column.js';
import { textAt } from '../../src/graph-index/stored-texts.js';
import { type LoadedElements } from '../../src/retrieval/process/graph-in-memory.js';
import { LoadedGraphs } from '../../src/retrieval/process/loaded-graphs.js';
import { type GraphReader, type RetrievalDatabase } from '../../src/retrieval/process/retrieval-database.js';
import { startTestApp, type TestApp } from './app.js';
import { type Dice } from './dice.js';
import { aGraph, aJob, runToEnd, upload } from './ingestion.js';
import { localParts } from './local-parts.js';
import { retrievalDatabaseOf } from './retrieval-database.js';

export const budgetBytes = 64_000_000;

const names = ['id', 'x', 'y', 'z'];

/** Loads graphs of an application into memory, and notes the COPY statements that this takes. */
export class GraphLoads {
  /** The COPY statements since the list was last emptied. */
  copied: string[] = [];

  private constructor(
    readonly test: TestApp,
    readonly database: RetrievalDatabase,
  ) {}

  static async start(): Promise<GraphLoads> {
    const test = await startTestApp();
    return new GraphLoads(test, retrievalDatabaseOf(test));
  }

  async close(): Promise<void> {
    await this.database.close();
    await this.test.close();
  }

  /** Graphs in memory, of which none is loaded yet. */
  opened(bytes = budgetBytes): LoadedGraphs {
    return new LoadedGraphs(this.watched(), bytes, localParts(bytes), null, () => undefined);
  }

  /** All elements of a graph in memory, first with some named properties, then with all. */
  async elementsOf(graphs: LoadedGraphs, graphId: number): Promise<unknown[]> {
    const graph = await this.database.readGraph(graphId, 10_000, new AbortController().signal, reader => graphs.get(reader));
    const named = (await graphs.elementsOf(graph, { names: new Set(names), looked: new Set(['x']) }))!;
    const whole = (await graphs.elementsOf(graph, { names: null, looked: new Set() }))!;
    return [shown(named), shown(whole)];
  }

  /** Makes a graph of `rows` rows of each table, and loads it. `fill` gives the tables other rows. */
  async loadedGraph(prefix: string, rows = 30) {
    const { test } = this;
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
    const graphs = this.opened();
    await this.elementsOf(graphs, graphId);
    this.copied = [];
    return { graphId, jobId, graphs, fill };
  }

  /** The database, with all COPY statements noted in `copied`. */
  private watched(): RetrievalDatabase {
    const readGraph: RetrievalDatabase['readGraph'] = (graphId, timeoutMs, signal, work, limitBytes) => {
      const watch = (reader: GraphReader): GraphReader => ({
        ...reader,
        copy: (sql, take) => (this.copied.push(sql), reader.copy(sql, take)),
      });
      return this.database.readGraph(graphId, timeoutMs, signal, reader => work(watch(reader)), limitBytes);
    };
    const same: RetrievalDatabase = Object.assign(Object.create(this.database) as RetrievalDatabase, { readGraph, atLeast: () => same });
    return same;
  }
}

export type Mapping = Record<'a' | 'b' | 'r' | 's', Record<string, string>> & { labels: string; deletes: string };

const valueTypes = ['int', 'float', 'string', 'decimal(10,2)'];
export function aMapping(dice: Dice): Mapping {
  const properties = () => Object.fromEntries(['x', 'y', 'z'].filter(() => dice.chance(0.7)).map(name => [name, dice.of(valueTypes)]));
  const labels = dice.of(['[]', '[C]', `[{name: C, when: u > 4}, D]`, `[{name: D, when: u < 3}]`]);
  return { a: properties(), b: properties(), r: properties(), s: properties(), labels, deletes: dice.of(['snapshot', 'snapshot', 'none']) };
}

export function toYaml({ a, b, r, s, labels, deletes }: Mapping, prefix: string): string {
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
