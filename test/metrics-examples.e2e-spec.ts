import { readFileSync } from 'node:fs';
import path from 'node:path';
import { bindMetricExamples, createMetricExamples, executeMetricExamples, parseFormulaExamples } from '../src/metrics/metric-examples.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { upload } from './support/ingestion.js';
import { aMetricEditor, type MetricEditor } from './support/metric-editor.js';
import { describeWithShared, sharedFolder } from './support/shared-data.js';

let test: TestApp;
let graphId: number;
let editor: Client;
let aMetric: MetricEditor['aMetric'];
let execute: MetricEditor['execute'];

beforeAll(async () => {
  test = await startTestApp();
  ({ editor, graphId, aMetric, execute } = await aMetricEditor(test));
});
afterAll(() => test?.close());

describeWithShared('Northwind', 'data/northwind/csv', () => {
  const binding = {
    relation: { table: 'order_details' },
    alias: 'd',
    grain: ['order_id', 'product_id'],
    joins: [
      { alias: 'o', table: 'orders', on: [['d.order_id', 'o.order_id']] },
      { alias: 'c', table: 'customers', on: [['o.customer_id', 'c.customer_id']] },
    ],
    time: { column: 'o.order_date' },
    dimensions: [{ name: '国家', aliases: ['country'], column: 'c.country' }],
  };

  beforeAll(async () => {
    const csv = (table: string) => readFileSync(path.join(sharedFolder, 'data/northwind/csv', `${table}.csv`), 'utf8');
    for (const table of ['orders', 'order_details', 'customers']) await upload(test, table, csv(table));
  });

  it('gives net revenue by year', async () => {
    const id = await aMetric({
      name: '净销售额',
      aliases: ['net revenue'],
      unit: 'USD',
      formula: 'SUM(unit_price * quantity * (1 - discount))',
      binding,
    });
    const { body } = await execute(id, { time: { grain: 'year' } }).expect(200);
    expect(body.rows.map(([year, value]: [string, string]) => [year, Number(value).toFixed(2)])).toEqual([
      ['1996-01-01', '208083.97'],
      ['1997-01-01', '617085.20'],
      ['1998-01-01', '440623.87'],
    ]);
    expect(body).toMatchObject({
      pattern: 'aggregate',
      metric: { id, name: '净销售额' },
      row_count: 3,
      truncated: false,
      totals: null,
      columns: [
        { name: 'period', role: 'time', type: 'date', grain: 'year', timezone: 'UTC' },
        { name: 'value', role: 'value', type: 'decimal', unit: 'USD' },
      ],
      warnings: [],
    });
  });

  it('combines metrics, dimensions, a clause, having, order, limit and totals', async () => {
    await aMetric({ name: '订单数', formula: 'COUNT(DISTINCT order_id)', binding });
    const id = await aMetric({ name: '客单价', formula: '[净销售额] / [订单数]' });
    const { body } = await execute(id, {
      dimensions: ['country'],
      time: { from: '1997-01-01', to: '1998-01-01' },
      filter_clause: `"国家" <> 'USA' AND d.quantity > 0`,
      having: [{ op: '>', value: '500' }],
      order: [{ by: 'value', dir: 'desc' }],
      limit: 3,
      totals: true,
    }).expect(200);
    expect(body.pattern).toBe('ratio');
    expect(body.columns.map((column: { name: string }) => column.name)).toEqual(['国家', 'value']);
    expect(body.truncated).toBe(true);
    const { rows } = await test.pool.query(`
      WITH o AS (
        SELECT c.country, d.order_id, unit_price * quantity * (1 - discount) AS net
        FROM mirror.order_details d JOIN mirror.orders USING (order_id) JOIN mirror.customers c USING (customer_id)
        WHERE order_date >= '1997-01-01' AND order_date < '1998-01-01' AND c.country <> 'USA'
      )
      SELECT country, sum(net) / count(DISTINCT order_id) AS value FROM o GROUP BY ROLLUP (country) ORDER BY country IS NULL DESC, value DESC`);
    expect(Number(body.totals.value)).toBeCloseTo(Number(rows[0].value), 6);
    expect(body.rows.map(([country, value]: string[]) => [country, Number(value).toFixed(4)])).toEqual(
      rows.slice(1, 4).map(({ country, value }) => [country, Number(value).toFixed(4)]),
    );
  });

  it('refuses a join that would count freight once for every line', async () => {
    const { body } = await editor
      .post('/api/metrics')
      .send({
        graph_id: graphId,
        name: '运费',
        formula: 'SUM(freight)',
        binding: {
          relation: { table: 'orders' },
          joins: [{ table: 'order_details', on: [['orders.order_id', 'order_details.order_id']] }],
        },
      })
      .expect(422);
    expect(body).toMatchObject({ success: false, code: 'fan_out_join', context: { join: 'order_details' } });

    const id = await aMetric({ name: '运费', formula: 'SUM(freight)', binding: { relation: { table: 'orders' } } });
    const { body: answer } = await execute(id).expect(200);
    expect(answer.rows).toEqual([['64942.69']]);
  });
});

