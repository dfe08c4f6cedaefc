// Measures the heap that V8 uses for values and for running queries, in a process of its own, and compares it with the bytes that the
// service counts. Writes one line `{ what, name, counted, measured }` for each, in bytes. Run it with `--expose-gc`, and with
// `--no-opt --no-flush-bytecode`, so that V8 neither adds nor drops code meanwhile.
import { createRequire } from 'node:module';
import path from 'node:path';
import * as fc from 'fast-check';

const require = createRequire(import.meta.url);
const cypher = name => require(path.resolve(import.meta.dirname, '..', '..', 'dist', 'src', 'cypher', `${name}.js`));
const { sizeOf } = cypher('values/value-size');
const { Decimal } = cypher('values/decimal');
const { readJsonValue } = cypher('values/read-json-value');
const { scalarFunctions } = cypher('functions/scalar-functions');
const { temporalFunctions } = cypher('values/temporal/temporal-functions');
const { emptyGraph } = cypher('prepare-cypher');
const { parseCypher } = cypher('syntax/parse-cypher');
const { prepareInMemory } = cypher('executors/memory/run-in-memory');

const asked = JSON.parse(process.argv[2]);
const now = { epochNanoseconds: 0n, timeZone: 'Asia/Shanghai' };
const bytesOfSlot = 8;

function usedBytes() {
  globalThis.gc();
  return process.memoryUsage().heapUsed;
}

/** The bytes of values for one measurement: so many that the needs of V8 itself, such as code, do not matter. */
const bytesOfAll = asked.bytes;
const mostValues = 100_000;

/**
 * Measures the values `make(0)`, `make(1)` and so on. Repeats up to three times while the counted bytes are 30 % or more away from the
 * measured ones, because V8 sometimes adds code meanwhile.
 */
function measure(name, make) {
  const isNear = ({ counted, measured }) => Math.abs(counted / measured - 1) < 0.3;
  let found = measureOnce(name, make);
  for (let time = 0; time < 2 && !isNear(found); time++) found = measureOnce(name, make);
  return found;
}

function measureOnce(name, make) {
  // Runs the code before the measurement, because its first runs leave objects of their own.
  for (let i = 0; i < 150; i++) sizeOf(make(i));
  const count = Math.min(mostValues, Math.ceil(bytesOfAll / sizeOf(make(150))));
  const values = new Array(count).fill(null);
  usedBytes();
  const before = usedBytes();
  let counted = 0;
  for (let i = 0; i < count; i++) {
    values[i] = make(i);
    counted += sizeOf(values[i]);
  }
  return { name, counted, measured: usedBytes() - before, count: values.length };
}

/** Returns a function that evaluates the expression. At each call `i` is one higher. */
function evaluating(expression) {
  const run = { parameters: new Map(), limits: { steps: 1e9, heldBytes: 1e9 }, now };
  const rows = prepareInMemory(parseCypher(`UNWIND range(1, 10000000) AS i RETURN ${expression} AS v`), emptyGraph, run).rows();
  return () => {
    for (;;) {
      const { value } = rows.next();
      if (value !== null) return value.values[0];
    }
  };
}

const call = (name, ...args) => temporalFunctions[name].call(args, now);
const scalar = (name, ...args) => scalarFunctions[name].call(args, emptyGraph);
const listOfNodes = i => Array.from({ length: 9 }, (_, at) => node(i + at));
const labels = ['A'];
class Node {
  kind = 'node';
  constructor(place) {
    this.place = place;
    this.id = place;
    this.labels = labels;
    this.values = labels;
  }
}
class Edge {
  kind = 'edge';
  constructor(place) {
    this.place = place;
    this.id = place;
    this.type = 'T';
    this.source = place;
    this.target = place;
    this.values = labels;
  }
}
const node = place => new Node(place);
const edge = place => new Edge(place);

