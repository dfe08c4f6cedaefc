/** A Uint32Array that doubles when full, to collect numbers of 32 bits. */
export class GrowableUint32 {
  private items = new Uint32Array(1024);
  length = 0;

  push(value: number): number {
    if (this.length === this.items.length) {
      const larger = new Uint32Array(this.items.length * 2);
      larger.set(this.items);
      this.items = larger;
    }
    this.items[this.length] = value;
    return this.length++;
  }

  /** The item at an index. @param index less than `length` */
  at(index: number): number {
    return this.items[index]!;
  }

  toArray(): Uint32Array {
    return this.items.slice(0, this.length);
  }

  /** The items so far, without a copy: items that are added later may change the returned array. */
  view(): Uint32Array {
    return this.items.subarray(0, this.length);
  }
}

/** A Float64Array that doubles when full. Node ids are bigint in the database and stay exact up to 2^53. */
export class GrowableFloat64 {
  private items = new Float64Array(1024);
  length = 0;

  push(value: number): number {
    if (this.length === this.items.length) {
      const larger = new Float64Array(this.items.length * 2);
      larger.set(this.items);
      this.items = larger;
    }
    this.items[this.length] = value;
    return this.length++;
  }

  toArray(): Float64Array {
    return this.items.slice(0, this.length);
  }

  /** The items so far, without a copy: items that are added later may change the returned array. */
  view(): Float64Array {
    return this.items.subarray(0, this.length);
  }
}

const blockLength = 65_536;

/** A list of 32-bit numbers in blocks. Growing to millions of numbers never copies the existing ones. */
export class BlockedUint32 {
  private readonly blocks: Uint32Array[] = [];
  length = 0;

  push(value: number): number {
    if (this.length % blockLength === 0) this.blocks.push(new Uint32Array(blockLength));
    this.set(this.length, value);
    return this.length++;
  }

  get(index: number): number {
    return this.blocks[Math.floor(index / blockLength)]![index % blockLength]!;
  }

  set(index: number, value: number): void {
    this.blocks[Math.floor(index / blockLength)]![index % blockLength] = value;
  }
}
