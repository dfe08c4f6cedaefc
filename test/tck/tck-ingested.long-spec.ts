import { createLog } from '../../src/common/logging/log.js';
import { type MemoryGraph } from '../../src/cypher/executors/memory/memory-graph.js';
import { GraphInMemory } from '../../src/retrieval/process/graph-in-memory.js';
import { loadWholeProperties } from '../../src/retrieval/process/load/load-properties.js';
import { smallRoom } from '../../src/retrieval/process/load/load-room.js';
import { loadTopology } from '../../src/retrieval/process/load/load-topology.js';
import { readGraphElements } from '../../src/retrieval/process/read-graph-elements.js';
import { RetrievalDatabase } from '../../src/retrieval/process/retrieval-database.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { ingest, upload } from '../support/ingestion.js';
import { describeWithShared } from '../support/shared-data.js';
import { canonicalOf } from './canonical.js';
import { AsWritten, asTables, type GraphAsTables, noLabel, NotLoadable } from './ingested-graph.js';
import { judge } from './judge.js';
import { onlyReads, readSuite, type TckCase } from './read-suite.js';
import { graphOf, runQuery } from './run-case.js';

/** The number of set-ups that cannot be loaded, for each reason. All others are loaded. */
const notLoadable: Record<string, number> = { 'a time has nanoseconds': 20 };

describeWithShared('the set-ups of the openCypher TCK, as tables and mappings', 'suites/tck', () => {
  let app: TestApp;
  let database: RetrievalDatabase;
  beforeAll(async () => {
    app = await startTestApp();
    database = RetrievalDatabase.open({ databaseUrl: app.databaseUrl }, 2, 100_000_000, createLog('error'));
  });
  afterAll(async () => {
    await database.close();
    await app.close();
  });

  it('are the same graphs when they are loaded, and answer the same', async () => {
    const bySetup = new Map<string, TckCase[]>();
    for (const scenario of readSuite().filter(onlyReads)) {
      const { namedGraph, setup } = scenario;
      if (namedGraph === null && setup.length === 0) continue;
      const id = JSON.stringify([namedGraph, setup]);
      bySetup.set(id, [...(bySetup.get(id) ?? []), scenario]);
    }
    const counts = { setups: bySetup.size, cases: 0, loaded: 0, withoutLabel: 0 };
    const reasons: Record<string, number> = {};
    const differences: string[] = [];
    for (const [index, scenarios] of [...bySetup.values()].entries()) {
      const written = graphOf(scenarios[0]!);
      let loaded: MemoryGraph;
      try {
        const asWarehouse = asTables(written, `s${index}`);
        loaded = await load(asWarehouse);
      } catch (error) {
        if (!(error instanceof NotLoadable)) throw error;
        reasons[error.message] = (reasons[error.message] ?? 0) + 1;
        continue;
      }
      counts.loaded += 1;
      if ([...written.nodes()].some(({ labels }) => labels.length === 0)) counts.withoutLabel += 1;
      if (textOf(loaded) !== textOf(written)) differences.push(`${scenarios[0]!.name}: ${textOf(loaded)} instead of ${textOf(written)}`);
      for (const scenario of scenarios) {
        counts.cases += 1;
        const [was, is] = [written, loaded].map(graph => judge(scenario.expected, runQuery(scenario, graph)));
        if (was!.verdict === 'passed' && is!.verdict !== 'passed') differences.push(`${scenario.name}: ${is!.verdict} ${is!.reason}`);
      }
    }
    process.stdout.write(`openCypher TCK, loaded: ${JSON.stringify({ ...counts, reasons }, null, 2)}\n`);
    expect(differences).toEqual([]);
    expect(reasons).toEqual(notLoadable);
    expect(counts.loaded).toBeGreaterThan(25);
  }, 600_000);

  async function load({ tables, mapping }: GraphAsTables): Promise<MemoryGraph> {
    for (const { name, csv, types } of tables) await upload(app, name, csv, types);
    const { graphId, run } = await ingest(app, mapping);
    if (run.status !== 'succeeded') throw new Error(`${JSON.stringify(run.error)}\n${mapping}\n${JSON.stringify(tables)}`);
    return database.readGraph(graphId, 60_000, new AbortController().signal, async reader => {
      const room = smallRoom(Infinity);
      const topology = await loadTopology(reader, room);
      const whole = {
        nodes: await loadWholeProperties(reader, topology, 'nodes', room),
        edges: await loadWholeProperties(reader, topology, 'edges', room),
      };
      const parts = { columns: { nodes: new Map(), edges: new Map() }, indexes: new Map(), whole };
      return new AsWritten(new GraphInMemory(topology, parts, await readGraphElements(reader)));
    });
  }
});

/** A text that is equal for equal graphs. It differs for different ones, unless they have nodes with the same labels and properties. */
function textOf(graph: MemoryGraph): string {
  const nodes = [...graph.nodes()];
  const byId = new Map(nodes.map(node => [node.id, canonicalOf(node)]));
  const edges = nodes.flatMap(node => [...graph.edgesOf(node, 'out', [])]);
  const texts = edges.map(edge => `${byId.get(edge.source)}${canonicalOf(edge)}${byId.get(edge.target)}`);
  return [...byId.values(), ...texts].sort().join('\n').replaceAll(`:${noLabel}`, '');
}
