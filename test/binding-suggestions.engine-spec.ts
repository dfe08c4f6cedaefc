import { type Client, startTestApp, type TestApp } from './support/app.js';
import { boundRows } from './support/bound-rows.js';
import { connectTo } from './support/mirror-copies.js';
import { describeOnEngines, type ForeignEngine, startEngines } from './support/translations.js';

/** The tables of a trading company, with the types of each database. MariaDB and DuckDB declare keys; ClickHouse cannot. */
const tables: Record<ForeignEngine['dialect'], Record<string, string>> = {
  mysql: {
    regions: 'id int PRIMARY KEY, name varchar(20), is_home int',
    customers: 'id bigint PRIMARY KEY, name text, region_id int REFERENCES regions (id)',
    orders: `id int PRIMARY KEY, customer_id bigint NOT NULL REFERENCES customers (id), status enum('paid', 'returned'),
      note blob, ordered_at timestamp NOT NULL`,
    order_lines: 'order_id int REFERENCES orders (id), line_no int, amount decimal(12,2), uid uuid, PRIMARY KEY (order_id, line_no)',
    shops: 'shop_id varchar(4), city text',
    coupons: 'id int, kind text',
    receipts: 'id int, shop_id varchar(4), coupon_id int, staff_id int, paid double',
    staff: 'id int, name text',
  },
  duckdb: {
    regions: 'id int PRIMARY KEY, name text, is_home int',
    customers: 'id bigint PRIMARY KEY, name text, region_id int REFERENCES regions (id)',
    orders: `id int PRIMARY KEY, customer_id bigint NOT NULL REFERENCES customers (id), status text, note json, ordered_at timestamptz NOT NULL`,
    order_lines: 'order_id int REFERENCES orders (id), line_no int, amount decimal(12,2), uid uuid, PRIMARY KEY (order_id, line_no)',
    shops: 'shop_id text, city text',
    coupons: 'id int, kind text',
    receipts: 'id int, shop_id text, coupon_id int, staff_id int, paid double',
    staff: 'id int, name text',
  },
  clickhouse: {
    regions: 'id Int32, name LowCardinality(String), is_home Int32',
    customers: 'id Int64, name String, region_id Nullable(Int32)',
    orders: `id Int32, customer_id Int64, status Enum8('paid' = 1, 'returned' = 2), note Map(String, String), ordered_at DateTime('UTC')`,
    order_lines: 'order_id Int32, line_no Int32, amount Nullable(Decimal(12,2)), uid Nullable(UUID)',
    shops: 'shop_id String, city String',
    coupons: 'id Int32, kind String',
    receipts: 'id Int32, shop_id Nullable(String), coupon_id Nullable(Int32), staff_id Nullable(Int32), paid Float64',
    staff: 'id Int32, name String',
  },
};

const regions = [[1, 'east', 1], [2, 'west', 0]] as const; // prettier-ignore
const customers = [[1, '甲', 1], [2, '乙', 2], [3, '丙', null]] as const; // prettier-ignore
/** Because of the time zone, some orders fall on the next day or month in Shanghai, but not in UTC. */
const orders = Array.from({ length: 40 }, (_, at) => ({
  id: at + 1,
  customer: customers[at % 3]!,
  status: at % 4 === 0 ? 'returned' : 'paid',
  orderedAt: Date.UTC(2024, 0, 1, 17) + at * 5 * 86_400_000,
}));
const lines = orders.flatMap(({ id }) => [1, 2, 3].map(line => ({ order: id, line, cents: id * line * 100 + 25 })));

const rows: Record<string, (string | number | null)[][]> = {
  regions: regions.map(row => [...row]),
  customers: customers.map(row => [...row]),
  orders: orders.map(({ id, customer, status, orderedAt }) => [
    id,
    customer[0],
    status,
    null,
    new Date(orderedAt).toISOString().slice(0, 19).replace('T', ' '),
  ]),
  order_lines: lines.map(({ order, line, cents }) => [order, line, cents / 100, null]),
  shops: [['E', '杭州'], ['W', '成都']], // prettier-ignore
  coupons: [[7, 'a'], [7, 'b']], // prettier-ignore
  staff: [[1, '甲']], // prettier-ignore
  receipts: [[1, 'E', 7, 1, 10.5], [2, 'E', null, 9, 5], [3, 'W', null, 1, 2.25], [4, null, null, 1, 1]], // prettier-ignore
};

