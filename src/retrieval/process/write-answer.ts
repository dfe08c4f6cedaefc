import { AnswerTooLargeError } from '../../common/errors/answer-too-large.error.js';
import { arrayParts, objectParts } from '../../common/json/write-in-turns.js';
import { type Pace } from '../../common/turns/pace.js';
import { type RetrievalAnswer } from '../protocol.js';

/** The number of characters of one piece. Smaller pieces would cost more writes. */
const pieceCharacters = 65_536;

/**
 * Yields the three lines of an answer in pieces. Returns the last piece.
 * @throws AnswerTooLargeError as soon as more than `limitBytes` are written
 */
export async function* writeAnswer(answer: RetrievalAnswer, limitBytes: number, pace: Pace): AsyncGenerator<Buffer, Buffer> {
  let gathered = '';
  let written = 0;
  const flush = (): Buffer => {
    const piece = Buffer.from(gathered);
    gathered = '';
    written += piece.length;
    if (written > limitBytes) throw new AnswerTooLargeError('query', written, limitBytes);
    return piece;
  };
  for (const part of partsOf(answer)) {
    gathered += String(part);
    if (gathered.length > pieceCharacters) yield flush();
    if (pace.isOverdue) await pace.turn();
  }
  return flush();
}

function* partsOf({ rows, graph, ...head }: RetrievalAnswer): Generator<string | Buffer> {
  yield* objectParts(head);
  yield '\n';
  yield* arrayParts(rows);
  yield '\n';
  yield* objectParts({ ...graph });
}