describeWithShared('Jaffle shop', 'data/jaffle_shop_classic/raw_payments.csv', () => {
  const payments = {
    relation: { table: 'raw_payments' },
    joins: [{ table: 'raw_orders', on: [['raw_payments.order_id', 'raw_orders.id']] }],
    time: { column: 'raw_orders.order_date' },
    columns: { 金额: 'raw_payments.amount / 100.0', order_id: 'raw_payments.order_id' },
    dimensions: [{ name: '支付方式', aliases: ['method'], column: 'payment_method' }],
  };

  beforeAll(async () => {
    for (const table of ['raw_orders', 'raw_payments']) {
      await upload(test, table, readFileSync(path.join(sharedFolder, 'data/jaffle_shop_classic', `${table}.csv`), 'utf8'));
    }
  });

  it('recomputes a distinct total: 99 orders, although the methods add up to 109', async () => {
    const id = await aMetric({ formula: '去重计数(order_id)', binding: payments });
    const { body } = await execute(id, { dimensions: ['method'], order: [{ by: 'value', dir: 'desc' }], totals: true }).expect(200);
    expect(body.rows).toEqual([
      ['credit_card', '51'],
      ['bank_transfer', '33'],
      ['coupon', '13'],
      ['gift_card', '12'],
    ]);
    expect(body.totals).toEqual({ value: '99' });
  });

  it('gives 16.89 per order, not 18.43, because payments do not repeat an order', async () => {
    const id = await aMetric({ formula: 'ROUND(SUM(金额) / COUNT(DISTINCT order_id), 2)', binding: payments });
    expect((await execute(id).expect(200)).body.rows).toEqual([['16.89']]);
    const orders = {
      relation: { table: 'raw_orders' },
      joins: [{ table: 'raw_payments', on: [['raw_orders.id', 'raw_payments.order_id']] }],
    };
    const fanOut = { graph_id: graphId, name: '重复', formula: 'AVG(1)', binding: orders };
    expect((await editor.post('/api/metrics').send(fanOut).expect(422)).body.code).toBe('fan_out_join');
    const declared = { ...orders, joins: [{ ...orders.joins[0], relationship: 'one_to_many' }] };
    expect(
      (
        await editor
          .post('/api/metrics')
          .send({ ...fanOut, binding: declared })
          .expect(422)
      ).body.code,
    ).toBe('fan_out_join');
  });
});

describe('the documented examples', () => {
  beforeAll(async () => {
    await upload(test, 'regions', 'region_id,region_name\n1,华东\n2,华南\n');
    await upload(test, 'customers', 'customer_id,company_name,country,region_id\n1,甲,中国,1\n2,乙,中国,2\n');
    await upload(test, 'products', 'product_id,product_name,category,unit_price,supplier_id\n1,茶,饮料,10,1\n2,米,粮食,5,1\n');
    await upload(test, 'orders', 'order_id,customer_id,order_date,status\n1,1,2024-01-05,paid\n2,2,2024-02-06,paid\n');
    await upload(
      test,
      'order_lines',
      'order_id,line_no,product_id,quantity,unit_price,discount\n1,1,1,20,10,0\n1,2,2,3,5,0.1\n2,1,2,30,5,0\n',
    );
  });

  it('work when they are pasted', async () => {
    const { body: graph } = await editor.post('/api/graphs').send({ name: '示例' }).expect(201);
    const created: Record<string, number> = {};
    for (const [name, { value }] of Object.entries(createMetricExamples)) {
      const { body } = await editor
        .post('/api/metrics')
        .send({ ...value, graph_id: graph.id })
        .expect(201);
      expect(body.warnings).toEqual([]);
      created[name] = body.id;
    }
    for (const { value } of Object.values(executeMetricExamples)) {
      const { body } = await execute(created.revenue ?? 0, value).expect(200);
      expect(body.row_count).toBeGreaterThan(0);
    }
    expect((await execute(created.revenue ?? 0, executeMetricExamples.top.value)).body.rows).toEqual([
      ['茶', '200'],
      ['米', '163.5'],
    ]);
    expect((await execute(created.average ?? 0)).body.rows).toEqual([[expect.stringMatching(/^181\.750*$/)]]);
    for (const { value } of Object.values(bindMetricExamples)) {
      await editor.put(`/api/metrics/${created.orders}/binding`).send(value).expect(200);
    }
    for (const { value } of Object.values(parseFormulaExamples)) await editor.post('/api/metrics/parse').send(value).expect(200);
  });
});
