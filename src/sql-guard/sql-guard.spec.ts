import { refusal } from '../../test/support/refused-sql.js';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { guardExpression } from './guard-expression.js';
import { guardSelect } from './guard-select.js';
import { fragmentMarker } from './same-shape.js';
import { assembleSql } from '../../test/support/assemble-sql.js';
import { UnsafeFilterClauseError } from './sql-guard.errors.js';
import { loadSqlParser } from './sql-parser.js';

interface Case {
  clause: string;
  why: string;
}

const suitePath = join(process.cwd(), '../shared/suites/filter-clauses.json');
const suite = (existsSync(suitePath) ? JSON.parse(readFileSync(suitePath, 'utf8')) : null) as Record<
  'block' | 'allow' | 'policy',
  Case[]
> | null;
const scope = {
  columns: new Set(['order_id', 'customer_id', 'status', 'amount', 'created_at', 'tags', 'meta', '地区', 'Mixed']),
  alias: 'orders',
};

beforeAll(loadSqlParser);

const refusedPredicate = (clause: string) => refusal(() => guardExpression(clause, scope));

(suite ? describe : describe.skip)('the list of filter clauses (needs ../shared/suites)', () => {
  for (const { clause, why } of suite?.block ?? []) {
    it(`refuses ${JSON.stringify(clause)}: ${why}`, () => {
      refusedPredicate(clause);
    });
  }
  for (const { clause, why } of suite?.allow ?? []) {
    it(`allows ${JSON.stringify(clause)}: ${why}`, () => {
      const guarded = guardExpression(clause, scope);
      expect(guarded.text).toBe(clause);
      expect(assembleSql(`SELECT 1 FROM orders WHERE a AND ${fragmentMarker(0)}`, [guarded])).toContain(`(\n${clause}\n)`);
    });
  }
});

describe('a name that PostgreSQL would cut to 63 bytes (risk: the cut name is that of another column)', () => {
  const cut = '您对我们公司提供的售后服务的总体满意程度（';
  const long = `${cut}二）`;
  const own = { columns: new Set([cut, long]), alias: 'answers' };

  it.each([`"${long}" > 1`, `${'满意程度'.repeat(6)} > 1`, `answers."${long}" > 1`, `"${long}".x > 1`, `U&"${'\\6EE1'.repeat(22)}" > 1`])(
    'is refused by name: %s',
    clause => {
      expect(refusal(() => guardExpression(clause, own))).toMatchObject({
        reason: 'length',
        token: expect.stringMatching(/满/),
        position: expect.any(Number),
        sentence: { en: expect.stringContaining('more than 63 bytes') },
        hint: { en: expect.stringContaining('a view of the source') },
      });
    },
  );

  it('is refused as an alias, a table and a CTE of a query', () => {
    for (const query of [`SELECT 1 AS "${long}"`, `SELECT 1 FROM "${long}"`, `WITH "${long}" AS (SELECT 1) SELECT 2`])
      expect(refusal(() => guardSelect(query, { schema: 'mirror' }))).toMatchObject({ reason: 'length', token: long });
  });

  it('keeps names of 63 bytes, and long texts and escapes that spell a short name', () => {
    for (const clause of [
      `"${cut}" > 1`,
      `"${cut}"::text = '${long}'`,
      `U&"${[...cut].map(each => `\\${each.charCodeAt(0).toString(16)}`).join('')}" > 1`,
    ])
      expect(guardExpression(clause, own).columns).toEqual([[null, cut]]);
  });
});

describe('decisions on the policy list', () => {
  it.each([
    ["status = 'paid';", 'a trailing separator'],
    ["status = 'paid' -- only paid", 'a line comment'],
    ["status = 'paid' /* note */", 'a block comment'],
    ['status COLLATE "C" >= \'a\'', 'COLLATE'],
    ['sum(amount) > 10', 'an aggregate'],
    ['row_number() OVER () = 1', 'a window function'],
    ["lpad(status, 100) = 'x'", 'a string builder'],
    ['random() < 0.1', 'a volatile function'],
    [`status ~ '${'a'.repeat(1_001)}'`, 'a pattern past the cap'],
  ])('refuses %j (%s)', clause => {
    refusedPredicate(clause);
  });

  it.each(["status = $$it's fine$$", 'amount > 9.99 ^ 99999', "status ~ '(a+)+$'"])(
    'allows %j: its cost is bounded by statement_timeout',
    clause => {
      expect(guardExpression(clause, scope).text).toBe(clause);
    },
  );
});

