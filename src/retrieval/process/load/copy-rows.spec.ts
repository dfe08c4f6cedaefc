import fc from 'fast-check';
import { CopyRows, FieldNumbers } from './copy-rows.js';

/** A value as COPY sends it: https://www.postgresql.org/docs/current/sql-copy.html */
function sent(value: string | null): string {
  if (value === null) return '\\N';
  const escapes: Record<string, string> = { '\b': 'b', '\f': 'f', '\n': 'n', '\r': 'r', '\t': 't', '\v': 'v', '\\': '\\' };
  return [...value].map(letter => (letter in escapes ? `\\${escapes[letter]}` : letter)).join('');
}

const text = fc.string({ unit: fc.constantFrom('a', '客', '𝄞', '\\', '\t', '\n', '\r', 'N', '{', '"', ' ') });

describe('CopyRows', () => {
  it('reads what was sent, wherever the chunks are cut', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.maxSafeInteger(), fc.option(text), text), { maxLength: 20 }),
        fc.integer({ min: 1, max: 9 }),
        (rows, size) => {
          const bytes = Buffer.from(rows.map(([id, a, b]) => `${id}\t${sent(a)}\t${sent(b)}\n`).join(''));
          const read: [number, string | null, string][] = [];
          const reader = new CopyRows(3, row => read.push([row.integer(0), row.isNull(1) ? null : row.text(1), row.text(2)]));
          for (let at = 0; at < bytes.length; at += size) reader.push(bytes.subarray(at, at + size));
          expect(read).toEqual(rows);
        },
      ),
    );
  });

  it('goes through a row once, however many pieces it has (risk: time grows with the square of the row)', () => {
    const read: number[] = [];
    const reader = new CopyRows(1, row => read.push(row.raw(0).length));
    const piece = Buffer.from('0123456789');
    for (let count = 0; count < 400_000; count++) reader.push(piece);
    expect(reader.unfinishedBytes).toBe(16_000_000);
    reader.push(Buffer.from('\n'));
    expect(read).toEqual([4_000_000]);
    expect(reader.unfinishedBytes).toBe(0);
  });
});

describe('FieldNumbers', () => {
  it('numbers each text once, in the order they came', () => {
    const numbers = new FieldNumbers();
    const found: number[] = [];
    const reader = new CopyRows(1, row => found.push(numbers.numberOf(row, 0)));
    reader.push(Buffer.from('客户\nOrder\n客户\nOrder\na\\tb\nOrder\n'));
    expect(found).toEqual([0, 1, 0, 1, 2, 1]);
    expect(numbers.texts).toEqual(['客户', 'Order', 'a\tb']);
  });
});
