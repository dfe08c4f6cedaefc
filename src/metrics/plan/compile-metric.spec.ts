import { compile, openMetricTables, orders, refunds, type MetricTables } from '../../../test/support/metric-tables.js';
import { UnsafeFilterClauseError } from '../../sql-guard/sql-guard.errors.js';
import { FormulaParseError } from '../formula/formula.errors.js';
import { MissingBindingError } from '../metrics.errors.js';
import { type MetricBinding } from './metric-binding.js';
import { type MetricRequest } from './metric-request.js';

let tables: MetricTables;
const run: MetricTables['run'] = (...metric) => tables.run(...metric);

beforeAll(async () => {
  tables = await openMetricTables();
});
afterAll(() => tables?.close());

/** An expression with a high estimated cost, so that PostgreSQL evaluates it after cheaper conditions. */
const manyUpper = (text: string): string => `${'upper('.repeat(8)}${text}${')'.repeat(8)}`;

describe('the SQL of one scan', () => {
  it('aggregates all leaves of a binding in one pass (risk: a filtered leaf that drops rows of the others)', async () => {
    const request: Partial<MetricRequest> = {
      dimensions: ['region'],
      time: { from: '2024-01-01', to: '2024-03-01', grain: 'month' },
      filters: [{ field: '金额', op: '>=', value: 1 }],
      filter_clause: `"地区" = '华东' OR o.region = '华南'`,
    };
    const formula = "SUM(金额 WHERE 状态 = 'paid') / COUNT(*)";
    expect(compile(formula, request)).toMatchObject({
      sql: `WITH "f0" AS (
  SELECT to_char(date_trunc('month', CASE WHEN isfinite("__time") THEN ("__time" AT TIME ZONE $2::text) END), 'YYYY-MM-DD') AS "period", "地区" AS "d0", SUM("金额") FILTER (WHERE (
状态 = 'paid'
)) AS "m0", COUNT(*) AS "m1"
  FROM (
    SELECT "o"."amount" AS "金额", "o"."status" AS "状态", "c"."region" AS "地区", "c"."region" AS "region", "o"."created_at" AS "__time"
    FROM "mirror"."orders" AS "o"
    LEFT JOIN "mirror"."customers" AS "c" ON "o"."customer_id" = "c"."id"
  ) AS "o"
  WHERE "__time" >= ($3::timestamp AT TIME ZONE $2::text) AND "__time" < ($4::timestamp AT TIME ZONE $2::text) AND "金额" >= $1::numeric AND (
"地区" = '华东' OR o.region = '华南'
)
  GROUP BY date_trunc('month', CASE WHEN isfinite("__time") THEN ("__time" AT TIME ZONE $2::text) END), 2
),
"r" AS (
  SELECT "period", "d0", ("m0"::numeric / NULLIF("m1"::numeric, 0)) AS "v0"
  FROM "f0"
)
SELECT "r"."period" AS "period", "r"."d0" AS "地区", "r"."v0" AS "value"
FROM "r"
ORDER BY "r"."period" ASC NULLS LAST, "r"."d0" ASC NULLS LAST
LIMIT $5::bigint OFFSET $6::bigint`,
      parameters: ['1', 'Asia/Shanghai', '2024-01-01', '2024-03-01', 101, 0],
    });
    expect((await run(formula, request)).map(row => [row[0], row[1], row[2] && Number(row[2])])).toEqual([
      ['2024-01-01', '华东', 50],
      ['2024-02-01', '华东', 100],
      ['2024-02-01', '华南', null],
    ]);
  });

  it('reads real columns as numeric (risk: 0.1 + 0.2 + 0.7 in single precision)', async () => {
    const { sql } = compile('SUM(weight)');
    expect(sql).toContain('FROM (SELECT "weight"::text::numeric AS "weight" FROM "mirror"."orders") AS "o"');
    expect(await run('SUM(weight)')).toEqual([['1.0']]);
  });

  it('embeds a clause with a trailing line break and OR so that nothing outside changes (risk: precedence)', async () => {
    expect(
      await run('COUNT(*)', { filters: [{ field: '状态', op: '=', value: 'open' }], filter_clause: '金额 = 100 OR 金额 = 7\n' }),
    ).toEqual([['1']]);
  });

  it('computes with integers as decimals (risk: 7 / 2 = 3, and products beyond 64 bits)', async () => {
    expect(await run('SUM(customer_id / 2)')).toEqual([['3.50000000000000000000']]);
    expect(await run('MAX(id * id)')).toEqual([['81129638414606735738984533590025']]);
    expect(await run('SUM(customer_id WHERE customer_id % 2 = 1 AND customer_id / 2 > 0.6)')).toEqual([['3']]);
  });

  it('takes quantiles between values and among them (risk: the last bits of a double)', async () => {
    // The second column is true if the value has more than 15 digits.
    expect(await run('MEDIAN(金额)')).toEqual([['30', false]]);
    expect(await run('PERCENTILE(weight, 0.75)')).toEqual([['0.45', false]]);
    expect(await run('PERCENTILE(金额, 0.9, DISC)')).toEqual([['100']]);
    expect(await run('PERCENTILE(weight, 0.75) * 10 + COUNT(* WHERE 金额 < 0)')).toEqual([['4.50', false]]);
    expect(await run("MEDIAN(金额 WHERE 状态 = 'open')")).toEqual([['18.5', false]]);
  });

  it('leaves out of both sums of a weighted mean what lacks a value or a weight (risk: a weight that stays in the denominator)', async () => {
    expect((await run('WAVG(weight, 金额)')).map(row => Number(row[0]))).toEqual([(0.1 * 100 + 0.2 * 50 + 0.7 * 30) / 180]);
    expect((await run('WAVG(金额, weight)')).map(row => Number(row[0]))).toEqual([41]);
    expect(await run("WAVG(金额, weight WHERE 状态 = 'none')")).toEqual([[null]]);
    expect(await run('WAVG(金额, customer_id - customer_id)')).toEqual([[null]]);
  });

  it('counts what is true (risk: PostgreSQL has no sum of booleans)', async () => {
    expect(await run("SUM(状态 = 'paid')")).toEqual([['3']]);
    expect(await run("AVG(状态 = 'paid' WHERE customer_id IS NOT NULL)")).toEqual([['0.75000000000000000000']]);
  });

  it('rounds to places before and after the point (risk: digits that are computed, or a sign that is lost)', async () => {
    expect(await run('ROUND(SUM(含税), -1)')).toEqual([['230']]);
    expect(await run('ROUND(SUM(含税), 1)')).toEqual([['233.9']]);
  });

  it('keeps integers beyond 2^53 (risk: a JSON number rounds 9007199254740993)', async () => {
    expect(await run('MAX(id)')).toEqual([['9007199254740995']]);
    expect(await run('COUNT(*)', { filters: [{ field: 'id', op: '=', value: '9007199254740993' }] })).toEqual([['1']]);
  });

  it('counts only pairs with both keys (risk: NULL in a composite key)', async () => {
    expect(await run('COUNT(DISTINCT customer_id, 状态)')).toEqual([['3']]);
    expect(await run("COUNT(DISTINCT customer_id, 状态 WHERE 状态 = 'paid' OR 状态 = 'x')")).toEqual([['2']]);
  });

  it('joins two conditions of a leaf (risk: AND merged with the first)', async () => {
    expect(await run("COUNT(* WHERE 金额 > 10 AND 金额 < 60) FILTER (WHERE 状态 = 'paid' OR 状态 IS NULL)")).toEqual([['2']]);
  });

  it('reads from a SELECT in place of a table', async () => {
    const fact = {
      ...refunds.fact,
      source: { schema: 'mirror', sql: 'SELECT order_id, amount, region, day FROM refunds WHERE amount > 1' },
    };
    await tables.client.query('SET search_path = pg_catalog, mirror');
    expect(await run('SUM(amount)', { dimensions: ['地区'] }, { ...refunds, fact })).toEqual([
      ['华南', '10'],
      ['西部', '4'],
    ]);
    await tables.client.query('RESET search_path');
  });

  it('applies the row filter of the binding below everything else', async () => {
    expect(await run('SUM(金额)', {}, { ...orders, row_filter: "o.status = 'paid' OR o.amount = 7" })).toEqual([['177']]);
  });

  it('tells nothing of hidden rows by errors of a clause (risk: a clause evaluated before the row filter or an inner join)', async () => {
    const [region] = orders.joins;
    const inner: MetricBinding = { ...orders, joins: [{ ...region!, kind: 'inner' }] };
    const probe = (amount: number) => ({ filter_clause: `CASE WHEN 金额 = ${amount} THEN 1 / (金额 - 金额) ELSE 1 END > 0` });
    expect(await run('SUM(金额)', probe(20), { ...orders, row_filter: "c.region = '华东'" })).toEqual([['150']]);
    expect(await run('SUM(金额)', probe(7), { ...orders, row_filter: "upper(upper(o.status)) = 'PAID'" })).toEqual([['170']]);
    expect(await run('SUM(金额)', probe(7), inner)).toEqual([['200']]);
    await expect(run('SUM(金额)', probe(100), inner)).rejects.toThrow('division by zero');
  });

  it('tells nothing of hidden rows by the SQL of a column, in a clause and in a filter (risk: only the clause is judged)', async () => {
    const per = { name: 'per', expression: '1 / (r.amount - 4)', type: 'numeric' };
    const hiding = { ...refunds, columns: [...refunds.columns, per], row_filter: `${manyUpper("coalesce(r.region, '')")} <> '西部'` };
    expect(await run('SUM(amount)', { filter_clause: 'per > 0' }, hiding)).toEqual([['10']]);
    expect(await run('SUM(amount)', { filters: [{ field: 'per', op: '>', value: 0 }] }, hiding)).toEqual([['10']]);
  });

  it('tells nothing of rows that the query of a binding leaves out (risk: PostgreSQL flattens the query)', async () => {
    const sql = `SELECT order_id, amount, region, day FROM mirror.refunds WHERE ${manyUpper("coalesce(region, '')")} <> '西部'`;
    const query = { ...refunds, fact: { ...refunds.fact, source: { schema: 'mirror', sql } } };
    expect(await run('SUM(amount)', { filter_clause: '1 / (amount - 4) <> 0' }, query)).toEqual([['11']]);
    expect(await run('COUNT(*)', { filter_clause: '1 / 1 = 1' }, query)).toEqual([['2']]);
    expect(compile('SUM(amount)', { filter_clause: 'amount > 4' }, query).sql).not.toContain('OFFSET 0');
  });

  it('tells nothing of rows of a left join that no fact has (risk: a strict clause makes it an inner join)', async () => {
    await tables.client.query("INSERT INTO mirror.customers VALUES (9, '孤')");
    expect(await run('SUM(金额)', { filter_clause: '1 / (length(地区) - 1) > 0' })).toEqual([['180']]);
    expect(await run('COUNT(*)', { filter_clause: 'coalesce(length(地区), 0) <> 1' })).toEqual([['5']]);
    await tables.client.query('DELETE FROM mirror.customers WHERE id = 9');
    expect(compile('SUM(金额)', { filter_clause: '金额 % 2 = 0', dimensions: ['地区'] }).sql).not.toContain('__kept');
  });
});

