import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { mulberry32 } from '../../../../test/support/seeded.js';
import { ServerError } from './server-error.js';
import { WholeAnswer } from './whole-answer.js';

const mark = '\\.0123456789\n';

/** Reads an answer that comes in pieces of random sizes. */
async function read(answer: string, seed: number): Promise<string> {
  const random = mulberry32(seed);
  const bytes = Buffer.from(answer);
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length;) {
    const end = at + 1 + Math.floor(random() * 30_000);
    pieces.push(bytes.subarray(at, end));
    at = end;
  }
  const whole = new WholeAnswer(mark);
  const [read] = await Promise.all([text(whole), pipeline(Readable.from(pieces, { objectMode: false }), whole)]);
  return read;
}

describe('A whole answer', () => {
  it.each(['', '1\n', `${'行'.repeat(9)}\t1\n`.repeat(4_000)])('has a mark at its end, which is taken off', async rows => {
    for (let seed = 0; seed < 20; seed++) expect(await read(rows + mark, seed)).toBe(rows);
  });

  it.each(['', '1\n', `1\n${mark.slice(0, -1)}`, `${mark}1\n`, '1\n'.repeat(50_000)])('is not one without it', async rows => {
    for (let seed = 0; seed < 5; seed++) await expect(read(rows, seed)).rejects.toThrow('ended before its last row');
  });

  it('ends with the error of the server, if that is what stands there', async () => {
    const failed = `${'1\n'.repeat(50_000)}Code: 241. DB::Exception: Memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)`;
    await expect(read(failed, 1)).rejects.toMatchObject({ serverCode: 241 });
    await expect(read(failed, 1)).rejects.toBeInstanceOf(ServerError);
  });
});
