import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import { type FileHead, firstRecordOf, headOf, isMarkedList } from './file-head.js';

const head = (text: string, more: Partial<FileHead> = {}): FileHead => ({ bytes: Buffer.from(text), hasMark: false, isAll: true, ...more });

describe('the beginning of a file', () => {
  it('is read without its byte order mark, also from gzip', async () => {
    const directory = await mkdtemp(path.join(os.tmpdir(), 'head-'));
    const read = async (name: string, bytes: string | Buffer): Promise<FileHead> => {
      await writeFile(path.join(directory, name), bytes);
      return headOf(path.join(directory, name));
    };
    expect(await read('a.csv', '\ufeffa,b\n')).toEqual({ bytes: Buffer.from('a,b\n'), hasMark: true, isAll: true });
    expect(await read('a.json.gz', gzipSync('\ufeff[1]'))).toEqual({ bytes: Buffer.from('[1]'), hasMark: true, isAll: true });
    expect((await read('cut.csv.gz', gzipSync('a,b\n'.repeat(100)).subarray(0, 20))).bytes.toString()).toMatch(/^a,b\n/);
    expect((await read('plain.csv.gz', 'no gzip')).bytes).toHaveLength(0);
    expect(await read('long.csv.gz', gzipSync('a,b\n'.repeat(100_000)))).toMatchObject({ isAll: false });
    await rm(directory, { recursive: true });
  });

  it.each([
    ['a,b\n1,2\n', ',', ['a', 'b'], 1],
    ['a;"b, c"\r\n1;2\r\n', ';', ['a', 'b, c'], 1],
    ['"a\nx"\t"b ""c"""\n', '\t', ['a\nx', 'b "c"'], 2],
    ['sep=^\r\na^b\r\n', '^', ['a', 'b'], 2],
    ['sep=;\n"a\n";b', ';', ['a\n', 'b'], 3],
    ['one\n', ',', ['one'], 1],
  ])('%j has its first record', (text, delimiter, names, lines) => {
    expect(firstRecordOf(head(text))).toMatchObject({ delimiter, names, lines, isHeader: true });
  });

  it('is misread by DuckDB where the separator is declared, or a mark stands before a quote', () => {
    expect(firstRecordOf(head('sep=;\na;b\n'))).toMatchObject({ isTrap: true, before: 1 });
    expect(firstRecordOf(head('"a",b\n', { hasMark: true }))).toMatchObject({ isTrap: true, before: 0 });
    expect(firstRecordOf(head('a,"b"\n', { hasMark: true }))).toMatchObject({ isTrap: false });
    expect(firstRecordOf(head('"a",b\n'))).toMatchObject({ isTrap: false });
    expect(isMarkedList(head(' \n[1]', { hasMark: true }))).toBe(true);
    expect([head('[1]'), head('{"a":1}', { hasMark: true }), head('')].map(isMarkedList)).toEqual([false, false, false]);
  });

  it('is a row where it holds numbers or days, and nothing where it breaks RFC 4180 or has no end', () => {
    for (const text of ['"1",a\n', 'a,2024-01-02\n', ',\n', '-1.5;x\n'])
      expect(firstRecordOf(head(text))).toMatchObject({ isHeader: false });
    for (const text of ['"a" b,c\n', '"a\n', 'a"b\n']) expect(firstRecordOf(head(text))).toBeNull();
    expect(firstRecordOf(head('a,b', { isAll: false }))).toBeNull();
  });
});
