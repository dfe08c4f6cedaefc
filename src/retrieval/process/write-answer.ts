import { AnswerTooLargeError } from '../../common/errors/answer-too-large.error.js';
import { writeInTurns } from '../../common/json/write-in-turns.js';
import { type Pace } from '../../common/pace.js';
import { type RetrievalAnswer } from '../protocol.js';

/** `writeInTurns` writes objects; a line of its own is what stands between `{"rows":` and `}`. */
const NEWLINE = Buffer.from('\n');

/**
 * The three lines of an answer, in pieces.
 * @throws AnswerTooLargeError as soon as more than `limitBytes` are written
 */
export async function writeAnswer({ rows, graph, ...head }: RetrievalAnswer, limitBytes: number, pace: Pace): Promise<Buffer[]> {
  let written = 0;
  const count = (bytes: number): void => {
    written += bytes;
    if (written > limitBytes) throw new AnswerTooLargeError('query', written, limitBytes);
  };
  const first = await writeInTurns(head, pace, count);
  const second = await writeInTurns({ rows }, pace, count);
  const third = await writeInTurns({ ...graph }, pace, count);
  // Without `{"rows":` and `}`.
  return [...first, NEWLINE, ...second.slice(1, -1), NEWLINE, ...third];
}
