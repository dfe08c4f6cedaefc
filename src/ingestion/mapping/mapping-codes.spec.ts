import { listedProblems } from '../../../test/support/mapping-problems.js';
import { existsSync, readFileSync } from 'node:fs';

const node = (columns: string, more = ''): string =>
  `version: 1\nnodes:\n  - {id: a, label: A, table: t, key: [k], columns: [{column: k}, ${columns}]${more}}\n`;
const edge = (to: string): string => `${node('{column: b}')}edges:\n  - {type: e, table: t, from: {node: a, match: {x: k}}, to: ${to}}\n`;

/**
 * Every problem code of the mapping language, with a mapping that causes it and the words of the mapping that the problem marks. Codes that
 * need a source are tested with the sources.
 */
const codes: [code: string, text: string, marked: string][] = [
  ['yaml_syntax', 'a: `x`\n', ''],
  ['yaml_alias_limit', 'a: &x 1\nb: *x\n', ''],
  ['not_a_map', '- 1\n', ''],
  ['unsupported_version', node('{column: b}').replace('version: 1', 'version: 2'), '2'],
  ['missing_key', 'version: 1\nname: x\n', 'version: 1\nname: x'],
  ['unknown_key', node('{column: b, typ: int}'), 'typ'],
  ['wrong_type', node('{column: b, sensitive: maybe}'), 'maybe'],
  ['empty_list', node('{column: b, rules: [{one_of: []}]}'), 'one_of'],
  ['duplicate_id', `${node('{column: b}')}  - {id: a, label: B, table: t, key: [k], columns: [{column: k}]}\n`, 'a'],
  ['duplicate_label', `${node('{column: b}')}  - {id: b, label: A, table: t, key: [k], columns: [{column: k}]}\n`, 'A'],
  ['duplicate_property', node('{column: b}, {column: c, property: b}'), 'b'],
  ['duplicate_value', node('{column: b}', ', aliases: [x, x]'), 'x'],
  ['reserved_property', node('{column: b, property: _b}'), '_b'],
  ['unknown_node_ref', edge('{node: c, match: {y: k}}'), 'c'],
  ['key_not_mapped', node('{column: b}').replace('key: [k]', 'key: [kk]'), 'kk'],
  ['match_incomplete', edge('{node: a, match: {y: z}}'), 'match'],
  ['unknown_type', node('{column: b, type: 整数}'), '整数'],
  ['unknown_transform', node('{column: b, transform: [uper]}'), 'uper'],
  ['unknown_rule', node('{column: b, rules: [requred]}'), 'requred'],
  ['bad_rule_argument', node('{column: b, type: int, rules: [{min: x}]}'), 'x'],
  ['bad_regex', node('{column: b, rules: [{pattern: "["}]}'), '['],
  ['rule_type_mismatch', node('{column: b, type: int, rules: [{pattern: x}]}'), 'x'],
  ['contradictory_rules', node('{column: b, type: int, rules: [{min: 2}, {max: 1}]}'), 'rules'],
  ['default_breaks_rule', node('{column: b, type: int, default: 0, rules: [{min: 1}]}'), '0'],
  ['deletes_with_incremental', node('{column: b}', ', incremental: {cursor: c, type: int}, deletes: {mode: snapshot}'), 'snapshot'],
];

it.each(codes)('%s is reported alone, in both languages, and marks the faulty words', (code, text, marked) => {
  const problems = listedProblems(text);
  expect(problems.map(({ type }) => type)).toEqual([code]);
  const { msg, line, column, end_line: endLine, end_column: endColumn } = problems[0]!;
  expect(msg).toMatch(/\p{Script=Han}.* \/ .*[a-z]{3}/u);
  const lines = text.split('\n').map(each => [...each]);
  const between = lines.slice(line - 1, endLine).map((each, index, all) => {
    return each.slice(index === 0 ? column - 1 : 0, index === all.length - 1 ? endColumn - 1 : undefined).join('');
  });
  expect(between.join('\n')).toBe(marked);
});

describe('odd encodings', () => {
  const valid = node('{column: 名}');
  it.each([
    ['a byte order mark', `\ufeff${valid}`, true],
    ['UTF-16 that was read as bytes', Buffer.from(valid, 'utf16le').toString('latin1'), false],
    ['UTF-16 that was read as UTF-8', Buffer.from(`\ufeff${valid}`, 'utf16le').toString('utf8'), false],
    ['half a character', `${valid}name: "\ud800"\n`, false],
    ['a null character', `${valid}name: "a\u0000"\n`, false],
    ['an escaped null character', `${valid}name: "a\\0"\n`, false],
    ['line separators of Unicode', valid.replaceAll('\n', '\u2028'), false],
  ])('%s is read or refused', (_what, text, isRead) => {
    expect(listedProblems(text).length === 0).toBe(isRead);
  });
});

const suite = `${process.cwd()}/../shared/suites/yaml-test-suite/cases.json`;
(existsSync(suite) ? it : it.skip)('every text of the YAML test suite is read or refused (skipped without ../shared)', () => {
  const cases = JSON.parse(readFileSync(suite, 'utf8')) as { id: string; in_yaml: string }[];
  expect(cases.length).toBeGreaterThan(400);
  for (const { id, in_yaml: text } of cases) {
    const asName = `${node('{column: b}')}name:\n${text.replace(/^/gm, '  ')}`;
    expect([id, listedProblems(text).length > 0]).toEqual([id, true]);
    for (const { msg } of listedProblems(asName)) expect(msg).toContain(' / ');
  }
});
