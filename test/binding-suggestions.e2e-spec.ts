import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { boundRows } from './support/bound-rows.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { itLong } from './support/tier.js';

let test: TestApp;
let foreign: ForeignPostgres;
let far: number;
let graphId: number;
let editor: Client;

beforeAll(async () => {
  [test, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
  far = await aForeignConnection(test, foreign);
  editor = await test.asUser('lin');
  await grantConnection(test, 'lin');
  await test.admin.post(`/api/permissions/connections/${far}/users`).send({ username: 'lin', right: 'read' }).expect(201);
  graphId = (await editor.post('/api/graphs').send({ name: '销售' }).expect(201)).body.id;
  await foreign.run(`
    CREATE TABLE regions (id int PRIMARY KEY, name text, is_home boolean);
    CREATE TABLE customers (id int PRIMARY KEY, name varchar(80), region_id int REFERENCES regions, born date);
    CREATE TABLE orders (id int PRIMARY KEY, customer_id int REFERENCES customers, payer_id int REFERENCES customers,
      parent_id int REFERENCES orders, "状态" text, updated_at timestamptz NOT NULL, ordered_at timestamptz NOT NULL, paid_on date);
    CREATE TABLE order_lines (order_id int REFERENCES orders, line_no int, "Amount" numeric(12,2), note json, PRIMARY KEY (order_id, line_no));
    INSERT INTO regions VALUES (1, '华东', true), (2, '华北', false);
    INSERT INTO customers VALUES (1, '甲', 1, '1990-01-01'), (2, '乙', 2, NULL), (3, '丙', NULL, NULL);
    INSERT INTO orders SELECT n, n % 3 + 1, (n + 1) % 3 + 1, nullif(n - 1, 0), CASE WHEN n % 4 = 0 THEN '退款' ELSE '已支付' END,
      now(), '2024-01-01T00:00:00Z'::timestamptz + n * interval '5 days', NULL FROM generate_series(1, 40) n;
    INSERT INTO order_lines SELECT o, l, o * l + 0.25, NULL FROM generate_series(1, 40) o, generate_series(1, 3) l;
    GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader`);
});
afterAll(() => Promise.all([test?.close(), foreign?.remove()]));

const suggest = (request: object) => editor.post('/api/metrics/bindings/suggest').send(request);

const rowsOf = async (sql: string) => (await foreign.run(sql)).rows.map(row => Object.values(row as object));

describe('a draft of a binding', () => {
  it('follows the keys of a foreign PostgreSQL and gives the numbers of a query by hand', async () => {
    const formula = `SUM(amount WHERE "状态" = '已支付')`;
    const { body } = await suggest({ connection_id: far, table: 'order_lines', formula }).expect(200);
    expect(body.binding).toMatchObject({
      connection_id: far,
      relation: { table: 'order_lines' },
      grain: ['"order_lines"."order_id"', '"order_lines"."line_no"'],
      joins: [
        { table: 'orders', alias: 'orders', on: [['"order_lines"."order_id"', '"orders"."id"']] },
        { table: 'customers', alias: 'customers', on: [['"orders"."customer_id"', '"customers"."id"']] },
        { table: 'customers', alias: 'customers_payer_id', on: [['"orders"."payer_id"', '"customers_payer_id"."id"']] },
        { table: 'regions', alias: 'regions', on: [['"customers"."region_id"', '"regions"."id"']] },
        { table: 'regions', alias: 'regions_region_id', on: [['"customers_payer_id"."region_id"', '"regions_region_id"."id"']] },
      ],
      entities: [
        { name: 'order_id', column: 'order_id' },
        { name: 'line_no', column: 'line_no' },
      ],
    });
    expect(body.binding.dimensions.map(({ name }: { name: string }) => name)).toEqual([
      '状态',
      'customer_name',
      'payer_name',
      'customer_region_name',
      'customer_region_is_home',
      'payer_region_name',
      'payer_region_is_home',
    ]);
    expect(body.time.column).toBe('"orders"."ordered_at"');
    expect(body.time.alternatives.map(({ column }: { column: string }) => column)).toEqual([
      '"orders"."paid_on"',
      '"orders"."updated_at"',
      '"customers"."born"',
      '"customers_payer_id"."born"',
    ]);
    expect(body.found).toEqual([
      { name: 'amount', column: '"order_lines"."Amount"' },
      { name: '状态', column: '"orders"."状态"' },
    ]);
    expect(body.not_found).toEqual([]);

    const request = { dimensions: ['customer_region_name', 'payer_name'], time: { grain: 'month' } };
    const rows = await boundRows({ as: editor, graphId }, formula, body.binding, request);
    const byHand = await rowsOf(`
      SELECT to_char(date_trunc('month', o.ordered_at AT TIME ZONE 'UTC'), 'YYYY-MM-DD'), r.name, p.name AS payer,
        (sum(l."Amount") FILTER (WHERE o."状态" = '已支付'))::text
      FROM order_lines l JOIN orders o ON o.id = l.order_id LEFT JOIN customers c ON c.id = o.customer_id
      LEFT JOIN customers p ON p.id = o.payer_id LEFT JOIN regions r ON r.id = c.region_id GROUP BY 1, 2, 3`);
    const sorted = (list: unknown[][]) => list.map(row => JSON.stringify(row)).sort();
    expect(sorted(rows)).toEqual(sorted(byHand));
    expect(rows.length).toBeGreaterThan(10);
  });

  it('names dimensions after roles only if a table is joined in several', async () => {
    const named = async (table: string) => {
      const { body } = await suggest({ connection_id: far, table, formula: 'SUM(id WHERE is_home)' }).expect(200);
      return [
        Object.fromEntries(body.binding.dimensions.map(({ name, column }: { name: string; column: string }) => [name, column])),
        body.not_found.map(({ name }: { name: string }) => name),
      ];
    };
    expect(await named('customers')).toEqual([{ name: 'name', regions_name: '"regions"."name"', is_home: '"regions"."is_home"' }, []]);
    await foreign.run(`
      CREATE TABLE shops (id int PRIMARY KEY, shop_name text, region_id int REFERENCES regions);
      CREATE TABLE deliveries (id int PRIMARY KEY, shop_id int REFERENCES shops, "发货客户编号" int REFERENCES customers, "收货客户编号" int REFERENCES customers,
        region_id int REFERENCES regions, billing_region_id int REFERENCES regions);
      GRANT SELECT ON shops, deliveries TO reader`);
    expect(await named('deliveries')).toEqual([
      {
        shop_name: '"shops"."shop_name"',
        发货客户_name: '"customers"."name"',
        收货客户_name: '"customers_收货客户编号"."name"',
        billing_region_name: '"regions"."name"',
        billing_region_is_home: '"regions"."is_home"',
        region_name: '"regions_region_id"."name"',
        region_is_home: '"regions_region_id"."is_home"',
        shop_region_name: '"t1"."name"',
        shop_region_is_home: '"t1"."is_home"',
        发货客户_region_name: '"t2"."name"',
        发货客户_region_is_home: '"t2"."is_home"',
        收货客户_region_name: '"t3"."name"',
        收货客户_region_is_home: '"t3"."is_home"',
      },
      ['is_home'],
    ]);
  });

  it('never follows a table to itself, and joins each reference under a name of its own', async () => {
    const { body } = await suggest({ connection_id: far, table: 'orders' }).expect(200);
    expect(body.binding.joins.map(({ alias }: { alias: string }) => alias)).toEqual([
      'customers',
      'customers_payer_id',
      'regions',
      'regions_region_id',
    ]);
    expect(body.time).toMatchObject({ column: '"orders"."ordered_at"', asks_for_timezone: true });
    const inShanghai = await suggest({ connection_id: far, table: 'orders', timezone: 'Asia/Shanghai' }).expect(200);
    expect(inShanghai.body.time.asks_for_timezone).toBe(false);
    expect(inShanghai.body.binding.time.timezone).toBe('Asia/Shanghai');
    expect(await boundRows({ as: editor, graphId }, 'COUNT(*)', body.binding, { dimensions: ['状态'] })).toEqual(
      expect.arrayContaining([
        ['退款', '10'],
        ['已支付', '30'],
      ]),
    );
  });

  it('uses the columns of a mirror table, which declares no keys', async () => {
    await test.admin
      .put(
        '/api/warehouse/connections/1/tables/sales?types=' +
          encodeURIComponent('id:bigint,地区:text,Value:numeric,日期:date,新客:boolean,身份证号:text,api_token:text'),
      )
      .set('Content-Type', 'text/csv')
      .send(
        'id,地区,Value,日期,新客,身份证号,api_token\n1,华东,10.5,2024-01-31,true,x,y\n2,华东,20,2024-02-02,false,x,y\n3,,5,2024-03-01,true,x,y\n',
      )
      .expect(201);
    const { body: metric } = await editor
      .post('/api/metrics')
      .send({ graph_id: graphId, name: '金额', formula: 'SUM(value) / SUM(vlaue)' });
    const { body } = await suggest({ table: 'sales', metric_id: metric.id }).expect(200);
    expect(body).toMatchObject({
      time: { column: '"sales"."日期"', type: 'date', alternatives: [], asks_for_timezone: false },
      found: [{ name: 'value', column: '"sales"."Value"' }],
      not_found: [{ name: 'vlaue', nearest: 'Value' }],
      left_out: [{ table: 'sales', columns: ['身份证号', 'api_token'], reason: { en: expect.stringContaining('named like a password') } }],
      binding: { joins: [], grain: [], dimensions: [{ name: '地区' }, { name: '新客' }] },
    });
    expect(Object.keys(body.binding.columns)).toEqual(['id', '地区', 'Value', '日期', '新客', 'value']);
    const named = await suggest({ table: 'sales', formula: 'COUNT(DISTINCT api_token)' }).expect(200);
    expect(named.body.binding.columns).toHaveProperty('api_token');
    expect(named.body.binding.dimensions).toMatchObject([{ name: '地区' }, { name: '新客' }]);
    expect(
      await boundRows({ as: editor, graphId }, 'SUM(value)', body.binding, {
        dimensions: ['地区'],
        time: { grain: 'year' },
        order: [{ by: '地区' }],
      }),
    ).toEqual([
      ['2024-01-01', '华东', '30.5'],
      ['2024-01-01', null, '5'],
    ]);
  });

  it('joins uploads by names that the data confirms, and says why it does not join others', async () => {
    const upload = (table: string, types: string, rows: string) =>
      test.admin
        .put(`/api/warehouse/connections/1/tables/${table}?types=${encodeURIComponent(types)}`)
        .set('Content-Type', 'text/csv')
        .send(`${types.replace(/:\w+/g, '')}\n${rows}`)
        .expect(201);
    await upload('地区表', '编号:text,名称:text', 'E,华东\nW,华西');
    await upload('dim_shops', 'shop_id:bigint,city:text,地区编号:text', '1,杭州,E\n2,成都,W');
    await upload('coupons', 'id:bigint,kind:text', '7,a\n7,b');
    await upload('staff', 'id:bigint,name:text', '1,甲');
    await upload(
      'receipts',
      'id:bigint,shop_id:integer,coupon_id:bigint,staff_id:bigint,paid:numeric',
      '1,1,7,1,10\n2,1,,9,5\n3,2,,1,2.5\n4,,,1,1',
    );
    const { body } = await suggest({ table: 'receipts', formula: 'SUM(paid)' }).expect(200);
    expect(body.binding.joins).toMatchObject([
      { table: 'dim_shops', on: [['"receipts"."shop_id"', '"dim_shops"."shop_id"']] },
      { table: '地区表', on: [['"dim_shops"."地区编号"', '"地区表"."编号"']] },
    ]);
    expect(body.guessed_joins).toEqual([
      { table: 'dim_shops', alias: 'dim_shops', sampled: 2, found: 2 },
      { table: '地区表', alias: '地区表', sampled: 2, found: 2 },
    ]);
    expect(body.left_out).toMatchObject([
      { table: 'receipts', columns: ['coupon_id'], reason: { en: expect.stringContaining('more than once') } },
      { table: 'receipts', columns: ['staff_id'], reason: { en: expect.stringContaining('only 1 of 2 values') } },
    ]);
    expect(await boundRows({ as: editor, graphId }, 'SUM(paid)', body.binding, { dimensions: ['名称'], order: [{ by: '名称' }] })).toEqual([
      ['华东', '15'],
      ['华西', '2.5'],
      [null, '1'],
    ]);
  });

  itLong('keeps within the bounds of a binding, and binds as it is', async () => {
    const columns = Array.from({ length: 900 }, (_, at) => `"${'列'.repeat(19)}${at}" text`);
    await foreign.run(`CREATE TABLE wide (${columns.join(', ')}, period text, value int, last int); GRANT SELECT ON wide TO reader`);
    const { body } = await suggest({ connection_id: far, table: 'wide', formula: 'SUM(LAST)' }).expect(200);
    expect(Object.keys(body.binding.columns)).toHaveLength(150);
    expect(body.binding.columns.last).toBe('"wide"."last"');
    expect(body.binding.dimensions).toHaveLength(60);
    expect(body.left_out).toMatchObject([{ table: 'wide', reason: { en: expect.stringContaining('150 columns') } }]);
    expect(body.left_out[0].columns).toHaveLength(753);
    expect(await boundRows({ as: editor, graphId }, 'SUM(last)', body.binding, {})).toEqual([[null]]);
  });

  it('names what is wrong with a request', async () => {
    const { body: unknown } = await suggest({ connection_id: far, table: 'nowhere' }).expect(422);
    expect(unknown.detail.errors).toMatchObject([{ loc: ['body', 'table'], type: 'unknown_table' }]);
    const { body: both } = await suggest({ table: 'sales', formula: 'COUNT(*)', metric_id: 1 }).expect(422);
    expect(both.detail.errors).toMatchObject([{ loc: ['body', 'metric_id'], type: 'one_of' }]);
    expect((await suggest({ table: 'sales', timezone: 'Shanghai' }).expect(422)).body.detail.errors[0].type).toBe('unknown_timezone');
    expect((await suggest({ table: 'sales', formula: 'SUM(a' }).expect(400)).body.code).toBe('formula_parse_error');
    expect((await suggest({ table: 'sales', formula: 'SUM(pg_sleep(1))' }).expect(400)).body.code).toBe('unsafe_filter_clause');
    await suggest({ table: 'sales', metric_id: 999_999 }).expect(404);
    const stranger = await test.asUser('guo');
    await stranger.post('/api/metrics/bindings/suggest').send({ connection_id: far, table: 'orders' }).expect(403);
    const { body: metric } = await editor.post('/api/metrics').send({ graph_id: graphId, name: '私有', formula: 'COUNT(*)' }).expect(201);
    await grantConnection(test, 'guo');
    await stranger.post('/api/metrics/bindings/suggest').send({ table: 'sales', metric_id: metric.id }).expect(403);
  });
});
