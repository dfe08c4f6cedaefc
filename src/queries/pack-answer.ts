import { JsonPieces } from '../common/json/write-in-turns.js';
import { type LargeAnswer, type RetrievalAnswer } from '../retrieval/protocol.js';
import { isLargeAnswer } from '../retrieval/read-answer.js';

/**
 * Writes an answer as the three lines that `readAnswer` reads: everything but rows and graph, then the rows, then the graph. The rows and
 * the graph of a large answer, which were never parsed, are written as the bytes that were received.
 */
export async function packAnswer(answer: RetrievalAnswer | LargeAnswer): Promise<Buffer> {
  if (isLargeAnswer(answer)) {
    const { rows, graph, ...head } = answer;
    return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), rows.bytes, Buffer.from('\n'), graph.bytes]);
  }
  const { rows, graph, ...head } = answer;
  const pieces = new JsonPieces();
  await pieces.object(head);
  await pieces.text('\n').array(rows);
  await pieces.text('\n').object({ ...graph });
  return Buffer.concat(pieces.end());
}
