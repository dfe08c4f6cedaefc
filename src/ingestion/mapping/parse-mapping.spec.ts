import { existsSync, readFileSync } from 'node:fs';
import { listedProblems as problemsOf, problemPlaces as summary, validMapping as valid } from '../../../test/support/mapping-problems.js';
import { pathText } from './mapping.js';
import { parseMapping } from './parse-mapping.js';

const example = `${process.cwd()}/../shared/data/northwind/mapping_example.yaml`;

describe('parseMapping', () => {
  it('reads a mapping and fills in every default', () => {
    const { mapping, warnings } = parseMapping(valid);
    expect(warnings).toEqual([]);
    expect(mapping.source).toEqual({ connection: null, timezone: 'UTC', statementTimeoutMs: 300_000 });
    expect(mapping.defaults).toEqual({ onError: 'fail', maxErrorRows: 1000, maxErrorRate: 0.1, emptyAsNull: true, trim: false });
    expect(mapping.nodes[0]).toMatchObject({
      id: 'customer',
      label: '客户',
      write: 'merge',
      key: ['customer_id'],
      deletes: { mode: 'snapshot' },
      incremental: null,
    });
    expect(mapping.edges[0]!.from).toMatchObject({ node: 'customer', label: '客户', onMissing: 'quarantine' });
    expect(mapping.edges[0]!.key).toEqual([]);
  });

  (existsSync(example) ? it : it.skip)('reads the whole Northwind example (skipped without ../shared)', () => {
    const { mapping, warnings } = parseMapping(readFileSync(example, 'utf8'));
    expect(warnings).toEqual([]);
    expect(mapping.nodes.map(node => node.label)).toEqual(['客户', '订单', '产品']);
    expect(mapping.nodes[1]!.incremental).toEqual({ cursor: 'order_date', type: 'date', lag: 604_800_000, initial: '1996-01-01' });
    expect(mapping.nodes[2]!.deletes).toEqual({ mode: 'column', column: 'discontinued', equals: '1' });
    expect(mapping.nodes[1]!.columns[3]).toMatchObject({ default: '0', type: { name: 'decimal', precision: 12, scale: 2 } });
    expect(mapping.edges[1]).toMatchObject({ key: ['order_id', 'product_id'], to: { onMissing: 'skip' } });
  });

  it('names all problems at once, in the order of the text', () => {
    const broken = valid
      .replace('rules: [required, unique]', 'rules: [requred, {pattern: "["}]')
      .replace('type: bigint', 'type: bigin')
      .replace('node: order,', 'node: ordr,');
    const problems = problemsOf(broken);
    expect(problems.map(problem => problem.type)).toEqual(['unknown_rule', 'bad_regex', 'unknown_type', 'unknown_node_ref']);
    expect(problems[0]).toMatchObject({
      loc: ['body', 'mapping_yaml', 'nodes', 0, 'columns', 0, 'rules', 0],
      path: 'nodes[0].columns[0].rules[0]',
      line: 8,
      column: 69,
    });
    expect(problems[0]!.msg).toContain("unknown rule 'requred'; did you mean 'required'?");
    expect(problems[3]!.msg).toContain("did you mean 'order'?");
    expect(() => parseMapping(broken)).toThrow(
      "mapping_yaml validation failed: 4 errors; first at line 8, column 69: unknown rule 'requred'; did you mean 'required'?",
    );
  });

  it('shows how one value is written as a list, and where a repeated label stands first', () => {
    const [single] = problemsOf(valid.replace('key: [order_id]', 'key: order_id'));
    expect(single).toMatchObject({ type: 'wrong_type', hint: 'key: [order_id]' });
    const [repeated] = problemsOf(valid.replace('label: 订单', 'label: 客户'));
    expect(repeated!.msg).toContain("'客户' is used twice, first in line 4");
  });

  it('names a full-width comma between the items of a list', () => {
    const [joined] = problemsOf(valid.replace('key: [order_id]', 'key: [order_id，line_no]'));
    expect(joined).toMatchObject({ type: 'key_not_mapped', hint: expect.stringContaining('full-width comma') });
    const [single] = problemsOf(valid.replace('key: [order_id]', 'key: order_id，line_no'));
    expect(single).toMatchObject({ type: 'wrong_type', hint: 'key: [order_id, line_no]' });
  });

  it('stops collecting at fifty problems', () => {
    const columns = Array.from({ length: 80 }, (_, index) => `      - {column: c${index}, type: nope}`).join('\n');
    expect(problemsOf(`version: 1\nnodes:\n  - id: a\n    label: A\n    table: t\n    key: [c0]\n    columns:\n${columns}\n`)).toHaveLength(
      50,
    );
  });

  it.each([
    [
      'an unknown key',
      valid.replace('    table: customers', '    tabel: customers'),
      ['missing_key@3:5 nodes[0]', 'unknown_key@5:5 nodes[0].tabel'],
    ],
    ['a missing version', valid.replace('version: 1\n', ''), ['missing_key@1:1 ']],
    ['another version', valid.replace('version: 1', 'version: 2'), ['unsupported_version@1:10 version']],
    [
      'a key that is not mapped',
      valid.replace('key: [order_id]', 'key: [order_no]'),
      ['key_not_mapped@12:11 nodes[1].key[0]', 'match_incomplete@19:23 edges[0].to.match'],
    ],
    [
      'an incomplete match',
      valid.replace('match: {order_id: order_id}', 'match: {order_id: id}'),
      ['match_incomplete@19:23 edges[0].to.match'],
    ],
    [
      'two nodes with one id',
      valid.replace('id: order', 'id: customer'),
      ['duplicate_id@9:9 nodes[1].id', 'match_incomplete@18:28 edges[0].from.match', 'unknown_node_ref@19:16 edges[0].to.node'],
    ],
    ['two nodes with one label', valid.replace('label: 订单', 'label: 客户'), ['duplicate_label@10:12 nodes[1].label']],
    ['a reserved property', valid.replace('property: 订单号', 'property: _id'), ['reserved_property@14:38 nodes[1].columns[0].property']],
    [
      'an empty column list',
      valid.replace('columns:\n      - {column: order_id, property: 订单号, type: bigint}', 'columns: []'),
      ['empty_list@13:5 nodes[1].columns'],
    ],
    ['a value of the wrong kind', valid.replace('key: [order_id]', 'key: order_id'), ['wrong_type@12:10 nodes[1].key']],
    [
      'a table and a query together',
      valid.replace('    table: customers\n', '    table: customers\n    query: SELECT 1\n'),
      ['missing_key@3:5 nodes[0]'],
    ],
  ])('points at %s', (_name, text, expected) => {
    expect(summary(text)).toEqual(expected);
  });

  it.each([
    ['two properties with one name', '{column: a, property: p}, {column: b, property: p}', 'duplicate_property'],
    ['a pattern on a number', '{column: a, type: int, rules: [{pattern: "x"}]}', 'rule_type_mismatch'],
    ['a bound on text', '{column: a, type: string, rules: [{min: 1}]}', 'rule_type_mismatch'],
    ['a bound that is not a date', '{column: a, type: date, rules: [{min: "2024-02-30"}]}', 'bad_rule_argument'],
    ['a minimum above the maximum', '{column: a, type: int, rules: [{min: 3}, {max: 2}]}', 'contradictory_rules'],
    ['a shortest above the longest', '{column: a, rules: [{min_length: 3}, {max_length: 2}]}', 'contradictory_rules'],
    ['one rule written twice', '{column: a, rules: [required, required]}', 'contradictory_rules'],
    ['a default that its rule refuses', '{column: a, type: int, default: 0, rules: [{min: 1}]}', 'default_breaks_rule'],
    ['a default of another type', '{column: a, type: int, default: none}', 'default_breaks_rule'],
    ['a rule without its argument', '{column: a, rules: [min]}', 'bad_rule_argument'],
    ['a rule with two names', '{column: a, type: int, rules: [{min: 1, max: 2}]}', 'bad_rule_argument'],
    ['one value in place of a list', '{column: a, rules: [{one_of: x}]}', 'wrong_type'],
    ['an empty list of values', '{column: a, rules: [{one_of: []}]}', 'empty_list'],
    ['an unknown transform', '{column: a, transform: [uper]}', 'unknown_transform'],
    ['a column without a source', '{property: p}', 'missing_key'],
    ['an expression without a property', '{expression: "a + 1"}', 'missing_key'],
    ['a decimal without a scale', '{column: a, type: decimal}', 'unknown_type'],
    ['an unknown format', '{column: a, rules: [{format: emial}]}', 'bad_rule_argument'],
    ['a format of a number', '{column: a, type: int, rules: [{format: email}]}', 'rule_type_mismatch'],
    ['a precision of a text', '{column: a, type: string, rules: [{precision: [5, 2]}]}', 'rule_type_mismatch'],
    ['more decimals than digits', '{column: a, rules: [{precision: [2, 5]}]}', 'bad_rule_argument'],
    ['a future that is not a day', '{column: a, type: time, rules: [not_in_future]}', 'rule_type_mismatch'],
    ['a default with too many decimals', '{column: a, type: float, default: 1.005, rules: [{precision: [5, 2]}]}', 'default_breaks_rule'],
    ['a condition without rules', '{column: a, rules: [{when: b > 1}]}', 'missing_key'],
    [
      'a condition inside a condition',
      '{column: a, rules: [{when: b > 1, rules: [{when: b > 2, rules: [required]}]}]}',
      'bad_rule_argument',
    ],
    [
      'contradicting rules under a condition',
      '{column: a, type: int, rules: [{when: b, rules: [{min: 3}, {max: 2}]}]}',
      'contradictory_rules',
    ],
    ['a severity of a condition', '{column: a, rules: [{when: b, severity: warn, rules: [required]}]}', 'unknown_key'],
    ['references without a column', '{column: a, rules: [{references: {node: a}}]}', 'missing_key'],
    ['references to a node that is not there', '{column: a, rules: [{references: {node: n, column: k}}]}', 'unknown_node_ref'],
    ['references to a column that is not a key', '{column: a, rules: [{references: {node: a, column: a}}]}', 'bad_rule_argument'],
    [
      'references to a column of this label that is not a key',
      '{column: a, rules: [{references: {node: "label:A", column: a}}]}',
      'bad_rule_argument',
    ],
    ['a transform without its argument', '{column: a, transform: [split]}', 'bad_rule_argument'],
    ['an argument of a transform that takes none', '{column: a, transform: [{trim: 1}]}', 'bad_rule_argument'],
    ['a transform after a list was made', '{column: a, transform: [{split: ","}, trim]}', 'bad_rule_argument'],
    ['a list that is read as a number', '{column: a, type: int, transform: [{split: ","}]}', 'rule_type_mismatch'],
    ['a place before the first character', '{column: a, transform: [{substring: [0, 2]}]}', 'wrong_type'],
    ['a substring without a length', '{column: a, transform: [{substring: [1]}]}', 'bad_rule_argument'],
    ['a date format that is none', '{column: a, transform: [{date_format: YYYY}]}', 'bad_rule_argument'],
    ['a time that is read as a day', '{column: a, type: date, transform: [{date_format: "HH:mm"}]}', 'rule_type_mismatch'],
    ['a number that is read as a day', '{column: a, type: date, transform: [number_cn]}', 'rule_type_mismatch'],
    ['more than twenty transforms', `{column: a, transform: [${'trim, '.repeat(21)}]}`, 'wrong_type'],
  ])('refuses %s', (_name, columns, type) => {
    const text = `version: 1\nnodes:\n  - {id: a, label: A, table: t, key: [k], columns: [{column: k, property: k}, ${columns}]}\n`;
    expect(problemsOf(text).map(problem => problem.type)).toEqual([type]);
  });

  it('lets a rule stand twice under different conditions', () => {
    const { mapping } = parseMapping(
      valid.replace('rules: [required, unique]', 'rules: [required, {when: a = 1, rules: [unique]}, {when: a = 2, rules: [unique]}]'),
    );
    const { rules } = mapping.nodes[0]!.columns[0]!;
    expect(rules.map(({ kind, when }) => [kind, when?.predicate])).toEqual([
      ['required', undefined],
      ['unique', 'a = 1'],
      ['unique', 'a = 2'],
    ]);
    expect(pathText(rules[2]!.when!.path)).toBe('nodes[0].columns[0].rules[2].when');
    expect(pathText(rules[2]!.path)).toBe('nodes[0].columns[0].rules[2].rules[0]');
  });

  it('limits the rules of one element and the columns of a key', () => {
    const list = (count: number, text: (index: number) => string): string => Array.from({ length: count }, (_, i) => text(i)).join(', ');
    const node = (rules: number, key: number): string =>
      `version: 1\nnodes:\n  - {id: a, label: A, table: t, key: [${list(key, i => `k${i}`)}], columns: [${list(key, i => `{column: k${i}}`)}, ` +
      `{column: b, rules: [${list(rules, i => `{expression: b > ${i}}`)}]}]}\n`;
    const edge = (pairs: number): string =>
      `edges:\n  - {type: e, table: t, from: {node: 'label:B', match: {${list(pairs, i => `m${i}: k${i}`)}}}, to: {node: 'label:B', match: {a: b}}}\n`;
    expect(problemsOf(node(1_000, 32) + edge(32))).toEqual([]);
    expect(summary(node(1_001, 33) + edge(33))).toEqual([
      'wrong_type@3:33 nodes[0].key',
      expect.stringMatching(/^wrong_type@.* nodes\[0\]\.columns$/),
      expect.stringMatching(/^wrong_type@.* edges\[0\]\.from\.match$/),
    ]);
  });

  it('says nothing about the match with a node whose key is misspelt', () => {
    const types = problemsOf(valid.replace('key: [order_id]', 'keys: [order_id]')).map(problem => problem.type);
    expect(types.sort()).toEqual(['missing_key', 'unknown_key']);
  });

  it('takes a batch_size with a warning that it has no effect', () => {
    const withSize = (size: string): string => valid.replace('version: 1', `version: 1\nbatch_size: ${size}`);
    expect(parseMapping(withSize('1000000')).warnings).toMatchObject([{ code: 'no_effect', path: ['batch_size'], line: 2, column: 13 }]);
    for (const size of ['0', '1000001', '1.5', 'many']) expect(summary(withSize(size))).toEqual(['wrong_type@2:13 batch_size']);
  });
});

