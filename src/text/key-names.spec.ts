import { fitOfNames, wordIn } from './key-names.js';

it.each([
  ['customer_id', 'customers', 'id', 3],
  ['CustomerID', 'dim_customer', 'customer_key', 3],
  ['customerid', 'customers', 'customerid', 3],
  ['category_id', 'categories', 'id', 3],
  ['客户编号', '客户表', '编号', 3],
  ['billing_customer_id', 'customers', 'id', 2],
  ['上级部门编号', '部门', '编号', 2],
  ['order_id', 'purchases', 'order_id', 1],
  ['id', 'purchases', 'id', 0],
  ['code', 'countries', 'code', 0],
  ['编号', '部门', '编号', 0],
  ['quantity', 'customers', 'id', 0],
  ['paid', 'pas', 'id', 0],
])('%s refers to %s (%s) with the fit %d', (column, table, key, fit) => {
  expect(fitOfNames(column, table, key)).toBe(fit);
});

it('takes a comment for a name only if it is one word', () => {
  expect(['客户', 'Customer', 'All customers', '客户，含历史', null].map(wordIn)).toEqual(['客户', 'Customer', null, null, null]);
});
