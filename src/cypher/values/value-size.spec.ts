import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { isLong, itLong } from '../../../test/support/tier.js';
import { Decimal } from './decimal.js';
import { GrowingList } from './growing-list.js';
import { checkedSize, sizeOf } from './value-size.js';

interface Measured {
  what: 'kinds' | 'randomValues' | 'randomQueries';
  /** The kind of value, or the expression or query. */
  name: string;
  counted: number;
  measured: number;
}

const seed = isLong ? Date.now() % 100_000 : 1;
const asked = isLong
  ? { seed, bytes: 2_000_000, nthKind: 1, values: 200, queries: 100 }
  : { seed, bytes: 400_000, nthKind: 3, values: 0, queries: 0 };
const ratioOf = ({ counted, measured }: Measured) => Math.round((100 * counted) / measured) / 100;
/**
 * Matches queries whose rows hold lists that contain one shared list. Each row counts the shared list again, so the count may exceed the
 * measured bytes.
 */
const isGatheredAgain = ({ name }: Measured) => /UNWIND.*UNWIND.*(collect\(v\)|\[v, i\])/.test(name);
const isFar = (each: Measured) => ratioOf(each) < 0.7 || ratioOf(each) > 1.3;

describe('the size of values', () => {
  let measured: Measured[];
  const of = (what: Measured['what']) => measured.filter(each => each.what === what);

  /** Measures in a separate process, so that nothing else allocates on its heap. */
  beforeAll(async () => {
    const program = path.resolve(__dirname, '../../../test/support/measured-heap.mjs');
    const flags = ['--expose-gc', '--no-opt', '--no-flush-bytecode'];
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, program, JSON.stringify(asked)], { maxBuffer: 2 ** 26 });
    measured = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line) as Measured);
  }, 600_000);

  it('is what V8 takes for each kind, by 30 % or less', () => {
    expect(of('kinds').length).toBeGreaterThan(isLong ? 30 : 10);
    expect(of('kinds').filter(isFar)).toEqual([]);
  });

  itLong('is what V8 takes for random values, by 30 % or less', () => {
    expect(of('randomValues').length).toBeGreaterThan(5);
    expect([seed, of('randomValues').filter(isFar)]).toEqual([seed, []]);
  });

  itLong('adds up to what random queries hold, at their first row and with all rows kept', () => {
    expect(of('randomQueries').length).toBeGreaterThan(5);
    // The syntax tree and the compiled query take some hundred kilobytes, which the count leaves out.
    const isWrong = (each: Measured) =>
      each.counted < 0.7 * (each.measured - 400_000) || (!isGatheredAgain(each) && each.counted > 2 * each.measured + 400_000);
    expect([seed, of('randomQueries').filter(isWrong)]).toEqual([seed, []]);
  });

  it('is the same for a list that was built item by item', () => {
    const items = Array.from({ length: 2_000 }, (_, i) => [BigInt(i), `text ${i}`, new Map([['decimal', new Decimal(BigInt(i), 1)]])]);
    const growing = new GrowingList();
    for (const item of items) growing.push(item);
    expect(sizeOf(growing.whole())).toBe(sizeOf(items));
  });

  it('tells lists that are too deep, whether or not the sizes of their parts are known', () => {
    const wide = Array.from({ length: 2_000 }, (_, i) => BigInt(i));
    const nest = (depth: number): unknown => {
      let value: readonly unknown[] = wide;
      for (let i = 1; i < depth; i += 1) value = checkedSize([value] as never);
      return value;
    };
    expect(nest(500)).toBeDefined();
    expect(() => nest(501)).toThrow('500');
  });
});
