import { Readable } from 'node:stream';
import { countLines, watched } from './watched-rows.js';

const read = async (source: AsyncIterable<Buffer>): Promise<{ passed: string; counted: number[] }> => {
  const counted = [0, 0];
  let passed = '';
  const count = async (bytes: Buffer, rows: number): Promise<void> => {
    counted[0]! += bytes.length;
    counted[1]! += rows;
    return Promise.resolve();
  };
  for await (const chunk of watched(50, count)(source)) passed += chunk.toString();
  return { passed, counted };
};

it('passes bytes on and counts them and the rows that end in them', async () => {
  expect(countLines(Buffer.from('\n\na\n'))).toBe(3);
  const chunks = [Buffer.from('1\ta\n2'), Buffer.from('\tb\\nc\n3\td\n')];
  expect(await read(Readable.from(chunks))).toEqual({ passed: '1\ta\n2\tb\\nc\n3\td\n', counted: [15, 3] });
});

it('gives a source up that is silent in the middle, and destroys it', async () => {
  const source = new Readable({ read: () => undefined });
  source.push('1\n');
  await expect(read(source)).rejects.toMatchObject({ silenceMs: 50 });
});
