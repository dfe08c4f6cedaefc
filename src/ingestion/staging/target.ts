import { type Bilingual, type Phrase } from '../../text/bilingual.js';
import { type ColumnMapping, type EdgeMapping, type Mapping, type MappingPath, type NodeMapping } from '../mapping/mapping.js';
import { type GuardedExpression } from '../../sql-guard/guard-expression.js';
import { type SourceFamily } from './source-type.js';

/** One node or edge of the mapping, which is staged and written as a whole. */
export type Target =
  { kind: 'node'; name: string; index: number; element: NodeMapping } | { kind: 'edge'; name: string; index: number; element: EdgeMapping };

/** The shape of a target's source, with column names as the source spells them. */
export interface SourceShape {
  columns: ReadonlyMap<string, SourceFamily>;
  /** The types of the expressions in the mapping, by the text of the expression. */
  expressions: ReadonlyMap<string, SourceFamily>;
  /**
   * The PostgreSQL types of columns and expressions whose values can only be kept as text (see `isKeptAsText`), by the column's name or the
   * expression's text.
   */
  keptAsText: ReadonlyMap<string, string>;
  /** The guarded form of all SQL that the mapping's author wrote over the source's rows, by the text that the author wrote. */
  sql: ReadonlyMap<string, GuardedExpression>;
}

/** A part of a mapping that does not fit its source. */
export interface SourceProblem {
  type: string;
  path: MappingPath;
  /** The message. It contains only names from the mapping itself, because every reader of the graph sees it in the record of a run. */
  text: Bilingual;
  /** Names in the source that are probably meant, appended to `text` only for users of the connection. */
  suggestion?: Bilingual;
  hint?: Phrase;
}

/**
 * The targets of a mapping. Nodes come first, because edges look up their ends among the nodes. Names are unique in a mapping, as reports
 * and cursors require.
 */
export function targetsOf(mapping: Mapping): Target[] {
  const nodes = mapping.nodes.map((element, index): Target => ({ kind: 'node', name: element.label, index, element }));
  const edges = mapping.edges.map((element, index): Target => ({ kind: 'edge', name: edgeName(element, mapping.edges), index, element }));
  return [...nodes, ...edges];
}

/** The name of an edge target: the edge type if only one edge of the mapping has that type, otherwise `客户-[下单]->订单`. */
function edgeName(edge: EdgeMapping, all: EdgeMapping[]): string {
  const isOnly = all.filter(other => other.type === edge.type).length === 1;
  return isOnly ? edge.type : `${edge.from.label}-[${edge.type}]->${edge.to.label}`;
}

/** The alias of the source, with which a mapping's `where` and expressions may qualify column names. */
export function sourceAlias(target: Target): string {
  return target.element.source.kind === 'table' ? target.element.source.table : 'source';
}

/** The mapping of a source column. If several properties come from the column, this is the first of them. */
export function mappingOf(columns: ColumnMapping[], column: string): ColumnMapping | undefined {
  return columns.find(({ source }) => source.kind === 'column' && source.column === column);
}

/** Every source column that a target reads by name, with the path of the place in the mapping that names the column. */
export function namedColumns(target: Target): { column: string; path: (string | number)[] }[] {
  const { element } = target;
  const named: { column: string; path: (string | number)[] }[] = [];
  for (const { source, path } of element.columns) {
    if (source.kind === 'column') named.push({ column: source.column, path: [...path, 'column'] });
  }
  element.key.forEach((column, index) => named.push({ column, path: [...element.path, 'key', index] }));
  if (element.incremental) named.push({ column: element.incremental.cursor, path: [...element.path, 'incremental', 'cursor'] });
  if (element.deletes.mode === 'column') named.push({ column: element.deletes.column, path: [...element.path, 'deletes', 'column'] });
  if (target.kind === 'edge') {
    for (const end of [target.element.from, target.element.to]) {
      for (const { edgeColumn } of end.match) named.push({ column: edgeColumn, path: [...end.path, 'match', edgeColumn] });
    }
  }
  return named;
}

/** Every piece of SQL that the mapping's author wrote for a target, except the target's query, with its path in the mapping. */
export function writtenSql(target: Target): { kind: 'predicate' | 'expression'; text: string; path: (string | number)[] }[] {
  const { element } = target;
  const written: { kind: 'predicate' | 'expression'; text: string; path: (string | number)[] }[] = [];
  if (element.where !== null) written.push({ kind: 'predicate', text: element.where, path: [...element.path, 'where'] });
  for (const { when, path } of target.kind === 'node' ? target.element.labels : []) {
    if (when !== null) written.push({ kind: 'predicate', text: when, path: [...path, 'when'] });
  }
  for (const { source, rules, path } of element.columns) {
    if (source.kind === 'expression') written.push({ kind: 'expression', text: source.expression, path: [...path, 'expression'] });
    const conditions = new Set(rules.map(rule => rule.when).filter(when => when !== null));
    for (const { predicate, path } of conditions) written.push({ kind: 'predicate', text: predicate, path: [...path] });
    for (const rule of rules) {
      if (rule.kind === 'expression') written.push({ kind: 'predicate', text: rule.predicate, path: [...rule.path, 'expression'] });
    }
  }
  return written;
}
