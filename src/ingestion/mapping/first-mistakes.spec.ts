import { inBoth } from '../../text/bilingual.js';
import { pathText } from './mapping.js';
import { parseMapping } from './parse-mapping.js';
import { MappingError } from './problems.js';

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
function problemsOf(text: string): string[][] {
  try {
    parseMapping(text);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    return error.problems.map(({ path, text: { en }, hint }) => [pathText(path), en, ...(hint === undefined ? [] : [inBoth(hint).en])]);
  }
  return [];
}

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
  expect(problemsOf(valid.replace(before!, after!))).toEqual([problem]);
});

it('names no nodes before the way to name those of another job when there are none', () => {
  const edges = `version: 1\n${valid.slice(valid.indexOf('edges:'))}`;
  expect(problemsOf(edges).map(([, , hint]) => hint)).toEqual(['label:…', 'label:…']);
});

it('warns of full-width quotes, which become part of a value', () => {
  const { mapping, warnings } = parseMapping(valid.replace('label: 客户', 'label: “客户”'));
  expect(mapping.nodes[0]!.label).toBe('“客户”');
  expect(warnings).toEqual([expect.objectContaining({ code: 'full_width_quotes', path: ['nodes', 0, 'label'], line: 4 })]);
  expect(parseMapping(valid.replace('label: 客户', 'label: "“客户”"')).warnings).toEqual([]);
});
