import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { bindMetricExamples, createMetricExamples, executeMetricExamples, parseFormulaExamples } from '../src/metrics/metric-examples.js';
import { describeWithShared, sharedFolder } from './support/shared-data.js';

let test: TestApp;
let graphId: number;
let editor: Client;

beforeAll(async () => {
  test = await startTestApp();
  editor = await test.asUser('lin');
  await grantConnection(test, 'lin');
  const { body } = await editor.post('/api/graphs').send({ name: '销售' }).expect(201);
  graphId = body.id;
});
afterAll(() => test?.close());

/** Loads a small table into the mirror as a user does. */
async function upload(table: string, csv: string, types?: string): Promise<void> {
  const query = types ? `?types=${encodeURIComponent(types)}` : '';
  const { status, body } = await test.admin
    .put(`/api/warehouse/connections/1/tables/${table}${query}`)
    .set('Content-Type', 'text/csv')
    .send(csv);
  if (status >= 300) throw new Error(`${table}: ${status} ${JSON.stringify(body)}`);
}

async function aMetric(fields: object): Promise<number> {
  const { body } = await editor
    .post('/api/metrics')
    .send({ graph_id: graphId, name: `m${Math.random()}`, ...fields })
    .expect(201);
  return body.id;
}

const execute = (id: number, request: object = {}) => editor.post(`/api/metrics/${id}/execute`).send(request);

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
    for (const table of ['orders', 'order_details', 'customers']) await upload(table, csv(table));
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
      await upload(table, readFileSync(path.join(sharedFolder, 'data/jaffle_shop_classic', `${table}.csv`), 'utf8'));
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
    await upload('regions', 'region_id,region_name\n1,华东\n2,华南\n');
    await upload('customers', 'customer_id,company_name,country,region_id\n1,甲,中国,1\n2,乙,中国,2\n');
    await upload('products', 'product_id,product_name,category,unit_price,supplier_id\n1,茶,饮料,10,1\n2,米,粮食,5,1\n');
    await upload('orders', 'order_id,customer_id,order_date,status\n1,1,2024-01-05,paid\n2,2,2024-02-06,paid\n');
    await upload('order_lines', 'order_id,line_no,product_id,quantity,unit_price,discount\n1,1,1,20,10,0\n1,2,2,3,5,0.1\n2,1,2,30,5,0\n');
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

