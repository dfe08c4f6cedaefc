import { orders, refunds } from '../../test/support/metric-tables.js';
import { loadSqlParser } from '../sql-guard/sql-parser.js';
import { describeMetric } from './describe-metric.js';
import { GraphMetrics } from './graph-metrics.js';
import { type MetricRow } from './metric-rows.js';
import { type MetricBinding } from './plan/metric-binding.js';

beforeAll(() => loadSqlParser());

const metric = (id: number, name: string, formula: string, bound?: MetricBinding) =>
  ({ id, graphId: 1, name, aliases: [], formula, unit: null, binding: bound ? { bound } : null }) as unknown as MetricRow;

describe('describeMetric', () => {
  it('warns of a formula over two connections, which no statement can compute', async () => {
    const [sales, refunded] = [metric(1, '销售额', 'SUM(金额)', orders), metric(2, '退款', 'SUM(amount)', refunds)];
    const elsewhere = metric(3, '别处', 'SUM(amount)', { ...refunds, connection_id: 2 });
    const net = (other: MetricRow) => metric(4, '净额', `[销售额] - [${other.name}]`);
    const describeWith = async (other: MetricRow) => {
      const all = [sales, other, net(other)];
      const graph = new GraphMetrics(all, ids => Promise.resolve(all.filter(({ id }) => ids.includes(id))));
      await graph.reach(all);
      return describeMetric(net(other), graph);
    };
    expect(await describeWith(refunded)).toMatchObject({ executable: true, warnings: [] });
    expect(await describeWith(elsewhere)).toMatchObject({ executable: false, warnings: [{ code: 'mixed_connections' }] });
  });
});
