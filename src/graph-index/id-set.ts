/** The ids of one block: half a kilobyte. */
const blockLength = 4096;

/** A set of ids as bits in blocks. Ids that lie close together, as those of a sequence do, take about a bit each. */
export class IdSet {
  private readonly blocks = new Map<number, Uint32Array>();

  /** @returns false if the id is there already */
  add(id: number): boolean {
    const number = Math.floor(id / blockLength);
    let block = this.blocks.get(number);
    if (!block) this.blocks.set(number, (block = new Uint32Array(blockLength / 32)));
    const at = id - number * blockLength;
    const bit = 1 << (at & 31);
    if ((block[at >>> 5]! & bit) !== 0) return false;
    block[at >>> 5]! |= bit;
    return true;
  }
}
