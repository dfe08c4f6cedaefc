import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gzipSync } from 'node:zlib';
import { bytesOf, isDamagedGzip, isMarkedList } from './file-bytes.js';

describe('the bytes of a text file', () => {
  let directory: string;
  const put = async (name: string, bytes: string | Buffer): Promise<string> => {
    await writeFile(path.join(directory, name), bytes);
    return path.join(directory, name);
  };

  beforeAll(async () => {
    directory = await mkdtemp(path.join(os.tmpdir(), 'bytes-'));
  });
  afterAll(() => rm(directory, { recursive: true }));

  it('are unpacked where the name says so, and damage is told', async () => {
    const text = 'a,b\n'.repeat(100_000);
    expect((await buffer(bytesOf(await put('a.csv', text)))).toString()).toBe(text);
    expect((await buffer(bytesOf(await put('a.csv.GZ', Buffer.concat([gzipSync('x'), gzipSync(text)]))))).toString()).toBe(`x${text}`);
    for (const bytes of ['no gzip', gzipSync(text).subarray(0, 100)]) {
      const error = await buffer(bytesOf(await put('b.csv.gz', bytes))).catch((failure: unknown) => failure);
      expect(isDamagedGzip(error)).toBe(true);
    }
    expect(isDamagedGzip(await buffer(bytesOf(path.join(directory, 'none'))).catch((failure: unknown) => failure))).toBe(false);
  });

  it.each([
    ['\ufeff[1]', true],
    ['\ufeff \n[1]', true],
    ['[1]', false],
    ['\ufeff{"a":1}', false],
    ['', false],
  ])('of JSON %j begin with a mark and a list: %s', async (text, isList) => {
    expect(await isMarkedList(await put('a.json', text))).toBe(isList);
    expect(await isMarkedList(await put('a.json.gz', gzipSync(text)))).toBe(isList);
    expect(await isMarkedList(await put('b.json.gz', text))).toBe(false);
  });
});
