import { turnsOfOthers } from '../../../test/support/turns.js';
import { CsvBlocks } from './csv-blocks.js';

const mebibyte = 1024 * 1024;

async function* chunks(count: number, bytes: number): AsyncGenerator<Buffer, void> {
  for (let index = 0; index < count; index++) yield await Promise.resolve(Buffer.alloc(bytes, index));
}

describe('CsvBlocks', () => {
  it('joins the chunks of a long record in turns of 1 MiB', async () => {
    const blocks = new CsvBlocks(chunks(128, 65_536));
    expect(await turnsOfOthers(() => blocks.take(4 * mebibyte).then(({ bytes }) => blocks.putBack(bytes)))).toBeGreaterThanOrEqual(4);
    expect(await turnsOfOthers(() => blocks.take(8 * mebibyte))).toBeGreaterThanOrEqual(8);
  });

  it('gives all bytes in their order, and a last line feed', async () => {
    const blocks = new CsvBlocks(chunks(40, 65_537));
    const first = await blocks.take(2 * mebibyte);
    blocks.putBack(first.bytes);
    const { bytes, final } = await blocks.take(40 * mebibyte);
    const whole = Buffer.concat(Array.from({ length: 40 }, (_, index) => Buffer.alloc(65_537, index)));
    expect(bytes.equals(Buffer.concat([whole, Buffer.from('\n')]))).toBe(true);
    expect([first.final, final]).toEqual([false, true]);
  });
});
