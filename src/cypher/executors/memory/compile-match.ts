import { type MatchClause, type Name } from '../../syntax/cypher-ast.js';
import { CypherValueError } from '../../syntax/cypher.errors.js';
import { type CypherValue, type EdgeValue, isList, type NodeValue, type PathValue } from '../../values/cypher-value.js';
import { spend } from '../../syntax/effort.js';
import { hopOf } from './chain.js';
import { type CompiledMatch, type ExpressionPlace, type Rows } from './expression-place.js';
import { type MatchParts } from './counted-match.js';
import { compileLookUps } from './look-ups.js';
import { type Check, checksOfEdges, checksOfNodes, checksOfWhere, propertyCheck, slotsIn } from './match-checks.js';
import { type PatternEdge, type PatternGraph, type PatternNode, type PatternPath, readPatterns } from './pattern-graph.js';
import { type Row } from './scope.js';
import { findShortestPaths } from './shortest-paths.js';
import { ShortestPathSearch } from './shortest-paths-in-arrays.js';
import { type WalkOptions, walkEdges } from './walk-edges.js';

/** To begin a match for one row. */
const unitsOfRun = 30;
/** To look at one element or condition of a pattern when the next step is chosen. */
const unitsOfChoice = 4;

/** A search over arrays takes eight bytes for each node of the graph. */
const mostSearched = 16_777_216;

/** The edges that the patterns of a clause have taken so far, by id. Each edge is taken once. */
type Taken = Set<number>;
/** Binds slots of the row to one candidate after the other, and gives true for each; null where the query may pause. */
type Step = (row: Row, taken: Taken) => Generator<true | null>;

type OptionsOf = (row: Row, taken: Taken) => WalkOptions;

interface BoundEnds {
  left: boolean;
  right: boolean;
}

/**
 * Compiles the patterns of one MATCH and its WHERE. It starts at bound nodes, else at the label with the fewest nodes, and follows edges
 * from there; conditions are asked as soon as their variables are bound.
 */
