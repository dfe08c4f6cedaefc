import { emptyGraph } from '../../prepare-cypher.js';
import { parseCypher } from '../../syntax/parse-cypher.js';
import { type CypherValue } from '../../values/cypher-value.js';
import { Decimal } from '../../values/decimal.js';
import { labelTest } from './label-test.js';
import { prepareInMemory } from './run-in-memory.js';
import { WorkExceededError } from './work.js';
import { everyNth } from '../../../../test/support/tier.js';

const limits = { steps: 30_000_000, heldBytes: 67_108_864 };
const now = { epochNanoseconds: 0n, timeZone: 'Asia/Shanghai' };
const text = 'x'.repeat(900_000);
const items = (count: number) => Array.from({ length: count }, (_, i) => BigInt(i));
const blanks = ' '.repeat(900_000);
const decimal = new Decimal(BigInt('1'.repeat(4000)), 2000);
const map = (count: number) => new Map(items(count).map(i => [`name ${i}`, i]));
const longName = 'k'.repeat(45_000);
const longNames = () => new Map(items(20).map(i => [`${longName}${i}`, i]));
const parameters = new Map<string, CypherValue>([
  ['text', text],
  ['blanks', blanks],
  ['blankTexts', [blanks]],
  ['decimal', decimal],
  ['same', text.slice(1) + text.slice(-1)],
  ['late', `${'x'.repeat(450_000)}y`],
  ['periodic', `y${'x'.repeat(450_000)}`],
  ['commas', 'a,'.repeat(100_000)],
  ['list', items(40_000)],
  ['equal', items(40_000)],
  ['texts', items(20_000).map(String)],
  ['map', map(20_000)],
  ['equalMap', map(20_000)],
  ['longNames', longNames()],
  ['equalNames', longNames()],
  ['longName', longName],
]);

function rowsOf(query: string): Generator<{ values: CypherValue[] } | null> {
  return prepareInMemory(parseCypher(query), emptyGraph, { parameters, limits, now }).rows();
}

const costly = [
  'size($text)',
  'reverse($text)',
  'toUpper($text)',
  'right($text, 1)',
  'substring($text, 800000, 1)',
  "replace($text, 'y', '')",
  "replace($commas, ',', ';')",
  "replace($text, $periodic, '')",
  "split($commas, ',')",
  '$text CONTAINS $periodic',
  '$text CONTAINS $late',
  "($text + i) STARTS WITH 'y'",
  '$text = $same',
  '$text < $same',
  '$list = $equal',
  '$list < $equal',
  '$map = $equalMap',
  '-1 IN $list',
  '$list IN [$equal]',
  '$list + i',
  '$list[1..]',
  'tail($list)',
  'reverse($list)',
  'keys($map)',
  'toIntegerList($texts)',
  'range(1, 100000)',
  'all(x IN $list WHERE x >= 0)',
  "toFloat('1e9999')",
  'trim($blanks)',
  'toFloat($blanks)',
  'toFloatOrNull($blanks)',
  'toInteger($blanks)',
  'toIntegerList($blankTexts)',
  'toBoolean($blanks)',
  'toFloat($decimal)',
  'sqrt($decimal)',
  'ceil($decimal)',
  'round($decimal, 2)',
  '$decimal * 2',
  '$decimal / 3',
  '$decimal ^ 2',
  'datetime()',
  "toString(duration('P1Y2M3DT4H5M6.7S'))",
  "date('2024-05-01') + duration('P1M')",
  'COLLECT { UNWIND $list AS x RETURN DISTINCT x }',
  "($text + i) < 'a'",
  '$longNames = $equalNames',
  '$longNames[$longName + i]',
  'COUNT { UNWIND [1, 2, 3] AS x RETURN DISTINCT $longNames }',
  'COUNT { UNWIND [1, 2, 3] AS x RETURN max($text + x) AS m }',
  `COUNT { RETURN 1 LIMIT 0 ${'UNION ALL RETURN 1 LIMIT 0 '.repeat(30)} }`,
  `coalesce(${'null, '.repeat(250)} i)`,
  'toIntegerOrNull([])',
  'toIntegerList([[], [], []])',
  `EXISTS { UNWIND [] AS x ${'WITH x '.repeat(30)} RETURN x }`,
  `EXISTS { UNWIND [] AS x ${'WITH DISTINCT * ORDER BY x '.repeat(30)} RETURN x }`,
  `EXISTS { UNWIND [] AS x ${'WITH x, count(*) AS y WITH x '.repeat(30)} RETURN x }`,
  `EXISTS { UNWIND [] AS x ${'MATCH () UNWIND [] AS y WITH x '.repeat(30)} RETURN x }`,
];