const kinds = {
  'an integer': i => BigInt(i + 1),
  'the largest integer': i => 2n ** 63n - 1n - BigInt(i),
  'a float': i => i + 0.5,
  'a whole float beyond 2^31': i => 2 ** 40 + i,
  'a text of 10 letters': i => scalar('reverse', String(1_000_000_000 + i)),
  'a text of 100 letters': i => String(i).padStart(100, 'x').split('').join(''),
  'a text of 10 Chinese characters': i => scalar('reverse', String(i).padStart(10, '中')),
  'a text of 100 Chinese characters': i => scalar('reverse', String(i).padStart(100, '中')),
  'joined texts': evaluating("'a text of 20 letters ' + i"),
  'long joined texts': evaluating(`'${'x'.repeat(400)}' + i`),
  'a piece of a text': i => scalar('left', `${i} ${'x'.repeat(900)}`, 40n),
  'a text of a property': i => readJsonValue(`"the value of the property ${i}"`),
  'an empty list': evaluating('[]'),
  'a list of an integer': evaluating('[i + 1]'),
  'a list of floats and texts': evaluating("['a', i + 0.5, i + 0.25, i + 0.125, 'b']"),
  'a list of two that a comprehension keeps': evaluating('[x IN range(1, 20) WHERE x > 18 | true]'),
  'a long list of truth values': evaluating('[x IN range(1, 1000) | i > x]'),
  'a range': evaluating('range(1, 500)'),
  'a list of appended lists': evaluating('[x IN range(1, 300) | i + x] + [x IN range(1, 300) | i + x]'),
  'a list of pieces': evaluating("split(toString(i) + ',' + reduce(t = '', x IN range(1, 100) | t + 'abcdefghij,'), ',')"),
  'a list of JSON': i => readJsonValue(`[${i}, "ab", true]`),
  'an empty map': evaluating('{}'),
  'a map of two': evaluating("{id: i + 1, name: 'n' + i}"),
  'a map of five': evaluating('{a: i + 1, b: true, c: true, d: true, e: null}'),
  'a map of twenty': evaluating(`{${Array.from({ length: 20 }, (_, n) => `name${n}: true`).join()}}`),
  'a map of JSON': i => readJsonValue(`{"a property": ${i}, "another property": "ab", "c": true}`),
  'a map of sixty names': evaluating(`{${Array.from({ length: 60 }, (_, n) => `name${n}: true`).join()}}`),
  'a map of a thousand names of its own': i =>
    new Map(Array.from({ length: 1_000 }, (_, n) => [scalar('reverse', `name ${i} ${n}`), true])),
  'a decimal': i => new Decimal(BigInt(i), 2),
  'a decimal of 300 digits': i => new Decimal(10n ** 300n + BigInt(i), 2),
  'a date': i => call('date', `2024-05-${String((i % 28) + 1).padStart(2, '0')}`),
  'a local time': i => call('localtime', `12:13:14.${100_000 + i}`),
  'a time': i => call('time', `12:13:14.${100_000 + i}+01:00`),
  'a local date and time': i => call('localdatetime', `2024-05-01T12:13:14.${100_000 + i}`),
  'a date and time': i => call('datetime', `2024-05-01T12:13:14.${100_000 + i}+01:00`),
  'a date and time of an epoch': i => call('datetime', new Map([['epochSeconds', BigInt(i)]])),
  'a duration': i => call('duration', `P1Y2M${i}DT4H5M6.7S`),
  'a node': node,
  'an edge': edge,
  'a path': i => ({ kind: 'path', nodes: listOfNodes(i), edges: Array.from({ length: 8 }, (_, at) => edge(i + at)) }),
};

/** Expressions whose every part is created anew for each `i`. Their lists have at most `most` items. */
const nestedIn = (maxDepth, most) =>
  fc.letrec(tie => ({
    value: fc.oneof(
      { maxDepth, depthSize: 'small' },
      fc.constantFrom(
        'i + 1',
        'i + 0.5',
        "'text ' + i",
        "'中文 ' + i",
        'i > 3',
        'null',
        'toFloat(i) / 3',
        '[x IN [i] WHERE i < 0]',
        'date({year: 1 + i % 9999})',
      ),
      fc.array(tie('value'), { minLength: 1, maxLength: 5 }).map(items => `[${items.join()}, i > 1]`),
      fc
        .array(tie('value'), { minLength: 1, maxLength: 5 })
        .map(items => `{${items.map((item, at) => `k${at}: ${item}`).join()}, i: i > 1}`),
      fc.tuple(fc.integer({ min: 1, max: most }), tie('value')).map(([count, item]) => `[x IN range(1, ${count}) | ${item}]`),
    ),
  })).value;