export function compileMatch(
  { patterns, where }: Pick<MatchClause, 'patterns' | 'where'>,
  before: ExpressionPlace,
): CompiledMatch & { parts: MatchParts } {
  const { query } = before;
  const graph = readPatterns(patterns, before.scope, query);
  const place = { query, scope: graph.scope, resolve: before.resolve };
  const bound = new Set([...graph.nodes, ...graph.edges].filter(element => element.bound).map(({ slot }) => slot));
  const own = new Set([...[...graph.nodes, ...graph.edges].filter(element => !element.bound), ...graph.paths].map(({ slot }) => slot));
  const fitsOf = new Map(graph.edges.map(edge => [edge, propertyCheck(edge.properties, place)]));
  const ofEdges = checksOfEdges(graph, place, fitsOf);
  const all = [...checksOfNodes(graph, place), ...ofEdges.values(), ...(where ? checksOfWhere(where, place) : [])];
  const checks = [...all];
  /** Conditions that failed when they were asked early. They are asked in their turn, which another condition may make unnecessary. */
  const failed = new Set<Check>();
  const lookUps = compileLookUps(graph, where, place);
  const steps: Step[] = [];
  const addStep = (step: Step) => {
    const ready = takeReady(checks, bound, own);
    steps.push(ready.length === 0 ? step : (row, taken) => filtered(step(row, taken), () => ready.every(check => passes(check, row))));
  };
  const passes = (check: Check, row: Row, ask = check.holds): boolean => {
    try {
      return ask(row);
    } catch (error) {
      if (!(error instanceof CypherValueError)) throw error;
      failed.add(check);
      return true;
    }
  };

  const left = new Set(graph.edges);
  for (const edge of graph.edges.filter(each => each.bound)) {
    left.delete(edge);
    const [ends, options] = [boundEnds(edge), optionsOf(edge)];
    bindEnds(edge);
    addStep(boundEdgeStep(edge, graph, place, ends, options));
  }
  for (const node of graph.nodes.filter(each => each.bound)) addStep(boundNodeStep(node));
  for (;;) {
    const edge = nextEdge(left, isReady, graph, bound);
    if (edge) {
      left.delete(edge);
      const [ends, options] = [boundEnds(edge), optionsOf(edge)];
      bindEnds(edge);
      bound.add(edge.slot);
      addStep(edge.shortest ? shortestStep(edge, graph, options, place) : expandStep(edge, graph, options, ends));
      continue;
    }
    const start = nextStart(graph, bound, left);
    if (!start) break;
    const found = lookUps(start, isBound);
    bound.add(start.slot);
    addStep(scanStep(start, place, found));
  }
  for (const { position } of left)
    throw query.error(
      'UndefinedVariable',
      {
        zh: '最短路径的属性不能使用由该路径决定的变量；请将条件写在 WHERE 中',
        en: 'The properties of a shortest path cannot read a variable that the path decides; say it in WHERE',
      },
      position,
    );
  for (const path of graph.paths) {
    bound.add(path.slot);
    addStep(pathStep(path, graph, place));
  }
  const early = new Set(all.filter(check => !checks.includes(check)));
  const holds = (row: Row): boolean =>
    (checks.length === 0 && failed.size === 0) || all.every(check => (early.has(check) && !failed.has(check)) || check.holds(row));
  const run = (row: Row): Rows => {
    query.work.spend(unitsOfRun);
    return runSteps(steps, row, holds);
  };
  return { scope: graph.scope, run, parts: { pattern: graph, checks: all, lookUps } };

  function isBound(slots: Iterable<number>): boolean {
    return [...slots].every(slot => bound.has(slot) || !own.has(slot));
  }

  /** A shortest path waits for what its properties read. */
  function isReady({ shortest, properties }: PatternEdge): boolean {
    return shortest === null || isBound(slotsIn(properties, graph.scope));
  }

  /** An edge is asked for its properties while it is walked, if all that they read is bound by then. */
  function optionsOf(edge: PatternEdge): OptionsOf {
    if (edge.properties.length === 0 || !isBound(slotsIn(edge.properties, graph.scope))) return walkOptions(edge, null, place);
    const fits = fitsOf.get(edge)!;
    const check = ofEdges.get(edge);
    if (!check) return walkOptions(edge, fits, place);
    checks.splice(checks.indexOf(check), 1);
    return walkOptions(edge, (found, row) => passes(check, row, () => fits(found, row)), place);
  }

  function boundEnds(edge: PatternEdge): BoundEnds {
    return { left: bound.has(graph.nodes[edge.left]!.slot), right: bound.has(graph.nodes[edge.right]!.slot) };
  }

  function bindEnds({ left: from, right: to }: PatternEdge): void {
    for (const index of [from, to]) bound.add(graph.nodes[index]!.slot);
  }
}

/** Runs the steps like nested loops. At the end the conditions are asked that were not asked before. */
function* runSteps(steps: Step[], row: Row, holds: (row: Row) => boolean): Rows {
  const taken: Taken = new Set();
  const running = [steps[0]!(row, taken)];
  try {
    while (running.length > 0) {
      const next = running.at(-1)!.next();
      if (next.done) running.pop();
      else if (next.value === null) yield null;
      else if (running.length === steps.length) {
        if (holds(row)) yield row;
      } else running.push(steps[running.length]!(row, taken));
    }
  } finally {
    // A step may have to clear what it has written where others will write.
    while (running.length > 0) running.pop()!.return(undefined);
  }
}

function* filtered(found: Generator<true | null>, holds: () => boolean): Generator<true | null> {
  for (const each of found) if (each === null || holds()) yield each;
}

/** Takes the conditions that can be asked now from those that wait. */
function takeReady(checks: Check[], bound: ReadonlySet<number>, own: ReadonlySet<number>): Check[] {
  spend(unitsOfChoice * checks.length);
  const waits = ({ slots }: Check) => {
    for (const slot of slots) if (!bound.has(slot) && own.has(slot)) return true;
    return false;
  };
  const [ready, waiting] = [checks.filter(check => !waits(check)), checks.filter(waits)];
  checks.splice(0, checks.length, ...waiting);
  return ready;
}

