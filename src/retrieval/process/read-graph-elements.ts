import { type ElementRow, type GraphElements, toGraphElements } from './graph-elements.js';
import { type GraphReader } from './retrieval-database.js';

export async function readGraphElements(reader: GraphReader): Promise<GraphElements> {
  const rows = await reader.query<ElementRow>(
    `SELECT kind, name, source_label, target_label, job_id, aliases, connection, connection_id, source_table, query_tables,
            key_columns, key_properties, display_property, properties, row_count, labels
       FROM graph_elements WHERE graph_id = $1
      ORDER BY kind, name, source_label, target_label, job_id`,
    [reader.graphId],
  );
  return toGraphElements(rows);
}