describe('a refusal', () => {
  it.each([
    ['pg_sleep(10) IS NULL', { reason: 'function', token: 'pg_sleep', position: 1 }],
    ['"地区" = \'华东\' AND pg_sleep(10) IS NULL', { reason: 'function', token: 'pg_sleep', position: 17 }],
    ["'🐉' = status AND nope = 1", { reason: 'column', token: 'nope', position: 18 }],
    ["status::regclass = 'a'", { reason: 'type', token: 'regclass' }],
    ['amount OPERATOR(evil.=) 1', { reason: 'operator', token: 'evil.=' }],
    ['amount = $1', { reason: 'parameter' }],
    ['amount IN (SELECT 1)', { reason: 'subquery', position: 8 }],
    ['amount = 1; DROP TABLE orders', { reason: 'statement', token: ';', position: 11 }],
    ['"地区" = = 1', { reason: 'syntax', token: '=', position: 8 }],
    ['amount = 1 -- x', { reason: 'syntax', token: '-- x', position: 12 }],
    ['amount = 1\u0000; DROP TABLE orders', { reason: 'syntax', token: 'U+0000', position: 11 }],
    [`amount = ${'1'.repeat(4_000)}`, { reason: 'length' }],
    [`amount = ${'+'.repeat(1_000)}1`, { reason: 'length' }],
    ['   ', { reason: 'syntax' }],
  ])('%j', (clause, expected) => {
    expect(refusedPredicate(clause)).toMatchObject(expected);
  });

  it('has its place by line and column', () => {
    expect(() => guardExpression("status = '🐉'\n  AND nope = 1", scope)).toThrow(
      expect.objectContaining({ place: { line: 2, column: 7 } }),
    );
  });

  it('suggests the quoted spelling of a column with capitals where two fit', () => {
    const columns = new Set(['Mixed', 'MIXED']);
    expect(() => guardExpression('mixed = 1', { columns })).toThrow('write "Mixed" with double quotes');
    expect(() => guardExpression('Mixed = 1', { columns: new Set(['Mixed', 'mixed']) })).toThrow('write "Mixed" with double quotes');
    expect(() => guardExpression('"mixed" = 1', { columns: new Set(['Mixed']) })).toThrow('write "Mixed" with double quotes');
  });
});

describe('beyond the list', () => {
  it.each([
    'status\ud800 = 1',
    "status = 'a\u0008'",
    "replace(replace(status, 'a', 'aaaaaaaaaa'), 'a', 'aaaaaaaaaa') = status",
    'status::"char" = \'a\'',
    'public.lower(status) IS NULL',
    'lower(VARIADIC ARRAY[status]) IS NULL',
    'count(*) FILTER (WHERE true) > 1',
    'orders.*  IS NULL',
    'orders IS NULL',
    'other.status IS NULL',
    'mirror.orders.status IS NULL',
    'make_interval(days => 3) IS NULL',
    "current_setting('is_superuser') IS NULL",
    'current_role IS NULL',
    'status IS JSON',
    "JSON_VALUE(meta, '$.a') IS NULL",
    '('.repeat(1_900) + 'SELECT 1' + ')'.repeat(1_900),
  ])('refuses %j', clause => {
    refusedPredicate(clause);
  });

  it('allows replace that cannot lengthen its text', () => {
    guardExpression("replace(status, '-', '') = 'ab'", scope);
  });

  it('admits deep but harmless parentheses', () => {
    guardExpression(`${'('.repeat(1_900)}amount > 1${')'.repeat(1_900)}`, scope);
  });

  it('names the columns an expression reads', () => {
    expect(guardExpression('orders.amount * (1 - amount) + customer_id', scope).columns).toEqual([
      ['orders', 'amount'],
      [null, 'amount'],
      [null, 'customer_id'],
    ]);
  });

  it('refuses two expressions where one is wanted', () => {
    refusal(() => guardExpression('amount, status', scope));
    refusal(() => guardExpression('amount) FROM orders; DELETE FROM orders WHERE (1', scope));
  });
});

