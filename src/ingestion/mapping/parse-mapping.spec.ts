import { existsSync, readFileSync } from 'node:fs';
import { toErrorBody } from '../../common/errors/error-body.js';
import { MappingRefusedError } from '../mapping.errors.js';
import { pathText } from './mapping.js';
import { parseMapping } from './parse-mapping.js';
import { MappingError } from './problems.js';

const example = `${process.cwd()}/../shared/data/northwind/mapping_example.yaml`;

const valid = `version: 1
nodes:
  - id: customer
    label: 客户
    table: customers
    key: [customer_id]
    columns:
      - {column: customer_id, property: 客户编号, type: string, rules: [required, unique]}
  - id: order
    label: 订单
    table: orders
    key: [order_id]
    columns:
      - {column: order_id, property: 订单号, type: bigint}
edges:
  - type: 下单
    table: orders
    from: {node: customer, match: {customer_id: customer_id}}
    to: {node: order, match: {order_id: order_id}}
`;

/** As listed in the body of the answer. */
function problemsOf(text: string): Record<'type' | 'msg' | 'line' | 'column' | 'path' | 'hint', string>[] {
  try {
    parseMapping(text);
  } catch (error) {
    if (!(error instanceof MappingError)) throw error;
    const { detail } = toErrorBody(new MappingRefusedError(error), false);
    return (detail as { errors: ReturnType<typeof problemsOf> }).errors;
  }
  return [];
}

