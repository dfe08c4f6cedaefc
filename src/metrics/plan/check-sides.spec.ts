import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { FanOutMeasureError } from '../metrics.errors.js';
import { type BoundColumn, type BoundJoin, type MetricBinding } from './metric-binding.js';
import { planMetrics } from './plan-metric.js';
import { resolveMetric } from './resolve-metric.js';

const types: Record<string, string> = { active: 'boolean', label: 'text', rate: 'real' };
const table = (alias: string, names: string[]) => ({
  alias,
  source: { schema: 'mirror', table: `wh_${alias}` },
  columns: names.map(name => ({ name, type: types[name] ?? 'integer' })),
});
const join = (to: ReturnType<typeof table>, on: BoundJoin['on'], relationship: BoundJoin['relationship'] = 'many_to_one'): BoundJoin => ({
  ...to,
  kind: 'left',
  relationship,
  on,
});
const column = (name: string, expression: string, type = 'integer'): BoundColumn => ({ name, expression, type });

/** Sales of products, which have suppliers. Each sale has one receipt. */
const sales: MetricBinding = {
  connection_id: 1,
  fact: table('sales', ['id', 'product', 'qty', 'receipt', 'rate']),
  grain: ['id'],
  time: null,
  columns: [
    column('qty', 'qty'),
    column('id', 'sales.id'),
    column('product', 'sales.product'),
    column('stock', 'products.stock'),
    column('价值', 'products.stock * products.price'),
    column('worth', 'products.price * sales.qty'),
    column('rating', 'suppliers.rating'),
    column('low', 'products.stock < 5', 'boolean'),
    column('active', 'products.active', 'boolean'),
    column('named', 'CASE WHEN products.active THEN 1 END'),
    column('label', 'products.label', 'text'),
    column('paid', 'receipts.paid'),
    column('fee', 'fees.fee'),
  ],
  dimensions: [],
  joins: [
    join(table('products', ['id', 'stock', 'price', 'supplier', 'active', 'label']), [['product', 'products.id']]),
    join(table('suppliers', ['id', 'rating']), [['products.supplier', 'suppliers.id']], 'one_to_one'),
    join(table('receipts', ['id', 'paid', 'fee']), [['sales.receipt', 'receipts.id']], 'one_to_one'),
    join(table('fees', ['id', 'fee']), [['receipts.fee', 'fees.id']], 'one_to_one'),
  ],
  row_filter: null,
  verified_at: '2026-01-01T00:00:00Z',
};
const others = [
  { id: 2, name: 'stocked', formula: 'SUM(stock)', binding: sales },
  { id: 3, name: 'seen', formula: 'COUNT(stock)', binding: sales },
  { id: 4, name: 'sold', formula: 'COUNT(*)', binding: sales },
];

function plan(formula: string, more: Partial<MetricBinding> = {}) {
  const metric = { id: 1, name: 'own', formula, binding: { ...sales, ...more } };
  return planMetrics([resolveMetric(metric, name => others.filter(each => each.name === name))], null);
}

function errorOf(formula: string, more?: Partial<MetricBinding>): FanOutMeasureError | null {
  try {
    plan(formula, more);
    return null;
  } catch (error) {
    if (error instanceof FanOutMeasureError) return error;
    throw error;
  }
}

const refusal = (formula: string, more?: Partial<MetricBinding>): unknown => errorOf(formula, more)?.context ?? null;

beforeAll(loadSqlParser);

