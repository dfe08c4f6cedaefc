import { guardExpression } from './guard-expression.js';
import { guardSelect } from './guard-select.js';
import { UnsafeFilterClauseError } from './sql-guard.errors.js';
import { loadSqlParser } from './sql-parser.js';

const scope = { columns: new Set(['a', 'b', 'v']) };
const verdictOf = (work: () => unknown): string => {
  try {
    work();
    return 'admitted';
  } catch (error) {
    if (error instanceof UnsafeFilterClauseError) return error.sentence.en;
    throw error;
  }
};
const ofSelect = (sql: string): string => verdictOf(() => guardSelect(sql, { schema: 'mirror' }));
const ofExpression = (sql: string): string => verdictOf(() => guardExpression(sql, scope));
const nested = (levels: number, nest: (inner: string) => string, innermost: string): string => {
  let text = innermost;
  for (let level = 0; level < levels; level++) text = nest(text);
  return text;
};
beforeAll(loadSqlParser);

const tooOften = /^it would take too many steps for one row \(at most 8000 more than are written\)/;

describe('the copies that PostgreSQL makes of user SQL', () => {
  it.each<[string, number, (inner: string) => string]>([
    ['BETWEEN', 12, inner => `((${inner}) BETWEEN false AND true)`],
    ['NOT BETWEEN', 12, inner => `(${inner} NOT BETWEEN false AND true)`],
    ['BETWEEN SYMMETRIC', 6, inner => `((${inner}) BETWEEN SYMMETRIC false AND true)`],
    ['IN with columns', 8, inner => `(${inner} IN (v = 'x', v = 'y', true))`],
    ['bounds of BETWEEN SYMMETRIC', 12, inner => `(true BETWEEN SYMMETRIC ${inner} AND true)`],
  ])('are bounded where %s stands in itself', (_, levels, nest) => {
    expect(ofExpression(nested(3, nest, "v = 'a'"))).toBe('admitted');
    expect(ofExpression(nested(levels, nest, "v = 'a'"))).toMatch(tooOften);
    expect(ofSelect(`SELECT a FROM t WHERE ${nested(levels, nest, "v = 'a'")}`)).toMatch(tooOften);
  });

  it('count a list of constants once, and CASE, COALESCE and comparisons as they are written', () => {
    const constants = Array.from({ length: 300 }, (_, i) => `'${i}'`).join(', ');
    expect(ofExpression(`v IN (${constants})`)).toBe('admitted');
    expect(ofExpression(nested(15, inner => `CASE coalesce(${inner}, 'x') WHEN 'a' THEN v ELSE 'b' END`, 'v'))).toBe('admitted');
  });

  it.each<[string, (inner: string) => string]>([
    ['a sub-select', inner => `SELECT id, v + v AS v FROM (${inner}) qi`],
    ['a renamed column', inner => `SELECT id, w + w FROM (${inner}) qi (id, w)`],
    ['each column by *', inner => `SELECT * FROM (SELECT id, v + v AS v FROM (${inner}) qi) qj`],
    ['a union', inner => `SELECT id, v + v AS v FROM (${inner} UNION ALL SELECT 1, 2) qi`],
    ['a WITH list', inner => `WITH c AS (${inner}) SELECT id, c.v + c.v AS v FROM c`],
    ['a condition', inner => `SELECT id, v FROM (SELECT id, v + v AS v FROM (${inner}) qi) qj WHERE v > 0`],
  ])('are bounded where a column of %s is used twice at each level', (_, nest) => {
    const innermost = 'SELECT id, id AS v FROM t';
    expect(ofSelect(nested(3, nest, innermost))).toBe('admitted');
    expect(ofSelect(nested(14, nest, innermost))).toMatch(/too many steps|nested too deeply|longer/);
  });

  it('end at a sub-select that is worked out by itself', () => {
    for (const end of ['OFFSET 0', 'LIMIT 1000'])
      expect(ofSelect(nested(12, inner => `SELECT id, v + v AS v FROM (${inner} ${end}) qi`, 'SELECT id, id AS v FROM t'))).toBe(
        'admitted',
      );
  });

  it.each([
    ['a set of characters', `translate(v, '${'Z'.repeat(200)}', '') = 'x'`],
    ['a list', `a && ARRAY[${Array.from({ length: 100 }, (_, i) => `'${i}'`).join(', ')}]`],
    ['a format', `to_char(a, '${'TMMonth'.repeat(14)}') = 'x'`],
    ['a pattern', `(v LIKE '%${'a'.repeat(100)}b%')`],
    ['a list of patterns', `(v LIKE ANY (ARRAY[${Array.from({ length: 20 }, (_, i) => `'%${i}000%'`).join(', ')}]))`],
    ['a list of patterns in one constant', `(v LIKE ANY ('{${Array.from({ length: 20 }, (_, i) => `%${i}000%`).join(',')}}'))`],
    ['a text that is sought', `strpos(v, '${'a'.repeat(100)}') > 0`],
    ['a template of a path behind an operator', `(a @? '$.b.datetime("${'TMMonth'.repeat(14)}")')`],
    ['a template of a path', `jsonb_path_exists(a, '$.b.datetime("${'TMMonth'.repeat(14)}")')`],
  ])('count each pass of %s over a whole text', (_, innermost) => {
    const between = (inner: string): string => `((${inner}) BETWEEN false AND true)`;
    expect(ofExpression(innermost)).toBe('admitted');
    expect(ofExpression(nested(5, between, "translate(v, '0123456789', '') = 'x'"))).toMatch(/admitted|too many steps/);
    expect(ofExpression(nested(7, between, innermost))).toMatch(tooOften);
  });

  it('go on in sub-selects with GROUP BY, DISTINCT and VALUES, and in each branch of UNION', () => {
    const four = (inner: string): string => nested(4, each => `((${each}) BETWEEN SYMMETRIC false AND true)`, inner);
    const columns = `SELECT DISTINCT ${four('h')} AS k FROM (SELECT DISTINCT ${four('a = 1')} AS h FROM t) s`;
    expect(ofSelect(`SELECT 1 AS id FROM (${columns}) q WHERE k`)).toMatch(tooOften);
    const grouped = `SELECT ${four('h')} AS k FROM (SELECT ${four('a = 1')} AS h FROM t GROUP BY 1) s GROUP BY 1`;
    expect(ofSelect(`SELECT 1 AS id FROM (${grouped}) q WHERE k`)).toMatch(tooOften);
    expect(ofSelect(`SELECT 1 AS id FROM t, LATERAL (VALUES (${four('a = 1')})) v (h) WHERE ${four('h')}`)).toMatch(tooOften);
    const branches = (count: number): string => Array.from({ length: count }, () => 'SELECT a FROM t').join(' UNION ALL ');
    const condition = nested(8, each => `((${each}) BETWEEN false AND true)`, 'a = 1');
    expect(ofSelect(`SELECT a FROM (${branches(12)}) u WHERE ${condition}`)).toBe('admitted');
    expect(ofSelect(`SELECT a FROM (${branches(120)}) u WHERE ${condition}`)).toMatch(tooOften);
    const guarded = guardSelect(`SELECT a FROM (${branches(120)}) u`, { schema: 'mirror' });
    expect(guarded.copies).toBe(10);
  });

  it('count the clauses of a set operation', () => {
    const condition = nested(10, each => `((${each}) BETWEEN SYMMETRIC false AND true)`, "lower(a) = 'x'");
    for (const clause of [`LIMIT (SELECT count(*) FROM t WHERE ${condition})`, `OFFSET (SELECT count(*) FROM t WHERE ${condition})`])
      expect(ofSelect(`SELECT a FROM t UNION ALL SELECT a FROM t ${clause}`)).toMatch(tooOften);
  });

  it('leave room for classes over the months of a year, and for the newest row of each key', () => {
    const months = Array.from({ length: 24 }, (_, i) => `SELECT name, amount FROM t${i}`);
    const cases = Array.from({ length: 12 }, (_, i) => `WHEN name LIKE '%keyword${i}%' THEN '${i}'`).join(' ');
    for (const union of ['UNION ALL', 'UNION'])
      expect(ofSelect(`SELECT CASE ${cases} END AS class, amount FROM (${months.join(` ${union} `)}) m`)).toBe('admitted');
    const cleaned = Array.from({ length: 100 }, (_, i) => `nullif(lower(trim(c${i})), '') AS c${i}`).join(', ');
    const ranked = `SELECT *, row_number() OVER (PARTITION BY c0 ORDER BY c1) AS rn FROM cleaned`;
    expect(ofSelect(`WITH cleaned AS (SELECT ${cleaned} FROM t), ranked AS (${ranked}) SELECT * FROM ranked WHERE rn = 1`)).toBe(
      'admitted',
    );
  });

  it.each([
    ['a step', "upper(v) = 'X'", 10],
    ['keys that are sorted', "left(v, 100000)::jsonb ? 'x'", 9],
    ['ROW(t.*)', 'ROW(t.*) IS NULL', 3],
    ['a text as JSON', "v::json ->> 'x' = 'y'", 10],
    ['a text as a list', "'x' = ANY (v::text[])", 8],
  ])('count %s over the whole of a value', (_, innermost, levels) => {
    const query = (depth: number): string =>
      ofSelect(`SELECT a FROM t WHERE ${nested(depth, inner => `((${inner}) BETWEEN false AND true)`, innermost)}`);
    expect(query(1)).toBe('admitted');
    expect(query(levels)).toMatch(tooOften);
  });

  it('leave room for conditions on the start of a text, and on texts that are cut', () => {
    const between = (inner: string): string => `((${inner}) BETWEEN false AND true)`;
    expect(ofExpression(nested(9, between, "(v LIKE 'abcdefgh%')"))).toBe('admitted');
    expect(ofExpression(nested(8, between, "(upper(left(v, 200)) LIKE '%abcdefgh%')"))).toBe('admitted');
  });

  it('leave room for many columns that are cleaned', () => {
    const cleaned = Array.from({ length: 20 }, (_, i) => `translate(btrim(c${i}, ' '), '，．＋－', ',.+-') AS d${i}`);
    expect(ofSelect(`SELECT ${cleaned.join(', ')} FROM t`)).toBe('admitted');
  });

  it('read the columns of a wide join where they are, and do not copy them at each JOIN', () => {
    const wide = `WITH w0 AS (SELECT ${Array.from({ length: 400 }, (_, i) => `1 c${i}`).join(', ')} FROM t), w1 AS (SELECT a.*, a.* FROM w0 a), w2 AS (SELECT a.*, a.* FROM w1 a)`;
    const joins = Array.from({ length: 100 }, (_, i) => `JOIN w2 x${i + 1} ON true)`).map((join, i) => `${join} k${i}`);
    const query = `${wide} SELECT c1 FROM ${'('.repeat(joins.length)}w2 x0 ${joins.join(' ')}`;
    const written = jest.spyOn(Map.prototype, 'set');
    expect(ofSelect(query)).toBe('admitted');
    expect(written.mock.calls.length).toBeLessThan(100_000);
    written.mockRestore();
    expect(ofSelect(query.replace(/k99 *$/, 'k99 (a, b)'))).toMatch(/at most 1664 columns/);
  });

  it('look for a name once in each join, however many joins stand in each other', () => {
    const joins = Array.from({ length: 150 }, (_, i) => `JOIN (SELECT 1 c${i}) x${i + 1} ON true) k${i}`);
    const names = Array.from({ length: 200 }, (_, i) => `c${i % 150}`).join(', ');
    const query = `SELECT ${names} FROM ${'('.repeat(joins.length)}(SELECT 1 d) x0 ${joins.join(' ')}`;
    const looked = jest.spyOn(Map.prototype, 'get');
    expect(ofSelect(query)).toBe('admitted');
    expect(looked.mock.calls.length).toBeLessThan(300_000);
    looked.mockRestore();
  });

  it('leave room for wide queries that use each column a few times', () => {
    const inner = Array.from({ length: 60 }, (_, i) => `CASE WHEN c${i} > 0 THEN c${i} * 1.13 ELSE 0 END AS d${i}`).join(', ');
    const outer = Array.from({ length: 60 }, (_, i) => `d${i}, round(d${i}) AS e${i}, coalesce(d${i}, 0) AS f${i}`).join(', ');
    expect(ofSelect(`SELECT ${outer} FROM (SELECT ${inner} FROM t) q`)).toBe('admitted');
  });
});

