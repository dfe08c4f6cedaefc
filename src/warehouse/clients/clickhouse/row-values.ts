import { type Readable } from 'node:stream';
import { AnswerTooLargeError, type AnswerSource } from '../../../common/errors/answer-too-large.error.js';
import { Pace } from '../../../common/turns/pace.js';
import { mostValues, tooManyValues } from '../most-values.js';
import { type RowDocuments } from '../read-document.js';

export interface TextRows {
  names: string[];
  /** The types of the columns as ClickHouse spells them. */
  types: string[];
  rows: (string | null)[][];
  bytes: number;
}

/** Bytes that are parsed before the parser checks whether to pause for the event loop. */
const pieceBytes = 16_384;

const [tab, lineBreak, backslash] = [9, 10, 92];
/** The byte that an escape sequence means, by the byte after the backslash. A byte that is not listed means itself. */
const escapes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
for (const [code, meant] of ['b\b', 'f\f', 'n\n', 'r\r', 't\t', '0\0']) escapes[code!.charCodeAt(0)] = meant!.charCodeAt(0);

/**
 * Parses an answer as its chunks arrive, with pauses for the event loop. The first two rows are the names and the types of the columns.
 * @throws AnswerTooLargeError, WarehouseQueryError
 */
export async function readTextRows(answer: Readable, limitBytes: number, source: AnswerSource): Promise<TextRows> {
  const reader = new RowsReader();
  const pace = new Pace();
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw new AnswerTooLargeError(source, bytes, limitBytes);
    for (let start = 0; start < chunk.length; start += pieceBytes) {
      reader.read(chunk.subarray(start, start + pieceBytes));
      if (reader.values > mostValues) throw tooManyValues();
      if (pace.isOverdue) await pace.turn();
    }
  }
  const [names = [], types = [], ...rows] = reader.rows;
  return { names: names.map(String), types: types.map(String), rows, bytes };
}

/**
 * Turns the text of a value of the PostgreSQL type `type` into a value for JSON. Only numbers that a double represents exactly become JSON
 * numbers. Times have the spelling that the clients of other databases use.
 */
export function toJsonValue(type: string, text: string | null, documents: RowDocuments): unknown {
  if (text === null) return null;
  switch (type) {
    case 'boolean':
      return text === 'true';
    case 'smallint':
    case 'integer':
    case 'real':
    case 'double precision':
      return Number.isFinite(Number(text)) ? Number(text) : text;
    case 'timestamptz':
      return text.replace(/(\.\d{0,9}?)0{0,9}Z$/, (_, fraction: string) => `${fraction === '.' ? '' : fraction}Z`).replace(/Z$/, '+00:00');
    case 'jsonb':
      return documents.read(text);
    default:
      return text;
  }
}

/** Parses lines of values. A tab or a line break ends each value; inside a value both are escaped. */
class RowsReader {
  readonly rows: (string | null)[][] = [];
  values = 0;
  private row: (string | null)[] = [];
  /** The value whose end has not arrived yet: its bytes after unescaping, and the number of its bytes before unescaping. */
  private begun: Buffer[] = [];
  private begunLength = 0;
  private isEscaped = false;

  read(bytes: Buffer): void {
    // One byte more than `bytes`: a backslash may be pending from the chunk before.
    const plain = Buffer.allocUnsafe(bytes.length + 1);
    let [start, end, first] = [0, 0, 0];
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]!;
      if (byte === tab || byte === lineBreak) {
        if (this.isEscaped) plain[end++] = backslash;
        this.isEscaped = false;
        this.endValue(plain, start, end, at - first);
        [start, first] = [end, at + 1];
        if (byte === lineBreak) this.endRow();
      } else if (this.isEscaped) {
        plain[end++] = escapes[byte]!;
        this.isEscaped = false;
      } else if (byte === backslash) this.isEscaped = true;
      else plain[end++] = byte;
    }
    this.begun.push(plain.subarray(start, end));
    this.begunLength += bytes.length - first;
  }

  private endValue(plain: Buffer, start: number, end: number, length: number): void {
    const text =
      this.begunLength === 0 ? plain.toString('utf8', start, end) : Buffer.concat([...this.begun, plain.subarray(start, end)]).toString();
    this.row.push(text === 'N' && this.begunLength + length === 2 ? null : text);
    this.values++;
    [this.begun, this.begunLength] = [[], 0];
  }

  private endRow(): void {
    this.rows.push(this.row);
    this.row = [];
  }
}