describe('values', () => {
  it('divides without integer division (risk: 7 / 2 = 3)', async () => {
    expect(Number((await run("COUNT(* WHERE 状态 = 'paid') / COUNT(* WHERE 状态 = 'open')"))[0]?.[0])).toBe(1.5);
  });

  it('gives NULL for a zero denominator, also inside arithmetic (risk: an error for the whole answer)', async () => {
    expect(await run('SUM(金额) / COUNT(* WHERE 金额 < 0) + 1')).toEqual([[null]]);
    expect(await run('PERCENT(SUM(金额), SUM(金额 - 金额))')).toEqual([[null]]);
  });

  it('gives NULL for a sum of no rows and 0 for a count of no rows', async () => {
    expect(await run('SUM(金额 WHERE 金额 < 0)')).toEqual([[null]]);
    expect(await run('COUNT(* WHERE 金额 < 0)')).toEqual([['0']]);
  });

  it.each([
    ['SUM(金额) * 5%', 10.35],
    ['-SUM(金额) + 2 * 3', -201],
    ['ROUND(SUM(金额) / COUNT(*), 1)', 41.4],
    ['RATIO(SUM(金额), COUNT(*)) - 1', 40.4],
    ['100 - PERCENT(COUNT(* WHERE 金额 > 25), COUNT(*))', 40],
    ['COALESCE(SUM(金额 WHERE 金额 < 0), 0) + ABS(-1 * COUNT(*))', 5],
    ['GREATEST(MIN(金额), 8)', 8],
    ['[支付额] - [订单数]', 165],
    ['SUM(含税)', 233.91],
    ['AVG(金额)', 41.4],
  ])('%s is %d', async (formula, value) => {
    expect(Number((await run(formula))[0]?.[0])).toBeCloseTo(value, 10);
  });
});

