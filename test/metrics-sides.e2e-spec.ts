import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';

let test: TestApp;
let graphId: number;
let editor: Client;

const tables: Record<string, [csv: string, types: string]> = {
  wh_products: ['product_id,stock\n1,100\n2,110\n', 'product_id:int,stock:int'],
  wh_sales: [
    'sale_id,product_id,region,qty\n1,1,north,3\n2,1,north,2\n3,2,north,2\n4,2,south,8\n',
    'sale_id:int,product_id:int,region:text,qty:int',
  ],
  days: ['day,day_name\n2024-05-06,Mon\n2024-05-07,Tue\n2024-05-08,Wed\n', 'day:date,day_name:text'],
  fact: ['day,n,named\n2024-05-06,100,Mon\n2024-05-07,120,Tue\n2024-05-08,90,Wed\n,7,\n', 'day:date,n:int,named:text'],
  cmp: [
    'day,category,amount\n2023-05-01,Tea,100\n2023-06-01,Coffee,80\n2024-05-02,Tea,130\n2024-07-01,Juice,50\n',
    'day:date,category:text,amount:int',
  ],
};

beforeAll(async () => {
  test = await startTestApp();
  editor = await test.asUser('lin');
  await grantConnection(test, 'lin');
  graphId = (await editor.post('/api/graphs').send({ name: '仓库' }).expect(201)).body.id;
  for (const [name, [csv, types]] of Object.entries(tables)) await upload(name, csv, types);
});
afterAll(() => test?.close());

async function upload(table: string, csv: string, types: string): Promise<void> {
  const { status, text } = await test.admin
    .put(`/api/warehouse/connections/1/tables/${table}?types=${encodeURIComponent(types)}`)
    .set('Content-Type', 'text/csv')
    .send(csv);
  if (status >= 300) throw new Error(`${table}: ${status} ${text}`);
}

const create = async (formula: string, binding?: object) =>
  (
    await editor
      .post('/api/metrics')
      .send({ graph_id: graphId, name: `m${Math.random()}`, formula, binding })
      .expect(201)
  ).body;
const execute = (id: number, request: object = {}) => editor.post(`/api/metrics/${id}/execute`).send(request);
const byRegion = { dimensions: ['region'], totals: true };

describe('a column of a joined table', () => {
  const sold = (relationship: string, more: object = {}) => ({
    relation: { table: 'wh_sales' },
    grain: ['sale_id'],
    joins: [{ table: 'wh_products', relationship, on: [['wh_sales.product_id', 'wh_products.product_id']] }],
    columns: { stock: 'wh_products.stock', qty: 'wh_sales.qty', product: 'wh_products.product_id' },
    dimensions: [{ name: 'region', column: 'wh_sales.region' }],
    ...more,
  });
  const valuesOf = async (formula: string, binding: object) => {
    const { body } = await execute((await create(formula, binding)).id, byRegion).expect(200);
    expect(body.warnings).toEqual([]);
    return [...body.rows.flat(), body.totals.value].map(String);
  };

  it('is not summed once for each fact row: the metric says so when it is saved and when it runs', async () => {
    const saved = await create('SUM(stock)', sold('many_to_one'));
    expect(saved.warnings).toMatchObject([{ code: 'fan_out_measure' }]);
    const { body } = await execute(saved.id, byRegion).expect(422);
    expect(body).toMatchObject({ code: 'fan_out_measure', context: { columns: ['stock'] } });
    expect(body.detail).toMatch(/bind the metric to that table, or use MIN, MAX or COUNT\(DISTINCT …\)/);
    const { body: several } = await editor
      .post('/api/metrics/query')
      .send({ graph_id: graphId, metrics: [saved.id], ...byRegion })
      .expect(422);
    expect(several.code).toBe('fan_out_measure');
  });

  it('is computed where a row more changes nothing, or where fact rows weigh it', async () => {
    expect(await valuesOf('MAX(stock)', sold('many_to_one'))).toEqual(['north', '110', 'south', '110', '110']);
    expect(await valuesOf('COUNT(DISTINCT product)', sold('many_to_one'))).toEqual(['north', '2', 'south', '1', '2']);
    expect(await valuesOf('SUM(stock * qty)', sold('many_to_one'))).toEqual(['north', '720', 'south', '880', '1600']);
  });

  it('is summed by row if the binding declares it additive', async () => {
    const additive = sold('many_to_one', { additivity: 'additive' });
    expect(await valuesOf('SUM(stock)', additive)).toEqual(['north', '310', 'south', '110', '420']);
  });

  it('is summed over a one-to-one join only while both keys are unique', async () => {
    const { id } = await create('SUM(stock)', sold('one_to_one'));
    const { body } = await execute(id, byRegion).expect(422);
    expect(body).toMatchObject({ code: 'fan_out_join', context: { join: 'wh_sales' } });
    expect(body.detail).toContain('it is declared one_to_one');
    await upload('wh_sales', 'sale_id,product_id,region,qty\n1,1,north,3\n4,2,south,8\n', tables.wh_sales![1]);
    expect((await execute(id, byRegion).expect(200)).body.rows).toEqual([
      ['north', '100'],
      ['south', '110'],
    ]);
    await upload('wh_sales', ...tables.wh_sales!);
    await execute(id, byRegion).expect(422);
    const { id: filtered } = await create('SUM(stock)', sold('one_to_one', { row_filter: 'sale_id NOT IN (2, 3)' }));
    expect((await execute(filtered, byRegion).expect(200)).body.totals).toEqual({ value: '210' });
  });
});

