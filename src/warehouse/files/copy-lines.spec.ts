import * as fc from 'fast-check';
import { CopyLines } from './copy-lines.js';

describe('CopyLines', () => {
  it('finds the line of every record, with any blank lines between them', () => {
    // The number of blank lines before each record of the file.
    fc.assert(
      fc.property(fc.nat(5), fc.array(fc.nat(3), { maxLength: 30 }), (linesBefore, gaps) => {
        const lines = new CopyLines(linesBefore + 1);
        let line = linesBefore + 1;
        const records = gaps.map(count => {
          if (count > 0) lines.skip([{ line, count }]);
          line += count + 1;
          return line - 1;
        });
        expect(records.map((_, index) => lines.toFileLine(index + 2))).toEqual(records);
      }),
    );
  });

  it('finds the last line behind more runs than it keeps', () => {
    const lines = new CopyLines(2);
    // Three blank lines before each record.
    for (let record = 0; record < 450_000; record++) lines.skip([{ line: 2 + 4 * record, count: 3 }]);
    expect(lines.toFileLine(450_001)).toBe(1 + 4 * 450_000);
  });
});
