import { inTurns, Pace } from '../../common/turns/pace.js';
import { TextStore } from '../../graph-index/text-store.js';
import { type Topology, TopologyBuilder } from '../../graph-index/topology.js';
import { GraphExceedsMemoryError } from '../retrieval.errors.js';
import { type GraphReader } from './retrieval-database.js';

const rowsPerFetch = 5_000;

export interface LoadedTopology {
  topology: Topology;
  nodeTexts: TextStore;
  edgeTexts: TextStore;
  bytes: number;
}

/**
 * Reads all nodes and edges of a graph, with the texts of their properties, a few thousand rows at once.
 * @throws GraphExceedsMemoryError as soon as they have outgrown `budgetBytes`
 */
export async function loadTopology(reader: GraphReader, budgetBytes: number): Promise<LoadedTopology> {
  const pace = new Pace();
  const builder = new TopologyBuilder();
  const [nodeTexts, edgeTexts] = [new TextStore(), new TextStore()];
  const bytes = () => builder.bytes + nodeTexts.bytes + edgeTexts.bytes;
  await forEach<[number, string, string[], string]>(
    `SELECT id, label, labels, properties::text FROM ${reader.tables.nodes} ORDER BY id`,
    ([id, label, further, text]) => {
      builder.addNode(id, [label, ...further]);
      nodeTexts.add(text);
    },
  );
  await forEach<[number, string, number, number, string]>(
    `SELECT id, type, source_id, target_id, properties::text FROM ${reader.tables.edges}`,
    ([id, type, source, target, text]) => {
      if (builder.addEdge(id, type, source, target)) edgeTexts.add(text);
    },
  );
  const topology = await inTurns(builder.build(), pace);
  return { topology, nodeTexts, edgeTexts, bytes: bytes() };

  async function forEach<R extends unknown[]>(sql: string, take: (row: R) => void): Promise<void> {
    await reader.rows(`DECLARE elements NO SCROLL CURSOR FOR ${sql}`);
    for (;;) {
      const rows = (await reader.rows(`FETCH ${rowsPerFetch} FROM elements`)) as R[];
      for (const row of rows) {
        if (pace.isDue) await pace.turn();
        take(row);
      }
      if (bytes() > budgetBytes) throw new GraphExceedsMemoryError(reader.graphId, budgetBytes, 'cypher');
      if (rows.length < rowsPerFetch) break;
    }
    await reader.rows('CLOSE elements');
  }
}
