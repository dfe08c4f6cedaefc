import { type Span } from '../../text/place.js';
import { type Mapping, type MappingPath, pathText } from './mapping.js';

/** A mapping without its parts that could not be read. */
export interface ReadablePart {
  mapping: Mapping;
  placeOf: (path: MappingPath) => Span;
}

/**
 * What can be compared with the source although the mapping has problems, so that all problems come at once. A column with a problem
 * keeps its source alone: its type may be missing, and then rules would be judged by another one. Null if the connection is unclear.
 */
export function readablePart(
  mapping: Mapping,
  problems: readonly { path: MappingPath }[],
  placeOf: ReadablePart['placeOf'],
): ReadablePart | null {
  if (problems.some(({ path: [section, key] }) => section === 'source' && (key === undefined || key === 'connection'))) return null;
  const faulty = new Set(problems.filter(({ path }) => path[2] === 'columns').map(({ path }) => pathText(path.slice(0, 4))));
  const sound = <T extends Mapping['nodes' | 'edges'][number]>(element: T): T => ({
    ...element,
    columns: element.columns.map(column =>
      faulty.has(pathText(column.path)) ? { ...column, transform: [], default: null, rules: [] } : column,
    ),
  });
  const { nodes, edges } = mapping;
  if (nodes.length + edges.length === 0) return null;
  return { mapping: { ...mapping, nodes: nodes.map(sound), edges: edges.map(sound) }, placeOf };
}
