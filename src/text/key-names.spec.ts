import { fitOfNames, fitOfOwnTable, namesForeignKey, relationWordsOf, shareName, wordIn } from './key-names.js';

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
  ['账号', '账号表', '账号', 3],
  ['orchid', 'orchs', 'id', 0],
])('%s refers to %s (%s) with the fit %d', (column, table, key, fit) => {
  expect(fitOfNames(column, table, key)).toBe(fit);
});

it('takes a comment for a name only if it is one word', () => {
  expect(['客户', 'Customer', 'All customers', '客户，含历史', null].map(wordIn)).toEqual(['客户', 'Customer', null, null, null]);
});

it.each([
  ['manager_id', 'employees', 2],
  ['mgr', 'EMP', 2],
  ['manager_id', 'departments', 0],
  ['parent_id', 'departments', 3],
  ['ParentID', 'categories', 3],
  ['主管编号', '员工信息表', 2],
  ['主管编号', '部门表', 0],
  ['上级编号', '部门', 3],
  ['customer_id', 'customers', 0],
  ['pid', 'orders', 0],
])('takes %s of %s for a reference to the own table with the fit %d', (column, table, fit) => {
  expect(fitOfOwnTable(column, [table])).toBe(fit);
});

it.each([
  ['customer_id', 'customers', 'customer'],
  ['ship_via', 'shippers', 'ship via'],
  ['账号', '用户', '账号'],
  ['上级部门编号', '部门', '上级部门'],
  ['上级编号', '部门', '上级'],
  ['orchid', 'plants', 'orchid'],
])('names the relation of %s to %s whole: %s', (column, table, words) => {
  expect(relationWordsOf(column, table).join(' ')).toBe(words);
});

it('knows the names that only the columns of one thing have', () => {
  expect([shareName('sku', 'SKU'), shareName('name', 'name'), shareName('code', 'code'), shareName('sku', 'isbn')]).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(['region_id', 'RegionID', '部门编号', 'id', 'postal_code', 'paid', '编号'].map(namesForeignKey)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
