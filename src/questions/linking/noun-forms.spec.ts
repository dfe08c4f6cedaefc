import { nounFor, pluralOf, singularOf } from './noun-forms.js';

describe('nounFor', () => {
  it.each([
    ['policy', 'policies'],
    ['doctor', 'doctors'],
    ['branch', 'branches'],
    ['class', 'classes'],
    ['status', 'statuses'],
    ['box', 'boxes'],
    ['nurse', 'nurses'],
    ['warehouse', 'warehouses'],
    ['diagnosis', 'diagnoses'],
    ['movie', 'movies'],
    ['day', 'days'],
    ['person', 'people'],
    ['woman', 'women'],
    ['salesman', 'salesmen'],
    ['human', 'humans'],
    ['specimen', 'specimens'],
    ['series', 'series'],
    ['member of staff', 'members of staff'],
    ['parent company', 'parent companies'],
    ['SKU', 'SKUs'],
    ['客户', '客户'],
  ])('1 %s, 2 %s', (one, several) => {
    expect([nounFor(1, one), nounFor(2, one), pluralOf(several), nounFor(0, one), singularOf(several)]).toEqual([
      one,
      several,
      several,
      several,
      one,
    ]);
  });

  it.each([
    ['Payment', 'payments'],
    ['SalesOrder', 'sales orders'],
    ['order_item', 'order items'],
  ])('writes the label %s as %s', (name, several) => {
    expect(nounFor(2, name)).toBe(several);
  });
});
