import { type Client, startTestApp, type TestApp } from './support/app.js';
import { ingest, upload } from './support/ingestion.js';
import { createTradingGraph, type TradingGraph } from './support/trading-graph.js';
import { everyNth } from './support/tier.js';

/** Each order line with its amount, region and day. */
const sales = `(SELECT l.unit_price * l.quantity * (1 - l.discount) AS amount, r.region_name AS region, o.order_date AS day
  FROM mirror.order_lines l JOIN mirror.orders o USING (order_id) JOIN mirror.customers c USING (customer_id) JOIN mirror.regions r USING (region_id)) AS s`;
const in2025 = `day >= '2025-01-01' AND day < '2026-01-01'`;

describe('a question about a metric', () => {
  let test: TestApp;
  let graph: TradingGraph;
  let owner: Client;
  beforeAll(async () => {
    test = await startTestApp();
    owner = await test.asUser('asker');
    graph = await createTradingGraph(test, owner);
  });
  afterAll(() => test.close());

  const rowsOf = async (question: string) => {
    const { body } = await owner
      .post(`/api/graphs/${graph.id}/query`)
      .send({ question, include: ['plan'] })
      .expect(200);
    expect(body.plan.kind).toBe('metric');
    return body.rows.map((row: unknown[]) => row.map(value => (Number.isNaN(Number(value)) ? value : Number(Number(value).toFixed(6)))));
  };

  it.each(
    everyNth(
      [
        [
          '2025年销售额超过600的地区有哪些',
          `SELECT region, sum(amount) FROM ${sales} WHERE ${in2025} GROUP BY 1 HAVING sum(amount) > 600 ORDER BY 2 DESC`,
        ],
        [
          'regions with revenue between 90 and 700 in 2025',
          `SELECT region, sum(amount) FROM ${sales} WHERE ${in2025} GROUP BY 1 HAVING sum(amount) BETWEEN 90 AND 700 ORDER BY 2 DESC`,
        ],
        ['2025年华东占销售额的比例', `SELECT sum(amount) FILTER (WHERE region = '华东') / sum(amount) FROM ${sales} WHERE ${in2025}`],
        [
          'share of revenue by region in 2025',
          `SELECT region, sum(amount) / sum(sum(amount)) OVER () FROM ${sales} WHERE ${in2025} GROUP BY 1 ORDER BY 2 DESC`,
        ],
        [
          '2025年华东和华北哪个地区的销售额高',
          `SELECT region, sum(amount) FROM ${sales} WHERE ${in2025} AND region <> '华南' GROUP BY 1 ORDER BY 2 DESC LIMIT 1`,
        ],
        [
          '华东的客户在2025年第一季度的销售额',
          `SELECT sum(amount) FROM ${sales} WHERE region = '华东' AND day >= '2025-01-01' AND day < '2025-04-01'`,
        ],
        [
          'How much did revenue grow in 2025 compared with 2024?',
          `SELECT a, b, a - b, a / b - 1 FROM (SELECT sum(amount) FILTER (WHERE ${in2025}) AS a, sum(amount) FILTER (WHERE day < '2025-01-01') AS b FROM ${sales}) AS t`,
        ],
      ],
      3,
    ),
  )('%s', async (question, sql) => {
    const { rows } = await test.pool.query<unknown[]>({ text: sql, rowMode: 'array' });
    expect(await rowsOf(question)).toEqual(
      rows.map(row => row.map(value => (Number.isNaN(Number(value)) ? value : Number(Number(value).toFixed(6))))),
    );
  });

  it('shows what is tied with the last of the first', async () => {
    await test.pool.query(`UPDATE mirror.order_lines SET unit_price = 671.5, quantity = 1 WHERE order_id = 9007199254740993`);
    expect(await rowsOf('2025年销售额最高的2个地区')).toEqual([
      ['华北', 990],
      ['华东', 671.5],
      ['华南', 671.5],
    ]);
  });
});

describe('a metric named like a label', () => {
  let test: TestApp;
  let graphId: number;
  beforeAll(async () => {
    test = await startTestApp();
    await upload(test, 'drivers', 'id,name\n1,Ann\n2,Ben\n3,Cem\n');
    await upload(
      test,
      'trips',
      'id,driver_id,city,fare\n1,1,Oslo,10\n2,1,Rome,20\n3,2,Rome,30\n',
      'id:int,driver_id:text,city:text,fare:int',
    );
    const mapping = `version: 1
nodes:
  - {id: d, label: Driver, aliases: [司机], table: drivers, key: [id], display: name, columns: [{column: id, property: id}, {column: name, property: name}]}
  - {id: t, label: Trip, aliases: [行程], table: trips, key: [id], columns: [{column: id, property: id, type: int}, {column: fare, property: fare, type: int}]}
edges:
  - {type: drove, table: trips, from: {node: d, match: {driver_id: id}}, to: {node: t, match: {id: id}}}`;
    ({ graphId } = await ingest(test, mapping));
    for (const [name, alias, formula] of [
      ['trips', '行程', 'COUNT(*)'],
      ['takings', '车费收入', 'SUM(fare)'],
    ])
      await test.admin
        .post('/api/metrics')
        .send({
          graph_id: graphId,
          name,
          aliases: [alias],
          formula,
          binding: { relation: { table: 'trips' }, grain: ['id'], dimensions: [{ name: 'city', aliases: ['城市'], column: 'city' }] },
        })
        .expect(201);
  });
  afterAll(() => test.close());

  const perDriver = [
    ['Ann', 2],
    ['Ben', 1],
    ['Cem', 0],
  ];
  const perCity = [
    ['Rome', '2'],
    ['Oslo', '1'],
  ];
  it.each([
    // The metric has no dimension of drivers, and the graph has trips.
    ['Number of trips per driver', 'cypher', perDriver],
    ['每个司机的行程数', 'cypher', perDriver],
    ['Number of trips per city', 'metric', perCity],
    ['每个城市的行程数', 'metric', perCity],
    // A growth is asked of metrics only, and takings are not in the graph.
    ['Growth of trips per driver', 'search', []],
    ['各司机的行程环比', 'search', []],
    ['Takings of Ann', 'search', []],
    ['Ann的车费收入', 'search', []],
  ])('%s is planned as %s', async (question, kind, expected) => {
    const { body } = await test.admin
      .post(`/api/graphs/${graphId}/query`)
      .send({ question, include: ['plan'] })
      .expect(200);
    expect([body.plan.kind, body.rows.map(([first, value]: any[]) => [first.display ?? first, value])]).toEqual([kind, expected]);
  });
});