it('binds lists in the type of their column (risk: a list of another type is walked for each row)', () => {
  const typeOf = (values: (number | string)[]) =>
    /\$\d::(\w+)\[\]/.exec(compile('COUNT(*)', { filters: [{ field: 'customer_id', op: 'in', values, index: 0 }] }).sql)?.[1];
  expect([typeOf([1, '-7']), typeOf([1, 2_147_483_648]), typeOf([1.5])]).toEqual(['integer', 'bigint', 'numeric']);
});

it('bounds what the layers of a statement repeat together (risk: each is small, and their product is gigabytes)', () => {
  const nested = (levels: number, inner: string): string =>
    levels === 0 ? inner : `(${nested(levels - 1, inner)} BETWEEN SYMMETRIC false AND true)`;
  const binding = (levels: number): MetricBinding => ({
    ...orders,
    columns: [...orders.columns, { name: 'k', expression: nested(levels, '(o.id = 1)'), type: 'boolean' }],
  });
  const of = (levels: number, layers: number) => compile('COUNT(*)', { filter_clause: nested(levels, 'k') }, binding(layers));
  expect(of(2, 2).sql).toContain('SYMMETRIC');
  expect(() => of(4, 4)).toThrow(
    expect.objectContaining({ sentence: expect.objectContaining({ en: expect.stringContaining('together') }) }),
  );
});

