import { type MatchClause } from '../../syntax/cypher-ast.js';
import { type EdgeValue, type NodeValue } from '../../values/cypher-value.js';
import { type Behind } from './behind.js';
import { type Chain, type Hop, hopOf, isWide, leadsInto, reversed } from './chain.js';
import { ColumnTest } from './column-test.js';
import { bytesOfPlace, giveCounted } from './counted.js';
import { type EdgeFacts, edgeFactsOf } from './edge-facts.js';
import { type ExpressionPlace } from './expression-place.js';
import { type Check } from './match-checks.js';
import { type GraphArrays, type NodeColumn } from './memory-graph.js';
import { labelTest } from './label-test.js';
import { mergePlaces } from './merge-places.js';
import { NodeFilter, type NodeTest } from './node-filter.js';
import { type LookUps } from './look-ups.js';
import { type PatternGraph, type PatternNode } from './pattern-graph.js';
import { type Row } from './scope.js';
import { type SlotsRead } from './slots-read.js';
import { type Trail, totalOf, Trails } from './trails.js';
import { type ArrayHolding } from './work.js';

/**
 * Runs a match whose rows are only counted. Nodes with equal values in the properties read share one row; its `times` is the number of
 * matches.
 */
export type CountedMatch = () => Generator<Row | null, boolean>;

/** Parts of a match that `compileMatch` has compiled already. */
export interface MatchParts {
  pattern: PatternGraph;
  checks: readonly Check[];
  lookUps: LookUps;
}

/** Maximum trails whose nodes and edges are cited as evidence. */
const exampleTrails = 100;
const mostEdgesForExamples = 100_000;
const mostHops = 8;
/** Maximum slow values (times, lists, maps) that are read for a narrow chain, which may need only few of them. */
const fewSlowReads = 1_000;
/** Maximum conditions on one node: each condition is tested on all nodes, or on many. */
const mostConditions = 64;

/**
 * Compiles a match of one node or of a chain of single edges, if later clauses need at most one of its nodes and how often it occurs. Null
 * for any other match. The generator returns false if counting turns out to cost more than it saves; in this case it has not yielded a row.
 * @param read the slots that later clauses read
 */
export function compileCountedMatch(
  clause: MatchClause,
  parts: MatchParts,
  read: SlotsRead,
  { query }: ExpressionPlace,
): CountedMatch | null {
  const { pattern, lookUps } = parts;
  const { arrays } = query.graph;
  const { nodes, edges, paths } = pattern;
  if (!arrays || clause.optional || paths.length > 0 || edges.length > mostHops) return null;
  const isChain = nodes.length === edges.length + 1 && edges.every(({ left, right }, i) => left === i && right === i + 1);
  const isPlain = edges.every(edge => edge.length === null && edge.shortest === null && edge.properties.length === 0 && !edge.bound);
  if (!isChain || !isPlain || nodes.some(({ bound }) => bound) || edges.some(({ slot }) => read.has(slot))) return null;
  const wanted = nodes.flatMap(({ slot }, i) => (read.has(slot) ? [i] : []));
  const checks = checksByNode(parts);
  if (wanted.length > 1 || !checks || checks.some(({ length }) => length > mostConditions)) return null;
  const hops = edges.map(edge => hopOf(edge, arrays));

  return function* run() {
    const row = query.frame.emptyRow();
    const [left, right] = [startsOf(nodes[0]!, row), startsOf(nodes.at(-1)!, row)];
    const isReversed = countOf(right) < countOf(left);
    const order = isReversed ? [...nodes.keys()].reverse() : [...nodes.keys()];
    const starts = joined(isReversed ? right : left);
    const inOrder = isReversed ? hops.map(reversed).reverse() : hops;
    const chain: Chain = { hops: inOrder, filters: [], starts, isWide: isWide({ hops: inOrder, starts }, arrays) };
    const facts = chain.isWide ? yield* edgeFactsOf(arrays) : null;
    chain.filters = order.map((node, i) => filterOf(nodes[node]!, checks[node]!, row, [chain.hops[i - 1], chain.hops[i]], facts));
    const at = wanted.length === 0 ? Math.max(0, edges.length - 1) : order.indexOf(wanted[0]!);
    // Counting takes three `Counted`. If several hops are behind the node read, each of them but one takes another.
    const bytes = arrays.nodeSets.length * bytesOfPlace * (3 + Math.max(0, edges.length - 1 - at));
    const held = query.work.holdingArrays();
    if (!held.add(bytes)) return false;
    try {
      return yield* count(arrays, chain, at, held);
    } finally {
      held.release();
    }
  };

  function* count(graph: GraphArrays, chain: Chain, at: number, held: ArrayHolding): Generator<Row | null, boolean> {
    const { work, frame } = query;
    for (const filter of chain.filters) {
      if (!filter) continue;
      if (filter.slowReads > (chain.isWide || hops.length === 0 ? Number.MAX_VALUE : fewSlowReads)) return false;
      if (filter.slowReads > 0 || (chain.isWide && filter.readsColumns)) yield* filter.askOfAll(work);
    }
    const trails = new Trails(graph, chain, work, held);
    const counted = yield* trails.count(at);
    if (!counted) return false;
    const examples = yield* examplesOf(trails, at);
    if (wanted.length === 0) {
      const total = totalOf(counted);
      giveCounted(counted);
      if (total > 0) yield weighted(frame.emptyRow(), total, [...examples.values()]);
      return true;
    }
    const { slot } = nodes[wanted[0]!]!;
    const columns = columnsOf(read.get(slot) ?? null);
    for (const merged of mergePlaces(counted, columns, graph, place => examples.has(place))) {
      if (merged === null) {
        yield null;
        continue;
      }
      const { place, nodes: count, times, shown } = merged;
      const found = frame.emptyRow();
      found[slot] = graph.nodeAt(place);
      found.nodes = count;
      work.row(found.length);
      if (work.isDue) yield null;
      yield weighted(
        found,
        times,
        shown.map(each => examples.get(each)!),
      );
    }
    giveCounted(counted);
    return true;
  }

  /** Arrays that together list the places (indexes) of the nodes that may match a node of the pattern. */
  function startsOf(node: PatternNode, row: Row): Uint32Array[] {
    const found = lookUps(node, slots => slots.length === 0)(row);
    if (found) return [Uint32Array.from(new Set(found.map(each => arrays!.placeOf(each))))];
    const { setOffsets, setNodes } = arrays!;
    const sets = setsThatFit(node, arrays!);
    return [...sets.keys()].flatMap(set => (sets[set] === 1 ? [setNodes.subarray(setOffsets[set], setOffsets[set + 1])] : []));
  }

  function filterOf(
    node: PatternNode,
    conditions: readonly Check[],
    row: Row,
    [before, after]: [Hop | undefined, Hop | undefined],
    facts: EdgeFacts | null,
  ): NodeFilter | null {
    const sets = setsThatFit(node, arrays!);
    const isLedInto = (hop: Hop | undefined) => hop !== undefined && facts !== null && leadsInto(hop, sets, facts);
    if (conditions.length === 0 && (sets.every(fits => fits === 1) || isLedInto(before) || isLedInto(after && reversed(after))))
      return null;
    const tests = conditions.map<NodeTest>(({ holds, property, numbers }) => {
      const column = property === null ? null : arrays!.nodeColumn(property);
      const readsSlowly = property !== null && arrays!.readsSlowly(property);
      const ask = (place: number): boolean => {
        row[node.slot] = arrays!.nodeAt(place);
        return holds(row);
      };
      return column
        ? new ColumnTest(arrays!.nodeSets, column, numbers, ask)
        : { holds: ask, isQuick: false, column: null, slowReads: readsSlowly ? Infinity : 0 };
    });
    return new NodeFilter(arrays!.nodeSets, sets, tests);
  }

  /** The columns of the properties that are read. Null if a property is not a column, or if the node itself is read. */
  function columnsOf(properties: ReadonlySet<string> | null): NodeColumn[] | null {
    const columns = properties && [...properties].map(name => arrays!.nodeColumn(name));
    return columns?.every(column => column !== null) ? columns : null;
  }

  function* examplesOf(trails: Trails, at: number): Generator<null, Map<number, ExampleElements>> {
    const examples = new Map<number, ExampleElements>();
    let shown = 0;
    yield* trails.walk(mostEdgesForExamples, trail => {
      const place = wanted.length === 0 ? 0 : trail.nodes[at]!;
      let example = examples.get(place);
      if (!example) examples.set(place, (example = new ExampleElements()));
      example.add(trail, arrays!);
      return ++shown < exampleTrails;
    });
    return examples;
  }
}

