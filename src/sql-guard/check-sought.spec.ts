import { guardExpression } from './guard-expression.js';
import { guardSelect } from './guard-select.js';
import { UnsafeFilterClauseError } from './sql-guard.errors.js';
import { loadSqlParser } from './sql-parser.js';

const columns = new Set(['a', 'b', 'c']);
const long = 'x'.repeat(201);
const short = 'x'.repeat(200);
const elements = (count: number) => Array.from({ length: count }, (_, n) => `'${n}'`).join(', ');

function refusalOf(expression: string): Record<string, unknown> | null {
  try {
    guardExpression(expression, { columns });
    return null;
  } catch (error) {
    if (error instanceof UnsafeFilterClauseError) return error.refused as unknown as Record<string, unknown>;
    throw error;
  }
}

// If both texts or lists are long, each of these takes minutes of a server's process, and no limit ends it.
describe('a text or item that is sought', () => {
  beforeAll(loadSqlParser);

  it.each([
    `strpos(a, '${short}') > 0`,
    'strpos(a, left(b, 200)) > 0',
    "position('x' IN a) > 0",
    "position(a IN 'x') > 0",
    "split_part(a, '-', 2)",
    'string_to_array(a, NULL)',
    "trim(a) || btrim(a, 'x ') || ltrim(a, left(b, 3)) || translate(a, 'xy', b)",
    `replace(a, '${short}', '')`,
    "a LIKE 'x%' AND a NOT ILIKE '%x' AND 'abc' LIKE b",
    "a LIKE left(lower(b), 20) || '%'",
    "a LIKE 'x!%' ESCAPE '!'",
    "a LIKE ANY (ARRAY['x%', 'y%'])",
    "a SIMILAR TO '(x|y)%'",
    "a LIKE '%' || left(b, 100) || '%' AND a LIKE concat('%', trim(left(b, 50)), coalesce(left(c, 50), ''), '%')",
    'strpos(a, left(b, 9)::text) > 0 AND strpos(a, substring(b FROM 1 FOR 20)) > 0',
    "string_to_array(a, ',') && ARRAY[left(b, 9), 'x'] AND string_to_array(a, ',') @> string_to_array('x,y', ',')",
    "string_to_array(a, CASE WHEN a LIKE '%;%' THEN ';' ELSE ',' END)",
    `string_to_array(a, ',') && '{${elements(100).replaceAll("'", '')}}'`,
    "string_to_array(a, ',') @> '{x,y}'",
    `string_to_array(a, ',') @> ARRAY[${elements(100)}]::text[]`,
    `c @> '{"x": 1}' AND c ?| ARRAY['x', 'y'] AND c ? b AND left(c, 100000)::jsonb ? b`,
    "c - 'y' - 'x'",
  ])('%s is short', expression => expect(refusalOf(expression)).toBeNull());

  it.each([
    ['strpos(a, b) > 0', 'strpos'],
    [`strpos(a, '${long}') > 0`, 'strpos'],
    ['strpos(a, left(b, 201)) > 0', 'strpos'],
    ['strpos(a, left(b, -1)) > 0', 'strpos'],
    ['strpos(a, 1e100000::text) > 0', 'strpos'],
    ['strpos(a, left(b, 20)::numeric::text) > 0', 'strpos'],
    [`strpos(a, left(b, 150) || left(c, 51)) > 0`, 'strpos'],
    ['position(a IN b) > 0', 'position'],
    ["split_part(a, CASE WHEN a = b THEN b ELSE ',' END, 2)", 'split_part'],
    ['split_part(a, b, 2)', 'split_part'],
    ['string_to_array(a, b)', 'string_to_array'],
    ['btrim(a, b)', 'btrim'],
    ['trim(LEADING b FROM a)', 'ltrim'],
    ['rtrim(a, b)', 'rtrim'],
    [`translate(a, b, 'x')`, 'translate'],
    [`replace(a, '${long}', '')`, 'replace'],
  ])('%s is refused by its function', (expression, token) =>
    expect(refusalOf(expression)).toMatchObject({ reason: 'function', token, hint: { en: expect.stringContaining('left(…, 100)') } }),
  );

  it.each([
    ['a LIKE b', 'LIKE'],
    ["a ILIKE b || '%'", 'LIKE'],
    [`a LIKE '%${long}'`, 'LIKE'],
    ["a LIKE ANY (string_to_array(b, ','))", 'LIKE'],
    ["a LIKE ALL (ARRAY['x', b])", 'LIKE'],
    ["string_to_array(a, ',') && string_to_array(b, ',')", '&&'],
    [`string_to_array(a, ',') @> ARRAY[${elements(101)}]`, '@>'],
    ['left(b, 300)::jsonb <@ c', '<@'],
    ["string_to_array(a, ',') && ARRAY[b]", '&&'],
    ["ARRAY[string_to_array(a, ',')] && string_to_array(b, ',')", '&&'],
    ['c @> ANY (ARRAY[left(b, 300)::jsonb])', '@>'],
    [`a LIKE '%' || ${'9'.repeat(300)}`, 'LIKE'],
    ["c ?| string_to_array(b, ',')", '?|'],
    ['c ?| string_to_array()', '?|'],
    ["c - string_to_array(b, ',')", '-'],
    ['c - b::text[]', '-'],
    ["c - ARRAY['x', 'y']", '-'],
  ])('%s is refused', (expression, token) => expect(refusalOf(expression)).toMatchObject({ reason: 'operator', token }));

  it.each([
    ['a::jsonb IS NULL', 'jsonb'],
    ["(a::json)::jsonb -> 'x' IS NULL", 'jsonb'],
    ['left(a, 100001)::jsonb IS NULL', 'jsonb'],
    ['a::jsonb[] IS NULL', 'jsonb'],
  ])('%s may sort many keys', (expression, token) =>
    expect(refusalOf(expression)).toMatchObject({ reason: 'type', token, hint: { en: expect.stringContaining('left(…, 100000)::jsonb') } }),
  );

  it.each(["left(a, 100000)::jsonb -> 'x' IS NULL", `'{"x": 1}'::jsonb @> c`, "a::json ->> 'x' = 'y'"])('%s sorts few', expression =>
    expect(refusalOf(expression)).toBeNull(),
  );

  it('may be missing, which PostgreSQL refuses where the guard does not', () => {
    expect(refusalOf('replace()')).toMatchObject({ reason: 'function', token: 'replace' });
    for (const call of ['strpos()', 'btrim()', 'strpos(a, left())', 'strpos(left(), a)', 'a LIKE concat()'])
      expect(() => refusalOf(call)).not.toThrow();
  });

  it('is not a sub-select', () => {
    const select = (condition: string) => () => guardSelect(`SELECT 1 FROM t WHERE ${condition}`, { schema: 'mirror' });
    for (const condition of ['a LIKE ANY (SELECT b FROM u)', 'a @> ANY (SELECT b FROM u)', 'a && ALL (SELECT b FROM u)'])
      expect(select(condition)).toThrow(UnsafeFilterClauseError);
    expect(select('a = ANY (SELECT b FROM u) AND a IN (SELECT b FROM u) AND a > ALL (SELECT b FROM u)')).not.toThrow();
  });
});
