import { Pace } from '../../../common/turns/pace.js';
import { type Replacement } from './field-rewrite.js';
import { longestRecordBytes, recordTooLong } from './csv-encoding.js';

export interface BlockSizes {
  /** The bytes from which types are guessed. With enough of them, a column that already holds rows is rarely widened. */
  sample: number;
  /** About the size of a socket buffer: PostgreSQL works on one block while the next is scanned. */
  block: number;
}

export const defaultSizes: BlockSizes = { sample: 1024 * 1024, block: 256 * 1024 };

const LF = 10;
const shortLine = 64;
/** The first bytes that are written to new memory take some 6 ms for so many. */
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

  /** Everything received, at least `atLeast` bytes unless the source ends before. A last line without line feed gets one. */
  async take(atLeast: number): Promise<{ bytes: Buffer; final: boolean }> {
    while (!this.ended && this.size < atLeast) {
      const next = await this.iterator.next();
      if (next.done) {
        this.ended = true;
        if (this.size > 0 && this.parts.at(-1)?.at(-1) !== LF) this.push(Buffer.from('\n'));
      } else this.push(next.value);
    }
    const bytes = await this.join();
    this.parts = [];
    this.size = 0;
    return { bytes, final: this.ended };
  }

  /** Gives back the unconsumed part of the last block. */
  putBack(rest: Buffer): void {
    if (rest.length > 0) this.push(rest);
  }

  /** The bytes to wait for after a block of `seen` bytes held no whole record. @throws SchemaError past the longest record */
  static more(seen: number, line: number): number {
    if (seen > longestRecordBytes) throw recordTooLong(line);
    return seen * 2;
  }

  /** Stops reading the source and leaves it open, for its owner to drain. */
  async close(): Promise<void> {
    await this.iterator.return?.();
  }

  private async join(): Promise<Buffer> {
    if (this.parts.length === 1) return this.parts[0]!;
    const bytes = Buffer.allocUnsafe(this.size);
    let [at, pauseAt] = [0, joinedInTurn];
    for (const part of this.parts) {
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

/** `withoutRanges` with new bytes in place of some, which needs a copy. */
export function withReplacements(
  bytes: Buffer,
  start: number,
  end: number,
  deletions: readonly number[],
  replacements: readonly Replacement[],
): Buffer {
  if (replacements.length === 0) return withoutRanges(bytes, start, end, deletions);
  const edits: Replacement[] = [...replacements];
  for (let index = 0; index < deletions.length; index += 2) {
    edits.push({ from: deletions[index]!, to: deletions[index + 1]!, bytes: Buffer.alloc(0) });
  }
  const parts: Buffer[] = [];
  let source = start;
  for (const edit of edits.sort((a, b) => a.from - b.from)) {
    if (edit.from < start) continue;
    if (edit.from >= end) break;
    parts.push(bytes.subarray(source, edit.from), edit.bytes);
    source = edit.to;
  }
  parts.push(bytes.subarray(source, end));
  return Buffer.concat(parts);
}

function moveDown(bytes: Buffer, target: number, from: number, to: number): void {
  if (target === from) return;
  // For each of a hundred thousand short lines, a call costs more than the bytes.
  if (to - from > shortLine) bytes.copyWithin(target, from, to);
  else for (let at = from, into = target; at < to;) bytes[into++] = bytes[at++]!;
}
