import { nearestFirst, nearestName } from './nearest-name.js';

describe('nearestName', () => {
  it.each([
    ['filter', ['filters', 'filter_clause'], 'filters'],
    ['rowFilter', ['row_filter', 'relation'], 'row_filter'],
    ['limti', ['offset', 'limit'], 'limit'],
    ['LIMIT', ['limit'], 'limit'],
    ['地去', ['地区', '时间'], '地区'],
    ['range', ['from', 'to', 'grain'], null],
    ['to', ['by'], null],
    ['', ['to'], null],
    ['x', [], null],
  ])('takes %j among %j for %j', (written, candidates, meant) => {
    expect(nearestName(written, candidates)).toBe(meant);
  });

  it('is not kept busy by a name of a megabyte', () => {
    expect(nearestName('x'.repeat(1_000_000), ['x'.repeat(63)])).toBe('x'.repeat(63));
  });

  it('compares the first of very many candidates', () => {
    let given = 0;
    function* names(): Iterable<string> {
      for (;;) yield `name ${(given += 1)}`;
    }
    expect(nearestName('something else', names())).toBeNull();
    expect(given).toBeLessThan(5_000);
  });
});

describe('nearestFirst', () => {
  it('ranks names by the share of letters that differ, and keeps the order of names that are not alike at all', () => {
    expect(nearestFirst('name', ['地区', 'n', 'city', 'customer_name', 'nmae'])).toEqual(['nmae', 'customer_name', '地区', 'n', 'city']);
  });

  it('ranks the first of very many candidates, and keeps the rest', () => {
    const others = Array.from({ length: 300 }, (_, index) => `column ${index}`);
    expect(nearestFirst('name', ['nam', ...others, 'name'])).toEqual(['nam', ...others, 'name']);
  });
});