it('the cost of the steps of an expression is told apart from its columns, which a table has where they are named', () => {
  const factsOf = (sql: string) => guardExpression(sql, scope) as unknown;
  expect(factsOf(Array.from({ length: 400 }, () => 'a').join(' + '))).toMatchObject({ copies: 400, cost: 0 });
  expect(factsOf('(lower(a) = b) BETWEEN false AND true')).toMatchObject({ copies: 36, cost: 32 });
});

it('a natural join, and many columns in USING, are refused: the planner compares each column with those of all joins', () => {
  expect(ofSelect('SELECT a.id FROM t a NATURAL JOIN t b')).toMatch(/NATURAL/);
  const using = (columns: number): string =>
    `SELECT 1 FROM t a JOIN t b USING (${Array.from({ length: columns }, (_, i) => `c${i}`).join(', ')})`;
  expect(ofSelect(using(200))).toBe('admitted');
  expect(ofSelect(using(201))).toMatch(/^at most 200 columns may stand in USING/);
});

it('the format of a date or number is a short constant', () => {
  for (const name of ['to_date', 'to_timestamp', 'to_number', 'to_char']) {
    expect(ofExpression(`${name}(v, '${'Y'.repeat(100)}') IS NULL`)).toBe('admitted');
    expect(ofExpression(`${name}(v, '${'Y'.repeat(101)}') IS NULL`)).toMatch(/function/);
    expect(ofExpression(`${name}(v, a) IS NULL`)).toMatch(/function/);
  }
  expect(ofExpression('to_timestamp(0) IS NULL')).toBe('admitted');
  const template = (length: number): string => `jsonb_path_exists(a, '$.b.datetime("${'Y'.repeat(length)}")')`;
  expect(ofExpression(template(100))).toBe('admitted');
  expect(ofExpression(template(101))).toMatch(/function/);
});