describe('assembling', () => {
  it('notices a fragment that differs from the one that the guard saw', () => {
    const guarded = guardExpression('amount > 1', scope);
    const template = `SELECT 1 FROM orders WHERE a AND ${fragmentMarker(0)}`;
    expect(() => assembleSql(template, [{ ...guarded, text: 'amount > 2' }])).toThrow('differs in shape');
    expect(() => assembleSql(template, [{ ...guarded, text: 'amount > 1) OR (amount > 1' }])).toThrow('differs in shape');
  });
});

describe('random clauses', () => {
  it('are refused, or stand in the assembled statement exactly as they were judged', () => {
    const pieces = [
      'status',
      'amount',
      'orders.status',
      '"地区"',
      'tags[1]',
      "'x'",
      "E'\\\\''",
      '$$y$$',
      'NULL',
      'true',
      '1',
      '-1.5e3',
      "DATE '2024-01-01'",
      '(',
      ')',
      '((',
      '))',
      ' AND ',
      ' OR ',
      ' NOT ',
      ' = ',
      ' <> ',
      ' + ',
      ' - ',
      '||',
      '::text',
      '::int[]',
      ' IS NULL',
      ' IS DISTINCT FROM ',
      ' IN (1, 2)',
      ' BETWEEN 1 AND 2',
      ' LIKE ',
      " ESCAPE '!'",
      ', ',
      'lower(',
      'coalesce(',
      'CASE WHEN ',
      ' THEN ',
      ' ELSE ',
      ' END',
      'ARRAY[',
      ']',
      'ROW(',
      ' = ANY (',
      ' AT TIME ZONE ',
      "interval '1 day'",
      'now()',
      ';',
      '--',
      '/*',
      '*/',
      ' UNION SELECT ',
      'SELECT ',
      ' FROM pg_class',
      'pg_sleep(1)',
      ' ORDER BY 1',
      '$1',
      ' COLLATE "C"',
      '\n',
      ' ',
      "'",
      '"',
      'U&"d\\0061t"',
    ];
    let seed = 7;
    const random = (n: number) => (seed = (seed * 1_103_515_245 + 12_345) % 2 ** 31) % n;
    let admitted = 0;
    for (let i = 0; i < 3_000; i++) {
      const clause = Array.from({ length: 1 + random(7) }, () => pieces[random(pieces.length)]).join('');
      let guarded;
      try {
        guarded = guardExpression(clause, scope);
      } catch (error) {
        expect(error).toBeInstanceOf(UnsafeFilterClauseError);
        continue;
      }
      admitted++;
      expect(clause).not.toMatch(/;|--|\/\*|SELECT|pg_|COLLATE|\$1/);
      assembleSql(`SELECT 1 FROM orders WHERE a AND ${fragmentMarker(0)}`, [guarded]);
      assembleSql(`SELECT sum(${fragmentMarker(0)}) FILTER (WHERE ${fragmentMarker(0)}) AS v FROM orders`, [guarded]);
    }
    expect(admitted).toBeGreaterThan(30);
  });

  // PostgreSQL keeps 24 kB for each name of a time zone until the session ends, and takes `<x1>0` for such a name.
  it.each([
    "a AT TIME ZONE ('<' || b || '>0')",
    'a AT TIME ZONE b',
    "timezone('<q1>0', a)",
    "date_trunc('day', a::timestamptz, b)",
    'make_timestamptz(2024, 1, 1, 0, 0, 0, b)',
    "a AT TIME ZONE CASE WHEN b = 'x' THEN 'UTC' ELSE b END",
    "a AT TIME ZONE 'ABC5'",
    "a AT TIME ZONE coalesce('UTC', lower(b))",
  ])('refuses %s: its time zone is not a written name', text => {
    expect(() => guardExpression(text, { columns: new Set(['a', 'b']) })).toThrow(UnsafeFilterClauseError);
  });

  it.each([
    "a AT TIME ZONE 'Asia/Shanghai'",
    "a AT TIME ZONE 'asia/shanghai' AT TIME ZONE 'utc'",
    "timezone('+08', a) > timezone('UTC+8'::text, a)",
    "a AT TIME ZONE CASE b WHEN 'cn' THEN 'PRC' ELSE 'Etc/GMT+5' END",
    "a AT TIME ZONE (b || ' hours')::interval",
    "date_trunc('day', a, 'EST5EDT')",
    'timezone(a) > now()',
  ])('admits %s', text => {
    expect(() => guardExpression(text, { columns: new Set(['a', 'b']) })).not.toThrow();
  });
});
