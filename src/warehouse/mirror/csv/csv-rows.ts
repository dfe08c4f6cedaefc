const pieceBytes = 256 * 1024;
/** A longer part of the block is sent from where it is. */
const longestCopied = 64 * 1024;
/** For each of a hundred thousand short parts, a call costs more than the bytes. */
const shortest = 64;
/** The digits of a line and a delimiter. */
const longestNumber = 24;

/**
 * The rows of a block as PostgreSQL reads them. Without new texts, the rows stay in the memory of the block, and close up where bytes are
 * left out. With new texts, they are copied to pieces of about 256 KiB.
 */
export class CsvRows {
  private readonly pieces: Buffer[] = [];
  private out: Buffer;
  private size = 0;
  /** The bytes of the block before this one are written or left out. */
  private source = 0;
  /** Beginning of the current record: a piece and a byte of it. */
  private record = { piece: 0, at: 0 };
  /** Place at which the rows are cut in two: a piece and a byte of it; null if they are whole. */
  private cut: { piece: number; at: number } | null = null;

  constructor(
    private readonly bytes: Buffer,
    private readonly isCopied: boolean,
  ) {
    this.out = isCopied ? Buffer.allocUnsafe(pieceBytes) : bytes;
  }

  /** Begins a record at byte `at` of the block. Bytes may be left out before its end only if rows are copied. */
  begin(at: number): void {
    if (!this.isCopied) {
      this.record.at = this.size + at - this.source;
      return;
    }
    this.keep(at);
    this.record.piece = this.pieces.length;
    this.record.at = this.size;
  }

  /** Writes the line and the delimiter before the next byte. Only for rows that are copied. */
  number(line: number, delimiter: number): void {
    this.reserve(longestNumber);
    const digits = String(line);
    for (let at = 0; at < digits.length; at++) this.out[this.size++] = digits.charCodeAt(at);
    this.out[this.size++] = delimiter;
  }

  /** Writes a text in place of bytes `[from, to)` of the block. Only for rows that are copied. */
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

  /** Cuts the rows before the current record. */
  cutHere(): void {
    this.cut = { ...this.record };
  }

  /** The rows before byte `end` of the block, and those behind the cut. */
  upTo(end: number): { rows: Buffer[]; behind: Buffer[] } {
    this.keep(end);
    return this.finished();
  }

  /** The rows before the current record, which begins at byte `start` of the block and is not whole. */
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

  /** Writes the bytes of the block before `to`. */
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

  /** Ends the piece. Rows that are copied go on behind it. */
  private close(): void {
    if (this.size === 0) return;
    this.pieces.push(this.out.subarray(0, this.size));
    this.out = this.out.subarray(this.size);
    this.size = 0;
  }
}
