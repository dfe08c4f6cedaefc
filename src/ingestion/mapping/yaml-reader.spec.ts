import { listedProblems as problemsOf, problemPlaces as summary, validMapping as valid } from '../../../test/support/mapping-problems.js';
import { pathText } from './mapping.js';
import { parseMapping } from './parse-mapping.js';

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
