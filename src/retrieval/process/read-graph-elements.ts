import { type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { type EdgeElement, type GraphElements, type NodeElement } from './graph-schema.js';
import { type GraphReader } from './retrieval-database.js';

interface ElementRow {
  kind: 'node' | 'edge';
  name: string;
  source_label: string;
  target_label: string;
  job_id: number;
  aliases: string[];
  connection: string;
  connection_id: number;
  source_table: string;
  key_columns: string[];
  key_properties: string[];
  display_property: string | null;
  properties: PropertySchema[];
  row_count: number;
}

/** Reads what the graph is made of; several jobs that write the same label or type become one element. */
export async function readGraphElements(reader: GraphReader): Promise<GraphElements> {
  const rows = await reader.query<ElementRow>(
    `SELECT kind, name, source_label, target_label, job_id, aliases, connection, connection_id, source_table,
            key_columns, key_properties, display_property, properties, row_count
       FROM graph_elements WHERE graph_id = $1
      ORDER BY kind, name, source_label, target_label, job_id`,
    [reader.graphId],
  );
  const labels = new Map<string, NodeElement>();
  const edges = new Map<string, EdgeElement>();
  for (const row of rows) {
    if (row.kind === 'node') {
      const node = labels.get(row.name);
      if (node) {
        merge(node, row);
      } else {
        labels.set(row.name, {
          name: row.name,
          aliases: [...row.aliases],
          properties: [...row.properties],
          keyProperties: row.key_properties,
          displayProperty: row.display_property,
          rowCount: Number(row.row_count),
        });
      }
    } else {
      const id = JSON.stringify([row.name, row.source_label, row.target_label]);
      const edge = edges.get(id);
      if (edge) {
        merge(edge, row);
      } else {
        const [sourceLabel, targetLabel] = [row.source_label, row.target_label];
        edges.set(id, {
          type: row.name,
          sourceLabel,
          targetLabel,
          aliases: [...row.aliases],
          properties: [...row.properties],
          rowCount: Number(row.row_count),
        });
      }
    }
  }
  const sources = rows.map(row => ({
    kind: row.kind,
    name: row.name,
    sourceLabel: row.source_label,
    targetLabel: row.target_label,
    jobId: row.job_id,
    connection: row.connection,
    connectionId: row.connection_id,
    table: row.source_table,
    keyColumns: row.key_columns,
  }));
  return { labels: [...labels.values()], edges: [...edges.values()], sources };
}

function merge(element: { aliases: string[]; properties: PropertySchema[]; rowCount: number }, row: ElementRow): void {
  for (const alias of row.aliases) if (!element.aliases.includes(alias)) element.aliases.push(alias);
  for (const property of row.properties)
    if (!element.properties.some(known => known.name === property.name)) element.properties.push(property);
  // Each job counts the rows it wrote, so that several jobs add up.
  element.rowCount += Number(row.row_count);
}
