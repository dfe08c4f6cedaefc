import { hashBytes } from '../../../graph-index/fnv.js';

const [tab, newline, backslash, letterN, minus, zero] = [9, 10, 92, 78, 45, 48];
const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/**
 * Reads rows that COPY … TO STDOUT sends as text, without an object for each: `take` finds the row's fields in this reader, which the
 * next row overwrites.
 * Source: https://www.postgresql.org/docs/current/sql-copy.html, "Text Format"
 */
export class CopyRows {
  private rest: Buffer | null = null;
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

  push(chunk: Buffer): void {
    const bytes = this.rest ? Buffer.concat([this.rest, chunk]) : chunk;
    this.bytes = bytes;
    let start = 0;
    // A newline inside of a value is sent as an escape.
    for (let end = bytes.indexOf(newline); end >= 0; end = bytes.indexOf(newline, start)) {
      this.split(start, end);
      this.take(this);
      start = end + 1;
    }
    this.rest = start < bytes.length ? bytes.subarray(start) : null;
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
    const raw = this.bytes.toString('utf8', this.starts[field], this.ends[field]);
    return raw.includes('\\') ? raw.replace(/\\(.)/gs, (_, letter: string) => escapes[letter] ?? letter) : raw;
  }

  /** The field's bytes as they were sent, with their escapes. They change with the next row. */
  raw(field: number): Buffer {
    return this.bytes.subarray(this.starts[field], this.ends[field]);
  }

  private split(start: number, end: number): void {
    const { bytes, starts, ends, fields } = this;
    let field = 0;
    starts[0] = start;
    for (let at = start; at < end && field < fields - 1; at++) {
      if (bytes[at] !== tab) continue;
      ends[field++] = at;
      starts[field] = at + 1;
    }
    ends[field] = end;
  }
}

/** Numbers the different values of a field that has few of them, by comparing bytes instead of making texts. */
export class FieldNumbers {
  private readonly byHash = new Map<number, { bytes: Buffer; number: number }[]>();
  /** The texts, by number. */
  readonly texts: string[] = [];
  private last: { bytes: Buffer; number: number } | null = null;

  numberOf(row: CopyRows, field: number): number {
    const bytes = row.raw(field);
    if (this.last?.bytes.equals(bytes)) return this.last.number;
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
