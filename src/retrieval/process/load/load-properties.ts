import pg from 'pg';
import { IdPlaces } from '../../../graph-index/id-places.js';
import { type NumberKind, type PropertyColumn, PropertyColumnBuilder } from '../../../graph-index/property-column.js';
import { sharedUint32 } from '../../../graph-index/shared-arrays.js';
import { type StoredTexts, StoredTextsBuilder } from '../../../graph-index/stored-texts.js';
import { type Topology } from '../../../graph-index/topology.js';
import { GraphExceedsMemoryError } from '../../retrieval.errors.js';
import { type GraphReader } from '../retrieval-database.js';
import { CopyRows } from './copy-rows.js';

export type ElementKind = 'nodes' | 'edges';

/**
 * Reads one property of all nodes, or of all edges.
 * @param kindOf the kind of the property's numbers at a place
 * @throws GraphExceedsMemoryError as soon as it has outgrown `budgetBytes`
 */
export async function loadColumn(
  reader: GraphReader,
  topology: Topology,
  { elements, property, kindOf }: { elements: ElementKind; property: string; kindOf: (place: number) => NumberKind },
  budgetBytes: number,
): Promise<PropertyColumn> {
  const places = placesOf(topology, elements);
  const builder = new PropertyColumnBuilder(countOf(topology, elements));
  const rows = new CopyRows(2, row => {
    const place = places.placeOf(row.integer(0));
    if (place >= 0) builder.set(place, row.text(1), kindOf(place));
  });
  // COPY takes no parameters. The name is one of the graph's schema, quoted as PostgreSQL's own client quotes a text.
  const name = pg.escapeLiteral(property);
  await reader.copy(`SELECT id, properties -> ${name} FROM ${reader.tables[elements]} WHERE properties ? ${name}`, chunk => {
    rows.push(chunk);
    if (builder.bytes > budgetBytes) throw new GraphExceedsMemoryError(reader.graphId, budgetBytes, 'cypher');
  });
  return builder.build();
}

/** All properties of an element, as the JSON text of an object; elements without any share the first text. */
export interface WholeProperties extends StoredTexts {
  /** The number of each element's text. */
  texts: Uint32Array<SharedArrayBuffer>;
}

/**
 * Reads all properties of all nodes, or of all edges.
 * @throws GraphExceedsMemoryError as soon as they have outgrown `budgetBytes`
 */
export async function loadWholeProperties(
  reader: GraphReader,
  topology: Topology,
  elements: ElementKind,
  budgetBytes: number,
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
    if (builder.bytes + texts.byteLength > budgetBytes) throw new GraphExceedsMemoryError(reader.graphId, budgetBytes, 'cypher');
  });
  return { texts, ...builder.build() };
}

function placesOf(topology: Topology, elements: ElementKind): IdPlaces {
  return new IdPlaces(elements === 'nodes' ? topology.nodeIds : topology.edgeIds);
}

function countOf(topology: Topology, elements: ElementKind): number {
  return (elements === 'nodes' ? topology.nodeIds : topology.edgeIds).length;
}
