import { type EdgeSchema, type GraphSchema, type LabelSchema, type PropertySchema } from '../../cypher/semantics/graph-schema.js';
import { typeOfWord, wordOf } from '../../cypher/values/value-type.js';

/** One label or edge type as one job writes it: a row of `graph_elements`. */
export interface ElementRow {
  kind: 'node' | 'edge';
  name: string;
  source_label: string;
  target_label: string;
  job_id: number;
  aliases: string[];
  connection: string;
  connection_id: number;
  source_table: string;
  query_tables: string[] | null;
  key_columns: string[];
  key_properties: string[];
  display_property: string | null;
  /** The properties of the element. `column` is null for a constant and for an expression. */
  properties: (Pick<PropertySchema, 'name' | 'type'> & { column: string | null })[];
  row_count: number;
  /** The labels of the element's nodes. `count` is the number of all nodes of the element with the label, whichever job gave it to them. */
  labels: { name: string; aliases: string[]; count: number }[];
}

/** The source of the rows of one element and job, for citations. */
export interface ElementSource {
  kind: 'node' | 'edge';
  /** The label of a node, or the type of an edge. */
  name: string;
  sourceLabel: string;
  targetLabel: string;
  jobId: number;
  connection: string;
  connectionId: number;
  table: string;
  queryTables: string[] | null;
  keyColumns: string[];
}

/** The labels and edge types of a graph version, and their sources. */
export interface GraphElements extends GraphSchema {
  sources: ElementSource[];
}

/** Makes the schema of a graph version. Several jobs that write the same label or edge type make one element. */
export function toGraphElements(rows: ElementRow[]): GraphElements {
  const labels = new Map<string, LabelSchema>();
  const edges = new Map<string, EdgeSchema>();
  // The aliases are kept in sets: searching a list for each new name would take quadratic time.
  const aliases = new Gathered<Set<string>>(() => new Set());
  const properties = new Gathered<Map<string, PropertySchema>>(() => new Map());
  for (const row of rows) {
    const element = row.kind === 'node' ? labelOf(row, labels) : edgeOf(row, edges);
    for (const alias of row.aliases) aliases.of(element).add(alias);
    for (const property of row.properties) addProperty(properties.of(element), property);
    if ('furtherLabels' in element) addLabels(element, row.labels, aliases);
    // A row that several jobs yield is counted in the `row_count` of one job only, so the counts add up.
    element.rowCount += Number(row.row_count);
  }
  for (const [element, names] of aliases) element.aliases = [...names];
  for (const [element, known] of properties) (element as LabelSchema | EdgeSchema).properties = [...known.values()];
  return { labels: [...labels.values()], edges: [...edges.values()], sources: rows.map(toSource) };
}

/** A collection for each element. `none` makes the empty collection when an element is first asked for. */
class Gathered<T> extends Map<{ aliases: string[] }, T> {
  constructor(private readonly none: () => T) {
    super();
  }

  of(element: { aliases: string[] }): T {
    const known = this.get(element) ?? this.none();
    this.set(element, known);
    return known;
  }
}

function labelOf(row: ElementRow, labels: Map<string, LabelSchema>): LabelSchema {
  const known = labels.get(row.name);
  // The keys of two jobs come from different columns, so neither key finds all nodes. The label then has no key.
  if (known && JSON.stringify(known.keyProperties) !== JSON.stringify(row.key_properties)) known.keyProperties = [];
  const label = known ?? {
    name: row.name,
    aliases: [],
    keyProperties: row.key_properties,
    displayProperty: row.display_property,
    properties: [],
    rowCount: 0,
    furtherLabels: [],
  };
  labels.set(row.name, label);
  return label;
}

function addLabels({ furtherLabels = [] }: LabelSchema, labels: ElementRow['labels'], aliases: Gathered<Set<string>>): void {
  for (const { name, aliases: more, count } of labels) {
    let known = furtherLabels.find(label => label.name === name);
    if (!known) furtherLabels.push((known = { name, aliases: [], rowCount: count }));
    for (const alias of more) aliases.of(known).add(alias);
  }
}

function edgeOf(row: ElementRow, edges: Map<string, EdgeSchema>): EdgeSchema {
  const id = JSON.stringify([row.name, row.source_label, row.target_label]);
  const edge = edges.get(id) ?? {
    type: row.name,
    aliases: [],
    sourceLabel: row.source_label,
    targetLabel: row.target_label,
    properties: [],
    rowCount: 0,
  };
  edges.set(id, edge);
  return edge;
}

function addProperty(properties: Map<string, PropertySchema>, { name, type, column }: ElementRow['properties'][number]): void {
  const known = properties.get(name);
  if (!known) properties.set(name, { name, type, ...(column === null ? {} : { column }) });
  else if (!areAlike(known.type, type)) known.type = 'mixed';
}

/** Whether values of two property types are parsed in the same way. */
function areAlike(a: string, b: string): boolean {
  const type = typeOfWord(a);
  return wordOf(a) === wordOf(b) || (type === typeOfWord(b) && type !== 'any' && type !== 'list');
}

function toSource(row: ElementRow): ElementSource {
  return {
    kind: row.kind,
    name: row.name,
    sourceLabel: row.source_label,
    targetLabel: row.target_label,
    jobId: row.job_id,
    connection: row.connection,
    connectionId: row.connection_id,
    table: row.source_table,
    queryTables: row.query_tables,
    keyColumns: row.key_columns,
  };
}
