import { handleOf, typeName, UniqueNames } from './names.js';

it('makes a handle of any name', () => {
  expect(['客户', 'Order Lines', '2024 sales', '%%%'].map(handleOf)).toEqual(['', 'order_lines', 'n2024_sales', '']);
});

it('writes types in capitals, and leaves Chinese as it is', () => {
  expect([typeName('InvoiceLine', 'track'), typeName('订单', '客户')]).toEqual(['INVOICE_LINE_TRACK', '订单_客户']);
});

it('gives each name once and cuts long ones by characters', () => {
  const names = new UniqueNames(4, 'node');
  expect(['a', 'a', '', '客户客户客户', '客户客户客户'].map(name => names.take(name))).toEqual(['a', 'a_2', 'node', '客户客户', '客户_2']);
});
