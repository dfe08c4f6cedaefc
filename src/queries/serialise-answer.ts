import { type RetrievalAnswer } from '../retrieval/protocol.js';

/**
 * Returns the JSON text of an answer, to be stored, with its size in UTF-8. Null for one larger than `mostBytes`. Rows are written
 * one by one, so that at most about that much text is made of a large answer.
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