/** An edge with a bound end: first one with two, then one of fixed length. */
function nextEdge(
  edges: ReadonlySet<PatternEdge>,
  isReady: (edge: PatternEdge) => boolean,
  { nodes }: PatternGraph,
  bound: ReadonlySet<number>,
): PatternEdge | undefined {
  spend(unitsOfChoice * edges.size);
  const isBound = (index: number) => bound.has(nodes[index]!.slot);
  return first(edges, edge => {
    const ends = Number(isBound(edge.left)) + Number(isBound(edge.right));
    const isPossible = ends === 2 || (ends === 1 && edge.shortest === null);
    return isPossible && isReady(edge) ? ends * 2 + (edge.length === null ? 1 : 0) : -1;
  });
}

/** A node to start from: an end of an edge that is left, else any; with properties first, then with a label, then any. */
function nextStart({ nodes }: PatternGraph, bound: ReadonlySet<number>, left: ReadonlySet<PatternEdge>): PatternNode | undefined {
  spend(unitsOfChoice * (nodes.length + left.size));
  const ends = new Set([...left].flatMap(edge => [edge.left, edge.right]));
  return first(nodes, (node, i) => {
    if (bound.has(node.slot)) return -1;
    return (ends.has(i) ? 4 : 0) + (node.properties.length > 0 ? 2 : 0) + (node.labels.length > 0 ? 1 : 0);
  });
}

/** The first item of the highest rank. None below zero. */
function first<T>(items: Iterable<T>, rankOf: (item: T, index: number) => number): T | undefined {
  let [found, highest, index]: [T | undefined, number, number] = [undefined, -1, 0];
  for (const item of items) {
    const rank = rankOf(item, index++);
    if (rank > highest) [found, highest] = [item, rank];
  }
  return found;
}

function scanStep({ slot, labels }: PatternNode, { query }: ExpressionPlace, lookUp: (row: Row) => readonly NodeValue[] | null): Step {
  const { graph, work } = query;
  const group = [...labels].sort((a, b) => countOf(a) - countOf(b))[0];
  return function* scan(row) {
    const known = lookUp(row);
    const lists = known
      ? [known]
      : group
        ? [...new Set(group.map(({ name }) => name))].map(name => graph.nodesWithLabel(name))
        : [graph.nodes()];
    const seen = lists.length > 1 ? new Set<number>() : null;
    for (const nodes of lists) {
      for (const node of nodes) {
        work.step();
        if (work.isDue) yield null;
        if (seen?.has(node.id)) continue;
        seen?.add(node.id);
        row[slot] = node;
        yield true;
      }
    }
  };

  function countOf(names: Name[]): number {
    return names.reduce((sum, { name }) => sum + graph.countOfLabel(name), 0);
  }
}

/** A bound node must be one: OPTIONAL MATCH may have left it null. */
function boundNodeStep({ slot }: PatternNode): Step {
  return function* check(row) {
    if (isNode(row[slot] ?? null)) yield true;
  };
}

function isNode(value: CypherValue): value is NodeValue {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'node';
}

function isEdge(value: CypherValue): value is EdgeValue {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'edge';
}

function walkOptions(
  { types, length }: PatternEdge,
  holds: ((edge: EdgeValue, row: Row) => boolean) | null,
  { query: { graph, work } }: ExpressionPlace,
): OptionsOf {
  const { least, most } = length ?? { least: 1, most: 1 };
  return (row, taken) => ({ graph, work, types, least, most: most ?? Infinity, taken, fits: holds ? found => holds(found, row) : null });
}

/** Follows an edge, or edges in a row, from an end that is bound. If both are, the walk must end at the other one. */
function expandStep(edge: PatternEdge, { nodes }: PatternGraph, options: OptionsOf, ends: BoundEnds): Step {
  const forward = ends.left;
  const closed = ends.left && ends.right;
  const [left, right] = [nodes[edge.left]!.slot, nodes[edge.right]!.slot];
  const [from, to] = forward ? [left, right] : [right, left];
  const direction = edge.direction === 'both' || forward ? edge.direction : edge.direction === 'out' ? 'in' : 'out';
  const single = edge.length === null;
  return function* expand(row, taken) {
    const [start, end] = [row[from] ?? null, closed ? (row[to] ?? null) : null];
    if (!isNode(start)) return;
    for (const found of walkEdges(start, direction, options(row, taken))) {
      if (found === null) {
        yield null;
        continue;
      }
      const { edges, node } = found;
      if (closed && (end as NodeValue).id !== node.id) continue;
      row[edge.slot] = single ? (edges[0] ?? null) : forward ? [...edges] : [...edges].reverse();
      if (!closed) row[to] = node;
      yield true;
    }
  };
}

