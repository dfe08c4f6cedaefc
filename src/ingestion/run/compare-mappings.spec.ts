import { type Mapping } from '../mapping/mapping.js';
import { parseMapping } from '../mapping/parse-mapping.js';
import { compareMappings, type TargetChange } from './compare-mappings.js';

const text = `version: 1
nodes:
  - {id: person, label: 人, table: people, key: [id], columns: [{column: id}, {column: age, type: int, rules: [{min: 0}]}]}
  - {id: town, label: 城, table: towns, key: [id], columns: [{column: id}]}
edges:
  - {type: 住在, table: people, from: {node: person, match: {id: id}}, to: {node: town, match: {town: id}}}
`;
const compare = (from: string | RegExp, to: string): Map<string, TargetChange> =>
  new Map(compareMappings(parseMapping(text).mapping, parseMapping(text.replace(from, to)).mapping).map(each => [each.target, each]));
const changes = (found: Map<string, TargetChange>): string[] => [...found.values()].map(({ change }) => change);

it('finds nothing where only handles and the layout differ', () => {
  expect(changes(compare(/person/g, 'p'))).toEqual(['unchanged', 'unchanged', 'unchanged']);
  expect(changes(compare('nodes:', '# people\nnodes:'))).toEqual(['unchanged', 'unchanged', 'unchanged']);
});

it('names properties and rules that were added, removed or changed', () => {
  const found = compare(
    '{column: age, type: int, rules: [{min: 0}]}',
    '{column: age, type: bigint, rules: [{min: 1, severity: warn}]}, {column: name}',
  );
  expect(found.get('人')).toMatchObject({
    change: 'changed',
    keys: [],
    properties: { added: ['name'], removed: [], changed: ['age'] },
    rules: { added: ['age: min {"bound":"1"} warn'], removed: ['age: min {"bound":"0"}'] },
    readsOtherRows: false,
  });
});

it('shows the condition of a rule, and takes its place for no change', () => {
  const found = compare('rules: [{min: 0}]', "rules: [{when: 'id > 1', rules: [{min: 0}]}]");
  expect(found.get('人')!.rules).toEqual({ added: ['age: min {"bound":"0"} when "id > 1"'], removed: ['age: min {"bound":"0"}'] });
});

it('takes a new label for another target', () => {
  const found = compare('label: 城', 'label: 市');
  expect([...found.values()].map(({ target, change }) => [target, change])).toEqual([
    ['人', 'unchanged'],
    ['市', 'added'],
    ['住在', 'added'],
    ['城', 'removed'],
    ['人-[住在]->城', 'removed'],
  ]);
});

it.each([
  ['a condition', 'table: people, key', "table: people, where: 'age > 1', key", ['人'], ['where']],
  ['a table', 'table: towns', 'table: cities', ['城'], ['source']],
  ['a cursor', 'table: towns', 'table: towns, incremental: {cursor: id, type: int}', ['城'], ['incremental', 'deletes']],
  ['the spelling of a key, for its edges too', '{id: town, label: 城, table: towns, key: [id], columns: [{column: id}]}', '{id: town, label: 城, table: towns, key: [id], columns: [{column: id, transform: [upper]}]}', ['城', '住在'], []], // prettier-ignore
])('tells that other rows are read: %s', (_name, from, to, targets, keys) => {
  const found = compare(from, to);
  expect([...found.values()].filter(each => each.readsOtherRows).map(each => each.target)).toEqual(targets);
  expect(found.get(targets[0]!)!.keys).toEqual(keys);
});

it('takes the key of an edge for the same, whether or not a property has it as it comes', () => {
  const keyed = (columns: string): Mapping =>
    parseMapping(text.replace('type: 住在,', `type: 住在, key: [k], columns: [${columns}],`)).mapping;
  const [changed] = compareMappings(keyed('{column: k}'), keyed('')).slice(-1);
  expect(changed).toMatchObject({ target: '住在', change: 'changed', readsOtherRows: false });
  const [trimmed] = compareMappings(keyed('{column: k, transform: [upper]}'), keyed('')).slice(-1);
  expect(trimmed).toMatchObject({ target: '住在', readsOtherRows: true });
});
