import fc from 'fast-check';
import { type Operation, type Schema, exampleOf } from './operations.js';
import { type Person } from './fixture.js';

/** A random request, without the ids of the fixture and the tokens of people. */
export interface DrawnRequest {
  operation: Operation;
  person: Person;
  prefix: '/api' | '';
  /** Path parameters; null stands for the id of an existing record. */
  path: Record<string, string | null>;
  query: [name: string, value: string][];
  headers: Record<string, string>;
  /** Undefined when no body is sent. */
  body: string | undefined;
}

/** JSON texts that `JSON.stringify` cannot write. In a body they are represented by their index in this list. */
const rawJson = [
  '1e400',
  '-1e400',
  '9007199254740993',
  '-0',
  '1.0',
  '1E2',
  '"\\u0000"',
  '"\\ud800"',
  '123456789012345678901234567890',
  '{"__proto__":{"is_admin":true}}',
];
const rawMark = '@raw:';

const fragments = [
  '', ' ', '\0', '\ud800', "'", '"', '`', '\\', '(', ')', '[', ']', '{', '}', '*', '/', '%', ';', ':', ',', '.', '..', '<', '>=', '=', '$', '$1', '\n', '\t', '--', '/*', '&a', '- ', '|', '?', '!', '~', '^',
  '0', '1', '-1', '2147483648', '9223372036854775807', '9223372036854775808', '1e308', '1e-400', '0.1', 'null', 'true', 'NaN', '图', '😀', '\u202e', 'é', 'İ', 'a'.repeat(300),
  'SELECT', 'NULL', 'CASE WHEN', 'SUM(', 'COUNT(*)', 'AVG', ' / ', ' OVER ', 'MATCH', '(n)', '-[:供应]->', '-[*1..9]-', 'WHERE', 'RETURN', 'ORDER BY', 'LIMIT', 'SKIP', 'UNWIND', 'WITH', 'DISTINCT', 'collect(', 'toInteger(', '=~', 'STARTS WITH',
  '2026-02-30', '9999-12-31', '0001-01-01', '-infinity', 'infinity', '24:00', '去年', '上个月', 'last year', 'top 3', '前十', '不', '每个', '销售额', '地区', '客户',
  'version: 1', 'nodes:', 'edges:', 'key:', 'type: int', 'rules: [required]', 'query: |', '__proto__', 'constructor',
]; // prettier-ignore

const scalars: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(null, true, false, 0, 1, -1, 1.5, 2_147_483_647, 2_147_483_648, Number.MAX_SAFE_INTEGER, 1e21, 1e308, '', 'x', [], {}, [null], [[]], { a: 1 }),
  fc.nat(rawJson.length - 1).map(index => `${rawMark}${index}`),
  fc.constantFrom(...fragments),
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.integer(),
  fc.double(),
); // prettier-ignore

/** Draws a value in one of seven cases, otherwise undefined. */
function rarely<T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> {
  return fc.oneof({ weight: 6, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary });
}

/** Returns the text with up to four parts inserted, removed, doubled or replaced. */
function mutated(text: string): fc.Arbitrary<string> {
  const edit = fc.tuple(fc.nat(), fc.nat(8), fc.constantFrom(...fragments), fc.nat(3));
  return fc.array(edit, { minLength: 1, maxLength: 4 }).map(edits =>
    edits.reduce((current, [at, length, fragment, kind]) => {
      const start = at % (current.length + 1);
      const taken = current.slice(start, start + length);
      const middle = [fragment, fragment + taken, '', taken + taken][kind]!;
      return current.slice(0, start) + middle + current.slice(start + length);
    }, text),
  );
}

/** Values for a schema: mostly its example or values that it allows, sometimes others. */
export function valueOf(schema: Schema): fc.Arbitrary<unknown> {
  const example = exampleOf(schema);
  const choices: fc.WeightedArbitrary<unknown>[] = [{ weight: 5, arbitrary: fc.constant(example) }, { weight: 1, arbitrary: scalars }]; // prettier-ignore
  if (schema.enum) choices.push({ weight: 5, arbitrary: fc.constantFrom(...schema.enum) });
  else if (schema.properties) choices.push({ weight: 8, arbitrary: objectOf(schema) });
  else if (schema.type === 'array' && schema.items) choices.push({ weight: 4, arbitrary: fc.array(valueOf(schema.items), { maxLength: 3 }) });
  else if (schema.type === 'object') choices.push({ weight: 3, arbitrary: fc.dictionary(fc.constantFrom('a', '金额', ...fragments), scalars, { maxKeys: 3 }) });
  else if (typeof example === 'string') choices.push({ weight: 4, arbitrary: mutated(example) });
  else if (schema.type === 'integer' || schema.type === 'number') choices.push({ weight: 3, arbitrary: fc.integer({ min: schema.minimum ?? -5, max: schema.maximum ?? 1_000 }) });
  return fc.oneof(...choices);
} // prettier-ignore

/** Groups of fields that exclude each other: a request may have only one of each group. */
const alternatives = [
  ['question', 'search', 'cypher'],
  ['user_id', 'username'],
];

/** Usually keeps one field of each group in `alternatives`, chosen by `luck`. */
function withOneOfEach(fields: Record<string, unknown>, luck: number): Record<string, unknown> {
  if (luck % 8 === 0) return fields;
  const dropped = alternatives.flatMap(group => {
    const given = group.filter(name => name in fields);
    return given.filter((_, index) => index !== luck % given.length);
  });
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !dropped.includes(name)));
}

/**
 * An object of the schema. Most of its fields have the example's value, or are left out if optional. Usually one field has a random value.
 */