describeOnEngines('a draft of a binding on another database', () => {
  let app: TestApp;
  let lin: Client;
  let graph: number;
  let engines: ForeignEngine[] = [];
  const connections = {} as Record<ForeignEngine['dialect'], number>;

  beforeAll(async () => {
    engines = await startEngines();
    app = await startTestApp({ WORKER: 'off', DUCKDB_DIR: engines[0]!.directory! });
    lin = await app.asUser('lin');
    graph = (await lin.post('/api/graphs').send({ name: '多引擎' }).expect(201)).body.id;
    for (const { dialect, dsn, run } of engines) {
      const zone = { duckdb: [`SET timezone = 'UTC'`], mysql: [`SET time_zone = '+00:00'`], clickhouse: [] }[dialect];
      const create = Object.entries(tables[dialect]).map(
        ([name, columns]) => `CREATE TABLE ${name} (${columns})${dialect === 'clickhouse' ? ' ENGINE = MergeTree ORDER BY tuple()' : ''}`,
      );
      const literal = (value: string | number | null): string =>
        value === null ? (dialect === 'clickhouse' ? 'DEFAULT' : 'NULL') : typeof value === 'number' ? String(value) : `'${value}'`;
      const fill = Object.entries(rows).map(
        ([name, list]) => `INSERT INTO ${name} VALUES ${list.map(row => `(${row.map(literal).join(', ')})`).join(', ')}`,
      );
      await run(...zone, ...create, ...fill);
      connections[dialect] = await connectTo(app, dialect, dsn);
      await app.admin
        .post(`/api/permissions/connections/${connections[dialect]}/users`)
        .send({ username: 'lin', right: 'read' })
        .expect(201);
    }
  });
  afterAll(async () => {
    await app?.close();
    for (const engine of engines) await engine.close();
  });

  const suggestAt = (dialect: ForeignEngine['dialect'], request: object) =>
    lin.post('/api/metrics/bindings/suggest').send({ connection_id: connections[dialect], ...request });

  it('leaves out columns and tables whose names are longer than PostgreSQL reads them', async () => {
    const [column, table] = ['列'.repeat(22), '表'.repeat(22)];
    await engines[1]!.run(`CREATE TABLE wide (n int, ${column} text)`, `CREATE TABLE ${table} (n int)`);
    const { body } = await suggestAt('mysql', { table: 'wide' }).expect(200);
    expect(body.left_out).toMatchObject([{ table: 'wide', columns: [column] }]);
    expect(await boundRows({ as: lin, graphId: graph }, 'SUM(n)', body.binding, {})).toEqual([[null]]);
    const long = [{ loc: ['body', 'table'], type: 'name_form' }];
    expect((await suggestAt('mysql', { table }).expect(422)).body.detail.errors).toMatchObject(long);
    const binding = { ...body.binding, relation: { table } };
    const refused = await lin.post('/api/metrics').send({ graph_id: graph, name: '长', formula: 'COUNT(*)', binding }).expect(422);
    expect(refused.body.detail.errors).toMatchObject([{ type: 'name_form' }]);
  });

  describe.each(['mysql', 'duckdb', 'clickhouse'] as const)('%s', dialect => {
    it('follows keys, names what it cannot bind, and gives the numbers of a count by hand', async () => {
      const formula = `SUM(amount WHERE status = 'paid')`;
      const { body } = await suggestAt(dialect, { table: 'order_lines', formula, timezone: 'Asia/Shanghai' }).expect(200);
      const declares = dialect !== 'clickhouse';
      expect(body.binding).toMatchObject({
        grain: declares ? ['"order_lines"."order_id"', '"order_lines"."line_no"'] : [],
        time: { column: '"orders"."ordered_at"', timezone: 'Asia/Shanghai' },
        joins: [
          { table: 'orders', on: [['"order_lines"."order_id"', '"orders"."id"']] },
          { table: 'customers', on: [['"orders"."customer_id"', '"customers"."id"']] },
          { table: 'regions', on: [['"customers"."region_id"', '"regions"."id"']] },
        ],
        dimensions: [{ name: 'status' }, { name: 'name' }, { name: 'regions_name' }],
      });
      expect(body.guessed_joins.map(({ table }: { table: string }) => table)).toEqual(declares ? [] : ['orders', 'customers', 'regions']);
      expect(body.found).toEqual([
        { name: 'amount', column: '"order_lines"."amount"' },
        { name: 'status', column: '"orders"."status"' },
      ]);
      expect(body.left_out).toMatchObject([
        { table: 'order_lines', columns: ['uid'], reason: { en: expect.stringContaining('cannot read its type') } },
        { table: 'orders', columns: ['note'] },
      ]);

      const sums = new Map<string, number>();
      for (const { order, cents } of lines) {
        const { status, customer, orderedAt } = orders[order - 1]!;
        const month = new Date(orderedAt + 8 * 3_600_000).toISOString().slice(0, 7);
        const key = JSON.stringify([`${month}-01`, regions.find(([id]) => id === customer[2])?.[1] ?? null]);
        sums.set(key, (sums.get(key) ?? 0) + (status === 'paid' ? cents : 0));
      }
      const request = { dimensions: ['regions_name'], time: { grain: 'month' } };
      const found = await boundRows({ as: lin, graphId: graph }, formula, body.binding, request);
      expect(found.map(([period, region, value]) => `${JSON.stringify([period, region])} ${Number(value) * 100}`).sort()).toEqual(
        [...sums].map(([key, cents]) => `${key} ${cents}`).sort(),
      );
      expect(found.length).toBeGreaterThan(10);
    });

    it('joins what names propose and the data confirms, and says why it does not join others', async () => {
      const { body } = await suggestAt(dialect, { table: 'receipts', formula: 'SUM(paid)' }).expect(200);
      expect(body.guessed_joins).toEqual([{ table: 'shops', alias: 'shops', sampled: 2, found: 2 }]);
      expect(body.left_out).toMatchObject([
        { table: 'receipts', columns: ['coupon_id'], reason: { en: expect.stringContaining('more than once') } },
        { table: 'receipts', columns: ['staff_id'], reason: { en: expect.stringContaining('only 1 of 2 values') } },
      ]);
      const byCity = await boundRows({ as: lin, graphId: graph }, 'SUM(paid)', body.binding, {
        dimensions: ['city'],
        order: [{ by: 'city' }],
      });
      expect(byCity.map(([city, paid]) => [city, Number(paid)])).toEqual([
        ['成都', 2.25],
        ['杭州', 15.5],
        [null, 1],
      ]);
    });
  });
});
