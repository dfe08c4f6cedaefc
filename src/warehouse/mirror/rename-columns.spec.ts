import { nameProblem } from '../files/csv-header.js';
import { ColumnNames } from './rename-columns.js';

const long = '您对我们公司提供的售后服务的总体满意程度（单选题，一至五分）';
const namesOf = (names: string[]): string[] => new ColumnNames().ofAll(names);

describe('names for columns whose names a table cannot have', () => {
  it('are all different, fit, and stay the same for the same file', () => {
    const names = ['序号', long, `${long}的主要原因`, '', '备注', '备注', long, ' ', 'a\nb', 'ctid', '备注_2', '\ud800', '备注'];
    const made = namesOf(names);
    expect(new Set(made).size).toBe(names.length);
    expect(made.map(nameProblem)).toEqual(names.map(() => null));
    expect(namesOf(names)).toEqual(made);
    expect(made).toEqual([
      '序号',
      expect.stringMatching(/^您对我们公司提供的售后服务的总体满意_[0-9a-f]{8}$/),
      expect.stringMatching(/^您对我们公司提供的售后服务的总体满意_[0-9a-f]{8}$/),
      'column_4',
      '备注',
      '备注_3',
      expect.stringMatching(/^您对我们公司提供的售后服务的总体满_[0-9a-f]{8}_2$/),
      'column_8',
      'a b',
      'ctid_2',
      '备注_2',
      '\ufffd',
      '备注_4',
    ]);
  });

  it('of long names do not depend on the other columns', () => {
    const [first] = namesOf([long]);
    expect(namesOf(['x', '', `${long}？`, long])[3]).toBe(first);
    expect(new ColumnNames().ofNext(long)).toBe(first);
  });

  it('of keys do not depend on the order of keys', () => {
    const keys = ['a\nb', 'a b', 'a\tb', '', ' ', 'ctid', 'column', long];
    const namesBy = (order: readonly string[]) => {
      const names = new ColumnNames();
      return new Map(order.map(key => [key, names.ofNext(key)]));
    };
    const names = namesBy(keys);
    expect(names.get('a b')).toBe('a b');
    expect(names.get('a\nb')).toMatch(/^a b_[0-9a-f]{8}$/);
    expect(names.get('')).toMatch(/^column_[0-9a-f]{8}$/);
    expect([...names.values()].map(nameProblem)).toEqual(keys.map(() => null));
    const backwards = namesBy([...keys].reverse());
    for (const key of keys) expect(backwards.get(key)).toBe(names.get(key));
  });

  it.each(['é', '表', '😀', 'a'])('keep whole characters of %s, wherever the cut falls', character => {
    for (let before = 0; before < 8; before++) {
      const name = 'x'.repeat(before) + character.repeat(80);
      const [made] = namesOf([name]);
      expect(Buffer.byteLength(made!)).toBeLessThanOrEqual(63);
      expect(name.startsWith(made!.replace(/_[0-9a-f]{8}$/, ''))).toBe(true);
      expect(made!.isWellFormed()).toBe(true);
    }
  });

  it('never take the name of another column', () => {
    expect(namesOf(['a', 'a', 'a_2', 'a_2'])).toEqual(['a', 'a_3', 'a_2', 'a_2_2']);
    expect(namesOf(['', 'column_1'])).toEqual(['column_1_2', 'column_1']);
    const [made] = namesOf([long]);
    expect(new Set(namesOf([made!, long, long, made!])).size).toBe(4);
  });

  it('are found in a moment for many equal names, and tell old and new', () => {
    const columns = new ColumnNames();
    const made = columns.ofAll(Array.from({ length: 1_600 }, () => long));
    expect(new Set(made).size).toBe(1_600);
    expect(columns.renamed).toHaveLength(1_600);
    expect(columns.renamed[7]).toEqual({ from: long, to: made[7] });
    const huge = new ColumnNames();
    huge.ofNext('x'.repeat(60_000));
    expect(huge.renamed[0]!.from).toHaveLength(1_001);
  });

  it('share one count where they are cut to one name', () => {
    const two = (number: number) => String(number).padStart(2, '0');
    const fitting = Array.from(
      { length: 300 },
      (_, number) => `${'x'.repeat(63)}`.slice(0, 63 - `_${number + 2}`.length) + `_${number + 2}`,
    );
    const alike = Array.from({ length: 100 }, (_, number) => `${'x'.repeat(61)}${two(number)}`);
    const cuts = jest.spyOn(Buffer, 'from');
    const made = new ColumnNames().ofAll([...fitting, ...alike, ...alike]);
    expect(cuts.mock.calls.length).toBeLessThan(5_000);
    cuts.mockRestore();
    expect(new Set(made).size).toBe(500);
  });
});