function objectOf(schema: Schema): fc.Arbitrary<Record<string, unknown>> {
  const required = new Set(schema.required);
  const properties = Object.entries(schema.properties ?? {});
  const fields = properties.map(([name, inner]) =>
    fc.tuple(valueOf(inner), fc.nat(15)).map(([wild, chance]) => ({ name, wild, example: exampleOf(inner), left: required.has(name) ? chance === 0 : chance < 8 })),
  );
  const unknown = rarely(fc.tuple(fc.constantFrom('toString', 'hasOwnProperty', 'is_admin', 'id', 'owner_id', ...fragments), scalars));
  return fc.tuple(fc.nat(), fc.nat(), unknown, ...fields).map(([luck, chosen, more, ...drawn]) => {
    const isWild = (index: number) => luck % 5 === 0 || index === chosen % drawn.length;
    const given = drawn.flatMap(({ name, wild, example, left }, index) => (isWild(index) ? [[name, wild]] : left ? [] : [[name, example]]));
    return withOneOfEach(Object.fromEntries(more ? [...given, more] : given) as Record<string, unknown>, luck);
  });
} // prettier-ignore

function toJson(value: unknown): string {
  return JSON.stringify(value).replace(/"@raw:(\d+)"/g, (_, index: string) => rawJson[Number(index)] ?? 'null');
}

function bodyOf({ body, contentType }: Operation): fc.Arbitrary<string | undefined> {
  if (!body) return rarely(fc.constantFrom('', '{}', '[]', 'null', '{"a":', 'x'));
  if (contentType !== 'application/json') return fc.oneof(fc.constant('a,b\n1,x\n2,"y"\n'), mutated('id,名称,price\n1,"甲, 乙",1.5\n2,丙,\n'), fc.string({ unit: 'binary' })); // prettier-ignore
  const text = valueOf(body).map(toJson);
  return fc.oneof(
    { weight: 20, arbitrary: text },
    { weight: 2, arbitrary: text.chain(mutated) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(undefined, '', ' ', 'null', '[]', '7', '"x"', '{', '\ufeff{}', '{"a":1}{', '{"a":'.repeat(70)),
    },
  );
}

const weirdIds = [
  '0',
  '-1',
  '1e3',
  '007',
  '2147483647',
  '2147483648',
  '9223372036854775807',
  '99999999999999999999',
  '1.5',
  'x',
  '%31',
  '%00',
  '%F0%9F%98%80',
  '%EF%BC%91',
  'a%2Fb',
  '%2e%2e',
  "'",
  '%27%3B--',
];

/** A random valid or invalid request to one of the operations. */
export function requestTo(operations: readonly Operation[]): fc.Arbitrary<DrawnRequest> {
  return fc.constantFrom(...operations).chain(operation => {
    const named = (place: string) => operation.parameters.filter(parameter => parameter.in === place);
    const path = fc.tuple(
      ...named('path').map(({ name }) =>
        fc.oneof({ weight: 8, arbitrary: fc.constant(null) }, { weight: 1, arbitrary: fc.constantFrom(...weirdIds) }, { weight: 1, arbitrary: fc.integer({ min: 1, max: 60 }).map(String) }).map(value => [name, value] as const),
      ),
    );
    const query = fc.tuple(
      ...named('query').map(({ name, schema }) => {
        const values = fc.array(valueOf(schema).map(value => (typeof value === 'string' ? value : String(JSON.stringify(value)))), { minLength: 1, maxLength: 2 });
        return fc.option(values, { nil: [], freq: 1 }).map(list => list.map(value => [name, value] as [string, string]));
      }),
    );
    return fc.record({
      operation: fc.constant(operation),
      person: fc.constantFrom<Person>('admin', 'admin', 'admin', 'user', 'user', 'anonymous'),
      prefix: fc.constantFrom('/api', ''),
      path: path.map(pairs => Object.fromEntries(pairs)),
      query: query.map(lists => lists.flat()),
      headers: headersOf(operation),
      body: bodyOf(operation),
    });
  });
} // prettier-ignore

function headersOf({ body, contentType, parameters }: Operation): fc.Arbitrary<Record<string, string>> {
  const type = fc.oneof({ weight: 15, arbitrary: fc.constant(contentType) }, { weight: 1, arbitrary: fc.constantFrom('', 'text/plain', 'application/json; charset=utf-16', 'application/x-www-form-urlencoded', 'text/csv; charset=x', '/', 'a/b;c="') });
  const lenient = { prefer: 'handling=lenient' };
  const more = fc.constantFrom<Record<string, string>>({}, {}, {}, {}, lenient, lenient, lenient, lenient, lenient, lenient, { accept: 'text/csv' }, { accept: 'application/x-ndjson;q=2, */*' }, { 'accept-encoding': 'gzip' }, { 'content-encoding': 'gzip' }, { 'x-request-id': 'a.b' }, { 'x-request-id': '"' }, { 'x-api-key': 'gsk_a' }, { range: 'bytes=0-1' }, { 'if-none-match': '*' }, { 'x-http-method-override': 'DELETE' }, { 'accept-language': '*;q=9' });
  const prefer = parameters.some(({ in: place, name }) => place === 'header' && /prefer/i.test(name)) ? fc.constantFrom('wait=1', 'wait=0', 'wait=x', 'wait=-1', 'respond-async, wait=1', 'wait=1, wait=0') : fc.constant(undefined);
  return fc.tuple(type, more, prefer).map(([contentTypeSent, others, preferred]) => ({
    ...(body ? { 'content-type': contentTypeSent } : {}),
    ...(preferred === undefined ? {} : { prefer: preferred }),
    ...others,
  }));
} // prettier-ignore
