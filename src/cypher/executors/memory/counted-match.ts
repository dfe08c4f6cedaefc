import { type MatchClause } from '../../syntax/cypher-ast.js';
import { type EdgeValue, type NodeValue } from '../../values/cypher-value.js';
import { type Behind } from './behind.js';
import { type ExpressionPlace } from './expression-place.js';
import { type GraphArrays } from './memory-graph.js';
import { type PatternGraph, type PatternNode } from './pattern-graph.js';
import { type Row } from './scope.js';
import { type Chain, type Hop, Trails } from './trails.js';

/** A match whose rows are only counted: one row for each node that is wanted, with the number of matches in `times`. */
export type CountedMatch = () => Generator<Row | null, boolean>;

/** A condition of a match, with the slots that must be bound before it can be asked. */
export interface Check {
  slots: ReadonlySet<number>;
  holds: (row: Row) => boolean;
  /** Whether it asks for the labels of the pattern alone. */
  ofLabels: boolean;
  /** Whether it can raise an error. */
  mayFail: boolean;
}

/** What `compileMatch` knows of its pattern. */
export interface MatchParts {
  pattern: PatternGraph;
  checks: readonly Check[];
  /** The nodes among which are all that fit, from an index; null without one. */
  lookUp: (node: PatternNode, row: Row) => readonly NodeValue[] | null;
}

/** The nodes and edges of so many trails are cited. */
const exampleTrails = 100;
const mostEdgesForExamples = 100_000;
const mostHops = 8;
/** Counting takes a number for each node and hop, which is given back at its end. */
const mostBytes = 134_217_728;

/**
 * Compiles a match of one chain of single edges of which what follows needs one node at most, and only how often it occurs. Null for any
 * other. It gives false if counting turns out to be more work than it saves; then it has given no row.
 * @param needed the slots that later clauses read
 */
export function compileCountedMatch(
  clause: MatchClause,
  parts: MatchParts,
  needed: ReadonlySet<number>,
  { query }: ExpressionPlace,
): CountedMatch | null {
  const { pattern, lookUp } = parts;
  const { arrays } = query.graph;
  const { nodes, edges, paths } = pattern;
  if (!arrays || clause.optional || paths.length > 0 || edges.length === 0 || edges.length > mostHops) return null;
  if (arrays.nodeSets.length * 8 * (edges.length + 2) > mostBytes) return null;
  const isChain = nodes.length === edges.length + 1 && edges.every(({ left, right }, i) => left === i && right === i + 1);
  const isPlain = edges.every(edge => edge.length === null && edge.shortest === null && edge.properties.length === 0 && !edge.bound);
  if (!isChain || !isPlain || nodes.some(({ bound }) => bound) || edges.some(({ slot }) => needed.has(slot))) return null;
  const wanted = nodes.flatMap(({ slot }, i) => (needed.has(slot) ? [i] : []));
  const checks = checksByNode(parts);
  if (wanted.length > 1 || !checks) return null;
  const hops = edges.map<Hop>(({ direction, types }) => ({
    direction,
    types: Uint8Array.from(arrays.types, type => (types.length === 0 || types.includes(type) ? 1 : 0)),
  }));

  return function* run() {
    const { work } = query;
    const row = query.frame.emptyRow();
    const [left, right] = [startsAt(nodes[0]!, row), startsAt(nodes.at(-1)!, row)];
    const isReversed = right.length < left.length;
    const chain: Chain = {
      hops: isReversed ? hops.map(reversed).reverse() : hops,
      fits: nodes.map((node, i) => fitsOf(node, checks[i]!, arrays, row)),
      starts: isReversed ? right : left,
    };
    if (isReversed) chain.fits.reverse();
    const inChain = (node: number) => (isReversed ? nodes.length - 1 - node : node);
    const at = wanted.length === 0 ? (isReversed ? 0 : nodes.length - 1) : wanted[0]!;
    const trails = new Trails(arrays, chain, work);
    const counted = yield* trails.count(inChain(at), (i, j) => clash(chain.hops[i]!, chain.hops[j]!));
    if (!counted) return false;
    const examples = new Map<number, ExampleElements>();
    let shown = 0;
    trails.walk(mostEdgesForExamples, trail => {
      const key = wanted.length === 0 ? 0 : trail.nodes[inChain(at)]!;
      let example = examples.get(key);
      if (!example) examples.set(key, (example = new ExampleElements()));
      example.add(trail, arrays);
      return ++shown < exampleTrails;
    });
    if (wanted.length === 0) {
      let total = 0;
      for (const place of counted.places) total += counted.counts[place]!;
      if (total > 0) yield weighted(query.frame.emptyRow(), total, examples.get(0));
      return true;
    }
    for (const place of counted.places) {
      const times = counted.counts[place]!;
      if (times === 0) continue;
      const found = query.frame.emptyRow();
      found[nodes[at]!.slot] = arrays.nodeAt(place);
      work.row(found.length);
      if (work.isDue) yield null;
      yield weighted(found, times, examples.get(place));
    }
    return true;
  };

  function startsAt(node: PatternNode, row: Row): Uint32Array {
    const found = lookUp(node, row);
    return found ? Uint32Array.from(new Set(found.map(each => arrays!.placeOf(each)))) : placesWithLabels(node, arrays!);
  }
}