describe('one expression', () => {
  it.each(everyNth(costly, 6))('is refused if it asks for %s ten thousand times, instead of holding the thread', expression => {
    expect(() => [...rowsOf(`RETURN size([i IN range(1, 10000) WHERE (${expression}) IS NULL]) AS n`)]).toThrow(WorkExceededError);
  });

  it.each([
    ['size(replace($text, $periodic, ""))', 900_000n],
    ["$text CONTAINS 'xy'", false],
    ['size(split(left($commas, 100000), ","))', 50_001n],
    ['size([i IN range(1, 50000) WHERE i % 2 = 0 AND i > 10 | i * i])', 24_995n],
    ['size(reduce(text = "", i IN range(1, 20000) | text + i + ","))', 108_894n],
    ['size([x IN $list | x / size($list)])', 40_000n],
  ])('%s is answered', (expression, value) => {
    expect([...rowsOf(`RETURN ${expression} AS n`)].filter(row => row !== null)).toMatchObject([{ values: [value] }]);
  });
});

/** A text of half a million characters. */
const long = "reduce(s = 'abcdefgh', i IN range(1, 16) | s + s)";

it('asks a node for labels once, however many a condition names', () => {
  const fits = labelTest([Array.from({ length: 3_000 }, (_, i) => ({ name: `L${i}`, position: 0 }))]);
  let asked = 0;
  const labels = new Proxy(['L2999', 'M'], { get: (list, key) => (key === '0' && asked++, Reflect.get(list, key)) });
  expect([fits(labels), fits(['M'])]).toEqual([true, false]);
  expect(asked).toBeLessThan(10);
});

describe('a list', () => {
  it.each([
    `WITH ${long} AS s RETURN size([x IN range(1, 100000) | s + toString(x)]) AS n`,
    `WITH ${long} AS s RETURN size([${Array.from({ length: 500 }, () => 'toUpper(s)').join()}]) AS n`,
  ])('is refused before it is built if it would be too large: %s', query => {
    expect(() => [...rowsOf(query)]).toThrow(
      expect.objectContaining({ code: expect.stringMatching(/value_too_large|query_too_much_work/) }),
    );
  });
});

it('counts neither size() nor an item of a long list as going through it', () => {
  const query = 'WITH range(1, 10000) AS l RETURN all(x IN range(1, 10000) WHERE l[x - 1] = x AND size(l) = 10000) AS n';
  expect([...rowsOf(query)].filter(row => row !== null)).toMatchObject([{ values: [true] }]);
});

describe('a query', () => {
  it.each(
    everyNth<[what: string, query: string, pauses: number]>(
      [
        ['sorts texts that begin alike', 'UNWIND range(1, 30) AS i WITH $text + (100 - i) AS t ORDER BY t RETURN size(t) AS n', 50],
        ['numbers its rows', 'UNWIND range(1, 20000) AS i RETURN percentileCont(i, 0.5) AS n', 20],
        ['goes through a long text in each row', 'UNWIND range(1, 200) AS i RETURN size($text) AS n', 100],
        ['compares long lists in each row', 'UNWIND range(1, 8) AS i WITH i WHERE $list <> $equal RETURN i', 4],
        ['has a key of a map with long names in each row', 'UNWIND range(1, 20) AS i RETURN DISTINCT $longNames AS m', 10],
        ['compares joined texts', 'UNWIND range(1, 20) AS i RETURN size(max($text + i)) AS n', 10],
        ['has a key of a long list in each row', 'UNWIND range(1, 8) AS i RETURN DISTINCT $list AS l', 4],
      ],
      2,
    ),
  )('pauses in between if it %s', (_, query, pauses) => {
    expect([...rowsOf(query)].filter(row => row === null).length).toBeGreaterThanOrEqual(pauses);
  });
});

