import { spend } from '../../syntax/effort.js';
import { type GraphArrays } from './memory-graph.js';

/** Facts about the edges of a graph that take a pass over all of them. */
export interface EdgeFacts {
  /** By type: 1 for the sets of labels of the nodes that its edges come from, and of those that they lead to. */
  sourceSets: Uint8Array[];
  targetSets: Uint8Array[];
  /** The places of the edges that lead back to their own node. */
  loops: number[];
}

/** Eight edges take a unit. */
const edgesAtOnce = 500_000;
/** What was found about a graph lasts as long as its arrays. */
const facts = new WeakMap<Uint32Array, EdgeFacts>();

export function* edgeFactsOf({ edgeTypes, types, labelSets, sources, targets, nodeSets }: GraphArrays): Generator<null, EdgeFacts> {
  const known = facts.get(edgeTypes);
  if (known) return known;
  const [sourceSets, targetSets] = [types.map(() => new Uint8Array(labelSets.length)), types.map(() => new Uint8Array(labelSets.length))];
  const loops: number[] = [];
  for (let edge = 0; edge < edgeTypes.length; edge++) {
    if (edge % edgesAtOnce === edgesAtOnce - 1) {
      spend(edgesAtOnce >> 3);
      yield null;
    }
    const [type, source, target] = [edgeTypes[edge]!, sources[edge]!, targets[edge]!];
    sourceSets[type]![nodeSets[source]!] = 1;
    targetSets[type]![nodeSets[target]!] = 1;
    if (source === target) loops.push(edge);
  }
  const found = { sourceSets, targetSets, loops };
  facts.set(edgeTypes, found);
  return found;
}
