/** The number of ids in one block, which takes half a kilobyte. */
const blockLength = 4096;

/** A set of ids as bits in blocks. Ids that lie close together, as those of a sequence do, take about one bit each. */
export class IdSet {
  private readonly blocks = new Map<number, Uint32Array>();

  /** Adds an id. @returns false if the set already has the id */
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
