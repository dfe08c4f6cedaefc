import { hashBytes } from '../../../graph-index/fnv.js';

const [tab, newline, backslash, letterN, minus, zero] = [9, 10, 92, 78, 45, 48];
/** The byte that a letter behind a backslash stands for. Any other byte stands for itself. */
const escapes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
for (const [letter, meant] of ['b\b', 'f\f', 'n\n', 'r\r', 't\t', 'v\v']) escapes[letter!.charCodeAt(0)] = meant!.charCodeAt(0);

/**
 * Reads rows that COPY … TO STDOUT sends as text, without an object for each: `take` finds the row's fields in this reader, which the
 * next row overwrites.
 * Source: https://www.postgresql.org/docs/current/sql-copy.html, "Text Format"
 */
export class CopyRows {
  /** The pieces of a row that has not ended. */
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

  /** Goes through the bytes of whole rows once: calls into the engine for each field took longer than all else. */
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
      // Most bytes are neither. Those of values are sent as escapes.
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

  /** The memory that a row which has not ended takes once it is read: its pieces, the whole, its text, and that without escapes. */
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

  /** Whether the field has these bytes, with its escapes. */
  equals(field: number, other: Buffer): boolean {
    const { bytes } = this;
    const start = this.starts[field]!;
    if (this.ends[field]! - start !== other.length) return false;
    for (let i = 0; i < other.length; i++) if (bytes[start + i] !== other[i]) return false;
    return true;
  }

  /** The field's bytes as they were sent, with their escapes. They change with the next row. */
  raw(field: number): Buffer {
    return this.bytes.subarray(this.starts[field], this.ends[field]);
  }
}

/** A call for each escape would take long in a text of many. */
function unescaped(raw: Buffer): Buffer {
  const bytes = Buffer.allocUnsafe(raw.length);
  let length = 0;
  for (let at = 0; at < raw.length; at++) bytes[length++] = raw[at] === backslash ? escapes[raw[++at]!]! : raw[at]!;
  return bytes.subarray(0, length);
}

/** Numbers the different values of a field that has few of them, by comparing bytes instead of making texts. */
export class FieldNumbers {
  private readonly byHash = new Map<number, { bytes: Buffer; number: number }[]>();
  /** The texts, by number. */
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
