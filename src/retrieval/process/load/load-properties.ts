import pg from 'pg';
import { inTurns } from '../../../common/turns/pace.js';
import { IdPlaces } from '../../../graph-index/id-places.js';
import { type NumberKind, type PropertyColumn, PropertyColumnBuilder } from '../../../graph-index/property-column.js';
import { sharedUint32 } from '../../../graph-index/shared-arrays.js';
import { type NumberedTexts } from '../../../graph-index/bring-column-forward.js';
import { StoredTextsBuilder } from '../../../graph-index/stored-texts.js';
import { type Topology } from '../../../graph-index/topology.js';
import { type GraphReader } from '../retrieval-database.js';
import { CopyRows } from './copy-rows.js';
import { type LoadRoom } from './load-room.js';

export type ElementKind = 'nodes' | 'edges';

/**
 * The values of one property. `kinds`: how each label set, or each edge type, parses the numbers of the property. It is keyed by name,
 * because the numbers of sets and types differ from one load of a version to the next.
 */
export interface LoadedColumn extends PropertyColumn {
  kinds: Record<string, NumberKind>;
}

export function kindsByName({ labelSets, types }: Topology, elements: ElementKind, kinds: NumberKind[]): Record<string, NumberKind> {
  const names = elements === 'nodes' ? labelSets.map(set => JSON.stringify(set)) : types;
  return Object.fromEntries(names.map((name, i) => [name, kinds[i]!]));
}

/** Reads one property of all nodes, or of all edges. @throws the error of `room` as soon as the room is too small */
export async function loadColumn(
  reader: GraphReader,
  topology: Topology,
  { elements, property, kinds }: { elements: ElementKind; property: string; kinds: NumberKind[] },
  room: LoadRoom,
): Promise<LoadedColumn> {
  const numbers = elements === 'nodes' ? topology.nodeSets : topology.edgeTypes;
  const places = placesOf(topology, elements);
  const builder = new PropertyColumnBuilder(countOf(topology, elements));
  const rows = new CopyRows(2, row => {
    const place = places.placeOf(row.integer(0));
    if (place >= 0) builder.set(place, row.text(1), kinds[numbers[place]!] ?? null);
  });
  const { text, where } = propertyText(property);
  await reader.copy(`SELECT t.id, ${text} FROM ${reader.tables[elements]} t WHERE ${where}`, chunk => {
    rows.push(chunk);
    room.took(builder.bytes + rows.unfinishedBytes);
  });
  return { ...(await inTurns(builder.build())), kinds: kindsByName(topology, elements, kinds) };
}

/** SQL of a property's JSON text in row `t`, and the condition for rows that have the property. */
export function propertyText(property: string): { text: string; where: string } {
  // COPY takes no parameters. The name comes from the graph's schema, and is quoted as PostgreSQL's own client quotes a text.
  const name = pg.escapeLiteral(property);
  return { text: `t.properties -> ${name}`, where: `t.properties ? ${name}` };
}

/** For each element, all its properties as the JSON text of an object. Elements without properties share the first text. */
export type WholeProperties = NumberedTexts;

/** Reads all properties of all nodes, or of all edges. @throws the error of `room` as soon as the room is too small */
export async function loadWholeProperties(
  reader: GraphReader,
  topology: Topology,
  elements: ElementKind,
  room: LoadRoom,
): Promise<WholeProperties> {
  const places = placesOf(topology, elements);
  const texts = sharedUint32(countOf(topology, elements));
  const builder = new StoredTextsBuilder();
  builder.add('{}');
  const rows = new CopyRows(2, row => {
    const place = places.placeOf(row.integer(0));
    if (place >= 0) texts[place] = builder.add(row.text(1));
  });
  await reader.copy(`SELECT id, properties FROM ${reader.tables[elements]} WHERE properties <> '{}'`, chunk => {
    rows.push(chunk);
    room.took(builder.bytes + rows.unfinishedBytes + texts.byteLength);
  });
  return { texts, ...(await inTurns(builder.build())) };
}

function placesOf(topology: Topology, elements: ElementKind): IdPlaces {
  return new IdPlaces(elements === 'nodes' ? topology.nodeIds : topology.edgeIds);
}

function countOf(topology: Topology, elements: ElementKind): number {
  return (elements === 'nodes' ? topology.nodeIds : topology.edgeIds).length;
}
