import { Ajv } from 'ajv';
import fc from 'fast-check';
import { CORE_SCHEMA, dump, load } from 'js-yaml';
import { exampleMapping } from '../mapping-example.js';
import { mappingGroups, type MappingGroup } from './mapping-reference.js';
import { mappingSchema } from './mapping-schema.js';
import { parseMapping } from './parse-mapping.js';
import { MappingError } from './problems.js';
import { isLong } from '../../../test/support/tier.js';

const seed = 20261122;
const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(mappingSchema('/docs/mapping.schema.json'));
const groups: MappingGroup[] = Object.values(mappingGroups);
const examples = [
  exampleMapping,
  ...groups.flatMap(({ entries, inMapping }) => Object.entries(entries).map(([key, { example }]) => inMapping(example, key))),
];
const valueOf = (text: string): unknown => load(text, { schema: CORE_SCHEMA });

function isAccepted(text: string): boolean {
  try {
    parseMapping(text);
    return true;
  } catch (error) {
    if (error instanceof MappingError) return false;
    throw error;
  }
}

it('is a valid schema with its own address, and describes every key', () => {
  const schema = mappingSchema('/docs/mapping.schema.json');
  expect(schema['$id']).toBe('/docs/mapping.schema.json');
  const text = JSON.stringify(schema);
  for (const { entries } of groups) for (const key of Object.keys(entries)) expect(text).toContain(key);
});

it.each(examples.map(text => [text]))('accepts the example %#', text => {
  validate(valueOf(text));
  expect(validate.errors ?? []).toEqual([]);
});

it.each([
  ['an unknown key', 'table: employees', 'tabel: employees'],
  ['an unknown type', 'example', '{column: employee_id, type: integer}'],
])('refuses %s', (_what, from, to) => {
  const text = from === 'example' ? mappingGroups.columns.inMapping(to) : examples[1]!.replace(from, to);
  expect([validate(valueOf(text)), isAccepted(text)]).toEqual([false, false]);
});

/** Every place in a value, as the path to it. */
function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [path, ...entries.flatMap(([key, child]) => places(child, [...path, key]))];
}

/** Copies a value and replaces the part at a path by `to`. If `to` is `undefined`, the copy lacks the part. */
function changed(value: unknown, [step, ...path]: (string | number)[], to: unknown): unknown {
  if (step === undefined) return to;
  if (Array.isArray(value)) {
    const items = value.map((item: unknown, index) => (index === step ? changed(item, path, to) : item));
    return items.filter(item => item !== undefined);
  }
  const entries = Object.entries(value as object).map(([key, child]) => [key, key === step ? changed(child, path, to) : child]);
  return Object.fromEntries(entries.filter(([, child]) => child !== undefined));
}

it('accepts every mapping that the parser accepts, with any value at any path', () => {
  const values = [
    undefined,
    null,
    true,
    0,
    1,
    -1,
    1.5,
    '',
    'x',
    '_x',
    '5m',
    'a'.repeat(130),
    [],
    [1],
    ['x'],
    [[]],
    {},
    { x: 1 },
    { required: true },
  ];
  const numRuns = isLong ? 3_000 : 300;
  let refused = 0;
  let accepted = 0;
  const check = (text: string, at: number, to: unknown): void => {
    const value = valueOf(text);
    const all = places(value);
    const broken = changed(value, all[at % all.length]!, to) ?? null;
    if (validate(broken)) return;
    refused++;
    const written = dump(broken, { schema: CORE_SCHEMA });
    if (isAccepted(written)) throw new Error(`${written}\n${JSON.stringify(validate.errors)}`);
  };
  fc.assert(
    fc.property(fc.constantFrom(...examples), fc.nat(), fc.constantFrom(...values), (text, at, to) => check(text, at, to)),
    { seed, numRuns },
  );
  for (const text of examples) if (isAccepted(text)) accepted++;
  expect(accepted).toBe(examples.length);
  expect(refused).toBeGreaterThan(numRuns / 6);
});
