import { problemsOf } from '../../../test/support/mapping-problems.js';
import { guardExpression } from '../../sql-guard/guard-expression.js';
import { guardSelect } from '../../sql-guard/guard-select.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { anchorOf, mappingGroups, type GroupName, type MappingGroup } from './mapping-reference.js';
import { type Mapping, type MappingPath } from './mapping.js';
import { parseMapping } from './parse-mapping.js';
import { kinds } from './yaml-reader.js';

beforeAll(() => loadSqlParser());

const groups = Object.entries(mappingGroups) as [GroupName, MappingGroup][];
const entries = groups.flatMap(([name, { entries, inMapping }]) =>
  Object.entries(entries).map(([key, entry]) => ({ name: `${name}.${key}`, group: name, key, inMapping, ...entry })),
);

/** Judges the SQL of a mapping as a run would. */
function checkSql({ nodes, edges }: Mapping): void {
  const scope = { columns: 'any' } as const;
  for (const { where, source, columns } of [...nodes, ...edges]) {
    if (where !== null) guardExpression(where, scope);
    if (source.kind === 'query') guardSelect(source.query, { schema: 'mirror' });
    for (const column of columns) {
      if (column.source.kind === 'expression') guardExpression(column.source.expression, scope);
      for (const rule of column.rules) {
        if (rule.kind === 'expression') guardExpression(rule.predicate, scope);
        if (rule.when) guardExpression(rule.when.predicate, scope);
      }
    }
  }
}

it.each(entries)('the example of $name is a mapping without problems or warnings, and contains $name', ({ key, example, inMapping }) => {
  const text = inMapping(example, key);
  const { mapping, warnings } = parseMapping(text);
  expect(warnings.map(({ code }) => code)).toEqual(key === 'batch_size' ? ['no_effect'] : []);
  checkSql(mapping);
  expect(example).toContain(key);
  expect(text.replaceAll(/^\s+(- )?/gm, '')).toContain(example.split('\n')[0]);
});

const standing = entries.filter(({ group }) => !['columns', 'types', 'transform', 'rules', 'format'].includes(group));

it.each(standing)('$name takes a value of its documented kind, and no other', ({ key, takes, inMapping }) => {
  // A list inside a list is wrong for texts and scalars. A plain number is wrong for lists and maps.
  const isCollection = takes === 'texts' || takes === 'list' || takes === 'map';
  const wrong = isCollection ? `${key}: 7` : `${key}: [[]]`;
  const own = problemsOf(inMapping(wrong, key)).filter(({ path }) => path.at(-1) === key);
  // A wrong version has an error message of its own.
  if (key === 'version') return expect(own[0]!.type).toBe('unsupported_version');
  const kind = takes === 'texts' ? 'list' : takes === 'duration' ? 'text' : takes!;
  expect(own[0]!.text.en).toContain(kinds[kind].en);
});

it.each(entries.filter(({ values }) => values))('$name takes each of its values, and no other', entry => {
  const { key, values, example, inMapping } = entry;
  const typesOf = (value: string) =>
    problemsOf(inMapping(example.replace(new RegExp(`(?<=${key}: )\\w+`), value), key))
      .filter(({ path }) => path.at(-1) === key)
      .map(({ type }) => type);
  for (const value of values!) expect([value, typesOf(value)]).toEqual([value, []]);
  expect(typesOf('nonsense')).toEqual(['wrong_type']);
});

describe('each key that a mapping must have', () => {
  const missing = (text: string): string[] => [
    ...new Set(
      problemsOf(text)
        .filter(({ type }) => type === 'missing_key')
        .flatMap(({ text }) => /'(\w+)' is missing/.exec(text.en)?.[1] ?? []),
    ),
  ];
  it.each<[GroupName, string]>([
    ['mapping', 'name: x'],
    ['nodes', 'version: 1\nnodes: [{}]'],
    ['edges', 'version: 1\nedges: [{}]'],
    ['ends', mappingGroups.edges.inMapping('to: {}', 'to')],
    ['incremental', mappingGroups.nodes.inMapping('incremental: {}', 'incremental')],
    ['deletes', mappingGroups.nodes.inMapping('deletes: {}', 'deletes')],
    ['references', mappingGroups.columns.inMapping('{column: b, rules: [{references: {}}]}')],
    ['source', mappingGroups.mapping.inMapping('source: {}', 'source')],
    ['defaults', mappingGroups.mapping.inMapping('defaults: {}', 'defaults')],
  ])('is marked as required in %s', (name, text) => {
    const { entries }: MappingGroup = mappingGroups[name];
    const always = Object.keys(entries).filter(key => entries[key]!.required === true);
    // A mapping needs only one of `nodes` and `edges`: a missing `nodes` is reported but not marked as required.
    expect(missing(text).filter(key => name !== 'mapping' || key !== 'nodes')).toEqual(always);
  });
});

describe('anchorOf', () => {
  it.each<[MappingPath, string]>([
    [[], 'mapping'],
    [['nme'], 'mapping'],
    [['version'], 'mapping-version'],
    [['source', 'timezone'], 'source-timezone'],
    [['nodes', 0], 'nodes'],
    [['nodes', 0, 'key', 1], 'nodes-key'],
    [['nodes', 0, 'columns', 2, 'type'], 'columns-type'],
    [['nodes', 0, 'columns', 2, 'rules', 0, 'min'], 'rules-min'],
    [['nodes', 0, 'columns', 2, 'rules', 0, 'severity'], 'rules-severity'],
    [['nodes', 0, 'columns', 2, 'rules', 0, 'references', 'column'], 'references-column'],
    [['nodes', 0, 'columns', 2, 'transform', 0, 'map', 'columns'], 'transform-map'],
    [['edges', 0, 'from', 'match', 'columns'], 'ends-match'],
    [['edges', 0, 'incremental', 'lag'], 'incremental-lag'],
  ])('maps %j to %s', (path, anchor) => {
    expect(anchorOf(path)).toBe(anchor);
  });
});