describe('a dimension beside a comparison', () => {
  const dated = (dimension: string) => ({
    relation: { table: 'fact' },
    time: { column: 'fact.day' },
    joins: [{ table: 'days', on: [['fact.day', 'days.day']] }],
    columns: { n: 'fact.n' },
    dimensions: [{ name: 'day_name', column: dimension }],
    row_filter: 'fact.day IS NOT NULL',
  });
  const week = { from: '2024-05-06', to: '2024-05-09', grain: 'day' };
  const warningsOf = async (formula: string, binding: object, request: object) => {
    const { body } = await execute((await create(formula, binding)).id, request).expect(200);
    return body.warnings.map(({ code }: { code: string }) => code);
  };

  it.each(['days.day_name', "to_char(fact.day, 'D')", 'fact.named'])('warns that %s changes with the day', async dimension => {
    const request = { dimensions: ['day_name'], time: week };
    const compare = { offset: '1 day' };
    expect(await warningsOf('SUM(n)', dated(dimension), { ...request, compare })).toEqual(['DIMENSION_CHANGES']);
    expect(await warningsOf('SUM(n)', dated(dimension), { ...request, compare, time: { ...week, fill: 'zero' } })).toEqual([
      'DIMENSION_CHANGES',
    ]);
    expect(await warningsOf('DOD(SUM(n))', dated(dimension), request)).toEqual(['DIMENSION_CHANGES']);
    expect(await warningsOf('POP(SUM(n), DIFF)', dated(dimension), request)).toEqual(['DIMENSION_CHANGES']);
  });

  it('warns for a range without a grain, and for the earlier values alone', async () => {
    const calendar = dated('days.day_name');
    const tuesday = { dimensions: ['day_name'], time: { from: '2024-05-07', to: '2024-05-08' } };
    expect(await warningsOf('SUM(n)', calendar, { ...tuesday, compare: { offset: '1 day' } })).toEqual(['DIMENSION_CHANGES']);
    expect(await warningsOf('DOD(SUM(n), VALUE)', calendar, { dimensions: ['day_name'], time: week })).toEqual(['DIMENSION_CHANGES']);
    expect(await warningsOf('WOW(SUM(n), VALUE)', calendar, { dimensions: ['day_name'], time: week })).toEqual([]);
  });

  it('does not warn where the values are the same in both periods, new or gone', async () => {
    const request = { dimensions: ['day_name'], time: { from: '2024-05-06', to: '2024-05-20', grain: 'day' } };
    expect(await warningsOf('SUM(n)', dated('days.day_name'), { ...request, compare: { offset: '7 day' } })).toEqual([]);
    const sold = {
      relation: { table: 'cmp' },
      time: { column: 'cmp.day' },
      dimensions: [
        { name: 'category', column: 'cmp.category' },
        { name: 'year', column: 'extract(year FROM cmp.day)' },
      ],
    };
    const years = { time: { from: '2024-01-01', to: '2025-01-01', grain: 'year' }, compare: { offset: '1 year' } };
    expect(await warningsOf('SUM(amount)', sold, { dimensions: ['category'], ...years })).toEqual([]);
    expect(await warningsOf('SUM(amount)', sold, { dimensions: ['category', 'year'], ...years })).toEqual(['DIMENSION_CHANGES']);
    const juice = { filters: [{ field: 'category', op: 'in', values: ['Coffee', 'Juice'] }] };
    expect(await warningsOf('SUM(amount)', sold, { dimensions: ['category'], ...years, ...juice })).toEqual([]);
    const chosen = { ...sold, time: { column: "CASE WHEN cmp.category = 'Tea' THEN cmp.day ELSE cmp.day + 1 END" } };
    expect(await warningsOf('SUM(amount)', chosen, { dimensions: ['category'], ...years, ...juice })).toEqual(['FILTERED_WINDOW']);
  });
});

