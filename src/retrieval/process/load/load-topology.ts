import { inTurns } from '../../../common/turns/pace.js';
import { type Topology, TopologyBuilder } from '../../../graph-index/topology.js';
import { GraphExceedsMemoryError } from '../../retrieval.errors.js';
import { type GraphReader } from '../retrieval-database.js';
import { CopyRows, FieldNumbers } from './copy-rows.js';

/**
 * Reads all nodes and edges of a graph, without their properties.
 * @throws GraphExceedsMemoryError as soon as they have outgrown `budgetBytes`
 */
export async function loadTopology(reader: GraphReader, budgetBytes: number): Promise<Topology> {
  const builder = new TopologyBuilder();
  const [labelSets, types] = [new FieldNumbers(), new FieldNumbers()];
  const nodes = new CopyRows(2, row => builder.addNode(row.integer(0), labelSets.numberOf(row, 1)));
  const edges = new CopyRows(4, row => builder.addEdge(row.integer(0), types.numberOf(row, 1), row.integer(2), row.integer(3)));
  await copy(nodes, `SELECT id, to_json(label || labels) FROM ${reader.tables.nodes} ORDER BY id`);
  await copy(edges, `SELECT id, type, source_id, target_id FROM ${reader.tables.edges}`);
  return inTurns(
    builder.build(
      labelSets.texts.map(set => JSON.parse(set) as string[]),
      types.texts,
    ),
  );

  function copy(rows: CopyRows, sql: string): Promise<void> {
    return reader.copy(sql, chunk => {
      rows.push(chunk);
      if (builder.bytes > budgetBytes) throw new GraphExceedsMemoryError(reader.graphId, budgetBytes, 'cypher');
    });
  }
}
