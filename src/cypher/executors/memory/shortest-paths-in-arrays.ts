import { type Direction } from '../../syntax/cypher-ast.js';
import { type Hop, opposite } from './chain.js';
import { type GraphArrays } from './memory-graph.js';
import { type Work } from './work.js';

/** Minimum and maximum number of edges of a path. */
interface Bounds {
  least: number;
  most: number;
}

/**
 * The search from one end of the path. `levels` lists the places of the reached nodes by their distance from the end. `seen` has, for each
 * place, its distance + 1, or 0 for a node that was not reached. In the search from the start, `leading` is added in `seen` for the nodes
 * on a shortest path up to where both searches meet.
 */
interface Side {
  levels: number[][];
  seen: Uint32Array;
  direction: Direction;
}

const edgesAtOnce = 50_000;
const placesAtOnce = 10_000;
const bytesOfReached = 8;
/** Mark that is added to the distance of a node on a shortest path. It is larger than any distance. */
const leading = 2 ** 31;

/**
 * Finds shortest paths breadth first from both ends until the searches meet. Each step extends the search with the smaller frontier. An
 * object does one search at a time.
 */
export class ShortestPathSearch {
  private readonly from: Side;
  private readonly to: Side;

  constructor(
    private readonly graph: GraphArrays,
    private readonly hop: Hop,
    private readonly bounds: Bounds,
    private readonly work: Work,
  ) {
    const count = graph.nodeSets.length;
    this.from = { levels: [], seen: new Uint32Array(count), direction: hop.direction };
    this.to = { levels: [], seen: new Uint32Array(count), direction: opposite(hop.direction) };
  }

  /** Yields each shortest path between two different nodes, as the places of its edges in order. Yields null where the query may pause. */
  *between(start: number, end: number): Generator<readonly number[] | null> {
    const { from, to, bounds, work } = this;
    try {
      begin(from, start);
      begin(to, end);
      const isFound = yield* this.meet();
      if (isFound && lengthOf(from) + lengthOf(to) >= bounds.least) yield* this.paths(start, end);
    } finally {
      work.holdBytes(-bytesOfReached * (clear(from) + clear(to)));
    }
  }

  private *meet(): Generator<null, boolean> {
    const { from, to, graph, work } = this;
    while (lengthOf(from) + lengthOf(to) < this.bounds.most) {
      const [ours, theirs] = from.levels.at(-1)!.length <= to.levels.at(-1)!.length ? [from, to] : [to, from];
      const [level, next] = [ours.levels.at(-1)!, [] as number[]];
      let hasMet = false;
      const distance = ours.levels.push(next) - 1;
      for (let at = 0; at < level.length;) {
        const before = next.length;
        let looked = 0;
        for (; at < level.length && looked < edgesAtOnce; at++)
          looked += eachNeighbour(graph, level[at]!, ours.direction, this.hop.types, place => {
            if (ours.seen[place] !== 0) return;
            ours.seen[place] = distance + 1;
            next.push(place);
            hasMet ||= theirs.seen[place] !== 0;
          });
        work.steps(looked);
        work.holdBytes(bytesOfReached * (next.length - before));
        if (work.isDue) yield null;
      }
      if (hasMet || next.length === 0) return hasMet;
    }
    return false;
  }

  /** Yields the paths, by walking from the start through the nodes that lie on a shortest path. */
  private *paths(start: number, end: number): Generator<readonly number[] | null> {
    const { work } = this;
    yield* this.markLeading();
    const edges: number[] = [];
    const open = [this.onwards(start, 0)];
    while (open.length > 0) {
      work.step();
      if (work.isDue) yield null;
      const next = open.at(-1)!.pop();
      if (!next) {
        open.pop();
        edges.pop();
        continue;
      }
      edges.push(next.edge);
      if (next.place !== end) open.push(this.onwards(next.place, edges.length));
      else {
        yield edges;
        edges.pop();
      }
    }
  }

  /**
   * The edges of shortest paths out of the node at `place`, which the walk has reached after `walked` edges. The list is in reverse order,
   * because `paths` pops from its end.
   */
  private onwards(place: number, walked: number): { edge: number; place: number }[] {
    const { from, to } = this;
    const found: { edge: number; place: number }[] = [];
    const isBefore = walked < lengthOf(from);
    const left = lengthOf(from) + lengthOf(to) - walked - 1;
    const looked = eachNeighbour(this.graph, place, from.direction, this.hop.types, (next, edge) => {
      if (isBefore ? from.seen[next] === walked + 2 + leading : to.seen[next] === left + 1) found.push({ edge, place: next });
    });
    this.work.steps(looked);
    return found.reverse();
  }

  /** Marks the nodes on shortest paths between the start and the nodes that both searches reached. It goes backwards from the latter. */
  private *markLeading(): Generator<null, void> {
    const { from, to, graph, work } = this;
    const last = from.levels.at(-1)!;
    let level: number[] = [];
    for (let i = 0; i < last.length; i++) {
      if (i % placesAtOnce === placesAtOnce - 1) {
        work.steps(placesAtOnce);
        if (work.isDue) yield null;
      }
      if (to.seen[last[i]!] !== 0) level.push(last[i]!);
    }
    for (const place of level) from.seen[place]! += leading;
    for (let distance = lengthOf(from) - 1; distance > 0; distance--) {
      const before: number[] = [];
      for (const place of level) {
        const looked = eachNeighbour(graph, place, to.direction, this.hop.types, next => {
          if (from.seen[next] !== distance + 1) return;
          from.seen[next] = distance + 1 + leading;
          before.push(next);
        });
        work.steps(looked);
        if (work.isDue) yield null;
      }
      level = before;
    }
  }
}

function lengthOf({ levels }: Side): number {
  return levels.length - 1;
}

function begin(side: Side, place: number): void {
  side.levels = [[place]];
  side.seen[place] = 1;
}

/** Clears a search. @returns the number of nodes that it had reached, without its start */
function clear({ levels, seen }: Side): number {
  const reached = levels.reduce((sum, level) => sum + level.length, 0);
  if (reached * 16 > seen.length) seen.fill(0);
  else for (const level of levels) for (const place of level) seen[place] = 0;
  return Math.max(0, reached - 1);
}

/** Calls `take` for each edge of these types at a node, once for a loop. @returns the number of edges that were read, plus one */
function eachNeighbour(
  { outOffsets, targets, intoOffsets, intoEdges, sources, edgeTypes }: GraphArrays,
  place: number,
  direction: Direction,
  types: Uint8Array,
  take: (place: number, edge: number) => void,
): number {
  let looked = 1;
  if (direction !== 'in') {
    const end = outOffsets[place + 1]!;
    looked += end - outOffsets[place]!;
    for (let edge = outOffsets[place]!; edge < end; edge++) if (types[edgeTypes[edge]!] === 1) take(targets[edge]!, edge);
  }
  if (direction !== 'out') {
    const end = intoOffsets[place + 1]!;
    looked += end - intoOffsets[place]!;
    for (let i = intoOffsets[place]!; i < end; i++) {
      const edge = intoEdges[i]!;
      if (types[edgeTypes[edge]!] === 1 && (direction !== 'both' || sources[edge] !== place)) take(sources[edge]!, edge);
    }
  }
  return looked;
}
