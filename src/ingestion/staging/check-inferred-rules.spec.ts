import { parseMapping } from '../mapping/parse-mapping.js';
import { checkInferredRules } from './check-inferred-rules.js';
import { type SourceFamily } from './source-type.js';
import { targetsOf } from './target.js';

/** The problems of one column, whose source column `a` has this family. `column` is written as in a mapping. */
const problems = (column: string, family: SourceFamily) => {
  const { mapping } = parseMapping(`version: 1
nodes:
  - {id: n, label: N, table: t, key: [k], columns: [{column: k, property: k}, {property: p, ${column}}]}`);
  const shape = { columns: new Map([['a', family]]), expressions: new Map([['a + 1', family]]), keptAsText: new Map(), sql: new Map() };
  return checkInferredRules(targetsOf(mapping)[0]!, shape).map(({ type, path }) => [type, path.slice(4).join('.')]);
};

describe('checkInferredRules', () => {
  it.each([
    ['column: a, rules: [{min_length: 3}]', 'text', []],
    ['column: a, rules: [{min_length: 3}]', 'int', [['rule_type_mismatch', 'rules.0.min_length']]],
    ["column: a, rules: [{pattern: 'x+'}]", 'date', [['rule_type_mismatch', 'rules.0.pattern']]],
    ['column: a, rules: [{min: 3}]', 'numeric', []],
    ['column: a, rules: [{min: 3}]', 'text', [['rule_type_mismatch', 'rules.0.min']]],
    ["column: a, rules: [{max: '2024-01-01'}]", 'date', []],
    ["column: a, rules: [{max: '2024-13-01'}]", 'date', [['bad_rule_argument', 'rules.0.max']]],
    ["column: a, default: '0'", 'int', []],
    ['column: a, default: none', 'int', [['default_breaks_rule', 'default']]],
    ['column: a, default: none, type: string', 'int', []],
    ["expression: 'a + 1', rules: [{min_length: 3}]", 'int', [['rule_type_mismatch', 'rules.0.min_length']]],
    ['constant: abc, rules: [{min_length: 3}]', 'int', []],
  ] as const)('{%s} over %s: %j', (column, family, expected) => {
    expect(problems(column, family)).toEqual(expected);
  });
});