describe('metrics over REST', () => {
  beforeAll(async () => {
    await upload(
      'sales',
      '编号,地区,金额,状态,created_at\n1,华东,10.5,已支付,2024-01-31T16:30:00Z\n2,华东,20,已支付,2024-01-02T00:00:00Z\n3,,5,退款,2024-03-01T00:00:00Z\n',
      '编号:bigint,地区:text,金额:numeric,状态:text,created_at:timestamptz',
    );
  });
  const binding = { relation: { table: 'sales' }, time: { column: 'created_at', timezone: 'Asia/Shanghai' } };

  it('refuses a formula that matches no pattern', async () => {
    const id = await aMetric({ formula: 'SUM(金额)', binding });
    const formula = 'SUM(金额)\n／ 2 OVER ()';
    const create = editor.post('/api/metrics').send({ graph_id: graphId, name: '坏的', formula });
    for (const refused of [create, editor.patch(`/api/metrics/${id}`).send({ formula, name: '坏的' })]) {
      const { body } = await refused.expect(400);
      expect(body).toMatchObject({ success: false, code: 'formula_parse_error', context: { line: 2, column: 5, found: 'OVER' } });
      expect(body.detail).toMatch(/^FormulaParseError: /);
    }
    expect((await editor.get(`/api/metrics/${id}`).expect(200)).body).toMatchObject({ formula: 'SUM(金额)', pattern: 'aggregate' });
    await editor.post('/api/metrics?draft=yes').send({ graph_id: graphId, name: '坏的', formula }).expect(422);
    await editor.post('/api/metrics').send({ graph_id: graphId, name: '坏的', formula: 'COUNT(*)' }).expect(201);
  });

  it('saves a draft, says what is wrong with it, and fails when it is executed', async () => {
    const { body } = await editor
      .post('/api/metrics?draft=true')
      .send({ graph_id: graphId, name: '坏', formula: 'SUM(金额) OVER ()', binding })
      .expect(201);
    expect(body).toMatchObject({ pattern: null, warnings: [{ code: 'formula_parse_error' }] });
    // What does not touch the formula needs no draft.
    const { body: described } = await editor.patch(`/api/metrics/${body.id}`).send({ description: '草稿' }).expect(200);
    expect(described).toMatchObject({ formula: 'SUM(金额) OVER ()', description: '草稿', pattern: null });
    const still = await editor.patch(`/api/metrics/${body.id}?draft=true`).send({ formula: 'SUM(金额) OVER () ' }).expect(200);
    expect(still.body.warnings).toMatchObject([{ code: 'formula_parse_error' }]);
    const { body: error } = await execute(body.id).expect(400);
    expect(error).toMatchObject({
      success: false,
      code: 'formula_parse_error',
      context: { position: 9, found: 'OVER', nearest_pattern: 'aggregate' },
    });
    expect(error.detail).toMatch(/^FormulaParseError: /);
    expect(error.message).toBe(error.detail);
  });

  it('saves a metric without a binding, and says so only when it is executed', async () => {
    const { body } = await editor.post('/api/metrics').send({ graph_id: graphId, name: '未绑定', formula: 'SUM(金额)' }).expect(201);
    expect(body).toMatchObject({ pattern: null, binding: null, warnings: [{ code: 'missing_binding' }] });
    const user = await aMetric({ name: '引用', formula: '[未绑定] / 2' });
    const { body: error } = await execute(user).expect(400);
    expect(error.detail).toMatch(/^MissingBindingError: /);
    expect(error.context).toEqual({ metric_id: user, missing: [{ metric_id: body.id, name: '未绑定', path: '引用 → 未绑定' }] });
    const { body: bound } = await editor.put(`/api/metrics/${body.id}/binding`).send(binding).expect(200);
    expect(bound).toMatchObject({ pattern: 'aggregate', has_time: true, warnings: [] });
    expect((await execute(user).expect(200)).body.rows).toEqual([['17.7500000000000000']]);
  });

  it('keeps the order of errors: formula, binding, clause, execution', async () => {
    const clause = { filter_clause: 'pg_sleep(1) IS NULL' };
    const broken = (await editor.post('/api/metrics?draft=true').send({ graph_id: graphId, name: '未完', formula: 'SUM(金额' }).expect(201))
      .body.id;
    const unbound = await aMetric({ formula: 'SUM(金额)' });
    const bound = await aMetric({ formula: 'SUM(1 / (金额 - 5))', binding });
    expect((await execute(broken, clause).expect(400)).body.code).toBe('formula_parse_error');
    expect((await execute(unbound, clause).expect(400)).body.code).toBe('missing_binding');
    const { body } = await execute(bound, clause).expect(400);
    expect(body).toMatchObject({ code: 'unsafe_filter_clause', context: { reason: 'function', token: 'pg_sleep', position: 1 } });
    expect(body.detail).toMatch(/^UnsafeFilterClauseError: /);
    expect((await execute(bound).expect(400)).body.code).toBe('warehouse_query_failed');
  });

  it('reads Chinese metric, columns and literals, full-width punctuation, and an order at 16:30Z as February in Shanghai', async () => {
    const id = await aMetric({ name: '支付额', formula: "求和（金额 条件 状态 ＝ '已支付'）", binding });
    const { body } = await execute(id, { time: { grain: 'month' }, dimensions: ['地区'], order: [{ by: 'period' }] }).expect(200);
    expect(body.rows).toEqual([
      ['2024-01-01', '华东', '20'],
      ['2024-02-01', '华东', '10.5'],
      ['2024-03-01', null, null],
    ]);
    const { body: utc } = await execute(id, { time: { grain: 'month', timezone: 'UTC', to: '2024-02-01' } }).expect(200);
    expect(utc.rows).toEqual([['2024-01-01', '30.5']]);
    expect(utc.params).toContain('UTC');
  });

  it('lists the known names when a name is wrong, and refuses options that do not exist', async () => {
    const id = await aMetric({ formula: 'COUNT(*)', binding });
    const { body } = await execute(id, { dimensions: ['region'], filters: [{ field: 'nope', op: '=', value: 1 }] }).expect(422);
    expect(body.success).toBe(false);
    expect(body.detail.errors).toEqual([
      expect.objectContaining({ loc: ['body', 'dimensions', 0], type: 'unknown_dimension', known: expect.arrayContaining(['地区']) }),
      expect.objectContaining({ loc: ['body', 'filters', 0, 'field'], type: 'unknown_field' }),
    ]);
    const { body: more } = await execute(id, { compare: { offset: 'a year' }, cache: { mode: 'default' }, limit: 0 }).expect(422);
    expect(more.detail.errors.map((error: { loc: string[] }) => error.loc.slice(1).join('.')).sort()).toEqual([
      'cache.max_age_s',
      'cache.mode',
      'compare.offset',
      'limit',
    ]);
    for (const part of [{ having: [[]] }, { order: [[]] }, { filters: [[]] }, { time: [] }, { dimensions: [{}] }])
      await execute(id, part).expect(422);
    await execute(id, { time: null, dimensions: null, filters: null, having: null, order: null, limit: null, filter_clause: null }).expect(
      200,
    );
    const { body: blank } = await execute(id, { filter_clause: ' ' }).expect(422);
    expect(blank.detail.errors).toMatchObject([{ loc: ['body', 'filter_clause'], type: 'no_effect' }]);
    const { body: twice } = await editor
      .post('/api/metrics/query')
      .send({ graph_id: graphId, metrics: [id, id] })
      .expect(422);
    expect(twice.detail.errors).toMatchObject([
      { loc: ['body', 'metrics'], type: 'duplicate', msg: '元素重复 / an element of metrics is there twice' },
    ]);
  });

  it('says in words what a formula means', async () => {
    const { body: parsed } = await editor.post('/api/metrics/parse').send({ formula: '滚动([支付额], 7 天)' }).expect(200);
    expect(parsed).toMatchObject({
      pattern: 'accumulate',
      metrics: ['支付额'],
      executable: true,
      reading: { zh: '「支付额」在截至每期最后一天的 7 天内的值', en: '"支付额" over the 7 days up to the end of each period' },
    });
  });

  it('shows the circle when metrics refer to each other', async () => {
    const a = await aMetric({ name: '甲', formula: '[乙] + 1' });
    await aMetric({ name: '乙', formula: '[甲] * 2' });
    const { body } = await execute(a).expect(400);
    expect(body.code).toBe('formula_parse_error');
    expect(body.context.hint).toContain('甲 → 乙 → 甲');
  });

  it('checks a binding against the real tables', async () => {
    const id = await aMetric({ formula: 'COUNT(*)' });
    const bind = (body: object) => editor.put(`/api/metrics/${id}/binding`).send(body);
    const problems = async (body: object) => (await bind(body).expect(422)).body.detail.errors;
    const asColumn = (column: string) => ({ relation: { table: 'sales' }, alias: 's', dimensions: [{ name: '状态', column }] });
    await bind(asColumn('s.状态')).expect(200);
    await bind(asColumn('状态')).expect(200);
    expect(await problems(asColumn('s.地区'))).toEqual([expect.objectContaining({ type: 'duplicate_name' })]);
    const noTable = (msg: RegExp) => [
      expect.objectContaining({ loc: ['body', 'relation', 'table'], type: 'unknown_table', msg: expect.stringMatching(msg) }),
    ];
    expect(await problems({ relation: { table: 'Sales' } })).toEqual(noTable(/there is no table 'Sales'; did you mean 'sales'\?$/));
    expect(await problems({ relation: { table: 'nothing_like_it' } })).toEqual(noTable(/; known: .*\bsales\b/));
    const elsewhere = { table: 'sales', schema: 'public' };
    const misplaced = (...loc: (string | number)[]) => expect.objectContaining({ loc: ['body', ...loc, 'schema'], type: 'not_one_of' });
    expect(await problems({ relation: elsewhere })).toEqual([misplaced('relation')]);
    expect(await problems({ relation: { sql: 'SELECT 1 AS a', schema: 'public' } })).toEqual([misplaced('relation')]);
    expect(
      await problems({
        relation: { table: 'sales', schema: 'mirror' },
        joins: [{ ...elsewhere, alias: 's', on: [['sales.状态', 's.状态']] }],
      }),
    ).toEqual([misplaced('joins', 0)]);
    expect(await problems({ relation: { table: 'sales' }, columns: { a: 'sales.b' }, time: { column: 'c' } })).toEqual([
      expect.objectContaining({ loc: ['body', 'time', 'column'], type: 'unknown_column' }),
      expect.objectContaining({ loc: ['body', 'columns', 'a'], type: 'unknown_column' }),
    ]);
    expect(await problems({ relation: { table: 'sales' }, time: { column: '金额' } })).toEqual([
      expect.objectContaining({ type: 'time_type' }),
    ]);
    expect(await problems({ relation: { table: 'sales' }, columns: { a: '金额 + 状态' } })).toEqual([
      expect.objectContaining({ type: 'binding_not_executable' }),
    ]);
    expect(await problems({ relation: { sql: 'SELECT 金额 AS v, 金额 AS v FROM sales' } })).toEqual([
      expect.objectContaining({ loc: ['body', 'relation', 'sql'], type: 'duplicate_name' }),
    ]);
    const joinedBy = (outer: string) => ({
      relation: { table: 'sales' },
      joins: [{ table: 'sales', alias: 's', on: [[outer, 's.状态']] }],
    });
    expect(await problems(joinedBy('sales.金额'))).toEqual([
      expect.objectContaining({
        loc: ['body', 'joins', 0, 'on', 0],
        type: 'join_types',
        msg: expect.stringContaining('numeric and text; write the number as (…)::text'),
      }),
    ]);
    expect((await bind(joinedBy('(sales.金额)::text'))).body.code).toBe('fan_out_join');
    expect((await bind({ relation: { sql: 'SELECT * FROM public.users' } }).expect(400)).body.code).toBe('unsafe_filter_clause');
    expect((await bind({ relation: { table: 'sales' }, row_filter: 'pg_sleep(1) IS NULL' }).expect(400)).body.code).toBe(
      'unsafe_filter_clause',
    );
    expect((await bind({})).status).toBe(400);
    for (const part of [
      { relation: [] },
      { joins: [[]] },
      { dimensions: [[]] },
      { columns: { a: 5 } },
      { time: [] },
      { connection_id: 'x' },
    ]) {
      await bind({ relation: { table: 'sales' }, ...part }).expect(422);
    }
    expect(await problems({ relation: { table: 'sales' }, entities: [{ name: 'u', column: 'nope' }] })).toEqual([
      expect.objectContaining({ loc: ['body', 'entities', 0, 'column'], type: 'unknown_column' }),
    ]);
    await bind({
      relation: { table: 'sales', sql: null },
      joins: null,
      dimensions: null,
      columns: null,
      row_filter: null,
      time: null,
    }).expect(200);
  });

  it('reads from a guarded SELECT in place of a table', async () => {
    const id = await aMetric({
      formula: 'SUM(t)',
      binding: { relation: { sql: 'SELECT 地区, sum(金额) AS t FROM sales GROUP BY 1' }, row_filter: 't > 5' },
    });
    const { body } = await execute(id, { dimensions: ['地区'] }).expect(200);
    expect(body.rows).toEqual([['华东', '30.5']]);
  });

  it('compiles without executing on a dry run', async () => {
    const id = await aMetric({ formula: 'COUNT(*)', binding });
    const { body } = await execute(id, { dry_run: true }).expect(200);
    expect(body).toMatchObject({ rows: [], as_of: null });
    expect(body.sql).toContain('COUNT(*)');
  });

  it('gives the estimate of the database without executing', async () => {
    const id = await aMetric({ formula: 'COUNT(*)', binding });
    const { body } = await execute(id, {
      explain: true,
      totals: true,
      dimensions: ['地区'],
      filters: [{ field: '金额', op: '>', value: 0 }],
    });
    const tableOf = ({ table, inputs = [] }: { table?: string; inputs?: object[] }): string | undefined =>
      table ?? inputs.map(each => tableOf(each)).find(each => each !== undefined);
    expect(body).toMatchObject({ rows: [], as_of: null, totals: null });
    expect(body.estimate).toMatchObject({ rows: expect.any(Number), cost: expect.any(Number) });
    expect(body.estimate.plans.map(tableOf)).toEqual(['sales', 'sales']);
    const { body: refused } = await execute(id, { explain: true, dry_run: true }).expect(422);
    expect(refused.detail.errors).toMatchObject([{ loc: ['body', 'dry_run'], type: 'no_effect' }]);
    expect((await execute(id).expect(200)).body.estimate).toBeNull();
  });

  it.each([
    ['名称 = 5', { reason: 'type_mismatch', token: '=', position: 4 }],
    ["n > 0 AND n = 'abc'", { reason: 'type_mismatch', token: "'abc'", position: 15 }],
    ['upper(n) IS NULL', { reason: 'type_mismatch', token: 'upper', position: 1 }],
    ['n + 1', { reason: 'type_mismatch', position: 1 }],
  ])('names the place in the clause %s where types do not fit', async (filter_clause, facts) => {
    await upload('typed', '名称,n\nx,1\n');
    const id = await aMetric({ formula: 'SUM(n)', binding: { relation: { table: 'typed' } } });
    const { body } = await execute(id, { filter_clause }).expect(400);
    expect(body).toMatchObject({ code: 'unsafe_filter_clause', context: facts });
    expect(body.detail).toMatch(/位于 filter_clause.* in filter_clause/);
  });

  it('names the place in the formula where types do not fit, and the nearest columns for an unknown one', async () => {
    await upload('typed', '名称,n,unit_price\nx,1,2\n');
    const binding = { relation: { table: 'typed' } };
    const { body: mismatch } = await execute(await aMetric({ formula: 'SUM(名称 * 2)', binding })).expect(400);
    expect(mismatch.context).toMatchObject({ reason: 'type_mismatch', token: '*', position: 8 });
    const { body: value } = await execute(await aMetric({ formula: 'SUM(名称::numeric)', name: '转换', binding })).expect(400);
    expect(value).toMatchObject({
      code: 'warehouse_query_failed',
      detail: expect.stringMatching(/公式与绑定.+：转换 .+ bindings of: 转换$/),
    });
    const { body: unknown } = await execute(await aMetric({ formula: 'SUM(unitprice)', binding })).expect(400);
    expect(unknown).toMatchObject({
      code: 'formula_parse_error',
      context: { position: 5, found: 'unitprice', hint: 'known columns: unit_price, 名称, n' },
    });
  });

  it('names the table that is gone', async () => {
    await upload('gone_soon', 'n\n1\n');
    const id = await aMetric({ formula: 'SUM(n)', binding: { relation: { table: 'gone_soon' } } });
    await test.admin.delete('/api/warehouse/connections/1/tables/gone_soon').expect(204);
    const { body } = await execute(id).expect(400);
    expect(body).toMatchObject({ code: 'metric_table_missing', context: { tables: ['gone_soon'] } });
    expect(body.detail).toContain('gone_soon');
  });

  it.each([
    'SUM(unit_price; drop table x)',
    'SUM(pg_sleep(1))',
    'ROUND(SUM(a) / COUNT(b WHERE (SELECT 1) = 1), 2)',
    'COUNT_DISTINCT(lo_import(a))',
  ])('does not call %s executable when it is parsed', async formula => {
    const { body } = await editor.post('/api/metrics/parse').send({ formula }).expect(400);
    expect(body.code).toBe('unsafe_filter_clause');
  });

  it('warns of a name or an alias that another metric of the graph has', async () => {
    const one = await aMetric({ name: '毛利', aliases: ['gross profit'], formula: '1 * [净利]' });
    const fields = { graph_id: graphId, name: '净利', aliases: ['Gross Profit'], formula: 'COUNT(*)' };
    const { body } = await editor.post('/api/metrics').send(fields).expect(201);
    const ambiguous = (warnings: any[]) => warnings.filter(({ code }) => code === 'ambiguous_name');
    expect(ambiguous(body.warnings)).toEqual([{ code: 'ambiguous_name', message: expect.stringContaining(`'毛利' (id ${one})`) }]);
    const { body: changed } = await editor
      .patch(`/api/metrics/${body.id}`)
      .send({ aliases: ['net'] })
      .expect(200);
    expect(ambiguous(changed.warnings)).toEqual([]);
  });

  it('warns of formulas that a new name leaves behind', async () => {
    const id = await aMetric({ name: '旧[名]', aliases: ['old'], formula: 'COUNT(*)' });
    const caller = await aMetric({ name: '引用者', formula: '[旧[名]]] * 2' });
    await aMetric({ name: '另一个', formula: '[old] * 2' });
    const rename = async (change: object) => {
      const { body } = await editor.patch(`/api/metrics/${id}`).send(change).expect(200);
      return body.warnings.filter(({ code }: { code: string }) => code === 'former_name_in_use');
    };
    expect(await rename({ name: '改过的名称' })).toEqual([
      { code: 'former_name_in_use', message: expect.stringMatching(`: 引用者 \\(id ${caller}\\); keep it as an alias`) },
    ]);
    expect(await rename({ aliases: ['old', '旧[名]'] })).toEqual([]);
  });

  it('says how to bind a time column when there is none', async () => {
    await upload('typed', 'n\n1\n');
    const id = await aMetric({ formula: 'SUM(n)', binding: { relation: { table: 'typed' } } });
    const { body } = await execute(id, { time: { grain: 'month' } }).expect(422);
    const msg = expect.stringMatching(
      new RegExp(`加上 time.* / the binding of metric '.+' has no time column; add time.*/metrics/${id}/binding`),
    );
    expect(body.detail.errors[0]).toMatchObject({ type: 'no_time_column', msg });
  });

  it('lets a viewer execute and an editor change, and hides metrics of other graphs', async () => {
    const id = await aMetric({ name: '访问', formula: 'COUNT(*)', binding });
    const stranger = await test.asUser('guo');
    await stranger.post(`/api/metrics/${id}/execute`).send({}).expect(403);
    await stranger.get(`/api/metrics/${id}`).expect(403);
    await stranger.get('/api/metrics/999999').expect(404);
    expect((await stranger.get('/api/metrics').expect(200)).body.items).toEqual([]);
    const { body: all } = await editor.get(`/api/metrics?graph_id=${graphId}&limit=2`).expect(200);
    expect(all.items).toHaveLength(2);
    expect(all.next_cursor).not.toBeNull();
  });

  it('changes and deletes a metric, and keeps names unique in a graph', async () => {
    const id = await aMetric({ name: '原名', formula: 'COUNT(*)', binding });
    const { body } = await editor
      .patch(`/api/metrics/${id}`)
      .send({ name: '新名', formula: '去重计数(地区)', unit: null, aliases: null })
      .expect(200);
    expect(body).toMatchObject({ name: '新名', pattern: 'count_distinct', aliases: [] });
    await editor.post('/api/metrics').send({ graph_id: graphId, name: '新名', formula: 'COUNT(*)' }).expect(400);
    await editor.delete(`/api/metrics/${id}`).expect(204);
    await editor.get(`/api/metrics/${id}`).expect(404);
    await execute(id).expect(404);
  });
});
