import { type GraphArrays, type NodeColumn } from './memory-graph.js';
import { type Counted } from './walk-counts.js';

/** Nodes whose wanted properties are the same: the places of some of them, how many they are, and the sum of their counts. */
export interface MergedPlaces {
  place: number;
  nodes: number;
  times: number;
  /** Those of the places that `isShown` holds of. */
  shown: number[];
}

/** The code of a value that is a number. */
const inNumbers = 1;
const placesAtOnce = 50_000;

/**
 * Merges counted places whose properties have the same values, in the order of the first of each. Yields where the query may pause.
 * @param columns null to merge none
 */
export function* mergePlaces(
  { places, size, counts }: Counted,
  columns: readonly NodeColumn[] | null,
  { nodeSets }: GraphArrays,
  isShown: (place: number) => boolean,
): Generator<null, MergedPlaces[]> {
  const { groupOf, groupCount } = columns ? yield* group(columns) : { groupOf: null, groupCount: size };
  const merged: MergedPlaces[] = Array.from({ length: groupCount }, () => ({ place: 0, nodes: 0, times: 0, shown: [] }));
  for (let i = 0; i < size; i++) {
    const place = places[i]!;
    if (counts[place] === 0) continue;
    const into = merged[groupOf ? groupOf[i]! : i]!;
    if (into.nodes === 0) into.place = place;
    into.nodes += 1;
    into.times += counts[place]!;
    if (isShown(place)) into.shown.push(place);
  }
  return merged.filter(({ nodes }) => nodes > 0);

  function* group(properties: readonly NodeColumn[]): Generator<null, { groupOf: Uint32Array; groupCount: number }> {
    // Equal texts of nodes with different labels may be values of different types.
    let groups = new Numbering(0);
    const groupOf = new Uint32Array(size);
    for (let i = 0; i < size; i++) groupOf[i] = groups.of(0, nodeSets[places[i]!]!);
    for (const { codes, numbers, codeCount } of properties) {
      const byNumber = new Numbering(0);
      const next = new Numbering(codeCount + size);
      for (let i = 0; i < size; i++) {
        if (i % placesAtOnce === placesAtOnce - 1) yield null;
        const code = codes[places[i]!]!;
        const value = code === inNumbers ? codeCount + byNumber.ofNumber(numbers[places[i]!]!) : code;
        groupOf[i] = next.of(groupOf[i]!, value);
      }
      groups = next;
    }
    return { groupOf, groupCount: groups.size };
  }
}

/** Numbers different values in the order in which they come. */
class Numbering {
  private readonly known = new Map<number, number>();

  /** @param width values of a pair are below it */
  constructor(private readonly width: number) {}

  get size(): number {
    return this.known.size;
  }

  of(group: number, value: number): number {
    return this.ofNumber(group * this.width + value);
  }

  ofNumber(value: number): number {
    // A Map takes -0 for 0. No number of a column is NaN.
    const key = Object.is(value, -0) ? NaN : value;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    this.known.set(key, this.known.size);
    return this.known.size - 1;
  }
}
