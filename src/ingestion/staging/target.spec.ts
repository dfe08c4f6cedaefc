import { parseMapping } from '../mapping/parse-mapping.js';
import { mappingOf, namedColumns, sourceAlias, targetsOf, writtenSql } from './target.js';

const { mapping } = parseMapping(`version: 1
nodes:
  - id: customer
    label: 客户
    table: customers
    where: active
    key: [id]
    columns:
      - {column: id, property: 编号, type: string}
      - {column: id, property: 又一编号, type: string}
      - {expression: 'upper(name)', property: 名称, type: string, rules: [{expression: 'name IS NOT NULL'}]}
    incremental: {cursor: changed_at, type: datetime}
    deletes: {mode: column, column: removed, equals: 'y'}
  - {id: order, label: 订单, query: 'SELECT id FROM orders', key: [id], columns: [{column: id, property: 订单号, type: string}]}
edges:
  - {type: 下单, table: orders, key: [id], from: {node: customer, match: {customer_id: id}}, to: {node: order, match: {id: id}}}
  - {type: 推荐, table: referrals, from: {node: customer, match: {a: id}}, to: {node: customer, match: {b: id}}}
  - {type: 推荐, table: referrals, from: {node: customer, match: {b: id}}, to: {node: order, match: {c: id}}}
`);
const targets = targetsOf(mapping);
const [customer, order, placed] = targets;

describe('targetsOf', () => {
  it('lists nodes before edges, and names edges of one type by their ends', () => {
    expect(targets.map(({ kind, name, index }) => [kind, name, index])).toEqual([
      ['node', '客户', 0],
      ['node', '订单', 1],
      ['edge', '下单', 0],
      ['edge', '客户-[推荐]->客户', 1],
      ['edge', '客户-[推荐]->订单', 2],
    ]);
  });
});

describe('sourceAlias', () => {
  it('is the table, or "source" for a query', () => {
    expect([sourceAlias(customer!), sourceAlias(order!)]).toEqual(['customers', 'source']);
  });
});

describe('mappingOf', () => {
  it('finds the first property that comes from a column', () => {
    const { columns } = customer!.element;
    expect([mappingOf(columns, 'id')?.property, mappingOf(columns, 'name')]).toEqual(['编号', undefined]);
  });
});

describe('namedColumns', () => {
  it('lists every column that a target reads by name', () => {
    expect(namedColumns(customer!).map(({ column }) => column)).toEqual(['id', 'id', 'id', 'changed_at', 'removed']);
    expect(namedColumns(placed!)).toEqual([
      { column: 'id', path: ['edges', 0, 'key', 0] },
      { column: 'customer_id', path: ['edges', 0, 'from', 'match', 'customer_id'] },
      { column: 'id', path: ['edges', 0, 'to', 'match', 'id'] },
    ]);
  });
});

describe('writtenSql', () => {
  it("lists every piece of the author's SQL but the query", () => {
    expect(writtenSql(customer!).map(({ kind, text, path }) => [kind, text, path.at(-1)])).toEqual([
      ['predicate', 'active', 'where'],
      ['expression', 'upper(name)', 'expression'],
      ['predicate', 'name IS NOT NULL', 'expression'],
    ]);
    expect(writtenSql(order!)).toEqual([]);
  });
});
