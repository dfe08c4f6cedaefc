import { toldUnits } from './units.js';

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
