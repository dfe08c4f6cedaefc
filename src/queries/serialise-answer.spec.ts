import fc from 'fast-check';
import { type RetrievalAnswer } from '../retrieval/protocol.js';
import { serialiseAnswer } from './serialise-answer.js';

const answer = fc.record({
  text: fc.option(fc.string({ unit: 'binary' })),
  rows: fc.array(fc.array(fc.jsonValue())),
  plan: fc.jsonValue(),
});

describe('serialiseAnswer', () => {
  it('writes what JSON.stringify writes, and measures it', () => {
    fc.assert(
      fc.property(answer, drawn => {
        const whole = JSON.stringify(drawn);
        const size = Buffer.byteLength(whole);
        const { text, bytes } = serialiseAnswer(drawn as unknown as RetrievalAnswer, size)!;
        expect(JSON.parse(text)).toEqual(JSON.parse(whole));
        expect([bytes, Buffer.byteLength(text)]).toEqual([size, size]);
        expect(serialiseAnswer(drawn as unknown as RetrievalAnswer, size - 1)).toBeNull();
      }),
    );
  });

  it('measures the rows after the fiftieth too, and in bytes', () => {
    const rows = [...Array.from({ length: 50 }, () => ['x']), ['图'.repeat(200_000)]];
    expect(serialiseAnswer({ rows } as unknown as RetrievalAnswer, 512 * 1024)).toBeNull();
  });
});
