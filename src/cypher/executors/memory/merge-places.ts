import { type Counted } from './counted.js';
import { type GraphArrays, type NodeColumn } from './memory-graph.js';

/**
 * Nodes that have the same values of the compared properties. `place` is the place of the first node, `nodes` the number of nodes, `times`
 * the sum of their counts.
 */
export interface MergedPlaces {
  place: number;
  nodes: number;
  times: number;
  /** The places of those of these nodes for which `isShown` is true. */
  shown: number[];
}

/** The code in a column for every value that is a number. */
const inNumbers = 1;
const placesAtOnce = 50_000;
const mostGroups = 100_000;

/**
 * Merges counted nodes whose properties have the same values, in the order of the first node of each group. Yields null where the query may
 * pause.
 * @param columns the properties to compare; null to merge nothing
 */
export function* mergePlaces(
  counted: Counted,
  columns: readonly NodeColumn[] | null,
  { nodeSets }: GraphArrays,
  isShown: (place: number) => boolean,
): Generator<MergedPlaces | null> {
  const { places, size, counts } = counted;
  const groups = columns && (yield* groupPlaces(counted, columns, nodeSets));
  if (!groups) {
    for (let i = 0; i < size; i++) {
      const place = places[i]!;
      if (counts[place] !== 0) yield { place, nodes: 1, times: counts[place]!, shown: isShown(place) ? [place] : [] };
    }
    return;
  }
  const merged = Array.from({ length: groups.count }, (): MergedPlaces => ({ place: 0, nodes: 0, times: 0, shown: [] }));
  for (let i = 0; i < size; i++) {
    if (i % placesAtOnce === placesAtOnce - 1) yield null;
    const place = places[i]!;
    if (counts[place] === 0) continue;
    const into = merged[groups.of[i]!]!;
    if (into.nodes === 0) into.place = place;
    into.nodes += 1;
    into.times += counts[place]!;
    if (isShown(place)) into.shown.push(place);
  }
  for (const group of merged) if (group.nodes > 0) yield group;
}

/** Numbers the groups of nodes: `of[i]` is the group of `places[i]`. Null if there are so many groups that merging gains nothing. */
function* groupPlaces(
  { places, size }: Counted,
  columns: readonly NodeColumn[],
  nodeSets: Uint32Array,
): Generator<null, { of: Uint32Array; count: number } | null> {
  // Begin with one group for each set of labels: equal texts of nodes with different labels may be values of different types.
  let groups = new Numbering();
  const of = new Uint32Array(size);
  for (let i = 0; i < size; i++) {
    if (i % placesAtOnce === placesAtOnce - 1) yield null;
    of[i] = groups.of(nodeSets[places[i]!]!);
  }
  for (const { codes, numbers, codeCount } of columns) {
    const [byNumber, next] = [new Numbering(), new Numbering()];
    // Within one group, each value of the column is a number below `width`: its code, or for a number `codeCount` plus the index of the
    // number.
    const width = codeCount + size;
    for (let i = 0; i < size; i++) {
      if (i % placesAtOnce === placesAtOnce - 1) yield null;
      const code = codes[places[i]!]!;
      const value = code === inNumbers ? codeCount + byNumber.of(numbers[places[i]!]!) : code;
      of[i] = next.of(of[i]! * width + value);
      if (next.size > mostGroups) return null;
    }
    groups = next;
  }
  return { of, count: groups.size };
}

/** Gives each different value a number: 0, 1, 2, … in the order in which the values first occur. */
class Numbering {
  private readonly known = new Map<number, number>();

  get size(): number {
    return this.known.size;
  }

  of(value: number): number {
    // -0 is stored as NaN, since a Map treats -0 and 0 as one key. No number of a column is NaN.
    const key = Object.is(value, -0) ? NaN : value;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    this.known.set(key, this.known.size);
    return this.known.size - 1;
  }
}