describe('an aggregate of a joined side alone', () => {
  it.each([
    'SUM(stock)',
    '求和(stock)',
    'AVG(stock)',
    'COUNT(stock)',
    'MEDIAN(stock)',
    'PERCENTILE(stock, 0.9, DISC)',
    'STDDEV(stock)',
    'VARIANCE(stock)',
    'WAVG(stock, stock)',
    'FIRST(stock)',
    'FIRST(stock BY product)',
    'LAST(stock BY id)',
    '期末(stock 按 label)',
    'LAST(stock BY product) / COUNT(*)',
    'SUM(stock * 2)',
    'SUM(COALESCE(stock, 0))',
    'SUM(stock::numeric)',
    'SUM(stock WHERE qty > 1) FILTER (WHERE id > 1)',
    'SUM(CASE WHEN qty > 1 THEN stock ELSE 0 END)',
    '1 + ROUND(SUM(stock) / COUNT(*), 2)',
    'CUMULATIVE(SUM(stock))',
    'SHARE(SUM(stock))',
    'YOY(AVG(stock))',
  ])('refuses %s', formula => {
    expect(refusal(formula)).toEqual({ metric: 'own', columns: ['stock'] });
  });

  it('refuses by the tables behind an expression, and along a chain of joins', () => {
    expect(refusal('SUM(价值)')).toEqual({ metric: 'own', columns: ['价值'] });
    expect(refusal('SUM(rating)')).toEqual({ metric: 'own', columns: ['rating'] });
    expect(refusal('SUM(rating * stock)')).toEqual({
      metric: 'own',
      columns: ['rating', 'stock'],
    });
  });

  it('names the metric that a formula refers to, also for the events of a conversion', () => {
    expect(refusal('[stocked] / [sold]')).toMatchObject({ metric: 'stocked' });
    expect(refusal('CONVERSION([sold] -> [seen] BY product)')).toMatchObject({ metric: 'seen' });
  });

  it.each([
    'SUM(qty)',
    'MAX(stock)',
    'MIN(价值)',
    'COUNT(DISTINCT stock)',
    'SUM(stock * qty)',
    'SUM(worth)',
    'WAVG(stock, qty)',
    'COUNT(*)',
    'COUNT(* WHERE stock > 3)',
    'SUM(qty WHERE stock > 3)',
    'SUM(1)',
    'COUNT(1)',
    'SUM(CASE WHEN stock > 3 THEN 1 ELSE 0 END)',
    'SUM(CASE stock WHEN 3 THEN qty END)',
    'SUM(stock > 3)',
    'AVG((stock > 3)::int)',
    'COUNT(low)',
    'SUM(low)',
    'SUM(active)',
    'COUNT(active)',
    'AVG(active::int)',
    'SUM(COALESCE(active, FALSE))',
    'COUNT(named)',
    "AVG((label ~ '^A')::int)",
    "SUM(label !~* '^a')",
    "COUNT(starts_with(label, 'A'))",
    "SUM(regexp_like(label, '^A'))",
    'FIRST(qty BY product)',
    'LAST(stock * qty BY label)',
  ])('computes %s by row', formula => {
    expect(refusal(formula)).toBeNull();
    expect(plan(formula).oneToOne).toEqual([]);
  });

  it('computes by row what a binding declares additive', () => {
    expect(refusal('SUM(stock)', { additivity: 'additive' })).toBeNull();
    expect(refusal('AVG(stock)', { additivity: 'non_additive' })).toMatchObject({ columns: ['stock'] });
  });
});

describe('a table that is joined one to one', () => {
  const keysOf = (formula: string, more?: Partial<MetricBinding>) =>
    plan(formula, more).oneToOne.map(({ source, on }) => [(source as { table: string }).table, ...on.map(([, key]) => key)]);

  it('is measured if the key of the fact table is unique too, and of each table on the way', () => {
    expect(keysOf('SUM(paid)')).toEqual([['wh_sales', 'sales.receipt']]);
    expect(keysOf('SUM(fee) + AVG(paid)')).toEqual([
      ['wh_sales', 'sales.receipt'],
      ['wh_receipts', 'receipts.fee'],
    ]);
    expect(keysOf('SUM(paid * qty)')).toEqual([]);
    expect(keysOf('SUM(paid * stock)')).toEqual([['wh_sales', 'sales.receipt']]);
  });

  it('is not measured where the fact is a query, whose key is not proved', () => {
    const fact = { ...sales.fact, source: { schema: 'mirror', sql: 'SELECT * FROM wh_sales' } };
    expect(refusal('SUM(paid)', { fact })).toEqual({ metric: 'own', columns: ['paid'] });
  });

  it('needs keys that are unique among the rows of the row filter', () => {
    const filterOf = (filter: string) => plan('SUM(paid)', { row_filter: filter }).oneToOne.map(join => join.filter);
    expect(filterOf('qty > 1')).toEqual(['qty > 1']);
    // A filter that reads other tables, or a column that relations read as a decimal, may keep other rows when it is applied to the fact
    // table alone.
    expect(filterOf('products.stock > 1')).toEqual([undefined]);
    expect(filterOf('rate > 0.1')).toEqual([undefined]);
  });

  it('is named as a way out only where the declaration would help', () => {
    const fact = { ...sales.fact, source: { schema: 'mirror', sql: 'SELECT * FROM wh_sales' } };
    const advises = (formula: string, more?: Partial<MetricBinding>) => /one_to_one.*one_to_one/.test(errorOf(formula, more)!.detail);
    expect(advises('SUM(stock)')).toBe(true);
    expect(advises('SUM(stock)', { fact })).toBe(false);
    expect(advises('SUM(paid)', { fact })).toBe(false);
    expect(advises('SUM(rating)')).toBe(false);
  });

  it('is not named by its physical name, which viewers may not see', () => {
    expect(errorOf('SUM(stock)')!.detail).not.toMatch(/wh_|products/);
  });
});
