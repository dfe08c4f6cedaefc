import { type EdgeValue, isList, type NodeValue } from '../../values/cypher-value.js';
import { mostLooked } from './behind.js';
import { hopOf } from './chain.js';
import { type ExpressionPlace } from './expression-place.js';
import { isEdge, isNode, type Step, type Walked } from './match-step.js';
import { type PatternEdge, type PatternGraph } from './pattern-graph.js';
import { type Row } from './scope.js';
import { findShortestPaths } from './shortest-paths.js';
import { ShortestPathSearch } from './shortest-paths-in-arrays.js';
import { type Walk, type WalkOptions, walkEdges } from './walk-edges.js';

/** Bytes of a node in a search over arrays: the search stores two distances for each node of the graph. */
const bytesOfSearched = 8;
/** Work units of an edge in a list: the copy and its memory. */
const unitsOfItem = 1;
/** Work units of an edge that an earlier clause has bound. The step reads such an edge several times. */
const unitsOfBound = 5;
/** Work units to make the object of an edge. */
const unitsOfMade = 3;
/** Work units to begin a search of shortest paths. */
const unitsOfSearch = 60;

export type OptionsOf = (row: Row, taken: Set<number>) => WalkOptions;

export interface BoundEnds {
  left: boolean;
  right: boolean;
}

/** The options of the walk and the conditions of a match, as a step along an edge needs them. */
export interface EdgeQuestions {
  options: OptionsOf;
  /** Tests the conditions on the end node, before the edges are listed. Null without conditions. */
  holds: ((row: Row) => boolean) | null;
  /**
   * Whether the list of edges must be complete: an expression reads it, or a condition on its edges has failed and will be tested again.
   */
  isRead: () => boolean;
}

export function walkOptions(
  { types, length }: PatternEdge,
  holds: ((edge: EdgeValue, row: Row) => boolean) | null,
  { query: { graph, work } }: ExpressionPlace,
): OptionsOf {
  const { least, most } = length ?? { least: 1, most: 1 };
  return (row, taken) => ({ graph, work, types, least, most: most ?? Infinity, taken, fits: holds ? found => holds(found, row) : null });
}

/**
 * Follows an edge, or a walk of several edges, from an end that is bound. If both ends are bound, the walk must end at the other one. The
 * list of edges is complete only if an expression reads it. Otherwise it has only the first edges, as evidence of the row.
 */
export function expandStep(
  edge: PatternEdge,
  pattern: PatternGraph,
  ends: BoundEnds,
  { query: { work } }: ExpressionPlace,
  { options, holds, isRead }: EdgeQuestions,
): Step {
  const { nodes, paths, edges } = pattern;
  const isForward = ends.left;
  const closed = ends.left && ends.right;
  const [left, right] = [nodes[edge.left]!.slot, nodes[edge.right]!.slot];
  const [from, to] = isForward ? [left, right] : [right, left];
  const direction = edge.direction === 'both' || isForward ? edge.direction : edge.direction === 'out' ? 'in' : 'out';
  const single = edge.length === null;
  const isConditional = edge.properties.length > 0;
  const isInPath = !single && paths.some(path => path.edges.includes(edges.indexOf(edge)));
  return function* expand(row, { taken, walks }) {
    const [start, end] = [row[from] ?? null, closed ? (row[to] ?? null) : null];
    if (!isNode(start)) return;
    const isWhole = isRead();
    let isNoted = !isInPath;
    for (const walk of walkEdges(start, direction, options(row, taken))) {
      if (walk === null) {
        yield null;
        continue;
      }
      const node = walk.end;
      if (closed && (end as NodeValue).id !== node.id) continue;
      if (!closed) row[to] = node;
      if (holds && !holds(row)) continue;
      if (single) row[edge.slot] = walk.edges[0]!;
      else row[edge.slot] = isWhole || (isConditional && isRead()) ? listed(walk) : walk.firstEdges;
      if (!isNoted) walks.set(edge.slot, { walk, isForward });
      isNoted = true;
      yield true;
    }
  };

  function listed({ edges: walked }: Walk): EdgeValue[] {
    work.spend(unitsOfItem * walked.length);
    return isForward ? walked.slice() : walked.toReversed();
  }
}

