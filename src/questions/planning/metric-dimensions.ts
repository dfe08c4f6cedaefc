import { type GraphSchema, type LabelSchema } from '../../cypher/semantics/graph-schema.js';
import { compactText, normalizeText } from '../../graph-index/tokenize-text.js';
import { type MetricDimension, type MetricEntry } from '../vocabulary.js';
import { keptBy } from './kept-by-schema.js';
import { type ToOne } from './schema-paths.js';

/**
 * The table from which one ingestion job reads the nodes of a label, or the edges of a type. `table` is the table's name in the mapping.
 */
export interface LabelSource {
  kind: 'node' | 'edge';
  name: string;
  connectionId: number;
  table: string;
  /** The tables in the SQL query of the mapping; null if the mapping reads a table. */
  queryTables: string[] | null;
}

export type MetricSchema = GraphSchema & { sources?: readonly LabelSource[]; toOne?: ToOne };

/** A dimension that stands for a label. `by`: whether its values are the display names or the keys of the nodes. */
export interface LabelDimension {
  name: string;
  by: 'display' | 'key';
}

/**
 * Finds the dimensions that name the nodes of a label: those on the column of the display property, else those on the column of the key. A
 * dimension without a known column must be named like the label. Several dimensions are several roles of the label: a trip has a start hub
 * and an end hub.
 */
export function dimensionsOfLabel(metric: MetricEntry, schema: MetricSchema, label: string): readonly LabelDimension[] {
  return ofLabel(metric)(schema, label);
}

// A question may name the same label sixty times, and the same thousand properties with each value.
const ofLabel = keptBy((metric: MetricEntry) =>
  keptBy((schema: MetricSchema, label: string): LabelDimension[] => {
    const element = labelsByName(schema).get(label);
    if (!element) return [];
    const sources = sourcesOf(schema, label);
    const onProperty = (property: string | null | undefined): MetricDimension[] =>
      property === null || property === undefined ? [] : onColumn(metric, sources, columnOf(element, property));
    const byDisplay = onProperty(element.displayProperty);
    if (byDisplay.length > 0) return byDisplay.map(({ name }) => ({ name, by: 'display' }));
    const byKey = element.keyProperties.length === 1 ? onProperty(element.keyProperties[0]) : [];
    if (byKey.length > 0) return byKey.map(({ name }) => ({ name, by: 'key' }));
    const named = findNamed(metric, [label, ...element.aliases], sources);
    return named ? [{ name: named.name, by: 'display' }] : [];
  }),
);

/**
 * Finds the dimensions on the column of a property. A dimension without a known column must have the name of the property or its column.
 */
export function dimensionsOfProperty(metric: MetricEntry, schema: MetricSchema, label: string, property: string): readonly string[] {
  return ofProperty(metric)(schema, label, property);
}

const ofProperty = keptBy((metric: MetricEntry) =>
  keptBy((schema: MetricSchema, label: string, property: string): string[] => {
    const element = labelsByName(schema).get(label);
    const found = element?.properties.find(candidate => candidate.name === property);
    // A value of a list property is one item of the list, but the dimension holds the whole list.
    if (!element || found?.type === 'string[]') return [];
    const sources = sourcesOf(schema, label);
    const column = found?.column;
    const exact = onColumn(metric, sources, column);
    if (exact.length > 0) return exact.map(({ name }) => name);
    const named = findNamed(metric, column === undefined ? [property] : [property, column], sources);
    return named ? [named.name] : [];
  }),
);

/** The names of a dimension in the form in which questions are read. */
export const wordsOfDimension = keptBy(({ dimensions }: MetricEntry, dimension: string): string[] =>
  [dimension, ...(dimensions.find(({ name }) => name === dimension)?.aliases ?? [])].map(name => normalizeText(name.replaceAll('_', ' '))),
);

const labelsByName = keptBy(({ labels }: MetricSchema) => new Map(labels.map(label => [label.name, label])));

function sourcesOf(schema: MetricSchema, label: string): readonly LabelSource[] {
  return sourcesByLabel(schema).get(label) ?? [];
}

const sourcesByLabel = keptBy(({ sources = [] }: MetricSchema) =>
  grouped(sources.flatMap((source): [string, LabelSource][] => (source.kind === 'node' ? [[source.name, source]] : []))),
);

function columnOf(label: LabelSchema, property: string): string | undefined {
  return label.properties.find(candidate => candidate.name === property)?.column;
}

/** By name, as `same` compares names: the place of the first dimension with this name in its metric. */
const placesByName = keptBy(({ dimensions }: MetricEntry, which: 'all' | 'without column') => {
  const places = new Map<string, number>();
  for (const [place, { name, aliases, source }] of dimensions.entries()) {
    if (source && which === 'without column') continue;
    for (const key of [name, ...aliases].map(same)) if (!places.has(key)) places.set(key, place);
  }
  return places;
});

const placesByColumn = keptBy(({ dimensions }: MetricEntry) =>
  grouped(
    dimensions.flatMap(({ source }, place): [string, number][] =>
      source ? [[columnKey(source.connection_id, source.table, source.column), place]] : [],
    ),
  ),
);

function grouped<T>(pairs: readonly [string, T][]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const [key, value] of pairs) {
    const known = groups.get(key);
    if (known) known.push(value);
    else groups.set(key, [value]);
  }
  return groups;
}

const columnKey = (connectionId: number, table: string, column: string): string => [connectionId, table, column].join('\0');

function dimensionsAt({ dimensions }: MetricEntry, places: readonly number[]): MetricDimension[] {
  return [...new Set(places)].sort((a, b) => a - b).map(place => dimensions[place]!);
}

/** The dimensions on a column of the tables of a label. */
function onColumn(metric: MetricEntry, sources: readonly LabelSource[], column: string | undefined): MetricDimension[] {
  if (column === undefined) return [];
  const places = placesByColumn(metric);
  const tables = sources.filter(({ queryTables }) => queryTables === null);
  const keys = tables.map(({ connectionId, table }) => columnKey(connectionId, table.replace(/^.*\./, ''), column));
  return dimensionsAt(
    metric,
    keys.flatMap(key => places.get(key) ?? []),
  );
}

/**
 * Finds a dimension by name. If the tables of the label are known, a dimension with a known column is skipped, because the column belongs
 * to another table: customers and suppliers may both have a country.
 */
function findNamed(metric: MetricEntry, names: string[], sources: readonly LabelSource[]): MetricDimension | null {
  const isKnown = sources.length > 0 && sources.every(({ queryTables }) => queryTables === null);
  const places = placesByName(metric, isKnown ? 'without column' : 'all');
  const found = names.flatMap(name => places.get(same(name)) ?? []);
  return dimensionsAt(metric, found)[0] ?? null;
}

export function same(name: string): string {
  return compactText(normalizeText(name.replaceAll('_', ' ')));
}
