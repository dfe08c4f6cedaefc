import fc from 'fast-check';
import pg from 'pg';
import { cloneDatabase } from '../../test/support/database.js';
import { rowChoices, rowFunctions } from './allow-lists.js';
import { maxGrowth } from './check-growth.js';
import { guardExpression } from './guard-expression.js';
import { guardSelect } from './guard-select.js';
import { UnsafeFilterClauseError } from './sql-guard.errors.js';
import { loadSqlParser } from './sql-parser.js';
import { isLong } from '../../test/support/tier.js';

const runs = isLong ? 300 : 30;
const seed = 20261122;
const columns = new Set(['a', 'b', 'c']);
const times = (count: number, text: string) => Array.from({ length: count }, () => text);

function factsOf(work: () => unknown): { reason: string; token?: string | undefined } | null {
  try {
    work();
    return null;
  } catch (error) {
    if (error instanceof UnsafeFilterClauseError) return error.refused;
    throw error;
  }
}

describe('the values that user SQL may build', () => {
  beforeAll(() => loadSqlParser());

  it.each([
    "a || ', ' || b",
    "concat_ws(' ', a, b, c)",
    "array_to_string(string_to_array(a, ','), ';')",
    `concat(${times(100, 'a').join(', ')})`,
    "CASE WHEN length(a || b) > 3 THEN upper(a) ELSE left(b, 3) || '…' END",
    `a IN (${times(300, "'x'").join(', ')})`,
    "(jsonb_path_query_first(c, '$.items[0] ? (@.name == \"x, y\")') ->> 'name') || b",
    "regexp_replace(a, '([0-9])', '<\\1>', 'g')",
    'md5(ROW(a, b, c)::text)',
    "a = ANY (ARRAY['x', 'y'])",
    'ARRAY[a, b]::text',
    "'{1,2}'::numeric[]",
    'normalize(left(a, 1000), NFKD) || b',
  ])('%s is within the bound', expression => {
    expect(guardExpression(expression, { columns }).growth).toBeLessThanOrEqual(maxGrowth);
  });

  it.each<[string, string | undefined]>([
    [times(101, 'a').join(' || '), '||'],
    [`concat(${times(50, 'concat(a, b, c)').join(', ')})`, 'concat'],
    [`length(concat_ws(b, ${times(60, 'a').join(', ')})) > 3`, 'concat_ws'],
    [`ARRAY[${times(101, 'a').join(', ')}]`, undefined],
    ["array_to_string(string_to_array(a, ','), '" + '-'.repeat(120) + "')", 'array_to_string'],
    ["regexp_replace(regexp_replace(a, '', '-----------', 'g'), '', '-----------', 'g')", 'regexp_replace'],
    ['normalize(left(normalize(left(a, 9), NFKD), 9), NFKD)', 'normalize'],
  ])('%s may be too long', (expression, token) => {
    const facts = factsOf(() => guardExpression(expression, { columns }));
    expect(facts).toMatchObject({ reason: 'length' });
    expect(facts?.token).toBe(token);
  });

  it.each([
    ["array_to_string(string_to_array(a, ','), b)", 'array_to_string'],
    ["jsonb_path_query_first(c, '$[0,0,0][0,0,0][0,0,0][0,0,0]')", 'jsonb_path_query_first'],
    ["jsonb_path_query_array(c, '$.**.**.**')", 'jsonb_path_query_array'],
    ['jsonb_path_match(c, b::text)', 'jsonb_path_match'],
    ['normalize(a, NFKC)', 'normalize'],
    ['normalize(left(a, 1001), NFKC)', 'normalize'],
    ['normalize(left(a, -1), NFKC)', 'normalize'],
    ["string_agg(a, ',')", 'string_agg'],
    ["regexp_replace(a, '', b, 'g')", 'regexp_replace'],
  ])('%s is refused by its function', (expression, token) => {
    expect(factsOf(() => guardExpression(expression, { columns }))).toMatchObject({ reason: 'function', token });
  });

  const wideNames = Array.from({ length: 40 }, (_, n) => `c${n}`).join(', ');
  const wide = Array.from({ length: 40 }, (_, n) => `a AS c${n}`).join(', ');
  const nested = (levels: number, before: string, after: string) => `${before.repeat(levels)}a${after.repeat(levels)}`;
  it.each([
    ['lists', nested(6, 'ARRAY[', ']::text')],
    ['rows', nested(6, 'ROW(', ')::text')],
    ['rows joined', nested(6, "('' || ROW(", '))')],
    ['split texts', nested(6, 'string_to_array(', ', NULL)::text')],
    ['lists joined', nested(6, 'concat(ARRAY[', '])')],
    ['patterns', nested(6, 'like_escape(', ", '!')")],
    ['found parts', `array_to_string(regexp_match(a, '${'('.repeat(100)}.*${')'.repeat(100)}'), '')`],
  ])('may be too long if %s are nested', (_, expression) => {
    expect(factsOf(() => guardExpression(expression, { columns }))).toMatchObject({ reason: 'length' });
  });

  // PostgreSQL compares each item of one list with each of the other, and neither its time limit nor a cancellation ends that.
  it.each([
    '$.a[*] == $.b[*]',
    '$[*] != $[*]',
    '$ < $',
    '$[*] ? (@.x[*] >= @.y[*])',
    '$[*] ? (1 == 1 && @.a <> @.b)',
    '$[*] == -$[*]',
    '1 == 1 || $."1" == $[*]',
    '($[*]) == ($[*])',
    '$[*] == $v[*]',
    '$[*] == $v',
    '$.a\\" == $[*] || $.b\\"',
    '$[*] /* " */ == $[*] /* " */',
    '$[*] == 1.5 + $[*]',
    '$[*] == (1) + $[*]',
    '$[*] + (1) == $[*]',
    '$[*].datetime("x") == $[*]',
    '$[*] == "x".datetime() + $[*]',
    '$[*] == ($[*])',
    '$[*] == (1)[*]',
    '$[*] == "x".datetime()[*]',
  ])('the path %s compares lists', path => {
    for (const expression of [`jsonb_path_match(c, '${path}')`, `c @@ '${path}'`, `jsonb_path_exists(c, '${path}', c)`])
      expect(factsOf(() => guardExpression(expression, { columns }))).toMatchObject({ reason: 'function' });
  });

  it.each([
    '$.a[*] == 1',
    '"x" == $.a[*]',
    '-1.5e-3 < $.a && !($[*] >= +.5)',
    'strict $[*] ? (@.name == "a \\" == b" || @.isOpen != true).x ? (@ <> null)',
    '$[*] ? (@.price - @.cost > 0)',
    '$[*] ? (@.a like_regex "^\\d+$" flag "i")',
    '$."==" ? (@.size() <= 3)',
    '$.d ? (@.datetime() < "2024-01-01".datetime())',
    '"01.02.2024".datetime("DD.MM.YYYY") <= $.d.datetime() && $.n > ("5").double()',
    '$ ? (@ > (5))',
    '(1) == $[*] || ((-(2)) < $[*])',
  ])('the path %s compares with one value', path => {
    expect(factsOf(() => guardExpression(`jsonb_path_match(c, '${path}')`, { columns }))).toBeNull();
  });

  it('may compare with variables whose values are written there', () => {
    expect(factsOf(() => guardExpression(`jsonb_path_exists(c, '$[*] ? (@ > $v)', '{"v": 3}')`, { columns }))).toBeNull();
    for (const list of ['c', `'{"v": [${times(101, '1').join(', ')}]}'`, `('{"v": [' || left(c, 9) || ']}')::jsonb`])
      expect(factsOf(() => guardExpression(`jsonb_path_exists(c, '$[*] ? (@ > $v)', ${list})`, { columns }))).not.toBeNull();
  });

  it.each([
    ["jsonb_path_query_array(c, '$.keyvalue().keyvalue()')", 'function'],
    ['jsonb_path_query_array(c, \'$.a\\\\"[0,0].b\\\\"\')', 'function'],
    ['regexp_match(a, b)', 'function'],
    ['(a::numeric[])::text', 'type'],
    ["('{1e131071}'::numeric[])::text", 'type'],
  ])('%s is refused', (expression, reason) => {
    expect(factsOf(() => guardExpression(expression, { columns }))).toMatchObject({ reason });
  });

  // If an argument were judged twice at each level, each of these cases would take longer than anybody waits.
  it.each(['concat(', 'concat_ws(a, ', 'array_to_string(string_to_array(', 'overlay(', 'lower('])(
    'judges the arguments of nested %s only once',
    before => {
      const after = before.startsWith('array') ? ", ','), '')" : ')';
      factsOf(() => guardExpression(nested(60, before, after), { columns }));
    },
  );

  it.each([
    'SELECT array_agg(a) FROM t',
    'SELECT t.json_agg FROM t',
    'SELECT t.concat FROM t',
    `WITH p AS (SELECT ${wide} FROM t) SELECT p::text FROM p`,
    `SELECT (p)::text FROM (SELECT ${wide} FROM t) AS p`,
    `SELECT a::text FROM (SELECT b AS a, ${wide} FROM t) AS a (foo)`,
    `WITH a (foo) AS (SELECT b AS a, ${wide} FROM t) SELECT a::text FROM a`,
    `SELECT a.max::text FROM (SELECT 1 AS max) AS b, (SELECT ${wide} FROM t) AS a`,
    `SELECT j::text FROM (t JOIN (SELECT ${wide} FROM t) AS p ON true) AS j`,
    `WITH c0 AS (SELECT a FROM t), ${Array.from({ length: 5 }, (_, n) => `c${n + 1} AS (SELECT *, c${n}::text AS x${n} FROM c${n})`).join(', ')} SELECT c5::text FROM c5`,
    `SELECT ${nested(6, 'ROW(', ')')} FROM t`,
    `SELECT 1 AS n UNION ALL SELECT 2 LIMIT (WITH ${['a || a', ...Array.from({ length: 7 }, () => 'x || x')].map((x, n) => `c${n} AS (SELECT ${x} AS x FROM ${n ? `c${n - 1}` : 't'})`).join(', ')} SELECT max(length(x)) FROM c7)`,
    "SELECT string_agg(a, ',' ORDER BY a) FROM t, t AS u",
    'SELECT ARRAY(SELECT a FROM t)',
    'SELECT x || x || x || x AS x FROM (SELECT x || x || x || x AS x FROM (SELECT x || x || x || x AS x FROM (SELECT a || a AS x FROM t) AS p) AS q) AS r',
    'WITH p AS (SELECT concat(a, a, a, a, a) AS x FROM t), q AS (SELECT concat(x, x, x, x, x) AS x FROM p) SELECT concat(x, x, x, x, x) FROM q',
    "WITH p AS (VALUES ('xxxxxxxxxx')), q AS (SELECT concat(column1, column1, column1, column1, column1) AS x FROM p), r AS (SELECT concat(x, x, x, x, x) AS x FROM q) SELECT concat(x, x, x, x, x) FROM r",
    'SELECT (SELECT concat(p.x, p.x, p.x, p.x, p.x)) FROM (SELECT concat(y, y, y, y, y) AS x FROM (SELECT concat(a, a, a, a, a) AS y FROM t) AS q) AS p',
    'SELECT 1 FROM t JOIN LATERAL (SELECT concat(a, a, a, a, a, a, a, a, a, a, a) AS x) AS p ON length(concat(x, x, x, x, x, x, x, x, x, x)) > 1',
  ])('%s is refused', query => {
    expect(factsOf(() => guardSelect(query, { schema: 'mirror' }))).not.toBeNull();
  });

  it.each([
    'WITH total AS (SELECT sum(a) AS total FROM t) SELECT total FROM total',
    'SELECT p.max, p.n FROM (SELECT max(a) AS max, count(*) AS n FROM t) AS p',
    'SELECT t.count, count FROM t',
    'SELECT x FROM (SELECT 1) AS x (x)',
    'SELECT agg.max - agg.min FROM t JOIN (SELECT id, max(v), min(v) FROM u GROUP BY id) AS agg ON agg.id = t.id',
    'WITH a AS (SELECT id, max(v) AS max FROM u GROUP BY id), b AS (SELECT * FROM a) SELECT b.max FROM b',
    'SELECT sum FROM (SELECT sum(x) FROM t) AS sum',
    `SELECT count(p), p IS NULL FROM t LEFT JOIN (SELECT ${wide} FROM t) AS p ON p.c0 = t.a`,
    `SELECT 1 FROM t WHERE (${wideNames}) = (${wideNames})`,
    `SELECT 1 FROM t WHERE n = ANY (ARRAY[${Array.from({ length: 60 }, (_, n) => n).join(', ')}]::int[]) AND d = ANY (ARRAY[1.5, 2]::numeric[])`,
    "SELECT jsonb_path_query_first(c, '$.decimal_places.keyvalue') FROM t",
    'SELECT p.* FROM (SELECT a, b FROM t) AS p ORDER BY p.a',
  ])('%s is not a whole row', query => {
    expect(guardSelect(query, { schema: 'mirror' }).growth).toBeLessThanOrEqual(3);
  });

  // Without the limit of 200 relations this takes minutes, because each `*` goes through the names of all relations.
  it('have few relations behind them', () => {
    const list = `WITH c AS (SELECT ${Array.from({ length: 833 }, (_, n) => `1 AS q${n}`).join(', ')})`;
    const from = (count: number) => Array.from({ length: count }, (_, n) => `c b${n}`).join(', ');
    const factsWith = (count: number) =>
      factsOf(() => guardSelect(`${list} SELECT ${times(850, '*').join(', ')} FROM ${from(count)}`, { schema: 'mirror' }));
    expect(factsWith(800)).toMatchObject({ reason: 'length', hint: { en: expect.stringContaining('at most 200 tables and sub-selects') } });
    // PostgreSQL gives a query no more columns.
    expect(factsWith(199)).toMatchObject({ reason: 'length', sentence: { en: 'a query has at most 1664 columns' } });
  });

  it('multiply with the fractions of a percentile', () => {
    const query = (fraction: string) => `SELECT percentile_disc(${fraction}) WITHIN GROUP (ORDER BY a) FROM t`;
    const factsWith = (fraction: string) => factsOf(() => guardSelect(query(fraction), { schema: 'mirror' }));
    for (const fraction of ['0.5', '5e-1', '0.5::float8', 'ARRAY[0.25, 0.5, 1]']) expect(factsWith(fraction)).toBeNull();
    expect(factsWith(`ARRAY[${times(101, '.5').join(', ')}]`)).toMatchObject({ reason: 'length', token: 'percentile_disc' });
    for (const fraction of ["string_to_array(b, ',')::float8[]", "'{.5,.5}'", "'{.5,.5}'::float8[]", 'b', 'ARRAY[b]'])
      expect(factsWith(fraction)).toMatchObject({ reason: 'function', token: 'percentile_disc' });
  });

  it('multiply through sub-selects only what they pass on', () => {
    const query = 'SELECT x || b AS y FROM (SELECT concat(a, b, c) AS x, b FROM t) AS p ORDER BY length(a || b)';
    expect(guardSelect(query, { schema: 'mirror' }).growth).toBe(6);
    expect(guardSelect('SELECT a, count(*) FROM t GROUP BY a UNION SELECT b, 1 FROM t', { schema: 'mirror' }).growth).toBe(1);
  });

  it('know every function that PostgreSQL takes of a whole row', async () => {
    const database = await cloneDatabase();
    const client = new pg.Client(database.url);
    await client.connect();
    const { rows } = await client.query<{ name: string }>(
      `SELECT DISTINCT proname AS name FROM pg_proc
       WHERE pronamespace = 'pg_catalog'::regnamespace AND pronargs >= 1 AND pronargs - pronargdefaults <= 1
         AND proargtypes[0] IN (SELECT oid FROM pg_type WHERE typname IN ('any', 'anyelement', 'anynonarray', 'anycompatible', 'anycompatiblenonarray', 'record'))`,
    );
    await client.end();
    await database.drop();
    const unknown = rows.map(({ name }) => name).filter(name => !rowFunctions.has(name) && !rowChoices.has(name));
    // These functions return a number, which cannot be long.
    expect(unknown.sort()).toEqual(['count', 'cume_dist', 'dense_rank', 'num_nonnulls', 'num_nulls', 'percent_rank', 'rank']);
  });

  it(`are never longer than the guard foresees (${runs} expressions on PostgreSQL, seed ${seed})`, async () => {
    const database = await cloneDatabase();
    const client = new pg.Client(database.url);
    await client.connect();
    const values = ['', 'xyz', 'a,b', ',,,,,,,', 'a,,b,c,,d汉', '"\\"\\"\\"', '%_%_%_(((', "'{}'"];
    const longest = Math.max(...values.map(value => value.length));
    const { text } = fc.letrec<{ text: string }>(tie => ({
      text: fc.oneof(
        { maxDepth: 5 },
        fc.constantFrom('a', 'b', "','", "'汉字'", "'x'"),
        fc.tuple(tie('text'), tie('text')).map(([x, y]) => `(${x} || ${y})`),
        fc.array(tie('text'), { minLength: 1, maxLength: 4 }).map(parts => `concat(${parts.join(', ')})`),
        fc.array(tie('text'), { minLength: 2, maxLength: 4 }).map(parts => `concat_ws(${parts.join(', ')})`),
        fc.tuple(tie('text'), tie('text')).map(([x, y]) => `overlay(${x} placing ${y} from 2)`),
        fc
          .tuple(tie('text'), fc.constantFrom("','", 'NULL', "''"), fc.constantFrom("';;'", "','", "''"), fc.constantFrom(", 'zz'", ''))
          .map(([x, split, joint, absent]) => `array_to_string(string_to_array(${x}, ${split}, ''), ${joint}${absent})`),
        tie('text').map(x => `array_to_string(ARRAY[${x}, ${x}], '')`),
        tie('text').map(x => `replace(${x}, ',', ';')`),
        tie('text').map(x => `(ARRAY[${x}, ${x}])::text`),
        tie('text').map(x => `concat(ARRAY[${x}], 'xyz')`),
        tie('text').map(x => `(ROW(${x}, ${x}))::text`),
        tie('text').map(x => `('xyz' || ROW(${x}))`),
        tie('text').map(x => `(string_to_array(${x}, NULL))::text`),
        tie('text').map(x => `like_escape(${x}, '!')`),
        tie('text').map(x => `array_to_string(regexp_match(${x}, '((.*))'), '')`),
        tie('text').map(x => `CASE WHEN length(${x}) > 2 THEN ${x} ELSE 'x' END`),
      ),
    }));
    let admitted = 0;
    await fc.assert(
      fc.asyncProperty(text, fc.constantFrom(...values), fc.constantFrom(...values), async (expression, a, b) => {
        let growth: number;
        try {
          ({ growth } = guardExpression(expression, { columns }));
        } catch (error) {
          if (error instanceof UnsafeFilterClauseError && error.refused.reason === 'length') return;
          throw error;
        }
        admitted += 1;
        const { rows } = await client.query<{ n: number | null }>(
          `SELECT length(${expression}) AS n FROM (SELECT $1::text AS a, $2::text AS b) AS t`,
          [a, b],
        );
        expect(rows[0]?.n ?? 0).toBeLessThanOrEqual(growth * longest);
      }),
      { numRuns: runs, seed },
    );
    await client.end();
    await database.drop();
    expect(admitted).toBeGreaterThan(runs / 4);
  });
});
