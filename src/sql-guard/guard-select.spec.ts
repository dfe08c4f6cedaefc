import { refusal } from '../../test/support/refused-sql.js';
import { guardExpression } from './guard-expression.js';
import { guardSelect } from './guard-select.js';
import { loadSqlParser, parserWorks } from './sql-parser.js';

beforeAll(loadSqlParser);

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
    "SELECT regexp_replace(phone, '[^0-9]', '', 'g') AS phone, md5(name) AS hash, normalize(left(name, 200), NFKC) AS name FROM t",
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

  it.each(['+', '-+', '/*'])('has no long run of %s, which the scanner would read many times', mark => {
    const select = (marks: number) => `SELECT ${mark.repeat(marks).slice(0, marks)}1 FROM t`;
    expect(refusal(() => guardSelect(select(201), { schema }))).toMatchObject({ reason: 'length', position: 8 });
    expect(guardSelect(`SELECT '${mark.repeat(200).slice(0, 200)}' FROM t`, { schema }).tables).toEqual(['t']);
  });

  it('may be as large as people write it', () => {
    const joins = Array.from({ length: 60 }, (_, n) => `LEFT JOIN t${n} AS x${n} ON x${n}.id = t.id AND x${n}.kind = ${n}`).join(' ');
    const cases = Array.from({ length: 300 }, (_, n) => `WHEN t.a = ${n} AND t.b > ${n} THEN ${n}`).join(' ');
    const conditions = Array.from({ length: 200 }, (_, n) => `(t.a = ${n} OR NOT t.b BETWEEN ${n} AND ${n + 1})`).join(' AND ');
    expect(guardSelect(`SELECT CASE ${cases} ELSE 0 END AS n FROM t ${joins}`, { schema }).tables).toHaveLength(61);
    expect(guardSelect(`SELECT a FROM t WHERE ${conditions}`, { schema }).tables).toEqual(['t']);
    expect(guardSelect(`SELECT ${'('.repeat(100)}a${')'.repeat(100)} FROM t`, { schema }).tables).toEqual(['t']);
  });

  it('has at most 5,000 names, numbers and operators', () => {
    const select = (others: number) => `SELECT w FROM t WHERE w IN (1${',1'.repeat(others)})`;
    expect(guardSelect(select(4_992), { schema }).tables).toEqual(['t']);
    expect(() => guardSelect(select(4_993), { schema })).toThrow(
      /查询最多 5000 个名称、数字和运算符，而不是 5001 个；.* \/ .*at most 5000 names, numbers and operators, not 5001; make a view/,
    );
  });

  it('is judged once for its schema, and each time for the tables that there are', () => {
    const sql = 'SELECT a FROM mirror.t, u';
    const guarded = guardSelect(sql, { schema });
    expect(guardSelect(`${sql};`, { schema, tables: new Set(['t', 'u']) })).toBe(guarded);
    expect(refusal(() => guardSelect(sql, { schema, tables: new Set(['t']) }))).toMatchObject({ token: 'u', position: 25 });
    expect(refusal(() => guardSelect(sql, { schema: 'other' })).token).toBe('mirror.t');
  });

  it('takes a text that becomes longer than a client may write', () => {
    const scope = { columns: new Set(['Quantity']) };
    expect(guardExpression(`greatest(${'quantity,'.repeat(400)}1)`, scope).text).toBe(`greatest(${'"Quantity",'.repeat(400)}1)`);
    expect(() => guardExpression(`greatest(${'quantity,'.repeat(500)}1)`, scope)).toThrow('at most 4000 characters');
  });

  it('takes a thousand names, numbers and operators', () => {
    const scope = { columns: new Set(['q']) };
    guardExpression(`greatest(${'q,'.repeat(998)}q)`, scope);
    expect(() => guardExpression(`greatest(${'q,'.repeat(1_000)}q)`, scope)).toThrow('at most 1000 names, numbers and operators, not 1002');
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
