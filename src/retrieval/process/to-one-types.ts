import pg from 'pg';
import { IdSet } from '../../graph-index/id-set.js';
import { type ToOne } from '../../questions/planning/schema-paths.js';
import { CopyRows, FieldNumbers } from './load/copy-rows.js';
import { type GraphReader } from './retrieval-database.js';

/**
 * For each edge type, the ids of the nodes seen at one end of its edges (their sources, or their targets). Null once a node has been seen
 * there twice.
 */
type Ends = Map<string, IdSet | null>;

/**
 * Reads which edge types lead from a node to one other node only, by reading all edges of the graph. A sample of one edge in a hundred
 * first rules out most of the other types, whose edges are then not read. Letting the server group the edges took several times as long as
 * sending them.
 */
export async function readToOneTypes(reader: GraphReader): Promise<ToOne> {
  const some = await readEnds(reader, 'TABLESAMPLE SYSTEM (1)');
  const known = [...some.outgoing.keys()].filter(type => !some.outgoing.get(type) && !some.incoming.get(type));
  // COPY takes no parameters. The types are quoted as PostgreSQL's own client quotes a text.
  const { outgoing, incoming } = await readEnds(reader, `WHERE type <> ALL (ARRAY[${known.map(pg.escapeLiteral).join()}]::text[])`);
  const toOne = (ends: Ends, others: Ends): string[] => [...ends.keys()].filter(type => ends.get(type) && others.get(type) !== null).sort();
  const away = toOne(outgoing, some.outgoing);
  return { outgoing: away, incoming: toOne(incoming, some.incoming).filter(type => !away.includes(type)) };
}

async function readEnds(reader: GraphReader, which: string): Promise<{ outgoing: Ends; incoming: Ends }> {
  const types = new FieldNumbers();
  const [sources, targets]: (IdSet | null)[][] = [[], []];
  const rows = new CopyRows(3, row => {
    const type = types.numberOf(row, 0);
    if (type === sources!.length) [sources, targets].forEach(ends => ends!.push(new IdSet()));
    if (sources![type]?.add(row.integer(1)) === false) sources![type] = null;
    if (targets![type]?.add(row.integer(2)) === false) targets![type] = null;
  });
  await reader.copy(`SELECT type, source_id, target_id FROM ${reader.tables.edges} ${which}`, chunk => rows.push(chunk));
  const byName = (ends: (IdSet | null)[]): Ends => new Map(types.texts.map((type, i) => [type, ends[i]!]));
  return { outgoing: byName(sources!), incoming: byName(targets!) };
}
