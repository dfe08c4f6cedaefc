import { type RetrievalAnswer } from '../retrieval/protocol.js';

/**
 * The JSON text of an answer, for storing it, and the bytes of the text in UTF-8. Null if it takes more than `mostBytes`. Rows are written
 * one by one, so that for a large answer only about `mostBytes` of text are made.
 */
export function serialiseAnswer({ rows, ...rest }: RetrievalAnswer, mostBytes: number): { text: string; bytes: number } | null {
  const parts: string[] = [];
  let bytes = 0;
  for (const row of rows) {
    const part = JSON.stringify(row);
    parts.push(part);
    bytes += Buffer.byteLength(part) + 1;
    if (bytes > mostBytes) return null;
  }
  const text = `${JSON.stringify(rest).slice(0, -1)},"rows":[${parts.join(',')}]}`;
  bytes = Buffer.byteLength(text);
  return bytes > mostBytes ? null : { text, bytes };
}
