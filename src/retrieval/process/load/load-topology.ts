import { inTurns } from '../../../common/turns/pace.js';
import { type Topology, TopologyBuilder } from '../../../graph-index/topology.js';
import { type GraphReader } from '../retrieval-database.js';
import { CopyRows, FieldNumbers } from './copy-rows.js';
import { type LoadRoom } from './load-room.js';

/** Reads all nodes and edges of a graph, without their properties. @throws the error of `room` as soon as the room is too small */
export async function loadTopology(reader: GraphReader, room: LoadRoom): Promise<Topology> {
  const builder = new TopologyBuilder();
  const [labelSets, types] = [new FieldNumbers(), new FieldNumbers()];
  /** For each set of labels, the id of a node that has it. */
  const examples: number[] = [];
  // The second field is the rest of the row as text: the key label and the array of further labels. Equal texts are one label set.
  const nodes = new CopyRows(2, row => {
    const set = labelSets.numberOf(row, 1);
    if (set === examples.length) examples.push(row.integer(0));
    builder.addNode(row.integer(0), set);
  });
  const edges = new CopyRows(4, row => builder.addEdge(row.integer(0), types.numberOf(row, 1), row.integer(2), row.integer(3)));
  await copy(nodes, `SELECT id, label, labels FROM ${reader.tables.nodes} ORDER BY id`);
  await copy(edges, `SELECT id, type, source_id, target_id FROM ${reader.tables.edges}`);
  return inTurns(builder.build(await readSets(), types.texts));

  /**
   * Reads the labels of each set from its example node. Making JSON of the labels of a million nodes took the server longer than reading
   * them.
   */
  async function readSets(): Promise<string[][]> {
    const sets = new Map<number, string[]>();
    const found = new CopyRows(2, row => sets.set(row.integer(0), JSON.parse(row.text(1)) as string[]));
    await copy(found, `SELECT id, to_json(label || labels) FROM ${reader.tables.nodes} WHERE id = ANY ('{${examples.join()}}')`);
    return examples.map(id => sets.get(id)!);
  }

  function copy(rows: CopyRows, sql: string): Promise<void> {
    return reader.copy(sql, chunk => {
      rows.push(chunk);
      room.took(builder.bytes);
    });
  }
}
