import { problemsOf } from '../../../test/support/mapping-problems.js';
import { inBoth } from '../../text/bilingual.js';
import { pathText } from './mapping.js';
import { parseMapping } from './parse-mapping.js';

const valid = `version: 1
nodes:
  - id: customer
    label: 客户
    table: customers
    key: [customer_id]
    columns:
      - {column: customer_id, property: 客户编号}
edges:
  - type: 推荐
    table: customers
    from: {node: customer, match: {customer_id: customer_id}}
    to: {node: customer, match: {referrer_id: customer_id}}
`;

/** Each problem as place, type, English sentence and hint. */
const mistakesOf = (text: string): string[][] =>
  problemsOf(text).map(({ path, text: { en }, hint }) => [pathText(path), en, ...(hint === undefined ? [] : [inBoth(hint).en])]);

it.each([
  [
    'source for table',
    ['    table: customers\n    key', '    source: customers\n    key'],
    ['nodes[0].source', "unknown key 'source'; did you mean 'table'?", expect.stringContaining('table, query')],
  ],
  ['a label in brackets', ['label: 客户', 'label: [客户]'], ['nodes[0].label', 'must be text', 'label: 客户']],
  [
    'columns as a map',
    ['      - {column: customer_id, property: 客户编号}', '      customer_id: 客户编号\n      city: 城市'],
    ['nodes[0].columns', 'must be a list', 'columns: [{column: customer_id}, {column: city}]'],
  ],
  [
    'columns as one column',
    ['      - {column: customer_id, property: 客户编号}', '      column: customer_id'],
    ['nodes[0].columns', 'must be a list', 'columns: [{column: …}]'],
  ],
  [
    'columns as plain names',
    ['- {column: customer_id, property: 客户编号}', '- {column: customer_id}\n      - city'],
    ['nodes[0].columns[1]', 'must be a map', '{column: city}'],
  ],
  [
    'a decimal without quotes in braces',
    ['property: 客户编号}', 'property: 客户编号, type: decimal(12,2)}'],
    ['nodes[0].columns[0].type', 'quote decimal(12,2) inside { }: it holds a comma', "type: 'decimal(12,2)'"],
  ],
  [
    'a key column that is not listed',
    ['column: customer_id, property: 客户编号', 'column: city'],
    ['nodes[0].key[0]', "key column 'customer_id' is not listed in columns", 'add to columns: - {column: customer_id}'],
  ],
  ['a misspelt nodes', ['nodes:', 'node:'], ['node', "unknown key 'node'; did you mean 'nodes'?", expect.stringContaining('nodes, edges')]],
  [
    'a handle that names no node',
    ['to: {node: customer,', 'to: {node: custmer,'],
    ['edges[0].to.node', "there is no node with id 'custmer'; did you mean 'customer'?", 'customer, label:…'],
  ],
])('says once what to write instead of %s', (_, [before, after], problem) => {
  expect(valid).toContain(before);
  expect(mistakesOf(valid.replace(before!, after!))).toEqual([problem]);
});

it('checks the readable parts beside unreadable ones, so that one answer lists all problems', () => {
  const text = `version: 1
nodes:
  - {id: customer, label: [客户], key: [a, b], columns: [{column: a}, {column: a}], display: c}
  - {id: order, label: 订单, table: orders, key: [order_id], columns: [{column: order_id, rules: [{references: {node: custmer, column: a}}]}]}
edges:
  - {type: 下单, table: orders, from: {node: customer, match: {a: a}}, to: {node: order, match: {id: order_id}}}
  - {table: orders, from: {node: ordr, match: {id: order_id}}, to: {node: order, match: {id: id}}, columns: [{column: n}, {column: n}]}
`;
  expect(mistakesOf(text).map(([path, problem]) => `${path}: ${problem}`)).toEqual([
    'nodes[0]: give exactly one of table and query',
    'nodes[0].label: must be text',
    "nodes[0].key[1]: key column 'b' is not listed in columns",
    "nodes[0].columns[1].property: 'a' is used twice, first in line 3",
    "nodes[0].display: display column 'c' is not listed in columns",
    "nodes[1].columns[0].rules[0].references.node: there is no node with id 'custmer'; did you mean 'customer'?",
    "edges[0].from.match: the match of edge 下单 must cover exactly the key columns of node 'customer': a, b",
    "edges[1]: 'type' is missing",
    "edges[1].from.node: there is no node with id 'ordr'; did you mean 'order'?",
    "edges[1].to.match: the match of edge … must cover exactly the key columns of node 'order': order_id; 'id' is none of them",
    "edges[1].columns[1].property: 'n' is used twice, first in line 7",
  ]);
});

it('does not call a node unknown whose handle cannot be read', () => {
  const text = valid.replace('id: customer', 'id: 客户').replace('{referrer_id: customer_id}', '{}');
  expect(mistakesOf(text).map(([path]) => path)).toEqual(['nodes[0].id', 'edges[0].to.match']);
});

it('hints only at label:… for the ends of edges when the mapping has no nodes', () => {
  const edges = `version: 1\n${valid.slice(valid.indexOf('edges:'))}`;
  expect(mistakesOf(edges).map(([, , hint]) => hint)).toEqual(['label:…', 'label:…']);
});

it('warns of full-width quotes, which become part of a value', () => {
  const { mapping, warnings } = parseMapping(valid.replace('label: 客户', 'label: “客户”'));
  expect(mapping.nodes[0]!.label).toBe('“客户”');
  expect(warnings).toEqual([expect.objectContaining({ code: 'full_width_quotes', path: ['nodes', 0, 'label'], line: 4 })]);
  expect(parseMapping(valid.replace('label: 客户', 'label: "“客户”"')).warnings).toEqual([]);
});
