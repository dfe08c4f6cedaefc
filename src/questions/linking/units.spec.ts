import { namesWithoutUnits, toldMultiple, toldUnits } from './units.js';

const told = (name: string) => toldUnits({ name })?.[0] ?? null;

describe('the unit that a name tells', () => {
  it.each([
    ['weight_kg', 'kg'],
    ['重量（公斤）', 'kg'],
    ['hours', 'h'],
    ['页数', 'page'],
    ['年龄', 'year'],
    ['单价（元/吨）', 'cny'],
    ['weightKg', 'kg'],
    ['price_usd', 'usd'],
    ['票价（¥）', 'cny'],
  ])('of %s is %s', (name, unit) => {
    expect(told(name)).toBe(unit);
  });

  it.each(['price_per_kg', '每公斤价格', 'price_min', '月龄', '库龄', 'size_l', 'class_t', 'rating_m', 'speed_km_h'])(
    'is not told by %s',
    name => {
      expect(told(name)).toBeNull();
    },
  );
});

it.each([
  ['估价（万元）', '万元'],
  ['保险金额(万)', '万'],
  ['人口_亿', '亿'],
  ['budget_meur', 'meur'],
  ['revenue_k_usd', 'k_usd'],
  ['sales_in_millions', 'millions'],
  ['估价（元）', null],
  ['距离（千米）', null],
  ['重量（千克）', null],
  ['height_m', null],
  ['price_eur', null],
])('the multiple that %s tells is %s', (name, multiple) => {
  expect(toldMultiple({ name })).toBe(multiple);
});

describe('the name without the unit that ends it', () => {
  const namesOf = (...names: string[]) => {
    const properties = names.map(name => ({ name, type: 'int' }));
    return [...namesWithoutUnits(properties).values()].flat();
  };
  it.each([
    ['估价（万元）', ['估价']],
    ['重量(kg)', ['重量']],
    ['height_cm', ['height']],
    ['weekly_wage_eur', ['weekly_wage']],
    ['budget_meur', ['budget']],
    ['秋千', []],
    ['height', []],
    ['size_l', []],
    ['kg', []],
    ['min_price', []],
  ])('%s: %j', (name, bases) => {
    expect(namesOf(name)).toEqual(bases);
  });

  it('is no name if it may mean two properties', () => {
    expect(namesOf('金额（元）', '金额（美元）')).toEqual([]);
    expect(namesOf('price', 'price_eur')).toEqual([]);
  });
});