describe('the bytes that are held', () => {
  const rows = 'UNWIND range(1, 100) AS i UNWIND range(1, 4) AS j';
  const inner = 'UNWIND range(1, 10) AS x';
  const held = (query: string, heldBytes: number) => {
    const prepared = prepareInMemory(parseCypher(query), emptyGraph, { parameters, limits: { ...limits, heldBytes }, now });
    return [...prepared.rows()].filter(row => row !== null).length;
  };

  it.each([
    ['sorting', `COLLECT { ${inner} RETURN x ORDER BY x LIMIT 3 }`],
    ['grouping', `COUNT { ${inner} RETURN x, count(*) AS n }`],
    ['DISTINCT', `COUNT { ${inner} RETURN DISTINCT x }`],
    ['a subquery that ends at its first row', `EXISTS { ${inner} RETURN x, count(*) AS n ORDER BY n }`],
  ])('do not add up over the rows around a subquery: %s', (_, subquery) => {
    expect(held(`${rows} RETURN ${subquery} AS found`, 50_000)).toBe(400);
    expect(() => held(`${rows} RETURN ${subquery} AS found`, 500)).toThrow(WorkExceededError);
  });
});

describe('the memory bound of a query', () => {
  const endOf = (text: string, heldBytes = limits.heldBytes) => {
    const prepared = prepareInMemory(parseCypher(text), emptyGraph, { parameters, limits: { ...limits, heldBytes }, now });
    try {
      return { rows: [...prepared.rows()].flatMap(row => (row === null ? [] : [row.values])), held: prepared.work.heldBytes };
    } catch (error) {
      return (error as { code?: string }).code;
    }
  };
  const lists = (items: number) => `UNWIND range(1, 80) AS i WITH collect([x IN range(1, ${items}) | {}]) AS a`;
  /** An eighth of the usual memory bound, so that a query reaches it soon. */
  const few = limits.heldBytes / 8;
  const names = Array.from({ length: 40 }, (_, i) => `a${i}`);

  const tooMuch: [what: string, query: string][] = [
    ['lists of empty maps', `${lists(10_000)} RETURN size(a) AS n`],
    ['lists of empty maps that the largest list is made of', `${lists(20_000)} RETURN size(a) AS n`],
    ['empty maps', 'UNWIND range(1, 1900000) AS i WITH collect({}) AS l RETURN size(l) AS n'],
    ['times', 'UNWIND range(1, 1000000) AS i RETURN collect(localtime({hour: i % 24})) AS l'],
    ['the largest of many lists', 'UNWIND range(1, 100000) AS i RETURN i, max([x IN range(1, 100) | i + x]) AS l ORDER BY i LIMIT 1'],
    [
      'a list from the stage before, in the row of the next one',
      `${lists(400)} WITH collect(a) AS b UNWIND range(1, 80) AS i WITH collect(CASE WHEN i = 1 THEN b END) AS bb, collect([x IN range(1, 400) | {}]) AS c RETURN size(bb) AS n`,
    ],
    [
      'lists that a row carries on through its clauses',
      `UNWIND [1] AS i ${names.map((name, i) => `WITH ${[...names.slice(0, i), ''].join()}[x IN range(1, 2000) | {}] AS ${name}`).join(' ')} RETURN 1 AS n`,
    ],
  ];

  it.each(everyNth(tooMuch, 3))('ends it with a 422 when %s take too much', (_, text) => {
    expect(endOf(text, few)).toMatch(/^(value_too_large|query_too_much_work)$/);
  });

  it.each(
    everyNth<[what: string, query: string, rows: bigint[][]]>(
      [
        ['collects a million integers', 'UNWIND range(1, 1000000) AS i RETURN size(collect(i)) AS n', [[1_000_000n]]],
        [
          'carries one large list in each row',
          'WITH range(1, 100000) AS l UNWIND range(1, 20000) AS i WITH l, i ORDER BY i DESC RETURN sum(l[0]) AS n',
          [[20_000n]],
        ],
        ['groups by a hundred thousand keys', 'UNWIND range(1, 100000) AS i WITH i AS k, count(*) AS n RETURN sum(n) AS n', [[100_000n]]],
        [
          'builds large lists one after the other',
          'UNWIND range(1, 100) AS i WITH [x IN range(1, 15000) | {}] AS l RETURN sum(size(l)) AS n',
          [[1_500_000n]],
        ],
      ],
      4,
    ),
  )('does not end one that %s', (_, text, rows) => {
    expect(endOf(text)).toEqual({ rows, held: 0 });
  });
});
