import { type GraphSchema, type LabelSchema } from '../../cypher/semantics/graph-schema.js';
import { compactText, normalizeText } from '../../graph-index/tokenize-text.js';
import { type MetricDimension, type MetricEntry } from '../vocabulary.js';
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
export function dimensionsOfLabel(metric: MetricEntry, schema: MetricSchema, label: string): LabelDimension[] {
  const element = schema.labels.find(candidate => candidate.name === label);
  if (!element) return [];
  const sources = sourcesOf(schema, label);
  const isColumn = (property: string | null | undefined) => (dimension: MetricDimension) =>
    property !== null && property !== undefined && isColumnOf(dimension, sources, columnOf(element, property));
  const byDisplay = metric.dimensions.filter(isColumn(element.displayProperty));
  if (byDisplay.length > 0) return byDisplay.map(({ name }) => ({ name, by: 'display' }));
  const byKey = element.keyProperties.length === 1 ? metric.dimensions.filter(isColumn(element.keyProperties[0])) : [];
  if (byKey.length > 0) return byKey.map(({ name }) => ({ name, by: 'key' }));
  const named = findNamed(metric, [label, ...element.aliases], sources);
  return named ? [{ name: named.name, by: 'display' }] : [];
}

/**
 * Finds the dimensions on the column of a property. A dimension without a known column must have the name of the property or its column.
 */
export function dimensionsOfProperty(metric: MetricEntry, schema: MetricSchema, label: string, property: string): string[] {
  const element = schema.labels.find(candidate => candidate.name === label);
  const found = element?.properties.find(candidate => candidate.name === property);
  // A value of a list property is one item of the list, but the dimension holds the whole list.
  if (!element || found?.type === 'string[]') return [];
  const sources = sourcesOf(schema, label);
  const column = columnOf(element, property);
  const exact = metric.dimensions.filter(dimension => isColumnOf(dimension, sources, column));
  if (exact.length > 0) return exact.map(({ name }) => name);
  const named = findNamed(metric, column === undefined ? [property] : [property, column], sources);
  return named ? [named.name] : [];
}

function sourcesOf({ sources = [] }: MetricSchema, label: string): LabelSource[] {
  return sources.filter(({ kind, name }) => kind === 'node' && name === label);
}

function columnOf(label: LabelSchema, property: string): string | undefined {
  return label.properties.find(candidate => candidate.name === property)?.column;
}

function isColumnOf({ source }: MetricDimension, sources: LabelSource[], column: string | undefined): boolean {
  if (!source || source.column !== column) return false;
  return sources.some(
    ({ connectionId, table, queryTables }) =>
      connectionId === source.connection_id && queryTables === null && table.replace(/^.*\./, '') === source.table,
  );
}

/**
 * Finds a dimension by name. If the tables of the label are known, a dimension with a known column is skipped, because the column belongs
 * to another table: customers and suppliers may both have a country.
 */
function findNamed(metric: MetricEntry, names: string[], sources: LabelSource[]): MetricDimension | null {
  const wanted = new Set(names.map(same));
  const isKnown = sources.length > 0 && sources.every(({ queryTables }) => queryTables === null);
  const found = metric.dimensions.find(
    ({ name, aliases, source }) => !(isKnown && source) && [name, ...aliases].some(each => wanted.has(same(each))),
  );
  return found ?? null;
}

export function same(name: string): string {
  return compactText(normalizeText(name.replaceAll('_', ' ')));
}