/** The conditions of each node of the pattern. Null if a condition may fail or needs more than one node. */
function checksByNode({ pattern, checks }: MatchParts): Check[][] | null {
  const byNode = pattern.nodes.map((): Check[] => []);
  for (const check of checks) {
    const [slot, ...others] = check.slots;
    const node = slot === undefined ? 0 : pattern.nodes.findIndex(each => each.slot === slot);
    if (others.length > 0 || node < 0 || check.mayFail) return null;
    if (!check.ofLabels) byNode[node]!.push(check);
  }
  return byNode;
}

function setsThatFit({ labels }: PatternNode, { labelSets }: GraphArrays): Uint8Array {
  const fits = labelTest(labels);
  return Uint8Array.from(labelSets, set => (fits(set) ? 1 : 0));
}

function countOf(parts: readonly Uint32Array[]): number {
  return parts.reduce((sum, { length }) => sum + length, 0);
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  if (parts.length === 1) return parts[0]!;
  const places = new Uint32Array(countOf(parts));
  let at = 0;
  for (const part of parts) {
    places.set(part, at);
    at += part.length;
  }
  return places;
}

function weighted(row: Row, times: number, examples: readonly ExampleElements[]): Row {
  row.times = times;
  row.behind = ExampleElements.behind(examples, times);
  return row;
}

class ExampleElements {
  private readonly nodes = new Map<number, NodeValue>();
  private readonly edges = new Map<number, EdgeValue>();
  private trails = 0;

  add(trail: Trail, arrays: GraphArrays): void {
    for (const place of trail.nodes) this.put(this.nodes, arrays.nodeAt(place));
    for (const place of trail.edges) this.put(this.edges, arrays.edgeAt(place));
    this.trails += 1;
  }

  static behind(examples: readonly ExampleElements[], times: number): Behind {
    return {
      nodes: new Map(examples.flatMap(({ nodes }) => [...nodes])),
      edges: new Map(examples.flatMap(({ edges }) => [...edges])),
      isCut: examples.reduce((sum, { trails }) => sum + trails, 0) < times,
    };
  }

  private put<T extends { id: number }>(elements: Map<number, T>, element: T): void {
    elements.set(element.id, element);
  }
}
