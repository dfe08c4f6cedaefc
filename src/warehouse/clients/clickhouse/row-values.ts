import { type Readable } from 'node:stream';
import { AnswerTooLargeError, type AnswerSource } from '../../../common/errors/answer-too-large.error.js';
import { mostValues, tooManyValues } from '../most-values.js';
import { readDocument } from '../read-document.js';

export interface TextRows {
  names: string[];
  /** As ClickHouse spells them. */
  types: string[];
  rows: (string | null)[][];
  bytes: number;
}

const escapes: Record<string, string> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', 0: '\0' };

/** Reads an answer with a header. @throws AnswerTooLargeError, WarehouseQueryError */
export async function readTextRows(answer: Readable, limitBytes: number, source: AnswerSource): Promise<TextRows> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  let values = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limitBytes) throw new AnswerTooLargeError(source, bytes, limitBytes);
    values += countEnds(chunk);
    if (values > mostValues) throw tooManyValues();
    chunks.push(chunk);
  }
  const [names = [], types = [], ...rows] = Buffer.concat(chunks).toString().split('\n').slice(0, -1).map(readLine);
  return { names: names.map(String), types: types.map(String), rows, bytes };
}

/**
 * A value for JSON, from its text as a type of PostgreSQL. Only numbers that a double holds exactly become JSON numbers, and moments
 * are written as the other clients write them.
 */
export function toJsonValue(type: string, text: string | null): unknown {
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
      return readDocument(text);
    default:
      return text;
  }
}

/** Each value ends with a tab or a line break, which are escaped inside of it. */
function countEnds(chunk: Buffer): number {
  let ends = 0;
  for (const byte of chunk) if (byte === 9 || byte === 10) ends++;
  return ends;
}

function readLine(line: string): (string | null)[] {
  return line.split('\t').map(value => (value === '\\N' ? null : value.replace(/\\(.)/gs, (_, code: string) => escapes[code] ?? code)));
}
