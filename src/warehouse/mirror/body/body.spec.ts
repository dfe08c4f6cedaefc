import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { SchemaError } from '../../../common/errors/api-error.js';
import { gunzip } from './gunzip.js';
import { readFormFile } from './multipart.js';

const bounds = { ratio: 200, freeBytes: 1024, ms: 60_000 };
const csv = Buffer.from(Array.from({ length: 20_000 }, (_, index) => `${index},name ${index * 7919}\n`).join(''));

function inPieces(bytes: Buffer, size: number): Readable {
  return Readable.from(
    (function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    })(),
  );
}

async function all(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of source) chunks.push(chunk);
  return Buffer.concat(chunks);
}

async function typeOf(source: AsyncIterable<Buffer>): Promise<string> {
  const error = await all(source).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof SchemaError)) throw error instanceof Error ? error : new Error('nothing was refused');
  return error.problems[0]!.type;
}

describe('gunzip', () => {
  it.each([7, 1000, 10_000_000])('reads gzip by its magic bytes, in pieces of %i bytes, and passes all else', async size => {
    const sent = csv.subarray(0, size * 5_000);
    expect((await all(gunzip(inPieces(gzipSync(sent), size), false, bounds))).equals(sent)).toBe(true);
    expect((await all(gunzip(inPieces(sent, size), false, bounds))).equals(sent)).toBe(true);
  });

  it('passes bodies of no and of one byte', async () => {
    expect((await all(gunzip(inPieces(Buffer.from(''), 1), false, bounds))).length).toBe(0);
    expect((await all(gunzip(inPieces(Buffer.from('a'), 1), false, bounds))).toString()).toBe('a');
  });

  it('refuses a body that is not gzip, or is cut off', async () => {
    expect(await typeOf(gunzip(inPieces(csv, 1000), true, bounds))).toBe('csv_gzip');
    expect(await typeOf(gunzip(inPieces(gzipSync(csv).subarray(0, -20), 1000), false, bounds))).toBe('csv_gzip');
  });

  it.each([1, 9, 512, 10_000_000])('reads all members up to padding with zeros, in pieces of %i bytes', async size => {
    const [first, second, zeros] = [gzipSync('a,b\n1,2\n'), gzipSync('3,4\n5,6\n'), Buffer.alloc(512)];
    const read = async (...parts: Buffer[]): Promise<string> =>
      (await all(gunzip(inPieces(Buffer.concat(parts), size), false, bounds))).toString();
    expect(await read(first, second)).toBe('a,b\n1,2\n3,4\n5,6\n');
    expect(await read(first, second, zeros)).toBe('a,b\n1,2\n3,4\n5,6\n');
    // Risk: the rows behind the zeros are lost without a word.
    for (const behind of [second, Buffer.from('\n3,4\n'), gzipSync('')])
      await expect(read(first, zeros, behind)).rejects.toMatchObject({ problems: [{ type: 'csv_gzip' }] });
    await expect(read(first, Buffer.from('\n3,4\n'))).rejects.toMatchObject({ problems: [{ type: 'csv_gzip' }] });
  });

  it('stops a bomb early (risk: a megabyte becomes a gigabyte on disk)', async () => {
    const bomb = gzipSync(Buffer.alloc(50_000_000, '1\n'));
    let seen = 0;
    const reading = async (): Promise<void> => {
      for await (const bytes of gunzip(inPieces(bomb, 1000), false, bounds)) seen += bytes.length;
    };
    await expect(reading()).rejects.toMatchObject({ problems: [{ type: 'csv_gzip_too_dense' }] });
    expect(seen).toBeLessThan(2_000_000);
    expect(await typeOf(gunzip(inPieces(gzipSync(csv), 1000), false, { ...bounds, ms: -1 }))).toBe('csv_gzip_too_long');
  });

  it('lets go of its source when its reader stops', async () => {
    let isClosed = false;
    const source = async function* (): AsyncGenerator<Buffer> {
      try {
        for (;;) yield await Promise.resolve(gzipSync(csv).subarray(0, 5000));
      } finally {
        isClosed = true;
      }
    };
    for await (const bytes of gunzip(source(), false, bounds)) if (bytes.length > 0) break;
    expect(isClosed).toBe(true);
  });
});

describe('readFormFile', () => {
  const type = 'multipart/form-data; boundary=XYZ';
  const part = (headers: string, body: string | Buffer): Buffer =>
    Buffer.concat([
      Buffer.from(`--XYZ\r\nContent-Disposition: form-data; ${headers}\r\nContent-Type: text/csv\r\n\r\n`),
      Buffer.from(body),
      Buffer.from('\r\n'),
    ]);
  const form = (...parts: Buffer[]): Buffer => Buffer.concat([...parts, Buffer.from('--XYZ--\r\n')]);
  const file = part('name="file"; filename="a.csv"', csv);

  const nameless = Buffer.from('--XYZ\r\nContent-Type: text/plain\r\n\r\nx\r\n');

  it.each([1, 100, 10_000_000])('reads the one file, in pieces of %i bytes', async size => {
    const sent = size === 1 ? csv.subarray(0, 5000) : csv;
    const body = form(part('name="file"; filename="a.csv"', sent));
    expect((await all(readFormFile(inPieces(body, size), type))).equals(sent)).toBe(true);
  });

  it.each([
    ['no file', form()],
    ['two files', form(file, file)],
    ['a field beside the file', form(part('name="mode"', 'append'), file)],
    ['a second file behind parts without a name', form(file, ...Array<Buffer>(5).fill(nameless), file)],
    ['a file in base64', form(part('name="file"; filename="a.csv"\r\nContent-Transfer-Encoding: base64', csv.toString('base64')))],
    ['a body that is cut off', form(file).subarray(0, -20)],
    ['a body that is not a form', csv],
  ])('refuses %s', async (_title, body) => {
    expect(await typeOf(readFormFile(inPieces(body, 1000), type))).toBe('multipart');
  });

  it('refuses a form without boundary, and passes on what its source throws', async () => {
    expect(await typeOf(readFormFile(inPieces(form(file), 1000), 'multipart/form-data'))).toBe('multipart');
    const failing = Readable.from(
      (function* () {
        yield form(file).subarray(0, 500);
        throw Object.assign(new Error('gone'), { code: 'ECONNRESET' });
      })(),
    );
    await expect(all(readFormFile(failing, type))).rejects.toThrow('gone');
  });
});