describe('a mistake of a first mapping', () => {
  const only = (text: string) => {
    const problems = problemsOf(text);
    expect(problems).toHaveLength(1);
    return problems[0]!;
  };

  it.each([
    ['integer', 'int'],
    ['varchar(20)', 'string'],
    ['text', 'string'],
    ['timestamp', 'datetime'],
    ['number', 'decimal(12,2)'],
    ['bool', 'boolean'],
  ])('is answered for the type %s with %s', (written, meant) => {
    const { type, msg } = only(valid.replace('type: bigint', `type: ${written}`));
    expect(type).toBe('unknown_type');
    expect(msg).toContain(`did you mean '${meant}'?`);
    expect(msg).toContain(`是否想写 '${meant}'？`);
  });

  it('is answered in the right side of a match with the key column that was meant', () => {
    const { type, msg } = only(valid.replace('{order_id: order_id}', '{order_id: order_di}'));
    expect(type).toBe('match_incomplete');
    expect(msg).toContain("'order_di' is none of them; did you mean 'order_id'?");
    expect(msg).toContain("'order_di' 不是其中之一，是否想写 'order_id'？");
  });

  it('is answered in the end of an edge with its shape, once', () => {
    const problem = only(valid.replace('{node: customer, match: {customer_id: customer_id}}', 'customer'));
    expect(problem).toMatchObject({ type: 'wrong_type', hint: '{node: customer, match: {…: …}}' });
  });
});