/** The conditions of each node of the pattern. Null if one needs more than a node, or may fail. */
function checksByNode({ pattern, checks }: MatchParts): ((row: Row) => boolean)[][] | null {
  const byNode = pattern.nodes.map((): ((row: Row) => boolean)[] => []);
  for (const { slots, holds, ofLabels, mayFail } of checks) {
    const [slot, ...others] = slots;
    const node = slot === undefined ? 0 : pattern.nodes.findIndex(each => each.slot === slot);
    if (others.length > 0 || node < 0 || mayFail) return null;
    if (!ofLabels) byNode[node]!.push(holds);
  }
  return byNode;
}

function weighted(row: Row, times: number, example: ExampleElements | undefined): Row {
  row.times = times;
  row.behind = example ? example.behind(times) : { nodes: new Map(), edges: new Map(), isCut: true };
  return row;
}

class ExampleElements {
  private readonly nodes = new Map<number, NodeValue>();
  private readonly edges = new Map<number, EdgeValue>();
  private trails = 0;

  add(trail: { nodes: Uint32Array; edges: Uint32Array }, arrays: GraphArrays): void {
    for (const place of trail.nodes) this.put(this.nodes, arrays.nodeAt(place));
    for (const place of trail.edges) this.put(this.edges, arrays.edgeAt(place));
    this.trails += 1;
  }

  behind(times: number): Behind {
    return { nodes: this.nodes, edges: this.edges, isCut: this.trails < times };
  }

  private put<T extends { id: number }>(elements: Map<number, T>, element: T): void {
    elements.set(element.id, element);
  }
}

function reversed({ direction, types }: Hop): Hop {
  return { types, direction: direction === 'both' ? 'both' : direction === 'out' ? 'in' : 'out' };
}

/** Two hops can stand on the same edge if one type fits both. Labels of their nodes may forbid it; then nothing is subtracted. */
function clash(a: Hop, b: Hop): boolean {
  return a.types.some((fits, type) => fits === 1 && b.types[type] === 1);
}

function setsThatFit({ labels }: PatternNode, { labelSets }: GraphArrays): Uint8Array {
  return Uint8Array.from(labelSets, set => (labels.every(group => group.some(({ name }) => set.includes(name))) ? 1 : 0));
}

function placesWithLabels(node: PatternNode, arrays: GraphArrays): Uint32Array {
  const { setOffsets, setNodes } = arrays;
  const parts = [...setsThatFit(node, arrays).entries()].flatMap(([set, fits]) =>
    fits === 1 ? [setNodes.subarray(setOffsets[set], setOffsets[set + 1])] : [],
  );
  if (parts.length === 1) return parts[0]!;
  const places = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    places.set(part, at);
    at += part.length;
  }
  return places;
}

/** Labels are asked of the set's number, and properties once for each node. */
function fitsOf(node: PatternNode, checks: ((row: Row) => boolean)[], arrays: GraphArrays, row: Row): (place: number) => boolean {
  const { nodeSets } = arrays;
  const sets = setsThatFit(node, arrays);
  if (checks.length === 0) return place => sets[nodeSets[place]!] === 1;
  const known = new Uint8Array(nodeSets.length);
  return place => {
    if (sets[nodeSets[place]!] === 0) return false;
    const answer = known[place]!;
    if (answer !== 0) return answer === 1;
    row[node.slot] = arrays.nodeAt(place);
    const holds = checks.every(check => check(row));
    known[place] = holds ? 1 : 2;
    return holds;
  };
}
