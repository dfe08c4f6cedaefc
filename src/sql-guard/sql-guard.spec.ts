import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { toApiError } from '../common/errors/to-api-error.js';
import { guardExpression } from './guard-expression.js';
import { guardSelect } from './guard-select.js';
import { assembleSql, fragmentMarker } from './same-shape.js';
import { UnsafeFilterClauseError, type UnsafeSql } from './sql-guard.errors.js';
import { loadSqlParser, parserWorks } from './sql-parser.js';

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

function refusal(run: () => unknown): UnsafeSql {
  try {
    run();
  } catch (error) {
    if (error instanceof UnsafeFilterClauseError) {
      const { status, detail } = toApiError(error);
      expect(status).toBe(400);
      expect(detail).toMatch(/^UnsafeFilterClauseError: .+ \/ .+/s);
      // A mapping's list of problems has a type for each, and no room for the name of a class.
      expect(error.sentence.zh).not.toContain('UnsafeFilterClauseError');
      return error.refused;
    }
    throw error;
  }
  throw new Error('not refused');
}
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

describe('one SELECT over a schema', () => {
  const schema = 'mirror';
  it.each([
    'SELECT order_id, unit_price * quantity * (1 - discount) AS line_total FROM order_details',
    'SELECT o.*, c.country FROM orders o LEFT JOIN mirror.customers AS c USING (customer_id) WHERE c.country IS NOT NULL;',
    'WITH t AS (SELECT customer_id, count(*) AS n FROM orders GROUP BY 1 HAVING count(*) > 1) SELECT * FROM t ORDER BY n DESC LIMIT 10',
    'SELECT a FROM x UNION ALL SELECT b FROM y EXCEPT (SELECT c FROM z)',
    'SELECT * FROM (SELECT DISTINCT ON (a) a, row_number() OVER (PARTITION BY a ORDER BY b DESC) AS n FROM t) s WHERE n = 1',
    'SELECT max(a) FILTER (WHERE b), percentile_cont(0.5) WITHIN GROUP (ORDER BY c) FROM t GROUP BY ROLLUP (d)',
    'SELECT * FROM a WHERE EXISTS (SELECT 1 FROM b WHERE b.id = a.id) AND x IN (SELECT y FROM c)',
    'SELECT 编号, "名称" FROM "客户"',
    'SELECT sum(x) OVER w FROM t WINDOW w AS (ORDER BY y ROWS BETWEEN 3 PRECEDING AND CURRENT ROW)',
    'SELECT DISTINCT a, b FROM t',
    'SELECT count(*) FROM (SELECT DISTINCT a FROM t) AS s',
    "SELECT CASE WHEN a > 1 THEN 'x' ELSE 'y' END AS c, coalesce(b, 'z') AS b FROM t",
    "SELECT t.a, v.name FROM t JOIN (VALUES (1, 'a'), (2, 'b')) AS v (id, name) ON v.id = t.id",
    'SELECT t.a, l.b FROM t LEFT JOIN LATERAL (SELECT u.b FROM u WHERE u.a = t.a ORDER BY u.b LIMIT 1) AS l ON true',
    "SELECT date_trunc('month', at) AS m, extract(year FROM at) AS y, at + interval '1 day' AS next, at AT TIME ZONE 'Asia/Shanghai' FROM t",
    "SELECT regexp_replace(phone, '[^0-9]', '', 'g') AS phone, md5(name) AS hash, normalize(name, NFKC) AS name FROM t",
    "SELECT data->>'name' AS name, (data->'x'->>'y')::int AS y, lag(b) OVER (ORDER BY c) AS before FROM t",
    'SELECT a, grouping(a), count(*) FROM t GROUP BY ROLLUP (a)',
    'SELECT a FROM t INTERSECT SELECT b FROM u ORDER BY 1 NULLS LAST FETCH FIRST 5 ROWS ONLY',
  ])('allows %s', sql => {
    expect(guardSelect(sql, { schema }).tables.length).toBeGreaterThan(0);
  });

  it.each([
    ['DELETE FROM orders', 'statement'],
    ['SELECT 1; SELECT 2', 'statement'],
    ['SELECT * INTO x FROM orders', 'statement'],
    ['SELECT * FROM orders FOR UPDATE', 'statement'],
    ['WITH d AS (DELETE FROM orders RETURNING *) SELECT * FROM d', 'statement'],
    ['WITH a AS NOT MATERIALIZED (SELECT 1) SELECT * FROM a', 'statement'],
    ['WITH RECURSIVE r AS (SELECT 1 UNION ALL SELECT * FROM r) SELECT * FROM r', 'statement'],
    ["SELECT * FROM pg_read_file('/etc/passwd')", 'statement'],
    ['SELECT * FROM ROWS FROM (generate_series(1, 10))', 'statement'],
    ['SELECT * FROM orders TABLESAMPLE SYSTEM (1)', 'statement'],
    ['SELECT * FROM pg_class', 'column'],
    ['SELECT * FROM pg_catalog.pg_authid', 'column'],
    ['SELECT * FROM information_schema.tables', 'column'],
    ['SELECT * FROM public.users', 'column'],
    ['SELECT * FROM app.mirror.orders', 'statement'],
    ['SELECT ctid FROM orders', 'column'],
    ['SELECT pg_sleep(1) FROM orders', 'function'],
    ['SELECT * FROM orders ORDER BY pg_sleep(1)', 'function'],
    ["SELECT * FROM a JOIN b ON set_config('role','x',false) IS NULL", 'function'],
    ['SELECT lower(DISTINCT a) FROM t', 'function'],
    ['SELECT row_number() FROM t', 'function'],
    ["SELECT 'pg_class'::regclass", 'type'],
    ['SELECT current_user', 'function'],
    ['SELECT $1 FROM t', 'parameter'],
    ['SELECT 1 -- x', 'syntax'],
    ['TABLE pg_user', 'column'],
    ['EXPLAIN SELECT 1', 'statement'],
    ["COPY orders TO '/tmp/x'", 'statement'],
    ['SELECT (t).f FROM t', 'column'],
    ['SELECT', 'statement'],
  ])('refuses %s (%s)', (sql, reason) => {
    if (sql === 'SELECT') return void expect(guardSelect(sql, { schema }).tables).toEqual([]);
    expect(refusal(() => guardSelect(sql, { schema })).reason).toBe(reason);
  });

  it.each([
    ['SELECT n FROM generate_series(1, 9) AS n', "a function cannot stand in FROM: 'generate_series' at character 15"],
    ["SELECT lpad(a, 5, '0') FROM t", "this function is not allowed: 'lpad' at character 8"],
    ['SELECT a COLLATE "C" FROM t', "this operator or construct is not allowed: 'COLLATE' at character 10"],
    [
      'SELECT a FROM t TABLESAMPLE SYSTEM (1)',
      "only one expression is allowed, no other statement or clause: 'TABLESAMPLE' at character 29",
    ],
    ['SELECT a FROM t FOR UPDATE', "a query may not have this clause: 'FOR UPDATE / FOR SHARE'"],
    ['WITH RECURSIVE r AS (SELECT 1) SELECT * FROM r', "a query may not have this clause: 'RECURSIVE'"],
    ['SELECT a FROM public.t', "'public.t' at character 15"],
    ['SELECT xmin FROM t', "'xmin' at character 8"],
  ])('%s: names what is refused', (sql, sentence) => {
    expect(() => guardSelect(sql, { schema })).toThrow(sentence);
  });

  it('keeps to the given tables, and tells a CTE from a table', () => {
    const tables = new Set(['orders']);
    expect(guardSelect('WITH t AS (SELECT * FROM orders) SELECT * FROM t', { schema, tables }).tables).toEqual(['orders']);
    expect(refusal(() => guardSelect('SELECT * FROM customers', { schema, tables })).token).toBe('customers');
  });

  it.each([
    ['i.customer', /known columns: CustomerId\b/],
    ['l.customerid', /known columns: InvoiceId$/],
    ['x.customerid', /known columns: InvoiceId$/],
  ])('%s: names columns of the table that the qualifier names', (text, hint) => {
    const scope = { columns: new Set(['InvoiceId']), alias: 'l', tables: new Map([['i', new Set(['CustomerId'])]]) };
    expect(() => guardExpression(text, scope)).toThrow(hint);
  });

  it.each([
    ['AMOUNT + amount * 2', 'AMOUNT + amount * 2'],
    ['-AMOUNT', '-"Amount"', new Set(['Amount'])],
    ["'🐉' = 'Amount' OR Höhe IS NULL OR O . höhe = 1", `'🐉' = 'Amount' OR "HÖHE" IS NULL OR "o" . "HÖHE" = 1`, new Set(['HÖHE'])],
    ['I.customerid + "i".CUSTOMERID', '"i"."CustomerId" + "i"."CustomerId"'],
    ['orders.x', '"Orders"."X"', new Set(['X']), 'Orders'],
  ])('%s: spells columns as their table has them', (text, spelled, columns = new Set(['Amount', 'amount']), alias = 'o') => {
    const scope = { columns, alias, tables: new Map([['i', new Set(['CustomerId'])]]) };
    expect(guardExpression(text, scope).text).toBe(spelled);
  });

  const deep = (open: string, close = '', times = 2_100): string => `SELECT ${open.repeat(times)}1${close.repeat(times)}`;

  it.each([
    deep('(SELECT ', ')'),
    deep('ARRAY[', ']'),
    deep('[', ']', 9_000),
    deep('1+'),
    deep('+', '', 9_000),
    deep('NOT ', '', 4_500),
    deep('CASE WHEN true THEN 1 ELSE ', ' END', 600),
    deep('lower(', ')', 1_500),
    deep('', ' IS NULL'),
    deep('', '::int'),
    deep('1 UNION SELECT ', '', 1_000),
    `SELECT 1 FROM t${' JOIN t ON true'.repeat(1_200)}`,
  ])('is not deeper than the parser bears (%#)', sql => {
    expect(refusal(() => guardSelect(sql, { schema }))).toMatchObject({ reason: 'length' });
    expect(parserWorks()).toBe(true);
  });

  it('may be as large as people write it', () => {
    const joins = Array.from({ length: 60 }, (_, n) => `LEFT JOIN t${n} AS x${n} ON x${n}.id = t.id AND x${n}.kind = ${n}`).join(' ');
    const cases = Array.from({ length: 300 }, (_, n) => `WHEN t.a = ${n} AND t.b > ${n} THEN ${n}`).join(' ');
    const conditions = Array.from({ length: 200 }, (_, n) => `(t.a = ${n} OR NOT t.b BETWEEN ${n} AND ${n + 1})`).join(' AND ');
    expect(guardSelect(`SELECT CASE ${cases} ELSE 0 END AS n FROM t ${joins}`, { schema }).tables).toHaveLength(61);
    expect(guardSelect(`SELECT a FROM t WHERE ${conditions}`, { schema }).tables).toEqual(['t']);
    expect(guardSelect(`SELECT ${'('.repeat(100)}a${')'.repeat(100)} FROM t`, { schema }).tables).toEqual(['t']);
  });

  it('takes a text that becomes longer than a client may write', () => {
    const scope = { columns: new Set(['Q']) };
    expect(guardExpression(`greatest(${'q,'.repeat(1_900)}q)`, scope).text).toHaveLength(9 + 1_901 * 4 - 1 + 1);
    expect(() => guardExpression(`greatest(${'q,'.repeat(2_100)}q)`, scope)).toThrow('at most 4000 characters');
  });

  it.each(['状态 = "已支付"', '状态 = “已支付”'])('%s: tells a text from a name', text => {
    expect(() => guardExpression(text, { columns: new Set(['状态']) })).toThrow(
      /known columns: 状态; a text stands in single quotes: '已支付'$/,
    );
  });

  it('says how to write a column that has the name of a function', () => {
    const refused = (columns: string[]) => () => guardExpression("User = 'A'", { columns: new Set(columns) });
    expect(refused(['User'])).toThrow(/not allowed: 'USER' at character 1; write "User" with double quotes$/);
    expect(refused(['name'])).toThrow(/not allowed: 'USER' at character 1$/);
  });

  it('asks for a SELECT, not for an expression, in both languages', () => {
    expect(() => guardSelect('DELETE FROM orders', { schema })).toThrow(
      /只允许一条 SELECT：'DELETE'.* \/ only one SELECT is allowed, no other statement: 'DELETE'/,
    );
    expect(() => guardExpression('x', { columns: new Set(['amount']) })).toThrow(/可用的列：amount \/ .*known columns: amount/);
    expect(() => guardExpression('(SELECT 1) = 1', { columns: new Set() })).toThrow(
      /不允许子查询（第 \d+ 个字符） \/ sub-queries are not allowed at character \d+$/,
    );
    expect(() => guardExpression('a'.repeat(4_001), { columns: new Set() })).toThrow(/最多 4000 个字符.* \/ .*at most 4000 characters/);
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
});
