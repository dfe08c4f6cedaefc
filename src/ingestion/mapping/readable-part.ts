import { type Span } from '../../text/place.js';
import { type Mapping, type MappingPath, pathText } from './mapping.js';

/** The part of a mapping that could be read. */
export interface ReadablePart {
  mapping: Mapping;
  placeOf: (path: MappingPath) => Span;
}

/**
 * The part of a faulty mapping that can be compared with the source, so that all problems are reported together. A column with a problem
 * loses its transforms, default and rules: its type may be missing, and rules would then be judged by another type. Null if the connection
 * is not clear, or if no node or edge could be read.
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
