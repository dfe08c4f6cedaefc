import { isUtf8 } from 'node:buffer';
import * as fc from 'fast-check';
import { firstBadLine } from './csv-encoding.js';

describe('firstBadLine', () => {
  it('finds the line that comes first when each is looked at', () => {
    const line = fc.constantFrom('', 'a', '客户', 'a long line of text', '\u0001').map(text => Buffer.from(text));
    const bad = fc.constantFrom([0xff], [0x61, 0xe5, 0xae], [0x80, 0x61]).map(bytes => Buffer.from(bytes));
    fc.assert(
      fc.property(fc.array(line), bad, fc.array(fc.oneof(line, bad)), fc.boolean(), (before, broken, behind, isEnded) => {
        const lines = [...before, broken, ...behind];
        const bytes = Buffer.concat(lines.flatMap((each, at) => (at < lines.length - 1 || isEnded ? [each, Buffer.from('\n')] : [each])));
        expect(firstBadLine(bytes, isUtf8)).toBe(before.length);
      }),
    );
  });

  it('looks at few of many lines', () => {
    let looks = 0;
    const bytes = Buffer.concat([Buffer.alloc(1_000_000, '\n'), Buffer.from([0xff, 0x0a])]);
    const line = firstBadLine(bytes, lines => {
      looks++;
      return isUtf8(lines);
    });
    expect(line).toBe(1_000_000);
    expect(looks).toBeLessThan(30);
  });
});
