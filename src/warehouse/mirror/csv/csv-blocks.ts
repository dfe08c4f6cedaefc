import { longestRecordBytes, recordTooLong } from './csv-encoding.js';

const LF = 10;
const shortLine = 64;

/**
 * Gathers the chunks of an upload into blocks that begin at a record. A block is scanned only for its whole records;
 * the bytes after them begin the next block. Memory stays at about one block, and a record that spans many chunks is looked at
 * a logarithmic number of times, because each try waits for twice as many bytes.
 */
export class CsvBlocks {
  private parts: Buffer[] = [];
  private size = 0;
  private ended = false;
  private readonly iterator: AsyncIterator<Buffer>;

  constructor(source: AsyncIterable<Buffer>) {
    this.iterator = source[Symbol.asyncIterator]();
  }

  /** Everything at hand, at least `atLeast` bytes unless the source ends before. A last line without line feed gets one. */
  async take(atLeast: number): Promise<{ bytes: Buffer; final: boolean }> {
    while (!this.ended && this.size < atLeast) {
      const next = await this.iterator.next();
      if (next.done) {
        this.ended = true;
        if (this.size > 0 && this.parts.at(-1)?.at(-1) !== LF) this.push(Buffer.from('\n'));
      } else this.push(next.value);
    }
    const bytes = this.parts.length === 1 ? this.parts[0]! : Buffer.concat(this.parts, this.size);
    this.parts = [];
    this.size = 0;
    return { bytes, final: this.ended };
  }

  /** Gives back what was not consumed of the block taken last. */
  putBack(rest: Buffer): void {
    if (rest.length > 0) this.push(rest);
  }

  /** How many bytes to wait for after a block of `seen` bytes held no whole record. @throws SchemaError past the longest record. */
  static more(seen: number, line: number): number {
    if (seen > longestRecordBytes) throw recordTooLong(line);
    return seen * 2;
  }

  /** Lets go of the source; it is left open, for its owner to drain. */
  async close(): Promise<void> {
    await this.iterator.return?.();
  }

  private push(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.parts.push(bytes);
    this.size += bytes.length;
  }
}

/**
 * Removes the byte ranges `deletions` (pairs [from, to), ascending) from `bytes[start, end)`, in place, and returns what is left.
 */
export function withoutRanges(bytes: Buffer, start: number, end: number, deletions: readonly number[]): Buffer {
  let target = start;
  let source = start;
  for (let index = 0; index < deletions.length; index += 2) {
    const from = deletions[index]!;
    if (from < start) continue;
    if (from >= end) break;
    moveDown(bytes, target, source, from);
    target += from - source;
    source = deletions[index + 1]!;
  }
  moveDown(bytes, target, source, end);
  return bytes.subarray(start, target + end - source);
}

function moveDown(bytes: Buffer, target: number, from: number, to: number): void {
  if (target === from) return;
  // A call for each of a hundred thousand short lines costs more than their bytes.
  if (to - from > shortLine) bytes.copyWithin(target, from, to);
  else for (let at = from, into = target; at < to;) bytes[into++] = bytes[at++]!;
}
