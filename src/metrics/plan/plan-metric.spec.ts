import { loadSqlParser } from '../../sql-guard/sql-parser.js';
import { type MetricBinding } from './metric-binding.js';
import { planMetrics } from './plan-metric.js';
import { type MetricDefinition, resolveMetric } from './resolve-metric.js';

beforeAll(() => loadSqlParser());

const boundTo = (table: string, verified_at = '2026-01-01T00:00:00Z'): MetricBinding => ({
  connection_id: 1,
  fact: { alias: 't', source: { schema: 'mirror', table }, columns: [{ name: 'x', type: 'numeric' }] },
  grain: [],
  time: null,
  columns: [{ name: 'x', expression: 't.x', type: 'numeric' }],
  dimensions: [],
  joins: [],
  row_filter: null,
  verified_at,
});

const others: MetricDefinition[] = [
  { id: 2, name: 'same', formula: 'SUM(x) + MAX(x)', binding: boundTo('sales', '2026-02-02T00:00:00Z') },
  { id: 3, name: 'other', formula: 'SUM(x)', binding: boundTo('costs') },
];

function plan(formula: string) {
  const metric = { id: 1, name: 'm', formula, binding: boundTo('sales') };
  const resolved = resolveMetric(metric, name => others.filter(each => each.name === name));
  const { scans, values } = planMetrics([resolved], null);
  const columns = scans.map(scan => [...scan.columns.values()].map(each => `${each.name} ${each.aggregate.name}`));
  return { columns, value: values[0]!.value };
}

const column = (name: string, isAdditive = true) => ({ kind: 'column', name, isAdditive, within: undefined });

describe('planMetrics', () => {
  it('scans each binding once, and computes equal leaves once', () => {
    const { columns, value } = plan('SUM(x) - [same]');
    expect(columns).toEqual([['m0 SUM', 'm1 MAX']]);
    const same = { kind: 'binary', op: '+', left: column('m0'), right: column('m1', false) };
    expect(value).toEqual({ kind: 'binary', op: '-', left: column('m0'), right: same });
  });

  it('keeps leaves apart that differ in their binding, their function or their conditions', () => {
    expect(plan('SUM(x) + [other] + AVG(x) + SUM(x WHERE x > 0)').columns).toEqual([['m0 SUM', 'm2 AVG', 'm3 SUM'], ['m1 SUM']]);
  });

  it('plans PERCENT as a hundred times a ratio, at any depth', () => {
    const ratio = { kind: 'binary', op: '/', left: column('m0'), right: column('m1') };
    const percent = { kind: 'binary', op: '*', left: { kind: 'number', value: '100' }, right: ratio };
    expect(plan('PERCENT(SUM(x), COUNT(*))').value).toEqual(percent);
    expect(plan('ROUND(-PERCENT(SUM(x), COUNT(*)), 1)').value).toEqual({
      kind: 'scalar',
      fn: 'ROUND',
      operands: [
        { kind: 'negate', operand: percent },
        { kind: 'number', value: '1' },
      ],
    });
  });

  it('scans a binding once for each set of rows that its leaves count', () => {
    const growth = plan('YOY(SUM(x) + COUNT(*), DIFF) / SUM(x)');
    expect(growth.columns).toEqual([
      ['m0 SUM', 'm1 COUNT'],
      ['m2 SUM', 'm3 COUNT'],
    ]);
    // A total adds a grouping set to the same scan, so both shares use one column.
    expect(plan('SHARE(SUM(x)) - SHARE(SUM(x) WITHIN d)').columns).toEqual([['m0 SUM']]);
    expect(plan('YOY(ROLLING(SUM(x), 7 DAY)) + ROLLING(SUM(x), 7 DAY)').columns).toEqual([['m0 SUM'], ['m1 SUM']]);
  });

  it('plans a mean over days of arithmetic as a scan of its own, and each scan of its operands once', () => {
    expect(plan('ROLLING(SUM(x) / [other], 7 DAY, AVERAGE) - ROLLING(SUM(x), 7 DAY, AVERAGE)').columns).toEqual([
      ['m0 SUM'],
      ['m1 SUM'],
      ['m2 AVERAGE of arithmetic'],
    ]);
  });
});
