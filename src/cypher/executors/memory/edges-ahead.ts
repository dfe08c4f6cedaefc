import { type Direction } from '../../syntax/cypher-ast.js';
import { type GraphArrays } from './memory-graph.js';

/** Iterates over the edges that can be followed from a node in one direction, or in both. A loop comes once. */
export class EdgesAhead {
  edge = 0;
  node = 0;
  private out = 0;
  private outEnd = 0;
  private into = 0;
  private intoEnd = 0;
  private place = 0;

  constructor(
    private readonly graph: GraphArrays,
    private readonly direction: Direction,
  ) {}

  from(place: number): void {
    const { outOffsets, intoOffsets } = this.graph;
    this.place = place;
    [this.out, this.outEnd] = this.direction === 'in' ? [0, 0] : [outOffsets[place]!, outOffsets[place + 1]!];
    [this.into, this.intoEnd] = this.direction === 'out' ? [0, 0] : [intoOffsets[place]!, intoOffsets[place + 1]!];
  }

  /** Goes to the next edge. @returns false if there is none */
  go(): boolean {
    const { targets, intoEdges, sources } = this.graph;
    if (this.out < this.outEnd) {
      this.edge = this.out++;
      this.node = targets[this.edge]!;
      return true;
    }
    while (this.into < this.intoEnd) {
      this.edge = intoEdges[this.into++]!;
      this.node = sources[this.edge]!;
      // A loop is also among the edges out of its node, so it was given before.
      if (this.direction !== 'both' || this.node !== this.place) return true;
    }
    return false;
  }
}
