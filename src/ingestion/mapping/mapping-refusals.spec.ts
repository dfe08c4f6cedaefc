import { problemsOf } from '../../../test/support/mapping-problems.js';

const valid = `version: 1
nodes:
  - {id: order, label: 订单, table: t, key: [order_id], columns: [{column: order_id}, {column: b}]}
  - {id: other, label: 其他, table: t, key: [k], columns: [{column: k}]}
edges:
  - {type: 下单, table: t, from: {node: other, match: {x: k}}, to: {node: order, match: {order_id: order_id}}}
`;
const column = (more: string): string => valid.replace('{column: b}', () => `{column: b, ${more}}`);
const node = (more: string): string => valid.replace('{column: b}]}', () => `{column: b}], ${more}}`);
const edited = (before: string, after: string): string => {
  expect(valid).toContain(before);
  return valid.replace(before, after);
};

/** `code@line:column English sentence` of each problem. */
const refusalsOf = (text: string): string[] =>
  problemsOf(text).map(({ type, line, column: at, text: { en } }) => `${type}@${line}:${at} ${en}`);

/** Each code with a text that is refused, the whole refusal, and the text mended. */
const rows: [what: string, refused: string, refusal: string, mended: string][] = [
  ['a full-width colon', edited('nodes:', 'nodes：'), 'yaml_syntax@2:6 this is a full-width colon (：); YAML needs an ASCII colon and a space', valid],
  ['a full-width colon in the first line', 'version： 1\n', 'not_a_map@1:8 this is a full-width colon (：); YAML needs an ASCII colon and a space', valid],
  ['a merge key', `${valid}<<: {name: x}\n`, `unknown_key@7:1 unknown key '<<'`, `${valid}name: x\n`],
  ['an indentation by a tab', `${valid}source:\n\tconnection: x\n`, 'yaml_syntax@8:1 YAML syntax error: tab characters must not be used in indentation', `${valid}source:\n  connection: x\n`],
  ['a key written twice', `${valid}version: 1\n`, 'yaml_syntax@7:1 YAML syntax error: duplicated mapping key', valid],
  ['two documents', `${valid}---\n${valid}`, 'yaml_syntax@7:1 only one YAML document is allowed', `---\n${valid}`],
  ['many documents', '---\n'.repeat(60_000), 'yaml_syntax@1:1 only one YAML document is allowed', `---\n${valid}`],
  ['more lines than a mapping needs', `${valid}${'#\r\n'.repeat(15_000)}`, 'yaml_syntax@1:1 the mapping has more than 15000 lines; split it into several jobs', `${valid}${'#\r\n'.repeat(14_000)}`],
  ['more values than a mapping needs', `${valid}name: [${'[],'.repeat(30_001)}]`, 'yaml_syntax@1:1 the mapping has more than 60000 values, with the commas in texts; split it into several jobs', valid],
  // Each `a: b` is a map with a key and a value. The commas and colons of the text stay within the bound, but the parsed values do not.
  ['more pairs than a mapping needs', `${valid}name: [${'a: b,'.repeat(15_001)}]`, 'yaml_syntax@1:1 the mapping has more than 60000 values, with the commas in texts; split it into several jobs', valid],
  ['a tag', edited('version: 1', 'version: !!js/function 1'), 'yaml_syntax@1:10 YAML tags (!…) are not supported', valid],
  ['a key with parts', `${valid}? [name]\n: x\n`, 'yaml_syntax@7:3 YAML syntax error: a key must be a single value', `${valid}? name\n: x\n`],
  ['a key written twice, once in quotes', `${valid}"version": 1\n`, 'yaml_syntax@7:2 YAML syntax error: duplicated mapping key', valid],
  ['NUL', `${valid}name: a\0b\n`, 'yaml_syntax@7:8 YAML syntax error: null byte is not allowed in input', `${valid}name: ab\n`],
  ['NUL as an escape', `${valid}name: "a\\0b"\n`, 'yaml_syntax@7:8 the text has NUL or half a surrogate pair, which no database holds', `${valid}name: "a\\x01b"\n`],
  ['half a surrogate pair', `${valid}name: \ud800\n`, 'yaml_syntax@7:7 YAML syntax error: the stream contains non-printable characters', `${valid}name: \ud83d\ude00\n`],
  ['half a surrogate pair as an escape', column('default: "\\uD800"'), 'yaml_syntax@3:107 the text has NUL or half a surrogate pair, which no database holds', column('default: "\\U0001F600"')],
  ['an empty text', '', 'not_a_map@1:1 the mapping is empty', valid],
  ['a colon in a plain value', `${valid}name: a: b\n`, 'yaml_syntax@7:8 YAML syntax error: bad indentation of a mapping entry', `${valid}name: 'a: b'\n`],
  ['a value that starts with %', `${valid}name: %x\n`, 'yaml_syntax@7:7 YAML syntax error: bad indentation of a mapping entry', `${valid}name: '%x'\n`],
  ['a value that starts with a backtick', `${valid}name: \`x\n`, 'yaml_syntax@7:7 YAML syntax error: bad indentation of a mapping entry', `${valid}name: '\`x'\n`],
  ['a value that starts with @', `${valid}name: @x\n`, 'yaml_syntax@7:7 YAML syntax error: bad indentation of a mapping entry', `${valid}name: '@x'\n`],
  ['a cyclic alias', `${valid}name: &x [*x]\n`, 'yaml_alias_limit@7:12 YAML aliases (*name) are not supported', valid],
  ['an alias', `${valid}name: &x n\nsource: {connection: *x}\n`, 'yaml_alias_limit@8:23 YAML aliases (*name) are not supported', `${valid}name: n\nsource: {connection: n}\n`],
  ['a list', '- 1\n', 'not_a_map@1:1 the mapping must be a map that starts with version: 1', valid],
  ['another version', edited('version: 1', 'version: 2'), 'unsupported_version@1:10 only version: 1 is supported', valid],
  ['no version', edited('version: 1\n', ''), `missing_key@1:1 'version' is missing`, valid],
  ['an unknown key', column('typ: int'), `unknown_key@3:97 unknown key 'typ'; did you mean 'type'?`, column('type: int')],
  ['a value of another kind', column('sensitive: maybe'), 'wrong_type@3:108 must be true or false', column('sensitive: true')],
  ['an empty list', column('rules: [{one_of: []}]'), 'empty_list@3:106 one_of needs at least one value', column('rules: [{one_of: [x]}]')],
  ['one id twice', edited('edges:', `  - {id: other, label: B, table: t, key: [k], columns: [{column: k}]}\nedges:`), `duplicate_id@5:10 'other' is used twice, first in line 4`, valid],
  ['one label twice', edited('label: 其他', 'label: 订单'), `duplicate_label@4:24 '订单' is used twice, first in line 3`, valid],
  ['one property twice', column('property: order_id'), `duplicate_property@3:107 'order_id' is used twice, first in line 3`, column('property: b')],
  ['a reserved property', column('property: _b'), 'reserved_property@3:107 a property name may not start with _', column('property: b_')],
  ['an unknown node', edited('to: {node: order', 'to: {node: ordre'), `unknown_node_ref@6:73 there is no node with id 'ordre'; did you mean 'order'?`, valid],
  ['a key that is not mapped', edited('{column: k}', '{column: kk}'), `key_not_mapped@4:44 key column 'k' is not listed in columns`, valid],
  ['an incomplete match', edited('{order_id: order_id}', '{order_id: id}'), `match_incomplete@6:80 the match of edge 下单 must cover exactly the key columns of node 'order': order_id; 'id' is none of them`, valid],
  ['an unknown type', column('type: integer'), `unknown_type@3:103 unknown type 'integer'; did you mean 'int'?`, column('type: int')],
  ['an unknown transform', column('transform: [uper]'), `unknown_transform@3:109 unknown transform 'uper'; did you mean 'upper'?`, column('transform: [upper]')],
  ['an unknown rule', column('rules: [requred]'), `unknown_rule@3:105 unknown rule 'requred'; did you mean 'required'?`, column('rules: [required]')],
  ['an argument of another type', column('type: int, rules: [{min: x}]'), `bad_rule_argument@3:122 min: cannot read 'x' as int`, column('type: int, rules: [{min: 1}]')],
  // This problem has a code of its own instead of bad_rule_argument, and names the character at which the expression is wrong.
  ['a broken pattern', column('rules: [{pattern: "[a-z"}]'), 'bad_regex@3:116 pattern, character 1: unterminated character class', column('rules: [{pattern: "[a-z]"}]')],
  ['a pattern on a number', column('type: int, rules: [{pattern: x}]'), `rule_type_mismatch@3:126 rule 'pattern' does not apply to type int`, column('type: string, rules: [{pattern: x}]')],
  ['rules that no value passes', column('type: int, rules: [{min: 2}, {max: 1}]'), 'contradictory_rules@3:108 min 2 is above max 1; no value can pass', column('type: int, rules: [{min: 1}, {max: 2}]')],
  ['a default longer than a text may be', column(`default: ${'值'.repeat(4001)}`), 'wrong_type@3:106 must have at most 4000 characters', column(`default: ${'值'.repeat(4000)}`)],
  ['a default that its rule refuses', column('type: int, default: 0, rules: [{min: 1}]'), `default_breaks_rule@3:117 the default '0' breaks min 1`, column('type: int, default: 1, rules: [{min: 1}]')],
  ['snapshot with incremental', node('incremental: {cursor: c, type: int}, deletes: {mode: snapshot}'), 'deletes_with_incremental@3:152 snapshot needs every row and cannot stand with incremental; leave one of them out, or use mode: column', node('incremental: {cursor: c, type: int}, deletes: {mode: none}')],
  ['nesting beyond twenty levels', `${valid}name: ${'['.repeat(20)}${']'.repeat(20)}\n`, 'yaml_syntax', valid],
]; // prettier-ignore

describe('the refusals of a mapping', () => {
  it.each(rows)('%s', (_what, refused, refusal, mended) => {
    if (refusal === 'yaml_syntax') expect(refusalsOf(refused)[0]).toMatch(/^yaml_syntax@/);
    else expect(refusalsOf(refused)).toEqual([refusal]);
    expect(refusalsOf(mended)).toEqual([]);
  });
});
