import { type Citation } from '../protocol.js';
import { type ElementSource, type GraphElements } from './graph-elements.js';

const mostCitations = 200;

/** The facts of an answer's element that its citation needs. */
export interface CitedElement {
  kind: 'node' | 'edge';
  /** The label of a node, or the type of an edge. */
  name: string;
  key: string;
  jobId: number | null;
  loadedAt: string | null;
  /** The labels of the nodes at the start and at the end of an edge; each is undefined if not known. */
  ends?: readonly [from: string | undefined, to: string | undefined];
}

/**
 * The warehouse rows behind nodes and edges, each row once, in the order of the elements: at most 200, and whether there were more. An edge
 * without a key comes from a row that is cited with a node at one of its ends, or from a table of its own, which is cited as a whole.
 */
export function toCitations(schema: GraphElements, elements: CitedElement[]): { citations: Citation[]; more: boolean } {
  const distinct = [
    ...new Map(
      elements.map(element => [JSON.stringify([element.kind, element.name, element.key, element.ends, element.jobId]), element]),
    ).values(),
  ];
  // The source is looked up once per origin: many elements share an origin, and there may be two thousand sources.
  const sourceOf = kept(originOf, element => sourceOfOrigin(schema.sources, element));
  const isElsewhere = kept(
    source => source,
    (source: ElementSource) => isCitedOtherwise(schema.sources, source),
  );
  const kindsOf = kept(
    name => name,
    (name: string) => new Set(schema.sources.filter(source => source.name === name).map(({ kind }) => kind)).size,
  );
  const found = distinct.flatMap(element => {
    const source = sourceOf(element);
    return source && !(element.kind === 'edge' && element.key === '' && isElsewhere(source)) ? [{ element, source }] : [];
  });
  const citations = found.slice(0, mostCitations).map(({ element: { kind, name, key, loadedAt }, source }) => ({
    ...cited(source),
    key: keyOfRow(source.keyColumns, key),
    label: name,
    ...(kindsOf(name) > 1 && { kind }),
    loaded_at: loadedAt,
  }));
  return { citations, more: found.length > mostCitations };
}

/**
 * Whether an edge without a key needs no citation from this source. Either its row is also the row of a node at one of its ends, or the
 * source has key columns, so that the edge was not read from it.
 */
function isCitedOtherwise(sources: ElementSource[], edge: ElementSource): boolean {
  const ends = sources.filter(({ kind, name }) => kind === 'node' && (name === edge.sourceLabel || name === edge.targetLabel));
  return edge.keyColumns.length > 0 || ends.some(end => placeOf(end) === placeOf(edge));
}

/** Cites each table and each query of the sources once, without keys of rows. */
export function citeSources(sources: ElementSource[]): Citation[] {
  const distinct = new Map(sources.map(source => [placeOf(source), source]));
  return [...distinct.values()].map(source => ({ ...cited(source), key: {}, label: null, loaded_at: null }));
}

function cited({ connection, connectionId, table, queryTables, jobId }: ElementSource): Omit<Citation, 'key' | 'label' | 'loaded_at'> {
  return { connection, connection_id: connectionId, table, ...(queryTables && { query_tables: queryTables }), job_id: jobId };
}

/**
 * The source from which an element was loaded; undefined if several sources are possible. An edge type may be mapped from one table for
 * each pair of labels, and the record of the run that wrote the element may be gone.
 */
function sourceOfOrigin(
  sources: ElementSource[],
  { kind, name, jobId, ends: [from, to] = [undefined, undefined] }: Origin,
): ElementSource | undefined {
  const ofElement = sources.filter(
    source =>
      source.kind === kind &&
      source.name === name &&
      (from === undefined || source.sourceLabel === from) &&
      (to === undefined || source.targetLabel === to),
  );
  const ofJob = ofElement.filter(source => source.jobId === jobId);
  const [first, ...others] = ofJob.length > 0 ? ofJob : ofElement;
  return first && others.every(other => rowsOf(other) === rowsOf(first)) ? first : undefined;
}

/** The fields of an element that decide from which source it was loaded. */
type Origin = Pick<CitedElement, 'kind' | 'name' | 'jobId' | 'ends'>;

function originOf({ kind, name, jobId, ends }: Origin): string {
  return JSON.stringify([kind, name, jobId, ends]);
}

/** Memoises a function. `by` returns the key under which the result for an argument is kept. */
function kept<A, B>(by: (argument: A) => unknown, compute: (argument: A) => B): (argument: A) => B {
  const results = new Map<unknown, B>();
  return argument => {
    const id = by(argument);
    if (!results.has(id)) results.set(id, compute(argument));
    return results.get(id)!;
  };
}

const texts = new WeakMap<ElementSource, { place: string; rows: string }>();

/** Texts of a source, made once per source: it may have a hundred tables and some dozen columns. */
function textsOf(source: ElementSource): { place: string; rows: string } {
  const { connectionId, table, queryTables, keyColumns } = source;
  const known = texts.get(source) ?? {
    place: JSON.stringify([connectionId, table, queryTables]),
    rows: JSON.stringify([table, queryTables, keyColumns]),
  };
  texts.set(source, known);
  return known;
}

function placeOf(source: ElementSource): string {
  return textsOf(source).place;
}

function rowsOf(source: ElementSource): string {
  return textsOf(source).rows;
}

/** The row's key by column. A key of several columns is stored as the JSON array of their texts. */
export function keyOfRow(columns: string[], key: string): Record<string, string> {
  const values = columns.length > 1 ? (JSON.parse(key) as string[]) : [key];
  return Object.fromEntries(columns.map((column, i) => [column, values[i] ?? '']));
}
