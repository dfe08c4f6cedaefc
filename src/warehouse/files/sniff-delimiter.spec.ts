import * as fc from 'fast-check';
import { delimiters, sniffDelimiter } from './sniff-delimiter.js';

const sniff = (csv: string, columns?: number): string | null => {
  const byte = sniffDelimiter(Buffer.from(csv), true, columns);
  return byte === null ? null : String.fromCharCode(byte);
};

/** Splits one line in a simple way. Fields in this test contain no line feed. */
function split(line: string, delimiter: string): string[] {
  const fields = [''];
  let isQuoted = false;
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted;
    else if (character === delimiter && !isQuoted) fields.push('');
    else fields[fields.length - 1] += character;
  }
  return fields;
}

describe('sniffDelimiter', () => {
  it.each([
    ['a;b\n1,5;2\n', ';'],
    ['a,b;c\n1,x\n2,y\n', ','],
    ['name\tnote\nx\ta, b; c\n', '\t'],
    ['one\n', ','],
    ['', ','],
    ['"a,b";c\n"1,2";3\n', ';'],
    ['\n\na|b\n1|2\n', '|'],
    ['a,b|c\n1,2|3\n', ','],
  ])('takes the delimiter of %j', (csv, delimiter) => {
    expect(sniff(csv)).toBe(delimiter);
  });

  it('fits the number of columns where that is known', () => {
    expect(sniff('1,5;2,5\n', 2)).toBe(';');
    expect(sniff('1,5;2,5\n', 3)).toBe(',');
  });

  it('waits for a whole record', () => {
    expect(sniffDelimiter(Buffer.from('a;b'), false)).toBeNull();
    expect(sniffDelimiter(Buffer.from('"a\nb'), false)).toBeNull();
  });

  it('takes a delimiter that cuts every record of a random file into as many fields, where one alone does', () => {
    const field = fc.string({ unit: fc.constantFrom('a', '1', ',', ';', '|', '\t', ' '), maxLength: 6 });
    const quoted = (text: string): string => (/[,;|\t]/.test(text) ? `"${text}"` : text);
    const file = fc
      .tuple(fc.constantFrom(...delimiters), fc.integer({ min: 2, max: 5 }))
      .chain(([{ byte }, width]) =>
        fc.tuple(
          fc.constant(String.fromCharCode(byte)),
          fc.array(fc.array(field, { minLength: width, maxLength: width }), { minLength: 2, maxLength: 12 }),
        ),
      );
    fc.assert(
      fc.property(file, ([delimiter, rows]) => {
        const lines = rows.map(row => row.map(quoted).join(delimiter));
        const isEven = ({ byte }: { byte: number }): boolean => {
          const counts = lines.filter(line => line !== '').map(line => split(line, String.fromCharCode(byte)).length);
          return counts[0]! > 1 && counts.every(count => count === counts[0]);
        };
        fc.pre(delimiters.filter(isEven).length === 1);
        expect(sniff(`${lines.join('\n')}\n`)).toBe(delimiter);
      }),
    );
  });
});