describe('the order of errors', () => {
  const clause = { filter_clause: 'pg_sleep(1) IS NULL' };

  it('is formula, binding, clause, execution', () => {
    expect(() => compile('SUM(', clause)).toThrow(FormulaParseError);
    expect(() => compile('[没有] / 2', clause)).toThrow(FormulaParseError);
    expect(() => compile('YOY([未绑定])', clause)).toThrow(MissingBindingError);
    expect(() => compile('YOY(SUM(金额))', clause)).toThrow(UnsafeFilterClauseError);
    expect(() => compile('COUNT(*)', { ...clause, dimensions: ['nope'] })).toThrow(UnsafeFilterClauseError);
  });

  it('lets the guard judge all SQL first, and the formula before the clause', () => {
    expect(() => compile('MEDIAN(金额) + [未绑定]')).toThrow(MissingBindingError);
    expect(() => compile('YOY(SUM(nope))', clause)).toThrow(FormulaParseError);
    expect(() => compile('MEDIAN(pg_sleep(1)) + [订单数]')).toThrow(UnsafeFilterClauseError);
    expect(() => compile('CONVERSION([订单数] -> [未绑定] BY id)')).toThrow(MissingBindingError);
  });

  it('gives the guard’s refusals a place within the formula', () => {
    expect(() => compile("SUM(金额) - SUM(amount WHERE 状态 = 'paid')")).toThrow(
      expect.objectContaining({
        code: 'formula_parse_error',
        facts: expect.objectContaining({ found: 'amount', position: 15, hint: expect.stringContaining('known columns: ') }),
      }),
    );
  });

  it('names every aggregate without a binding, with the path to it', () => {
    expect(() => compile('[未绑定] / SUM(a)', {}, null)).toThrow(
      expect.objectContaining({
        context: {
          metric_id: 1,
          missing: [
            { metric_id: 6, name: '未绑定', path: '本身 → 未绑定' },
            { metric_id: 1, name: '本身', path: '本身' },
          ],
        },
      }),
    );
  });
});
