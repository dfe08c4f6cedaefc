import { type CopyTarget } from '../copy/copy-target.js';
import { typeForm } from '../csv/type-form.js';
import { atOnce } from '../../../text/steps.js';
import { RowLines } from './row-lines.js';

const numbered = { givenType: () => undefined, rewriteOf: () => null, hasLines: true } as unknown as CopyTarget;
const aColumn = (name: string) => ({ name, type: 'text', nativeType: 'VARCHAR', nullable: true, comment: null });
const chunk = Buffer.alloc(4 * 1024 * 1024, 'x');

describe('RowLines', () => {
  it('numbers rows, also one that comes in several chunks', () => {
    const lines = new RowLines([], numbered);
    expect(atOnce(lines.of(Buffer.from('a\nb'))).toString()).toBe('1\ta\n2\tb');
    expect(atOnce(lines.of(Buffer.from('c\nd\n'))).toString()).toBe('c\n3\td\n');
  });

  it('sends the parts of a long row as they come, so that no row is read in one go', () => {
    const columns = ['a', 'day', 'b'].map(aColumn);
    const rewrite = { ...typeForm('date')!, rewrite: (text: string) => `<${text}>` };
    const target = {
      givenType: () => undefined,
      rewriteOf: (name: string) => (name === 'day' ? rewrite : null),
      hasLines: true,
    } as unknown as CopyTarget;
    const lines = new RowLines(columns, target);
    expect(atOnce(lines.of(chunk)).length).toBe(chunk.length + 2);
    expect(atOnce(lines.of(Buffer.from('\t2024'))).toString()).toBe('\t');
    expect(atOnce(lines.of(Buffer.from('-01-02\t'))).toString()).toBe('<2024-01-02>\t');
    expect(atOnce(lines.of(chunk)).length).toBe(chunk.length);
    expect(atOnce(lines.of(Buffer.from('\ny\t\\N\tz\n中\t'))).toString()).toBe('\n2\ty\t\\N\tz\n3\t中\t');
    expect(atOnce(lines.of(Buffer.from('日\t\n'))).toString()).toBe('<日>\t\n');
  });

  it.each([1, 2, 3, 7, 1_000])('changes rows alike in chunks of %d bytes', size => {
    const columns = ['a', 'day'].map(aColumn);
    const rewrite = { ...typeForm('date')!, rewrite: (text: string) => `<${text}>` };
    const target = {
      givenType: () => undefined,
      rewriteOf: (name: string) => (name === 'day' ? rewrite : null),
      hasLines: true,
    } as unknown as CopyTarget;
    const lines = new RowLines(columns, target);
    const bytes = Buffer.from('a\t中文\n\t\nb\\tc\t\\N\n');
    const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
      atOnce(lines.of(bytes.subarray(i * size, (i + 1) * size))),
    );
    expect(Buffer.concat(parts).toString()).toBe('1\ta\t<中文>\n2\t\t<>\n3\tb\\tc\t\\N\n');
  });

  it.each([1, 3, 1_000])('refuses a document for jsonb that has a key twice, and keeps other texts, in chunks of %d bytes', size => {
    const target = { givenType: () => 'jsonb', rewriteOf: () => null, hasLines: false } as unknown as CopyTarget;
    const load = (text: string): string => {
      const lines = new RowLines([aColumn('a')], target);
      const bytes = Buffer.from(text);
      const parts = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
        atOnce(lines.of(bytes.subarray(i * size, (i + 1) * size))),
      );
      return Buffer.concat(parts).toString();
    };
    const long = `{"a":"${'x'.repeat(400_000)}","b":{"a":1}}\n`;
    for (const kept of ['{"a":1,"b":{"a":2}}\n\\N\n[{"a":1},{"a":1}]\n', '{"a\\\\"":1,\\n"a":"\\\\"a"}\n', 'no {"a":1,"a":2}\n', long])
      expect(load(kept)).toBe(kept);
    const twice = expect.objectContaining({ problems: [expect.objectContaining({ type: 'parquet_value', loc: ['body', 2, 'a'] })] });
    for (const text of ['{"a":1,"a":2}', '{\\n"a":1,\\t"\\\\u0061":2}', '[{"b":{"\\\\"":1,"\\\\"":2}}]', long.replace('"b"', '"a"').trim()])
      expect(() => load(`{}\n${text}\n`)).toThrow(twice);
  });

  it.each(['1\n', '{}\n', '2024-01-01\n'])('pauses between many short values %j', text => {
    const rewrite = text.startsWith('2') ? typeForm('date') : null;
    const target = { givenType: () => 'jsonb', rewriteOf: () => rewrite, hasLines: false } as unknown as CopyTarget;
    const [many, steps] = [32_000, new RowLines([aColumn('a')], target).of(Buffer.from(text.repeat(32_000)))];
    let pauses = 0;
    for (let step = steps.next(); ; step = steps.next(), pauses++) {
      if (!step.done) continue;
      expect(step.value.toString()).toBe(text.repeat(many));
      break;
    }
    expect(pauses).toBeGreaterThanOrEqual(many / 1_000);
  });

  it('reads documents only in columns of texts and documents', () => {
    const target = { givenType: () => 'jsonb', rewriteOf: () => null, hasLines: false } as unknown as CopyTarget;
    const bytes = Buffer.from('{"a":1,"a":2}\n');
    for (const type of ['integer', 'numeric', 'double precision', 'boolean', 'jsonb'])
      expect(atOnce(new RowLines([{ ...aColumn('a'), type }], target).of(bytes))).toBe(bytes);
    for (const type of ['text', 'json']) expect(() => atOnce(new RowLines([{ ...aColumn('a'), type }], target).of(bytes))).toThrow();
  });

  it('judges the documents of a list, and texts with blanks that the column would cut', () => {
    const load = (givenType: string, type: string, text: string): string => {
      const target = { givenType: () => givenType, rewriteOf: () => typeForm(givenType), hasLines: false } as unknown as CopyTarget;
      return atOnce(new RowLines([{ ...aColumn('a'), type }], target).of(Buffer.from(text))).toString();
    };
    const kept = String.raw`{"{\\"a\\":1}"}` + '\n';
    expect(load('jsonb[]', 'json[]', kept)).toBe(kept);
    expect(() => load('jsonb[]', 'json[]', kept.replace('1', String.raw`1,\\"a\\":2`))).toThrow();
    expect(load('varchar(3)', 'text', 'ab \n')).toBe('ab \n');
    expect(() => load('varchar(3)', 'text', 'abc \n')).toThrow();
  });

  it('refuses a row that is longer than 16 MiB', () => {
    const lines = new RowLines([], numbered);
    atOnce(lines.of(Buffer.from('a\n')));
    for (let sent = 0; sent < 4; sent++) atOnce(lines.of(chunk));
    expect(() => atOnce(lines.of(chunk))).toThrow(
      expect.objectContaining({ problems: [expect.objectContaining({ type: 'parquet_record_too_long' })] }),
    );
  });
});
