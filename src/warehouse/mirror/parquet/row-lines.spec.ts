import { type CopyTarget } from '../copy/copy-target.js';
import { RowLines } from './row-lines.js';

const numbered = { rewriteOf: () => null, hasLines: true } as unknown as CopyTarget;
const chunk = Buffer.alloc(4 * 1024 * 1024, 'x');

describe('RowLines', () => {
  it('numbers rows, also one that comes in several chunks', () => {
    const lines = new RowLines([], numbered);
    expect(lines.of(Buffer.from('a\nb')).toString()).toBe('1\ta\n');
    expect(lines.of(Buffer.from('c\nd\n')).toString()).toBe('2\tbc\n3\td\n');
  });

  it('refuses a row that is longer than 16 MiB', () => {
    const lines = new RowLines([], numbered);
    lines.of(Buffer.from('a\n'));
    for (let sent = 0; sent < 4; sent++) lines.of(chunk);
    expect(() => lines.of(chunk)).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ type: 'parquet_record_too_long' })] }),
    );
  });
});
