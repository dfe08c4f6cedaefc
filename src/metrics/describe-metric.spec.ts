import { orders, refunds } from '../../test/support/metric-tables.js';
import { loadSqlParser } from '../sql-guard/sql-parser.js';
import { atOnce } from '../text/steps.js';
import { describeInSteps } from './describe-metric.js';
import { GraphMetrics } from './graph-metrics.js';
import { type MetricRow } from './metric-rows.js';
import { type MetricBinding } from './plan/metric-binding.js';

beforeAll(() => loadSqlParser());

const metric = (id: number, name: string, formula: string, bound?: MetricBinding) =>
  ({ id, graphId: 1, name, aliases: [], formula, unit: null, binding: bound ? { bound } : null }) as unknown as MetricRow;

describe('describeInSteps', () => {
  it('warns of a formula over two connections, which no statement can compute', async () => {
    const [sales, refunded] = [metric(1, '销售额', 'SUM(金额)', orders), metric(2, '退款', 'SUM(amount)', refunds)];
    const elsewhere = metric(3, '别处', 'SUM(amount)', { ...refunds, connection_id: 2 });
    const net = (other: MetricRow) => metric(4, '净额', `[销售额] - [${other.name}]`);
    const describeWith = async (other: MetricRow) => {
      const all = [sales, other, net(other)];
      const graph = new GraphMetrics(all, ids => Promise.resolve(all.filter(({ id }) => ids.includes(id))));
      await graph.reach(all);
      return atOnce(describeInSteps(net(other), graph));
    };
    expect(await describeWith(refunded)).toMatchObject({ executable: true, warnings: [] });
    expect(await describeWith(elsewhere)).toMatchObject({ executable: false, warnings: [{ code: 'mixed_connections' }] });
  });

  it('looks at one formula in a step, and judges none of more SQL than a statement holds', () => {
    const numbers = Array.from({ length: 480 }, (_, index) => 10_000 + index).join(', ');
    const long = Array.from({ length: 40 }, (_, index) =>
      metric(index + 1, `m${index}`, `SUM(金额 WHERE 金额 IN (${index}, ${numbers}))`, orders),
    );
    const describeSum = (count: number) => {
      const some = long.slice(0, count);
      const sum = metric(100, 'sum', some.map(({ name }) => `[${name}]`).join(' + '));
      const graph = new GraphMetrics([...some, sum], () => Promise.resolve([]));
      for (const row of [...some, sum]) graph.keep(row);
      const steps = describeInSteps(sum, graph);
      for (let count = 1; ; count++) {
        const step = steps.next();
        if (step.done) return { count, ...step.value };
      }
    };
    const few = describeSum(20);
    expect(few).toMatchObject({ executable: true, warnings: [] });
    expect(few.count).toBeGreaterThan(60);
    expect(describeSum(40)).toMatchObject({ executable: false, warnings: [{ code: 'statement_too_long' }] });
  });
});
