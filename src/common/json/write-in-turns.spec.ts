import fc from 'fast-check';
import { turnsOfOthers } from '../../../test/support/turns.js';
import { RawJson } from './raw-json.js';
import { isLarge, objectParts, writeInTurns } from './write-in-turns.js';

const written = async (body: Record<string, unknown>) => JSON.parse(Buffer.concat(await writeInTurns(body)).toString('utf8'));

describe('writeInTurns', () => {
  it('writes what JSON.stringify writes', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue()), fc.constant(undefined))),
        async body => {
          expect(await written(body)).toEqual(JSON.parse(JSON.stringify(body)));
        },
      ),
    );
  });

  it('passes raw values on as they are', async () => {
    const body = { a: 1, rows: new RawJson(Buffer.from('[[1, "中"]]')), graph: null };
    expect(Buffer.concat(await writeInTurns(body)).toString()).toBe('{"a":1,"rows":[[1, "中"]],"graph":null}');
    expect(isLarge(body)).toBe(true);
  });

  const texts = Array.from({ length: 100 }, () => 'x'.repeat(100_000));

  it.each([
    ['many rows', texts.map(text => [text])],
    ['one list', [[texts]]],
    ['one map', [[Object.fromEntries(texts.entries())]]],
    ['lists in lists', [[[[texts.slice(0, 50)], [texts.slice(50)]]]]],
  ])('lets others run between the parts of %s', async (_, rows) => {
    let pieces: Buffer[] = [];
    const turns = await turnsOfOthers(async () => (pieces = await writeInTurns({ rows })));
    expect(turns).toBeGreaterThan(1);
    expect(Math.max(...[...objectParts({ rows })].map(part => part.length))).toBeLessThan(600_000);
    expect(Buffer.concat(pieces).equals(Buffer.from(JSON.stringify({ rows })))).toBe(true);
  });

  it('tells large bodies from small ones', () => {
    expect(isLarge({ rows: [['x'.repeat(300_000)]] })).toBe(true);
    expect(isLarge({ rows: Array.from({ length: 10_000 }, () => ['some text', { n: 1, text: 'more of it' }]) })).toBe(true);
    expect(isLarge({ rows: [[1], [2], [3], [4], ['x'.repeat(300_000)]] })).toBe(true);
    expect(isLarge({ table: { sample: { rows: [['x'.repeat(300_000)]] } } })).toBe(true);
    expect(isLarge({ rows: [[1, 2, 3]], text: 'x' })).toBe(false);
    expect(isLarge([1])).toBe(false);
    expect(isLarge(null)).toBe(false);
  });
});
