import { Pace } from '../common/turns/pace.js';
import { hashName } from './fnv.js';
import { NameTable } from './name-table.js';

const tableOf = (names: string[]): Promise<NameTable> =>
  NameTable.build([Uint32Array.from(names, name => hashName(name)[0]), Uint32Array.from(names, name => hashName(name)[1])], new Pace());

describe('NameTable', () => {
  it('finds the nodes of a name in their order, at most as many as asked for', async () => {
    const table = await tableOf(['华为', '中兴', '华为', '华为']);
    expect([table.find('华为', 9), table.find('华为', 2), table.find('中兴', 9), table.find('华', 9)]).toEqual([[0, 2, 3], [0, 2], [1], []]);
  });

  it('does not confuse two nodes whose names agree in one of the two hashes only', async () => {
    const [a, b] = hashName('华为');
    const table = await NameTable.build([Uint32Array.of(a, a + 1, a), Uint32Array.of(b + 1, b, b)], new Pace());
    expect(table.find('华为', 9)).toEqual([2]);
  });

  it('distinguishes ten thousand names', async () => {
    const names = Array.from({ length: 10_000 }, (_, i) => `公司 ${i}`);
    const table = await tableOf(names);
    expect(names.filter((name, i) => table.find(name, 9).join() !== String(i))).toEqual([]);
  });
}); // prettier-ignore

describe('hashName', () => {
  it('gives two numbers that depend on the order of the characters', () => {
    const hashes = ['ab', 'ba', 'aa'].flatMap(hashName);
    expect(new Set(hashes).size).toBe(6);
    expect(hashName('ab')).toEqual(hashes.slice(0, 2));
  });
});