function* ofKinds({ nthKind }) {
  for (const [place, [name, make]] of Object.entries(kinds).entries()) if (place % nthKind === 0) yield measure(name, make);
}

function* randomValues({ seed, values: runs }) {
  const written = fc.sample(nestedIn(4, 20), { seed, numRuns: runs });
  for (const text of written) yield measure(text, evaluating(`[${text}]`));
}

const nested = nestedIn(2, 10);
/** Clauses that read the variables `i` and `v`, and pass both on. */
const clauses = fc.oneof(
  fc.tuple(nested, fc.constantFrom('i % 7', 'v', 'i')).map(([item, key]) => `WITH i, ${item} AS v ORDER BY ${key}`),
  fc.tuple(nested, fc.constantFrom(2, 30, 500)).map(([item, groups]) => `WITH i % ${groups} AS i, collect(${item}) AS v`),
  fc.tuple(nested, fc.constantFrom(10, 1_000)).map(([item, groups]) => `WITH i % ${groups} AS i, max(${item}) AS v`),
  fc.tuple(nested, fc.constantFrom(10, 1_000)).map(([item, groups]) => `WITH i % ${groups} AS i, count(DISTINCT ${item}) AS v`),
  nested.map(item => `WITH DISTINCT i, ${item} AS v`),
  fc
    .tuple(nested, fc.integer({ min: 1, max: 300 }))
    .map(([item, rows]) => `WITH collect(${item}) AS v UNWIND range(1, ${rows}) AS i WITH i, v`),
  fc.integer({ min: 100, max: 900 }).map(rows => `WITH i, v ORDER BY v DESC LIMIT ${rows}`),
  fc.constant('WITH i, [v, i] AS v'),
);
const ends = fc.constantFrom(
  'RETURN i, v ORDER BY i',
  'RETURN i % 100 AS i, collect(v) AS v',
  'RETURN collect(v) AS v',
  'RETURN DISTINCT v, i',
  'RETURN i, v',
);
const queries = fc
  .tuple(fc.integer({ min: 500, max: 2_000 }), fc.array(clauses, { minLength: 1, maxLength: 4 }), ends)
  .map(([rows, middle, end]) => `UNWIND range(1, ${rows}) AS i WITH i, null AS v ${middle.join(' ')} ${end}`);

/** Measures each query twice: after its first row, and after all rows, which the caller keeps. */
function* randomQueries({ seed, queries: runs }) {
  for (const text of fc.sample(queries, { seed, numRuns: runs }))
    for (const most of [1, Infinity]) {
      let held = heldBy(text, most);
      held = null;
      const before = usedBytes();
      held = heldBy(text, most);
      if (held) yield { name: text, counted: held.work.heldBytes, measured: usedBytes() - before, count: held.kept.length };
      held = null;
    }
}

/** Runs a query until `most` rows are kept, or to its end. Returns null if the query exceeds the limit of 128 MiB. */
function heldBy(text, most) {
  const run = { parameters: new Map(), limits: { steps: 1e9, heldBytes: 2 ** 27 }, now };
  const { work, rows: open } = prepareInMemory(parseCypher(text), emptyGraph, run);
  const [rows, holding, kept] = [open(), work.holding(), []];
  try {
    while (kept.length < most) {
      const { done, value } = rows.next();
      if (done) break;
      if (value === null) continue;
      kept.push(value);
      holding.row(value.values);
    }
  } catch (error) {
    if (['query_too_much_work', 'value_too_large'].includes(error.code)) return null;
    throw error;
  }
  return { work, rows, kept };
}

const measurements = { kinds: ofKinds, randomValues, randomQueries };
for (const [what, measure] of Object.entries(measurements))
  for (const found of measure(asked)) process.stdout.write(`${JSON.stringify({ what, ...found })}\n`);
