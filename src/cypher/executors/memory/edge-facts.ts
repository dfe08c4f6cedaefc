import { spend } from '../../syntax/effort.js';
import { DerivedArrays } from './derived-arrays.js';
import { type GraphArrays } from './memory-graph.js';

/** Facts about the edges of a graph. A pass over all edges computes them. */
export interface EdgeFacts {
  /**
   * For each edge type, the sets of labels of the source nodes (`sourceSets`) and of the target nodes (`targetSets`): one bit for each set.
   */
  sourceSets: Uint32Array[];
  targetSets: Uint32Array[];
  /** The places of the edges that lead back to their own node. */
  loops: number[];
}

/** Edges between two pauses. Eight edges count as one work unit. */
const edgesAtOnce = 500_000;
/** Bytes of an array without its elements. */
const bytesOfArray = 100;
const facts = new DerivedArrays<EdgeFacts>('facts');

export function* edgeFactsOf(graph: GraphArrays): Generator<null, EdgeFacts> {
  const known = facts.get(graph);
  if (known) return known;
  const { edgeTypes, types, labelSets, sources, targets, nodeSets } = graph;
  const [sourceSets, targetSets] = [types.map(() => bitsFor(labelSets.length)), types.map(() => bitsFor(labelSets.length))];
  const loops: number[] = [];
  for (let edge = 0; edge < edgeTypes.length; edge++) {
    if (edge % edgesAtOnce === edgesAtOnce - 1) {
      spend(edgesAtOnce >> 3);
      yield null;
    }
    const [type, source, target] = [edgeTypes[edge]!, sources[edge]!, targets[edge]!];
    setBit(sourceSets[type]!, nodeSets[source]!);
    setBit(targetSets[type]!, nodeSets[target]!);
    if (source === target) loops.push(edge);
  }
  return facts.set(
    graph,
    { sourceSets, targetSets, loops },
    2 * types.length * (bytesOfArray + bitsFor(labelSets.length).byteLength) + 8 * loops.length,
  );
}

/** A set of bits for the numbers below `count`, all of them 0. */
export function bitsFor(count: number): Uint32Array {
  return new Uint32Array((count + 31) >> 5);
}

export function setBit(bits: Uint32Array, number: number): void {
  bits[number >> 5]! |= 1 << (number & 31);
}
