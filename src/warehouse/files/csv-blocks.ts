import { Pace } from '../../common/turns/pace.js';
import { longestRecordBytes, recordTooLong } from './csv-encoding.js';

export interface BlockSizes {
  /**
   * Bytes of the first block, from which the first types of the columns are inferred. With a large sample, a column that already has rows
   * rarely needs to be widened.
   */
  sample: number;
  /** Bytes of a block, about the size of a socket buffer: PostgreSQL works on one block while the next one is scanned. */
  block: number;
}

export const defaultSizes: BlockSizes = { sample: 1024 * 1024, block: 256 * 1024 };

const LF = 10;
/** Bytes that are joined between two pauses. Writing to 1 MiB of new memory takes some 6 ms. */
const joinedInTurn = 1024 * 1024;

/**
 * Gathers the chunks of an upload into blocks that begin at a record. Only the whole records of a block are scanned; the bytes
 * after them begin the next block. Memory stays at about one block. A record that spans many chunks is scanned a logarithmic number
 * of times, because each try waits for twice as many bytes.
 */
export class CsvBlocks {
  private parts: Buffer[] = [];
  private size = 0;
  private ended = false;
  private readonly pace = new Pace();
  private readonly iterator: AsyncIterator<Buffer>;

  constructor(source: AsyncIterable<Buffer>) {
    this.iterator = source[Symbol.asyncIterator]();
  }

  /** The next `wanted` bytes, or fewer at the end of the source. A last line without a line feed gets a line feed. */
  async take(wanted: number): Promise<{ bytes: Buffer; final: boolean }> {
    while (!this.ended && this.size < wanted) {
      const next = await this.iterator.next();
      if (next.done) {
        this.ended = true;
        if (this.size > 0 && this.parts.at(-1)?.at(-1) !== LF) this.push(Buffer.from('\n'));
      } else this.push(next.value);
    }
    const size = Math.min(wanted, this.size);
    const bytes = await this.join(this.cutOff(size), size);
    return { bytes, final: this.ended && this.size === 0 };
  }

  /** Gives back the unconsumed part of the last block. */
  putBack(rest: Buffer): void {
    if (rest.length === 0) return;
    this.parts.unshift(rest);
    this.size += rest.length;
  }

  /**
   * The number of bytes to wait for after a block of `seen` bytes without a whole record.
   * @throws SchemaError if the record is longer than the limit
   */
  static more(seen: number, line: number): number {
    if (seen > longestRecordBytes) throw recordTooLong(line);
    return Math.min(seen * 2, longestRecordBytes + 1);
  }

  /** Stops reading the source without closing it; the owner of the source drains the rest. */
  async close(): Promise<void> {
    await this.iterator.return?.();
  }

  /** Takes the first `size` bytes out of `parts`. */
  private cutOff(size: number): Buffer[] {
    let [count, missing] = [0, size];
    while (missing > 0) missing -= this.parts[count++]!.length;
    const taken = this.parts.splice(0, count);
    const last = taken.at(-1);
    if (last && missing < 0) {
      taken[count - 1] = last.subarray(0, last.length + missing);
      this.parts.unshift(last.subarray(last.length + missing));
    }
    this.size -= size;
    return taken;
  }

  private async join(parts: readonly Buffer[], size: number): Promise<Buffer> {
    if (parts.length === 1) return parts[0]!;
    const bytes = Buffer.allocUnsafe(size);
    let [at, pauseAt] = [0, joinedInTurn];
    for (const part of parts) {
      for (let from = 0; from < part.length; from += joinedInTurn) {
        at += part.copy(bytes, at, from, Math.min(part.length, from + joinedInTurn));
        if (at < pauseAt) continue;
        pauseAt = at + joinedInTurn;
        await this.pace.turn();
      }
    }
    return bytes;
  }

  private push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.parts.push(bytes);
    this.size += bytes.length;
  }
}