/** Matches an edge, or a list of edges, that an earlier clause has bound. Its ends must be the nodes that are bound already, if any. */
export function boundEdgeStep(
  edge: PatternEdge,
  { nodes }: PatternGraph,
  { query: { graph, work } }: ExpressionPlace,
  ends: BoundEnds,
  options: OptionsOf,
): Step {
  const [left, right] = [nodes[edge.left]!, nodes[edge.right]!];
  const types = new Set(edge.types);
  return function* follow(row, { taken }) {
    const value = row[edge.slot] ?? null;
    const edges = edge.length === null ? [value] : isList(value) ? value : [];
    work.spend(unitsOfBound * edges.length);
    if (work.isDue) yield null;
    if (edges.length === 0 || !edges.every(isEdge)) return;
    const { fits, least, most } = options(row, taken);
    const fitting = (each: EdgeValue) => !taken.has(each.id) && (types.size === 0 || types.has(each.type)) && fits?.(each) !== false;
    if (!edges.every(fitting) || (edge.length !== null && (edges.length < least || edges.length > most))) return;
    for (const outwards of edge.direction === 'both' ? [true, false] : [edge.direction === 'out']) {
      const [first] = edges;
      const start = outwards ? first!.source : first!.target;
      const end = endOfWalk(edges, start, edge.direction === 'both' ? null : outwards);
      if (end === null || (edge.direction === 'both' && !outwards && first!.source === first!.target)) continue;
      if (ends.left && nodeIdAt(row, left.slot) !== start) continue;
      if (ends.right && nodeIdAt(row, right.slot) !== end) continue;
      if (left === right && start !== end) continue;
      row[left.slot] = graph.nodeById(start);
      row[right.slot] = graph.nodeById(end);
      for (const each of edges) taken.add(each.id);
      yield true;
      for (const each of edges) taken.delete(each.id);
    }
  };
}

function nodeIdAt(row: Row, slot: number): number | null {
  const value = row[slot] ?? null;
  return isNode(value) ? value.id : null;
}

/** Returns the id of the node at the end of a walk along `edges`. Null if two edges do not meet, or an edge points the wrong way. */
function endOfWalk(edges: readonly EdgeValue[], start: number, outwards: boolean | null): number | null {
  let at = start;
  for (const { source, target } of edges) {
    const next = source === at && outwards !== false ? target : target === at && outwards !== true ? source : null;
    if (next === null) return null;
    at = next;
  }
  return at;
}

export function shortestStep(
  edge: PatternEdge,
  { nodes }: PatternGraph,
  place: ExpressionPlace,
  { options, isRead }: Omit<EdgeQuestions, 'holds'>,
): Step {
  const [left, right] = [nodes[edge.left]!.slot, nodes[edge.right]!.slot];
  const searching = compileSearch(edge, place, isRead);
  const { work } = place.query;
  return function* findShortest(row, { taken }: Walked) {
    const [start, end] = [row[left] ?? null, row[right] ?? null];
    if (!isNode(start) || !isNode(end)) return;
    work.spend(unitsOfSearch);
    const search = taken.size === 0 && start.id !== end.id ? searching?.() : null;
    const paths = search ? search(start, end) : findShortestPaths(start, end, edge.direction, options(row, taken), edge.shortest ?? 'all');
    for (const found of paths) {
      if (found === null) {
        yield null;
        continue;
      }
      row[edge.slot] = edge.length === null ? (found[0] ?? null) : found;
      yield true;
      if (edge.shortest === 'one') return;
    }
  };
}

type Search = (start: NodeValue, end: NodeValue) => Generator<EdgeValue[] | null>;

/**
 * Returns the search over arrays; null if the graph has no arrays or the edge has conditions on properties. The first call builds the
 * search. It returns null while the query holds too many arrays.
 */
function compileSearch(edge: PatternEdge, { query }: ExpressionPlace, isRead: () => boolean): (() => Search | null) | null {
  const {
    work,
    graph: { arrays },
  } = query;
  if (!arrays || edge.properties.length > 0) return null;
  const { least, most } = edge.length ?? { least: 1, most: 1 };
  let search: ShortestPathSearch | null = null;
  return () => {
    if (!search && work.holdArrays(bytesOfSearched * arrays.nodeSets.length))
      search = new ShortestPathSearch(arrays, hopOf(edge, arrays), { least, most: most ?? Infinity }, work);
    return search && searching;
  };

  function* searching(start: NodeValue, end: NodeValue): Generator<EdgeValue[] | null> {
    const listed = isRead() ? Infinity : mostLooked;
    for (const found of search!.between(arrays!.placeOf(start), arrays!.placeOf(end))) {
      if (found) work.spend(unitsOfMade * Math.min(found.length, listed));
      yield found && found.slice(0, listed).map(place => arrays!.edgeAt(place));
    }
  }
}
