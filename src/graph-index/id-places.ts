/** The most table entries for each id, besides `spareEntries`. Ids that are spread wider are kept in a Map. */
const mostEntriesPerId = 8;
const spareEntries = 65_536;

/** Finds the place of an id in an array. Ids that lie close together, as those of a sequence do, are looked up in a table. */
export class IdPlaces {
  private readonly least: number;
  /** For each id from `least` on, its place + 1, at index id - `least`; 0 for an id that is not in the array. */
  private readonly table: Uint32Array | null;
  private readonly places: Map<number, number> | null;

  constructor(ids: Float64Array) {
    let [least, greatest] = [Infinity, -Infinity];
    for (const id of ids) {
      if (id < least) least = id;
      if (id > greatest) greatest = id;
    }
    this.least = least;
    const range = ids.length === 0 ? 0 : greatest - least + 1;
    const fits = range <= mostEntriesPerId * ids.length + spareEntries;
    this.table = fits ? new Uint32Array(range) : null;
    this.places = fits ? null : new Map();
    for (let place = 0; place < ids.length; place++) {
      if (this.table) this.table[ids[place]! - least] = place + 1;
      else this.places!.set(ids[place]!, place);
    }
  }

  /** The place of an id in the array; -1 if it is not there. */
  placeOf(id: number): number {
    if (this.table) return (this.table[id - this.least] ?? 0) - 1;
    return this.places!.get(id) ?? -1;
  }
}
