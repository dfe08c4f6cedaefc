const pieceBytes = 256 * 1024;
/** A part of the block with more bytes than this is sent from the memory of the block, without a copy. */
const longestCopied = 64 * 1024;
/** Parts up to this many bytes are copied byte by byte, because a call of `Buffer.copy` costs more than that. */
const shortest = 64;
/** The most bytes of a line number and a delimiter. */
const longestNumber = 24;

/**
 * The rows of a block in the form that PostgreSQL reads. If `isCopied` is false, the rows stay in the memory of the block; where bytes are
 * left out, later bytes move forward. If `isCopied` is true, new texts can be inserted, and rows are copied to pieces of about 256 KiB.
 */
export class CsvRows {
  private readonly pieces: Buffer[] = [];
  private out: Buffer;
  private size = 0;
  /** All bytes of the block before this place are already written or left out. */
  private source = 0;
  /** Beginning of the current record: the index of a piece, and a byte in that piece. */
  private record = { piece: 0, at: 0 };
  /** Place at which the rows are cut in two: the index of a piece, and a byte in that piece; null if the rows are not cut. */
  private cut: { piece: number; at: number } | null = null;

  constructor(
    private readonly bytes: Buffer,
    private readonly isCopied: boolean,
  ) {
    this.out = isCopied ? Buffer.allocUnsafe(pieceBytes) : bytes;
  }

  /**
   * Begins a record at byte `at` of the block. If rows are not copied, no byte of an incomplete record may be left out, because `before`
   * could not put it back.
   */
  begin(at: number): void {
    if (!this.isCopied) {
      this.record.at = this.size + at - this.source;
      return;
    }
    this.keep(at);
    this.record.piece = this.pieces.length;
    this.record.at = this.size;
  }

  /** Writes the line number and the delimiter before the next byte. Allowed only if rows are copied. */
  number(line: number, delimiter: number): void {
    this.reserve(longestNumber);
    const digits = String(line);
    for (let at = 0; at < digits.length; at++) this.out[this.size++] = digits.charCodeAt(at);
    this.out[this.size++] = delimiter;
  }

  /** Writes a text in place of bytes `[from, to)` of the block. Allowed only if rows are copied. */
  replace(from: number, to: number, text: string): void {
    this.keep(from);
    this.reserve(Buffer.byteLength(text));
    this.size += this.out.write(text, this.size);
    this.source = to;
  }

  leaveOut(from: number, to: number): void {
    this.keep(from);
    this.source = to;
  }

  /** Cuts the rows in two before the current record. */
  cutHere(): void {
    this.cut = { ...this.record };
  }

  /** Ends the rows at byte `end` of the block. @returns the rows before the cut, and the rows after it */
  upTo(end: number): { rows: Buffer[]; behind: Buffer[] } {
    this.keep(end);
    return this.finished();
  }

  /**
   * Ends the rows at the current record, which begins at byte `start` of the block and is incomplete: its bytes are left out.
   * @returns the rows before the place of `cutHere`, and the rows after it
   */
  before(start: number): { rows: Buffer[]; behind: Buffer[] } {
    if (!this.isCopied) return this.upTo(start);
    const { piece, at } = this.record;
    const [begun] = this.pieces.splice(piece);
    if (begun) this.out = begun;
    this.size = at;
    return this.finished();
  }

  private finished(): { rows: Buffer[]; behind: Buffer[] } {
    this.close();
    const { cut, pieces } = this;
    if (!cut) return { rows: pieces, behind: [] };
    const both = pieces[cut.piece];
    if (!both) return { rows: pieces, behind: [] };
    return {
      rows: [...pieces.slice(0, cut.piece), both.subarray(0, cut.at)],
      behind: [both.subarray(cut.at), ...pieces.slice(cut.piece + 1)],
    };
  }

  /** Writes the bytes of the block from `source` to `to`. */
  private keep(to: number): void {
    const { bytes, isCopied, source } = this;
    const length = to - source;
    this.source = to;
    if (isCopied && length > longestCopied) {
      this.close();
      this.pieces.push(bytes.subarray(source, to));
      return;
    }
    if (isCopied) this.reserve(length);
    else if (this.size === source) {
      this.size = to;
      return;
    }
    const { out, size } = this;
    if (length <= shortest) for (let at = source, into = size; at < to;) out[into++] = bytes[at++]!;
    else if (isCopied) bytes.copy(out, size, source, to);
    else bytes.copyWithin(size, source, to);
    this.size = size + length;
  }

  private reserve(bytes: number): void {
    if (this.size + bytes <= this.out.length) return;
    this.close();
    this.out = Buffer.allocUnsafe(Math.max(pieceBytes, bytes));
  }

  /** Ends the current piece. If rows are copied, the next piece uses the rest of the same memory. */
  private close(): void {
    if (this.size === 0) return;
    this.pieces.push(this.out.subarray(0, this.size));
    this.out = this.out.subarray(this.size);
    this.size = 0;
  }
}