describe('rows without a time', () => {
  const counted = { relation: { table: 'fact' }, time: { column: 'day' } };
  const may = { from: '2024-05-01', to: '2024-06-01' };
  const untimed = { code: 'ROWS_WITHOUT_TIME', message: expect.stringContaining('1 row has no time') };

  it('are counted in a warning where a range or a window leaves them out, until the data change', async () => {
    const { id } = await create('SUM(n)', counted);
    expect((await execute(id, { time: may }).expect(200)).body).toMatchObject({ rows: [['310']], warnings: [untimed] });
    // A kept result has the same warning.
    expect((await execute(id, { time: may }).expect(200)).body).toMatchObject({ cache: { hit: true }, warnings: [untimed] });
    expect((await execute(id, { time: may, totals: true }).expect(200)).body).toMatchObject({
      totals: { value: '310' },
      warnings: [untimed],
    });
    expect((await execute(id).expect(200)).body).toMatchObject({ rows: [['317']], warnings: [] });
    const { id: running } = await create('CUMULATIVE(SUM(n))', counted);
    expect((await execute(running, { time: { grain: 'month' } }).expect(200)).body.warnings).toEqual([untimed]);
    // Without a range, the metric itself shows the row under the period null, so there is no warning.
    for (const [formula, compare] of [
      ['SUM(n)', { offset: '1 month' }],
      ['POP(SUM(n))', undefined],
      ['CUMULATIVE(SUM(n)) / SUM(n)', undefined],
    ] as const) {
      const { body } = await execute((await create(formula, counted)).id, { compare, time: { grain: 'month' } }).expect(200);
      expect(body.rows.at(-1)[0]).toBeNull();
      expect(body.warnings.map(({ code }: { code: string }) => code)).not.toContain('ROWS_WITHOUT_TIME');
    }
    await upload('fact', tables.fact![0].replace(',7,\n', ''), tables.fact![1]);
    expect((await execute(id, { time: may }).expect(200)).body).toMatchObject({ rows: [['310']], warnings: [] });
    await upload('fact', ...tables.fact!);
  });

  it('do not fail a request whose filter takes out the row that cannot be counted', async () => {
    await upload('texts', 'n,day\n1,2024-05-06\n-1,never\n', 'n:int,day:text');
    const { id } = await create('SUM(n)', { relation: { table: 'texts' }, time: { column: "(day || '')::date" } });
    const request = { time: may, filters: [{ field: 'n', op: '>', value: 0 }] };
    for (const more of [{}, { totals: true }])
      expect((await execute(id, { ...request, ...more }).expect(200)).body).toMatchObject({ rows: [['1']], warnings: [] });
  });

  it('are counted as the binding joins and filters them', async () => {
    const named = {
      relation: { table: 'fact' },
      joins: [{ table: 'days', on: [['fact.named', 'days.day_name']] }],
      time: { column: 'days.day' },
    };
    const { id } = await create('SUM(fact.n)', named);
    expect((await execute(id, { time: may }).expect(200)).body.warnings).toEqual([untimed]);
    const { id: filtered } = await create('SUM(fact.n)', { ...named, row_filter: 'fact.named IS NOT NULL' });
    expect((await execute(filtered, { time: may }).expect(200)).body.warnings).toEqual([]);
  });
});

describe('a rolling window of months', () => {
  it('covers whole months at grain month, and follows the day at grain day', async () => {
    const rows = ['2024-01-29,1', '2024-01-30,2', '2024-01-31,4', '2024-02-01,8', '2024-02-29,16', '2024-03-31,32', '2024-04-30,64'];
    await upload('ends', `day,n\n${rows.join('\n')}\n`, 'day:date,n:int');
    const binding = { relation: { table: 'ends' }, time: { column: 'day' } };
    const rolling = async (formula: string, time: object) => {
      const { body } = await execute((await create(formula, binding)).id, { time, totals: true }).expect(200);
      return [...body.rows.map((row: string[]) => row.join(' ')), body.totals.value];
    };
    const spring = { from: '2024-02-01', to: '2024-05-01', grain: 'month' };
    expect(await rolling('ROLLING(SUM(n), 1 MONTH)', spring)).toEqual(['2024-02-01 24', '2024-03-01 32', '2024-04-01 64', '64']);
    expect(await rolling('ROLLING(SUM(n), 1 QUARTER)', spring)).toEqual(['2024-02-01 31', '2024-03-01 63', '2024-04-01 120', '120']);
    expect(await rolling('ROLLING(MEDIAN(n), 1 MONTH)', { ...spring, to: '2024-03-01' })).toEqual(['2024-02-01 12', '12']);
    expect(await rolling('ROLLING(SUM(n), 1 MONTH)', { from: '2024-02-01', to: '2024-03-01' })).toEqual(['24', '24']);
    // At grain day the window of a month begins after the same day of the month before (section A.7 of the specification of metrics).
    expect(await rolling('ROLLING(SUM(n), 1 MONTH)', { from: '2024-02-29', to: '2024-03-01', grain: 'day' })).toEqual([
      '2024-02-29 30',
      '30',
    ]);
  });
});