/** The problems as `type@line:column path`, the parts that a reader of the answer needs. */
const summary = (text: string): string[] =>
  problemsOf(text).map(problem => `${problem.type}@${problem.line}:${problem.column} ${String(problem.path)}`);

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
    ['a bound that is no date', '{column: a, type: date, rules: [{min: "2024-02-30"}]}', 'bad_rule_argument'],
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
    ['a future that is no day', '{column: a, type: time, rules: [not_in_future]}', 'rule_type_mismatch'],
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
    ['references to a column that is no key', '{column: a, rules: [{references: {node: a, column: a}}]}', 'bad_rule_argument'],
    [
      'references to a column of this label that is no key',
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

describe('YAML trip-wires', () => {
  it.each([
    ['a full-width colon in place of the first one', 'version： 1\n', 'not_a_map@1:8', 'write: version: 1'],
    ['a full-width colon further down', 'version: 1\nnodes：\n  - a\n', 'yaml_syntax@2:6', '写作：nodes: / write: nodes:'],
    ['a tab as indentation', 'version: 1\nnodes:\n\t- a\n', 'yaml_syntax@3:1', 'spaces'],
    ['a key written twice', 'version: 1\nversion: 1\n', 'yaml_syntax@2:1', ''],
    ['two documents', 'version: 1\n---\nversion: 1\n', 'yaml_syntax@2:1', '去掉这一行 --- / '],
    ['two documents that both begin with ---', '# one\n---\nversion: 1\n...\n---\nname: x\n', 'yaml_syntax@5:1', '---'],
    ['a key written twice beside a quoted value', 'version: 1\nname: a b\nname: "x: y"\n', 'yaml_syntax@3:1', 'write each key once'],
    ['a key written twice in a flow map', 'nodes:\n  - {id: a, label: b, id: c}\n', 'yaml_syntax@2:23', 'write each key once'],
    ['a tag of our own', 'version: 1\nname: !foo bar: x\n', 'yaml_syntax@2:7', 'remove the tag'],
    ['a key that is not aligned', 'version: 1\nsource:\n  connection: a\n timezone: b\n', 'yaml_syntax@4:2', 'align it'],
    ['a value below a key that has one', 'version: 1\n  name: x\n', 'yaml_syntax@2:7', 'align it'],
    ['an alias', 'a: &x {b: 1}\nc: *x\n', 'yaml_alias_limit@2:5', 'write the content out'],
    ['a cyclic alias', 'a: &x [*x]\n', 'yaml_alias_limit@1:9', ''],
    ['a tag', 'a: !!js/function "x"\n', 'yaml_syntax@1:4', ''],
    ['a standard tag', 'version: !!int "1"\n', 'yaml_syntax@1:10', ''],
    ['an empty text', '', 'not_a_map@1:1', ''],
    ['a text of comments only', '# nothing\n', 'not_a_map@1:1', ''],
    ['a list as root', '- a\n', 'not_a_map@1:1', ''],
    ['a colon inside a plain value', 'where: a: b\n', 'yaml_syntax@1:9', 'quote the value'],
    ['a flow map that is not closed', 'a:\n  - {b: c, d: e\n  - {b: c, d: e}\n', 'yaml_syntax@3:3', 'close the quote or the bracket'],
    ['a value that starts with %', 'a: %x\n', 'yaml_syntax@1:4', 'quote the value'],
    ['a value that starts with a backtick', 'a: `x`\n', 'yaml_syntax@1:4', 'quote the value'],
    ['a value that starts with @', 'a: @x\n', 'yaml_syntax@1:4', 'quote the value'],
    ['nesting beyond twenty levels', `a: ${'['.repeat(30)}${']'.repeat(30)}\n`, 'yaml_syntax@1:23', ''],
    ['more than 256 KiB', `# ${'汉'.repeat(90_000)}\nversion: 1\n`, 'yaml_syntax@1:1', ''],
  ])('refuses %s', (_name, text, place, hint) => {
    const problems = problemsOf(text);
    expect(problems.map(problem => `${problem.type}@${problem.line}:${problem.column}`)).toEqual([place]);
    expect(problems[0]!.hint ?? '').toContain(hint);
  });

  it('stops an alias bomb without expanding it', () => {
    const levels = Array.from({ length: 12 }, (_, index) => `l${index}: &l${index} [${`*l${Math.max(0, index - 1)}, `.repeat(9)}x]`).join(
      '\n',
    );
    expect(problemsOf(levels).map(problem => problem.type)).toEqual(['yaml_alias_limit']);
  });

  it('reports a merge key as an unknown key', () => {
    expect(summary(`${valid}<<: {a: 1}\n`)).toEqual(['unknown_key@20:1 <<']);
  });

  it('keeps NO, on and yes as text', () => {
    const { mapping } = parseMapping(valid.replace('rules: [required, unique]', 'rules: [{one_of: [NO, on, yes]}]'));
    expect(mapping.nodes[0]!.columns[0]!.rules[0]).toMatchObject({ values: ['NO', 'on', 'yes'] });
  });

  it('keeps unquoted codes as written and warns about them', () => {
    const { mapping, warnings } = parseMapping(
      valid.replace('rules: [required, unique]', 'rules: [{one_of: [0110, 9223372036854775807, 12]}]'),
    );
    expect(mapping.nodes[0]!.columns[0]!.rules[0]).toMatchObject({ values: ['0110', '9223372036854775807', '12'] });
    expect(warnings.map(({ code, path }) => `${code} ${pathText(path)}`)).toEqual([
      'unquoted_number nodes[0].columns[0].rules[0].one_of[0]',
      'unquoted_number nodes[0].columns[0].rules[0].one_of[1]',
    ]);
  });

  it('reads CRLF and a byte order mark', () => {
    expect(parseMapping(`\ufeff${valid.replaceAll('\n', '\r\n')}`).mapping.nodes).toHaveLength(2);
    expect(summary(valid.replaceAll('\n', '\r\n').replace('type: bigint', 'type: big'))).toEqual([
      'unknown_type@14:49 nodes[1].columns[0].type',
    ]);
  });

  it('counts characters, of a line and of a pattern, also those of two UTF-16 units', () => {
    const text = valid.replace('rules: [required, unique]', 'default: 🐉, rules: [{pattern: "🐉["}]');
    expect(summary(text)).toEqual(['bad_regex@8:92 nodes[0].columns[0].rules[0].pattern']);
    expect(problemsOf(text)[0]!.msg).toContain('pattern, character 2');
  });

  it('treats __proto__ as any other unknown key', () => {
    expect(summary(`${valid}__proto__: {a: 1}\n`)).toEqual(['unknown_key@20:1 __proto__']);
  });

  it.each([
    ['.inf', 'whole', 'number'],
    ['-.inf', 'whole', 'number'],
    ['.nan', 'whole', 'number'],
    ['1e400', 'whole', 'number'],
    ['99999999999999999999', 'whole', 'range'],
    ['0o17', 15, 'range'],
    ['-1', 'range', 'range'],
    ['1', 1, 1],
    ['0', 0, 0],
  ])('reads %s as a number of rows or, only if it is one, as a rate', (written, rows, rate) => {
    const problems = { whole: '此处应为整数', number: '此处应为数字', range: '应在 0 与' } as Record<string, string>;
    for (const [name, expected] of [['max_error_rows', rows], ['max_error_rate', rate]] as const) {
      const text = `${valid}defaults:\n  ${name}: ${written}\n`;
      if (typeof expected === 'number') {
        const { defaults } = parseMapping(text).mapping;
        expect(name === 'max_error_rows' ? defaults.maxErrorRows : defaults.maxErrorRate).toBe(expected);
      } else {
        const [problem, ...others] = problemsOf(text);
        expect(others).toEqual([]);
        expect(problem).toMatchObject({ type: 'wrong_type', path: `defaults.${name}`, msg: expect.stringContaining(problems[expected]!) });
      }
    }
  }); // prettier-ignore
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
  ])('in the type %s is answered with %s', (written, meant) => {
    const { type, msg } = only(valid.replace('type: bigint', `type: ${written}`));
    expect(type).toBe('unknown_type');
    expect(msg).toContain(`did you mean '${meant}'?`);
    expect(msg).toContain(`是否想写 '${meant}'？`);
  });

  it('in the right side of a match names the key column that was meant', () => {
    const { type, msg } = only(valid.replace('{order_id: order_id}', '{order_id: order_di}'));
    expect(type).toBe('match_incomplete');
    expect(msg).toContain("'order_di' is none of them; did you mean 'order_id'?");
    expect(msg).toContain("'order_di' 不是其中之一，是否想写 'order_id'？");
  });

  it('in the end of an edge shows its shape once', () => {
    const problem = only(valid.replace('{node: customer, match: {customer_id: customer_id}}', 'customer'));
    expect(problem).toMatchObject({ type: 'wrong_type', hint: '{node: customer, match: {…: …}}' });
  });
});
