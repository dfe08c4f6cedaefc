import { SchemaError } from '../../common/errors/api-error.js';
import { compile, openMetricTables, orders, type MetricTables } from '../../../test/support/metric-tables.js';
import { type MetricRequest } from './metric-request.js';

let tables: MetricTables;
const run: MetricTables['run'] = (...metric) => tables.run(...metric);

beforeAll(async () => {
  tables = await openMetricTables();
});
afterAll(() => tables?.close());

describe('several bindings', () => {
  it('stacks and groups again (risk: a join on NULL keys splits or drops rows)', async () => {
    const rows = await run('[退款额] / SUM(金额)', { dimensions: ['地区'] });
    expect(rows.map(([region, value]) => [region, value && Number(Number(value).toFixed(4))])).toEqual([
      ['华东', null],
      ['华南', 0.3333],
      ['西部', null],
      [null, 0.037],
    ]);
  });

  it('gives 0 for a count of no rows if the other side has rows', async () => {
    expect(await run('[退款数] / COUNT(*) * 100', { dimensions: ['地区'], order: [{ by: '地区', dir: 'asc', nulls: 'first' }] })).toEqual([
      [null, expect.stringMatching(/^50\.0+$/)],
      ['华东', expect.stringMatching(/^0(\.0+)?$/)],
      ['华南', expect.stringMatching(/^100\.0+$/)],
      ['西部', null],
    ]);
  });

  it('shares a scan between metrics bound to the same thing, whenever they were bound', () => {
    expect(compile('[支付额] / [订单数]').sql).not.toContain('UNION ALL');
    expect(compile('[支付额] / [退款额]').sql).toContain('UNION ALL');
  });

  it('computes a leaf that occurs twice once', () => {
    expect(compile('SUM(金额) / (SUM(金额) + COUNT(*))').sql).not.toContain('"m2"');
  });

  it('requires a dimension and a time column of every binding, and names the metric that lacks them', () => {
    const without = { ...orders, dimensions: [], time: null };
    const refusal = (request: Partial<MetricRequest>): string => {
      try {
        compile('[退款额] - SUM(金额)', request, without);
      } catch (error) {
        if (error instanceof SchemaError) return error.problems.map(({ text }) => text.en).join('; ');
      }
      throw new Error('not refused');
    };
    expect(refusal({ filters: [{ field: '地区', op: 'is_null' }] })).toMatch(/^metric '本身' has no field '地区'; those that all have: /);
    expect(() => compile('[退款额] - SUM(金额)', { filter_clause: '金额 > 1' })).toThrow("the binding of metric '退款额' has it not");
    expect(refusal({ dimensions: ['地区'] })).toBe("metric '本身' has no dimension '地区'; those that all have: -");
    expect(refusal({ time: { grain: 'month' } })).toMatch(/^the binding of metric '本身' has no time column; .+\/metrics\/1\/binding$/);
  });
});

describe('rows', () => {
  it('keeps a NULL dimension as one group', async () => {
    expect(await run('SUM(金额)', { dimensions: ['地区'] })).toEqual([
      ['华东', '150'],
      ['华南', '30'],
      [null, '27'],
    ]);
  });

  it('orders ties by the keys, so that pages do not overlap', async () => {
    const pageAt = (offset: number) =>
      run('MIN(1)', { dimensions: ['地区'], order: [{ by: 'value', dir: 'desc', nulls: 'last' }], limit: 1, offset });
    // A statement returns one row more than the limit.
    expect([await pageAt(0), await pageAt(1), await pageAt(2)].map(rows => rows[0]?.[0])).toEqual(['华东', '华南', null]);
    expect(await pageAt(0)).toHaveLength(2);
  });

  it('filters groups by their value', async () => {
    expect(
      await run('SUM(金额)', {
        dimensions: ['地区'],
        having: [
          { op: '>', value: '27' },
          { op: '<=', value: '30.0' },
        ],
      }),
    ).toEqual([['华南', '30']]);
  });

  it('recomputes totals (risk: distinct counts that are summed)', async () => {
    const request: Partial<MetricRequest> = {
      dimensions: ['地区'],
      time: { grain: 'month', from: '2024-01-01', to: '2024-03-01' },
      having: [{ op: '>', value: '9' }],
      limit: 1,
    };
    expect(await tables.totals('COUNT(DISTINCT customer_id)', request)).toEqual([['2']]);
  });

  it('fills totals as it fills rows (risk: a total that differs from the sum of what is shown)', async () => {
    const time = { from: '2024-02-01', to: '2024-03-01', grain: 'month', fill: 'zero' } as const;
    expect(await tables.totals("SUM(金额) - SUM(金额 WHERE 状态 = 'none')", { time })).toEqual([['130']]);
    expect(await tables.totals("SUM(金额) - SUM(金额 WHERE 状态 = 'none')", { time: { ...time, fill: 'null' } })).toEqual([[null]]);
  });

  it('fills with zero without a grain (risk: a group of one table only)', async () => {
    const request = { dimensions: ['地区'], time: { fill: 'zero' } as const };
    expect(await run('SUM(金额) - [退款额]', request)).toEqual([
      ['华东', '150'],
      ['华南', '20'],
      ['西部', '-4'],
      [null, '26'],
    ]);
    expect(await run("SUM(金额 WHERE 状态 = 'none')", { time: { fill: 'zero' } })).toEqual([['0']]);
  });

  it.each([
    [{ field: '状态', op: 'in', values: ['paid', "x'; DROP TABLE mirror.orders; --"] }, '3'],
    [{ field: '状态', op: 'not_in', values: ['paid'] }, '2'],
    [{ field: 'region', op: 'is_null' }, '2'],
    [{ field: '地区', op: 'is_not_null' }, '3'],
    [{ field: '地区', op: 'contains', value: '东' }, '2'],
    [{ field: '地区', op: 'starts_with', value: '华' }, '3'],
    [{ field: '金额', op: 'between', values: [20, '50.00'] }, '3'],
    [{ field: 'customer_id', op: '!=', value: 1 }, '2'],
    [{ field: 'customer_id', op: '<', value: 1.5 }, '2'],
    [{ field: 'customer_id', op: 'in', values: [1, 3] }, '3'],
    [{ field: 'customer_id', op: 'in', values: [1, 2_147_483_648] }, '2'],
    [{ field: 'customer_id', op: 'not_in', values: [1, '-2147483648'] }, '2'],
    [{ field: 'weight', op: '=', value: 0.1 }, '1'],
  ] as const)('filters by %j', async (filter, count) => {
    expect(await run('COUNT(*)', { filters: [structuredClone(filter) as MetricRequest['filters'][number]] })).toEqual([[count]]);
  });
});
