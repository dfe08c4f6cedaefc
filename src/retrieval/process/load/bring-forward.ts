import { inTurns } from '../../../common/turns/pace.js';
import { bringColumnForward, bringTextsForward } from '../../../graph-index/bring-column-forward.js';
import { bringTopologyForward } from '../../../graph-index/bring-topology-forward.js';
import { type ChangedIds, movesOf, placeOf } from '../../../graph-index/moves.js';
import { type NumberKind } from '../../../graph-index/property-column.js';
import { type Topology } from '../../../graph-index/topology.js';
import { type GraphReader } from '../retrieval-database.js';
import { CopyRows } from './copy-rows.js';
import { type ElementKind, kindsByName, type LoadedColumn, propertyText, type WholeProperties } from './load-properties.js';

/** The topology of a version, with the `graphs.version_at` of that version as `stamp`. */
export interface LoadedTopology extends Topology {
  stamp: string;
}

/** An earlier version of a graph of which some parts are in memory. */
export interface EarlierVersion {
  version: number;
  topology: LoadedTopology;
  /** The loaded part from which the new version's part is made. */
  part: object;
}

/**
 * Maximum changes with which a part is brought forward: a share of the graph plus a fixed number. With more changes, reading the part anew
 * takes no longer.
 */
const mostChangedShare = 1 / 4;
const fewChanges = 10_000;

/**
 * The nodes and edges that runs have changed since an earlier version. Null if some run has not noted its changes, if there are too many,
 * or if the earlier version had other contents than the version that now has its number, as after a restored backup.
 */
export async function readChangedIds(reader: GraphReader, { version, topology }: EarlierVersion): Promise<ChangedIds | null> {
  const noted = await reader.query<{ follows: string; changed: number }>(
    `SELECT follows::text AS follows, cardinality(nodes) + cardinality(edges) AS changed FROM graph_changes
     WHERE graph_id = $1 AND version > $2 ORDER BY version`,
    [reader.graphId, version],
  );
  const size = topology.nodeIds.length + topology.edgeIds.length;
  const changed = noted.reduce((sum, run) => sum + run.changed, 0);
  if (noted.length !== reader.version - version || noted[0]?.follows !== topology.stamp || changed > fewChanges + mostChangedShare * size)
    return null;
  const ids: ChangedIds = { nodes: [], edges: [] };
  const nodes = new CopyRows(1, row => ids.nodes.push(row.integer(0)));
  const edges = new CopyRows(2, row => ids.edges.push({ id: row.integer(0), source: row.integer(1) }));
  await reader.copy(nodeIdsSince(reader, version), chunk => nodes.push(chunk));
  await reader.copy(`SELECT DISTINCT id, source FROM ${edgesSince(reader, version)}`, chunk => edges.push(chunk));
  return ids;
}

/** Makes the topology from that of an earlier version. Null if the changes are not known, or contradict the earlier topology. */
export async function broughtTopology(reader: GraphReader, earlier: EarlierVersion): Promise<Topology | null> {
  const changed = await readChangedIds(reader, earlier);
  if (!changed) return null;
  const now = { nodes: [] as { id: number; labels: string[] }[], edges: [] as { id: number; type: string; source: number; target: number }[] }; // prettier-ignore
  const nodes = new CopyRows(2, row => now.nodes.push({ id: row.integer(0), labels: JSON.parse(row.text(1)) as string[] }));
  const edges = new CopyRows(4, row =>
    now.edges.push({ id: row.integer(0), type: row.text(1), source: row.integer(2), target: row.integer(3) }),
  );
  await reader.copy(`SELECT t.id, to_json(t.label || t.labels) ${changedRows(reader, 'nodes', earlier)} ORDER BY t.id`, chunk =>
    nodes.push(chunk),
  );
  const edgesNow = `SELECT t.id, t.type, t.source_id, t.target_id ${changedRows(reader, 'edges', earlier)} ORDER BY t.source_id, t.id`;
  await reader.copy(edgesNow, chunk => edges.push(chunk));
  return inTurns(bringTopologyForward(earlier.topology, changed, now));
}