/** An edge that an earlier clause has bound, or a list of them: both ends follow from it, and must be the nodes that are bound already. */
function boundEdgeStep(
  edge: PatternEdge,
  { nodes }: PatternGraph,
  { query: { graph } }: ExpressionPlace,
  ends: BoundEnds,
  options: OptionsOf,
): Step {
  const [left, right] = [nodes[edge.left]!, nodes[edge.right]!];
  return function* follow(row, taken) {
    const value = row[edge.slot] ?? null;
    const edges = edge.length === null ? [value] : isList(value) ? value : [];
    if (edges.length === 0 || !edges.every(isEdge)) return;
    const { types, fits, least, most } = options(row, taken);
    const fitting = (each: EdgeValue) => !taken.has(each.id) && (types.length === 0 || types.includes(each.type)) && fits?.(each) !== false;
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

/** The node at the end of edges in a row. Null if they do not hang together, or one points the wrong way. */
function endOfWalk(edges: readonly EdgeValue[], start: number, outwards: boolean | null): number | null {
  let at = start;
  for (const { source, target } of edges) {
    const next = source === at && outwards !== false ? target : target === at && outwards !== true ? source : null;
    if (next === null) return null;
    at = next;
  }
  return at;
}

function shortestStep(edge: PatternEdge, { nodes }: PatternGraph, options: OptionsOf, place: ExpressionPlace): Step {
  const [left, right] = [nodes[edge.left]!.slot, nodes[edge.right]!.slot];
  const searching = compileSearch(edge, place);
  return function* findShortest(row, taken) {
    const [start, end] = [row[left] ?? null, row[right] ?? null];
    if (!isNode(start) || !isNode(end)) return;
    const paths =
      searching && taken.size === 0 && start.id !== end.id
        ? searching(start, end)
        : findShortestPaths(start, end, edge.direction, options(row, taken));
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

/** The search over arrays, for edges of which only the type is asked. */
function compileSearch(
  edge: PatternEdge,
  { query }: ExpressionPlace,
): ((start: NodeValue, end: NodeValue) => Generator<EdgeValue[] | null>) | null {
  const { arrays } = query.graph;
  if (!arrays || edge.properties.length > 0 || arrays.nodeSets.length > mostSearched) return null;
  const { least, most } = edge.length ?? { least: 1, most: 1 };
  let search: ShortestPathSearch | null = null;
  return function* searching(start, end) {
    search ??= new ShortestPathSearch(arrays, hopOf(edge, arrays), { least, most: most ?? Infinity }, query.work);
    for (const found of search.between(arrays.placeOf(start), arrays.placeOf(end))) yield found && found.map(place => arrays.edgeAt(place));
  };
}

function pathStep({ slot, nodes, edges }: PatternPath, graph: PatternGraph, { query: { graph: graphAccess } }: ExpressionPlace): Step {
  const [nodeSlots, edgeSlots] = [nodes.map(index => graph.nodes[index]!.slot), edges.map(index => graph.edges[index]!.slot)];
  return function* name(row) {
    row[slot] = pathOf(
      nodeSlots.map(each => row[each] as NodeValue),
      edgeSlots.map(each => row[each] as EdgeValue | EdgeValue[]),
    );
    yield true;
  };

  function pathOf(ends: NodeValue[], walked: (EdgeValue | EdgeValue[])[]): PathValue {
    const found: { nodes: NodeValue[]; edges: EdgeValue[] } = { nodes: [ends[0]!], edges: [] };
    walked.forEach((step, i) => {
      const list = Array.isArray(step) ? step : [step];
      list.forEach((edge, j) => {
        found.edges.push(edge);
        const at = found.nodes.at(-1)!;
        const last = j === list.length - 1;
        found.nodes.push(last ? ends[i + 1]! : nodeBeyond(edge, at));
      });
    });
    return { kind: 'path', ...found };
  }

  function nodeBeyond({ source, target }: EdgeValue, { id }: NodeValue): NodeValue {
    return graphAccess.nodeById(source === id ? target : source);
  }
}
