import { hashBytes } from '../../../graph-index/fnv.js';

const [tab, newline, backslash, letterN, minus, zero] = [9, 10, 92, 78, 45, 48];
/**
 * For each byte that may follow a backslash: the byte that the escape stands for. Bytes other than the listed letters stand for themselves.
 */
const escapes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
for (const [letter, meant] of ['b\b', 'f\f', 'n\n', 'r\r', 't\t', 'v\v']) escapes[letter!.charCodeAt(0)] = meant!.charCodeAt(0);

/**
 * Reads rows that COPY … TO STDOUT sends as text, without making an object for each row: `take` reads the row's fields from this reader,
 * which the next row overwrites.
 * Source: https://www.postgresql.org/docs/current/sql-copy.html, "Text Format"
 */
export class CopyRows {
  /** The received pieces of a row whose end has not arrived. */
  private rest: Buffer[] = [];
  private restBytes = 0;
  private bytes: Buffer = Buffer.alloc(0);
  private readonly starts: Int32Array;
  private readonly ends: Int32Array;

  constructor(
    private readonly fields: number,
    private readonly take: (row: CopyRows) => void,
  ) {
    this.starts = new Int32Array(fields);
    this.ends = new Int32Array(fields);
  }

  /**
   * Takes a chunk and handles each whole row in it. One loop goes through all bytes: calls of native functions for each field took longer
   * than everything else.
   */
  push(chunk: Buffer): void {
    if (!chunk.includes(newline)) {
      if (chunk.length > 0) this.rest.push(chunk);
      this.restBytes += chunk.length;
      return;
    }
    const bytes = this.rest.length > 0 ? Buffer.concat([...this.rest, chunk]) : chunk;
    const { starts, ends } = this;
    const last = this.fields - 1;
    this.bytes = bytes;
    let [rowStart, field] = [0, 0];
    starts[0] = 0;
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      // Most bytes are neither tab nor newline. These two bytes end fields and rows only, because COPY sends them as escapes inside values.
      if (byte > newline) continue;
      if (byte === tab && field < last) {
        ends[field] = at;
        field += 1;
        starts[field] = at + 1;
      } else if (byte === newline) {
        ends[field] = at;
        this.take(this);
        rowStart = at + 1;
        field = 0;
        starts[0] = rowStart;
      }
    }
    this.rest = rowStart < bytes.length ? [bytes.subarray(rowStart)] : [];
    this.restBytes = bytes.length - rowStart;
  }

  /**
   * The memory that an unfinished row will take when it is read: its pieces, the joined bytes, their text, and the text without escapes.
   */
  get unfinishedBytes(): number {
    return 4 * this.restBytes;
  }

  isNull(field: number): boolean {
    const start = this.starts[field]!;
    return this.ends[field]! - start === 2 && this.bytes[start] === backslash && this.bytes[start + 1] === letterN;
  }

  integer(field: number): number {
    const [bytes, end] = [this.bytes, this.ends[field]!];
    let at = this.starts[field]!;
    const isNegative = bytes[at] === minus;
    if (isNegative) at++;
    let value = 0;
    for (; at < end; at++) value = value * 10 + (bytes[at]! - zero);
    return isNegative ? -value : value;
  }

  text(field: number): string {
    const text = this.bytes.toString('utf8', this.starts[field], this.ends[field]);
    return text.includes('\\') ? unescaped(this.raw(field)).toString('utf8') : text;
  }

  /** Whether the field consists of the bytes of `other`. Both are compared as sent, with escapes. */
  equals(field: number, other: Buffer): boolean {
    const { bytes } = this;
    const start = this.starts[field]!;
    if (this.ends[field]! - start !== other.length) return false;
    for (let i = 0; i < other.length; i++) if (bytes[start + i] !== other[i]) return false;
    return true;
  }

  /** The field's bytes as they were sent, with their escapes. The next row overwrites them. */
  raw(field: number): Buffer {
    return this.bytes.subarray(this.starts[field], this.ends[field]);
  }
}

/** Replaces escapes in one pass: a call for each escape would take long for a text with many of them. */
function unescaped(raw: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(raw.length);
  let length = 0;
  for (let at = 0; at < raw.length; at++) bytes[length++] = raw[at] === backslash ? escapes[raw[++at]!]! : raw[at]!;
  return bytes.subarray(0, length);
}

/** Numbers the different values of a field that has few different values. It compares bytes, so that it need not make texts. */
export class FieldNumbers {
  private readonly byHash = new Map<number, { bytes: Buffer; number: number }[]>();
  /** The text of each value, by its number. */
  readonly texts: string[] = [];
  private last: { bytes: Buffer; number: number } | null = null;

  numberOf(row: CopyRows, field: number): number {
    if (this.last && row.equals(field, this.last.bytes)) return this.last.number;
    const bytes = row.raw(field);
    const hash = hashBytes(bytes);
    const alike = this.byHash.get(hash) ?? [];
    let found = alike.find(each => each.bytes.equals(bytes));
    if (!found) {
      found = { bytes: Buffer.from(bytes), number: this.texts.push(row.text(field)) - 1 };
      this.byHash.set(hash, [...alike, found]);
    }
    this.last = found;
    return found.number;
  }
}