/**
 * Makes a column from the column of an earlier version. Null if the changes are not known or contradict it, or if the earlier version
 * parsed the numbers of the property in another way.
 */
export async function broughtColumn(
  reader: GraphReader,
  topology: Topology,
  earlier: EarlierVersion,
  { elements, property, kinds }: { elements: ElementKind; property: string; kinds: NumberKind[] },
): Promise<LoadedColumn | null> {
  const before = earlier.part as LoadedColumn;
  const byName = kindsByName(topology, elements, kinds);
  if (!readAlike(before.kinds, byName)) return null;
  const found = await readChangedValues(reader, topology, earlier, elements, propertyText(property));
  if (!found) return null;
  const numbers = elements === 'nodes' ? topology.nodeSets : topology.edgeTypes;
  const kindOf = (place: number): NumberKind => kinds[numbers[place]!] ?? null;
  return { ...(await inTurns(bringColumnForward(before, found.moves, found.values, kindOf))), kinds: byName };
}

/** Makes the whole properties of all elements from those of an earlier version. Null if the changes are not known, or contradict them. */
export async function broughtWholeProperties(
  reader: GraphReader,
  topology: Topology,
  earlier: EarlierVersion,
  elements: ElementKind,
): Promise<WholeProperties | null> {
  const found = await readChangedValues(reader, topology, earlier, elements, { text: 't.properties', where: `t.properties <> '{}'` });
  return found && inTurns(bringTextsForward(earlier.part as WholeProperties, found.moves, found.values));
}

async function readChangedValues(
  reader: GraphReader,
  topology: Topology,
  earlier: EarlierVersion,
  elements: ElementKind,
  { text, where }: { text: string; where: string },
) {
  const changed = await readChangedIds(reader, earlier);
  const moves = changed && (await inTurns(movesOf(elements, earlier.topology, topology, changed)));
  if (!moves) return null;
  const values = new Map<number, string>();
  const source = elements === 'nodes' ? 'NULL' : 't.source_id';
  const rows = new CopyRows(3, row => {
    const id = row.integer(0);
    const place = placeOf(topology, elements === 'nodes' ? id : { id, source: row.integer(1) });
    if (place >= 0) values.set(place, row.text(2));
  });
  await reader.copy(`SELECT t.id, ${source}, ${text} ${changedRows(reader, elements, earlier)} AND ${where}`, chunk => rows.push(chunk));
  return { moves, values };
}

/** Whether each label set or edge type that both versions have parses the property's numbers in the same way. */
export function readAlike(before: LoadedColumn['kinds'], after: LoadedColumn['kinds']): boolean {
  return Object.entries(after).every(([name, kind]) => !Object.hasOwn(before, name) || before[name] === kind);
}

/** SQL, FROM and WHERE, that selects the rows `t` which runs have changed since a version and which still exist. */
function changedRows({ graphId, tables }: GraphReader, elements: ElementKind, { version }: EarlierVersion): string {
  if (elements === 'nodes') return `FROM ${tables.nodes} t WHERE t.id IN (${nodeIdsSince({ graphId }, version)})`;
  const edges = edgesSince({ graphId }, version);
  // The edges are found by their source. IS TRUE makes PostgreSQL hash the ids, because it cannot estimate how many edges a source has.
  return `FROM (SELECT DISTINCT source FROM ${edges}) s JOIN ${tables.edges} t ON t.source_id = s.source WHERE (t.id IN (SELECT id FROM ${edges})) IS TRUE`;
}

// COPY takes no parameters. Graph id and version are integers by their types and cannot carry SQL.
function nodeIdsSince({ graphId }: Pick<GraphReader, 'graphId'>, version: number): string {
  return `SELECT DISTINCT unnest(nodes) FROM graph_changes WHERE graph_id = ${Math.trunc(graphId)} AND version > ${Math.trunc(version)}`;
}

function edgesSince({ graphId }: Pick<GraphReader, 'graphId'>, version: number): string {
  return `(SELECT c.id, c.source FROM graph_changes g, unnest(g.edges, g.edge_sources) AS c (id, source)
    WHERE g.graph_id = ${Math.trunc(graphId)} AND g.version > ${Math.trunc(version)}) c`;
}
