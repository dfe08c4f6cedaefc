import fc from 'fast-check';
import { Lines } from './lines.js';

describe('lines', () => {
  it('are those of the whole text, wherever its pieces were cut', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: fc.constantFrom('\n', '\r', 'a', '字') })), pieces => {
        const read: string[] = [];
        const lines = new Lines(line => read.push(line));
        for (const piece of pieces) lines.take(piece);
        expect(lines.pending).toBe(pieces.join('').split('\n').at(-1)!.length);
        lines.end();
        expect(read).toEqual(pieces.join('').split('\n'));
      }),
    );
  });

  it('are searched once, however many pieces a line has (risk: time grows with the square of the line)', () => {
    const read: number[] = [];
    const lines = new Lines(line => read.push(line.length));
    for (let count = 0; count < 2_000_000; count++) lines.take('ab');
    lines.end();
    expect(read).toEqual([4_000_000]);
  });

  it('are read as soon as they end', () => {
    const read: string[] = [];
    const lines = new Lines(line => read.push(line));
    lines.take('one\ntw');
    expect(read).toEqual(['one']);
    lines.take('o\n');
    expect(read).toEqual(['one', 'two']);
  });
});
