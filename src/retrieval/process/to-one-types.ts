import { type ToOne } from '../../questions/planning/schema-paths.js';
import { type GraphReader } from './retrieval-database.js';

/**
 * Reads which edge types lead to one node only, from all edges of the graph, in one pass per direction over the two indexes of
 * `edges`.
 */
export async function readToOneTypes(reader: GraphReader): Promise<ToOne> {
  const toOne = async (end: 'source_id' | 'target_id'): Promise<string[]> => {
    const rows = await reader.query<{ type: string }>(
      `SELECT type FROM (SELECT ${end}, type, count(*) AS edges FROM ${reader.tables.edges} GROUP BY ${end}, type) AS ends
        GROUP BY type HAVING max(edges) = 1 ORDER BY type`,
    );
    return rows.map(row => row.type);
  };
  const outgoing = await toOne('source_id');
  const incoming = await toOne('target_id');
  return { outgoing, incoming: incoming.filter(type => !outgoing.includes(type)) };
}
