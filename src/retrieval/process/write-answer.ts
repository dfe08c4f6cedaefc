import { AnswerTooLargeError } from '../../common/errors/answer-too-large.error.js';
import { JsonPieces } from '../../common/json/write-in-turns.js';
import { type Pace } from '../../common/turns/pace.js';
import { type RetrievalAnswer } from '../protocol.js';

/**
 * Writes the three lines of an answer in pieces.
 * @throws AnswerTooLargeError as soon as more than `limitBytes` are written
 */
export async function writeAnswer({ rows, graph, ...head }: RetrievalAnswer, limitBytes: number, pace: Pace): Promise<Buffer[]> {
  let written = 0;
  const pieces = new JsonPieces(pace, bytes => {
    written += bytes;
    if (written > limitBytes) throw new AnswerTooLargeError('query', written, limitBytes);
  });
  await pieces.object(head);
  await pieces.text('\n').array(rows);
  await pieces.text('\n').object({ ...graph });
  return pieces.end();
}
