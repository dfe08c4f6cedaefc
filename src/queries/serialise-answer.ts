import { type RetrievalAnswer } from '../retrieval/protocol.js';

/**
 * The JSON text of an answer, as it is stored and measured, with its size in UTF-8; null for one of more than `mostBytes`. Rows
 * are written one by one, so that no more than about that much text is ever made of a large answer's rows.
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
