import { compile, nothing, orders, refunds } from '../../../test/support/metric-tables.js';
import { guardExpression } from '../../sql-guard/guard-expression.js';
import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { compileMetrics } from './compile-metric.js';
import { mayFail } from './may-fail.js';
import { resolveMetric } from './resolve-metric.js';

const columns = new Set(['a', 'b']);
const failing = (text: string): boolean => mayFail(guardExpression(text, { columns }).tree);

describe('a clause', () => {
  beforeAll(loadSqlParser);

  it.each([
    "a = 'x' AND NOT (b <> 3 OR b IS NULL)",
    "a IN ('x', 'y') AND b BETWEEN 1 AND 2.5",
    "a LIKE '%x_' OR a NOT ILIKE 'y%'",
    "b >= '2024-01-01'::date AND (a = b) IS TRUE",
    "a = ANY (ARRAY['x', 'y']) AND a IS DISTINCT FROM b",
  ])('%s never fails on single rows', text => expect(failing(text)).toBe(false));

  it.each([
    '1 / b > 0',
    'CASE WHEN b = 1 THEN 1 ELSE 2 END > 0',
    "a LIKE 'x\\'",
    'a::int = 1',
    "a ~ 'x'",
    'length(a) > 1',
    '-b > 1',
    'a || b = 1',
    "a = ANY ('{x}')  AND b % 7 = 0",
    'NULLIF(a, b) IS NULL',
  ])('%s may fail on some rows', text => expect(failing(text)).toBe(true));

  it.each(['mysql', 'clickhouse', 'duckdb'] as const)('that may fail stands behind the row filter on %s', dialect => {
    const columns = [{ name: 'amount', expression: 'r.order_id', type: 'bigint' }];
    const hiding = { ...refunds, dialect, columns, row_filter: "r.region = 'x'" };
    const [failing] = compile('COUNT(*)', { filter_clause: 'amount + 1 > 0' }, hiding).elsewhere;
    expect(failing!.sql).toMatch(/CASE WHEN .*region/s);
    const [plain] = compile('COUNT(*)', { filter_clause: 'amount > 0' }, hiding).elsewhere;
    expect(plain!.sql).not.toContain('CASE WHEN');
  });

  it.each(['mysql', 'clickhouse', 'duckdb'] as const)('that may fail stands behind a left join that it reads on %s', dialect => {
    const [failing] = compile('COUNT(*)', { filter_clause: 'length(地区) > 1' }, { ...orders, dialect }).elsewhere;
    expect(failing!.sql).toMatch(/CASE WHEN .*customer_id.* THEN/s);
    const [plain] = compile('COUNT(*)', { filter_clause: 'id + 1 > 2' }, { ...orders, dialect }).elsewhere;
    expect(plain!.sql).not.toContain('CASE WHEN');
  });

  it('of a conversion that may fail stands behind the row filter', () => {
    const hiding = { ...orders, row_filter: "o.status = 'paid'" };
    const failing = (name: string) => [{ id: 2, name, formula: `COUNT(* WHERE ${name} / 金额 > 0)`, binding: hiding }];
    const metric = resolveMetric({ id: 1, name: '本身', formula: 'CONVERSION([1] -> [2] BY customer_id)', binding: null }, failing);
    const { sql } = compileMetrics([{ name: 'value', metric }], nothing);
    expect(sql.match(/CASE WHEN "__kept" THEN/g)).toHaveLength(2);
  });
});
