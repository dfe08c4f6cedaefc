import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { connectTo } from './support/mirror-copies.js';
import { describeOnEngines, type ForeignEngine, startEngines } from './support/translations.js';

const dialects = ['duckdb', 'mysql', 'clickhouse'] as const;
type Place = 'mirror' | (typeof dialects)[number];

let test: TestApp;
let editor: Client;
let graphId: number;
let engines: ForeignEngine[] = [];
const connections: Partial<Record<Place, number>> = {};

/** Texts that collations take for equal, times around midnight in Shanghai and around a change of the clock in New York. */
const products = ['tea', 'Tea', 'tea ', 'té', '茶', "o'clock", 'a%b', null];
const sold = Array.from({ length: 64 }, (_, index) => ({
  id: index + 1,
  at: new Date(Date.UTC(2023, 10, 1, 15 + (index % 3), 59) + index * 4.3 * 86_400_000).toISOString().slice(0, 19).replace('T', ' '),
  day: index % 9 === 0 ? null : new Date(Date.UTC(2023, 11, 20) + index * 3 * 86_400_000).toISOString().slice(0, 10),
  amount: index % 11 === 0 ? null : (((index * 7919) % 10_007) - 2_000) / 100,
  quantity: index % 13 === 0 ? null : (index * 31) % 17,
  ratio: [0.1, 0.2, 1.1, 2.675][index % 4]!,
  product: products[index % 8]!,
  buyer: (index * 5) % 9,
}));
const buyers = Array.from({ length: 8 }, (_, id) => ({ id, region: ['east', 'west', null][id % 3]!, level: id % 4 }));

const types: Record<Place, { sold: string; buyers: string }> = {
  mirror: {
    sold: 'id int, "at" timestamptz, day date, amount numeric(12,2), quantity int, ratio float8, product text, buyer int',
    buyers: 'id int, region text, level int',
  },
  duckdb: {
    sold: 'id int, "at" timestamptz, day date, amount decimal(12,2), quantity int, ratio double, product text, buyer int',
    buyers: 'id int, region text, level int',
  },
  mysql: {
    sold: '`id` int, `at` timestamp NULL, day date, amount decimal(12,2), quantity int, ratio double, product text, buyer int',
    buyers: 'id int, region text, level int',
  },
  clickhouse: {
    sold: `id Int32, at DateTime('UTC'), day Nullable(Date), amount Nullable(Decimal(12,2)), quantity Nullable(Int32), ratio Float64,
      product Nullable(String), buyer Int32`,
    buyers: 'id Int32, region Nullable(String), level Int32',
  },
};

/** Takes minutes. */
const slow = 'CREATE VIEW slow AS SELECT a.range AS id FROM range(1000000000) a, range(1000) b WHERE a.range % 7 = b.range';

/** So many names that a list of them is longer than is handed over. */
const many: Record<(typeof dialects)[number], string[]> = {
  duckdb: [`CREATE TABLE many AS SELECT CAST(range AS int) AS id, '客户的\\名称' || range AS name FROM range(1, 45001)`],
  mysql: [
    'CREATE TABLE many (id int, name varchar(60) CHARACTER SET utf8mb4)',
    `INSERT INTO many SELECT seq, CONCAT('客户的\\\\名称', seq) FROM seq_1_to_45000`,
  ],
  clickhouse: [
    'CREATE TABLE many (id Int32, name String) ENGINE = MergeTree ORDER BY id',
    `INSERT INTO many SELECT number + 1, concat('客户的\\\\名称', toString(number + 1)) FROM numbers(45000)`,
  ],
};

const edges: Record<(typeof dialects)[number], string> = {
  duckdb: `CREATE TABLE edges AS SELECT * FROM (VALUES (CAST('-9223372036854775808' AS bigint)), (9223372036854775807), (5)) AS t (big)`,
  mysql: 'CREATE TABLE edges AS SELECT CAST(-9223372036854775808 AS int) AS big UNION ALL SELECT 9223372036854775807 UNION ALL SELECT 5',
  clickhouse: 'CREATE TABLE edges ENGINE = Memory AS SELECT arrayJoin([toInt64(-9223372036854775808), 9223372036854775807, 5]) AS big',
};

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : JSON.stringify(value);
}

function insert(table: string, rows: object[]): string {
  return `INSERT INTO ${table} VALUES ${rows.map(row => `(${Object.values(row).map(literal).join(', ')})`).join(', ')}`;
}

describeOnEngines('Metrics on other databases', () => {
  beforeAll(async () => {
    engines = await startEngines();
    test = await startTestApp({ DUCKDB_DIR: engines[0]!.directory! });
    editor = await test.asUser('lin');
    await grantConnection(test, 'lin');
    connections.mirror = 1;
    await test.pool.query(`CREATE TABLE mirror.sold (${types.mirror.sold}); CREATE TABLE mirror.buyers (${types.mirror.buyers})`);
    await test.pool.query(`SET timezone = 'UTC'; ${insert('mirror.sold', sold)}; ${insert('mirror.buyers', buyers)}`);
    for (const { dialect, dsn, run } of engines) {
      const engine = dialect === 'clickhouse' ? ' ENGINE = MergeTree ORDER BY id' : '';
      const zone = dialect === 'duckdb' ? [`SET timezone = 'UTC'`] : dialect === 'mysql' ? [`SET time_zone = '+00:00'`] : [];
      await run(
        ...zone,
        `CREATE TABLE sold (${types[dialect].sold})${engine}`,
        `CREATE TABLE buyers (${types[dialect].buyers})${engine}`,
        insert('sold', sold),
        insert('buyers', buyers),
        ...many[dialect],
        edges[dialect],
        ...(dialect === 'duckdb' ? [slow] : []),
      );
      const id = await connectTo(test, dialect, dsn);
      connections[dialect] = id;
      await test.admin.post(`/api/permissions/connections/${id}/users`).send({ username: 'lin', right: 'read' }).expect(201);
    }
    graphId = (await editor.post('/api/graphs').send({ name: '多引擎' }).expect(201)).body.id;
  });
  afterAll(async () => {
    await test?.close();
    for (const engine of engines) await engine.close();
  });

  const bindingAt = (place: Place, more: object = {}) => ({
    connection_id: connections[place],
    relation: { table: 'sold' },
    alias: 's',
    time: { column: 's.at', timezone: 'Asia/Shanghai' },
    joins: [{ alias: 'b', table: 'buyers', on: [['s.buyer', 'b.id']] }],
    columns: {
      amount: 's.amount',
      quantity: 's.quantity',
      ratio: 's.ratio',
      product: 's.product',
      day: 's.day',
      buyer: 's.buyer',
      level: 'b.level',
    },
    dimensions: [
      { name: '地区', column: 'b.region' },
      { name: '级', column: 'b.level' },
      { name: '产品', column: 's.product' },
      { name: '日', column: 's.day' },
      { name: '星期', column: 'EXTRACT(dow FROM s.day)' },
      { name: '时', column: "EXTRACT(hour FROM s.at AT TIME ZONE 'Asia/Shanghai')" },
      { name: '大额', column: 's.amount > 10.5' },
      { name: '茶否', column: "CASE WHEN s.product IN ('tea', '茶') THEN '是' ELSE 'no' END" },
    ],
    ...more,
  });
  let names = 0;
  async function define(place: Place, formula: string, more: object = {}) {
    const { body, status } = await editor
      .post('/api/metrics')
      .send({ graph_id: graphId, name: `m${names++}`, formula, binding: bindingAt(place, more) });
    if (status !== 201) throw new Error(JSON.stringify(body));
    return body.id as number;
  }
  const execute = (id: number, request: object = {}) => editor.post(`/api/metrics/${id}/execute`).send(request);
  async function rowsOf(place: Place, formula: string, request: object, more: object = {}): Promise<unknown> {
    const { body, status } = await execute(await define(place, formula, more), request);
    if (status !== 200) return { status, code: body.code, detail: body.detail };
    const types = body.columns.map(({ type }: { type: string }) => type);
    return { types, rows: body.rows.map(plainRow), totals: body.totals && plainRow(Object.values(body.totals)) };
  }

  const month = { grain: 'month', from: '2023-11-01', to: '2024-07-01' };
  const byRegion = { dimensions: ['地区'] };
  const newYork = { grain: 'day', from: '2024-03-08', to: '2024-03-14', timezone: 'America/New_York', fill: 'zero' };
  /** What each case could get wrong stands in its name. test/golden-metrics.e2e-spec.ts has a case of each pattern. */
  const cases: [risk: string, formula: string, request?: object, binding?: object][] = [
    ['texts that a collation takes for equal', 'COUNT(*)', { dimensions: ['产品'] }],
    ['a NULL of the joined table', 'SUM(amount)', byRegion],
    ['a key of two dimensions', 'SUM(amount)', { dimensions: ['地区', '产品'] }],
    ['distinct keys in windows, over a change of the clock', 'ROLLING(COUNT_DISTINCT(product), 7 DAY)', { time: newYork }],
    ['the last rows of windows', 'CUMULATIVE(LAST(amount BY product))', { ...byRegion, time: month }],
    ['means of days of distinct keys', 'ROLLING(COUNT_DISTINCT(buyer), 20 DAY, AVERAGE)', { time: month }],
    ['the digits of a mean', 'AVG(amount)', byRegion],
    ['a mean of integers', 'AVG(quantity)', byRegion],
    ['the digits of a deviation', 'STDDEV(amount)', byRegion],
    ['the digits of a variance', 'VARIANCE(quantity)', byRegion],
    ['ends of NULLs', 'MAX(amount) - MIN(amount)', byRegion],
    ['the ends of dates', 'COUNT(*)', { dimensions: ['日'], limit: 10 }],
    ['a dimension with texts of its own', 'COUNT(*)', { dimensions: ['茶否'] }],
    ['a boolean as a dimension', 'COUNT(*)', { dimensions: ['大额'] }],
    ['an integer as a dimension', 'MAX(quantity)', { dimensions: ['级'] }],
    ['distinct texts', 'COUNT_DISTINCT(product)'],
    ['distinct tuples with NULLs', 'COUNT_DISTINCT(product, quantity)', byRegion],
    ['products of integers', 'SUM(quantity * quantity * quantity)', byRegion],
    ['floating-point numbers as decimals', 'SUM(ratio)', byRegion],
    ['products of floating-point numbers', 'SUM(ratio * quantity)', byRegion],
    ['a condition with NULL', `COUNT(* WHERE product <> 'tea' OR amount IS NULL)`],
    ['NOT IN beside NULL', `COUNT(* WHERE product NOT IN ('tea', '茶'))`],
    ['a quote in a text', `COUNT(* WHERE product = 'o''clock')`],
    ['a percent sign in a search', 'COUNT(*)', { filters: [{ field: '产品', op: 'contains', value: '%' }] }],
    ['the start of a text', 'COUNT(*)', { filters: [{ field: '产品', op: 'starts_with', value: 'te' }] }],
    ['a list of texts', 'COUNT(*)', { filters: [{ field: '产品', op: 'not_in', values: ['tea', 'té'] }] }],
    ['a list of integers', 'COUNT(*)', { filters: [{ field: 'quantity', op: 'not_in', values: [3, 8] }] }],
    ['a range of dates', 'COUNT(*)', { filters: [{ field: '日', op: 'between', values: ['2024-01-01', '2024-02-29'] }] }],
    [
      'the days of moments',
      'COUNT(*)',
      { filters: [{ field: 'at', op: 'not_in', values: ['2024-01-31', '2024-02-10'] }], time: { timezone: 'Asia/Shanghai' } },
      { columns: { at: 's.at' } },
    ],
    ['a decimal in a filter', 'SUM(amount)', { filters: [{ field: 'amount', op: '>', value: '10.005' }] }],
    ['CASE and COALESCE', 'SUM(CASE WHEN quantity > 8 THEN amount WHEN quantity IS NULL THEN 1.5 ELSE -amount END)', byRegion],
    ['COALESCE of decimals', 'SUM(COALESCE(amount, 0.125))', byRegion],
    ['halves below zero that are rounded', 'SUM(ROUND(quantity * 0.25 - 2, 1) WHERE quantity < 8)'],
    ['a rounded price with tax', 'SUM(ROUND(amount * 1.13, 2))', byRegion],
    ['hundreds of integers', 'SUM(quantity / 100)', byRegion],
    ['a quotient by a number in a condition', 'SUM(amount / 8 WHERE amount / 2.5 > 3)', byRegion],
    ['days of the week', 'COUNT(*)', { dimensions: ['星期'] }],
    ['hours of Shanghai', 'COUNT(*)', { dimensions: ['时'] }],
    ['quarters and years of dates', 'COUNT(* WHERE EXTRACT(quarter FROM day) = 1 AND EXTRACT(year FROM day) = 2024)'],
    ['means of rolling days', 'ROLLING(AVG(amount), 45 DAY)', { time: month }],
    ['a clause of a user', 'SUM(amount)', { filter_clause: `product = 'tea' AND day >= '2024-01-15' AND NOT (quantity = 3)` }],
    ['the clock of a user', 'COUNT(*)', { filter_clause: 'day < CURRENT_DATE - 30' }],
    ['months of Shanghai', 'SUM(amount)', { time: month }],
    ['weeks that begin on Sunday', 'COUNT(*)', { time: { grain: 'week', week_start: 'sunday' } }],
    ['weeks, quarters', 'COUNT(*)', { time: { grain: 'quarter' } }],
    ['years', 'COUNT(*)', { time: { grain: 'year' } }],
    ['a change of the clock in New York', 'COUNT(*)', { time: newYork }],
    ['dates as time', 'SUM(amount)', { time: month }, { time: { column: 's.day' } }],
    ['a percentile', 'PERCENTILE(amount, 0.9)', byRegion],
    ['medians of totals, by texts that a collation takes for equal', 'SHARE(MEDIAN(ratio))', { dimensions: ['产品', '级'], totals: true }],
    ['medians in windows', 'ROLLING(MEDIAN(amount WHERE quantity > 3), 45 DAY)', { ...byRegion, time: month }],
    ['one of the values in windows', 'CUMULATIVE(PERCENTILE(quantity, 0.4, DISC))', { time: month }],
    ['a year to date', 'YTD(SUM(amount))', { ...byRegion, time: month }],
    ['rolling days', 'ROLLING(SUM(quantity), 45 DAY)', { time: month }],
    ['shares', 'SHARE(SUM(amount))', { dimensions: ['地区', '产品'] }],
    ['totals and having', 'SUM(amount)', { ...byRegion, totals: true, having: [{ op: '>', value: 300 }] }],
    ['an order with ties', 'COUNT(*)', { dimensions: ['产品'], order: [{ by: 'value', dir: 'desc' }], limit: 3 }],
    ['a comparison', 'SUM(amount)', { ...byRegion, time: { from: '2024-03-01', to: '2024-04-01' }, compare: { offset: '1 month' } }],
    ['a filter of rows', 'SUM(amount)', byRegion, { row_filter: `s.product <> 'tea' AND b.level < 3` }],
  ];
  /** MySQL has too few digits for products of doubles. */
  const refused: Partial<Record<Place, RegExp>> = { mysql: /^SUM\(ratio \* quantity/ };

  it.each(cases)('agree to the digit: %s', async (_, formula, request = {}, binding = {}) => {
    const expected = await rowsOf('mirror', formula, request, binding);
    expect(expected).toHaveProperty('rows');
    for (const place of dialects) {
      const actual = await rowsOf(place, formula, request, binding);
      if (refused[place]?.test(formula)) expect(actual).toMatchObject({ status: 422, code: 'not_in_dialect' });
      else expect({ place, ...(actual as object) }).toEqual({ place, ...(expected as object) });
    }
  });

  // The keys are texts that a collation takes for equal, integers, decimals, dates, moments, booleans, and those of a joined table.
  const filters: [by: string, formula: string, request: object][] = [
    ['产品', 'SUM(amount)', { op: '>', value: 100 }],
    ['buyer', 'COUNT(*)', { op: '>=', value: 7 }],
    ['amount', 'MAX(quantity)', { op: '>', value: 8 }],
    ['日', 'MEDIAN(ratio)', { op: '<', value: 1 }],
    ['at', 'SUM(quantity)', { op: '!=', value: 3 }],
    ['大额', 'COUNT(*)', { op: '>', value: 0 }],
    ['地区', '[other] - COUNT(*)', { op: '<=', value: 1, range: 'request' }],
    ['ratio', 'COUNT_DISTINCT(product)', { op: '>', value: 1 }],
  ];
  it.each(filters)('agree on the rows for whose %s a metric fits', async (by, formula, { ...condition }) => {
    const answerAt = async (place: Place): Promise<object> => {
      const columns = { columns: { ...bindingAt(place).columns, at: 's.at' } };
      // The other one counts returned rows, in a table of its own columns.
      const name = `other${names++}`;
      const other = bindingAt(place, { ...columns, row_filter: 's.quantity > 4' });
      await editor.post('/api/metrics').send({ graph_id: graphId, name, formula: 'COUNT(*)', binding: other }).expect(201);
      const filter = await define(place, formula.replace('[other]', `[${name}]`), columns);
      const id = await define(place, 'SUM(amount)', columns);
      const { body } = await execute(id, {
        dimensions: ['产品'],
        time: month,
        filters: [{ metric: filter, by, ...condition }],
        totals: true,
      });
      return { ...(body.rows ? { rows: body.rows.map(plainRow), totals: body.totals } : body) };
    };
    const expected = await answerAt('mirror');
    expect(expected).toHaveProperty('rows');
    for (const place of dialects) expect({ place, ...(await answerAt(place)) }).toEqual({ place, ...expected });
  });

  it.each(dialects)('hand %s the ends of 64 bits as keys', async place => {
    const binding = { relation: { table: 'edges' }, time: null, joins: [], columns: { big: 's.big' }, dimensions: [] };
    const id = await define(place, 'COUNT(*)', binding);
    expect((await execute(id, { filters: [{ metric: id, by: 'big', op: '>', value: 0 }] })).body).toMatchObject({ rows: [['3']] });
    expect((await execute(id, { filters: [{ field: 'big', op: 'in', values: ['5', '9223372036854775807'] }] })).body).toMatchObject({
      rows: [['2']],
    });
  });

  it.each(dialects)('hand %s a list of many keys, and refuse a longer one', async place => {
    const binding = { relation: { table: 'many' }, time: null, joins: [], columns: { id: 's.id', name: 's.name' }, dimensions: [] };
    const [id, filter] = [await define(place, 'COUNT(*)', binding), await define(place, 'SUM(id)', binding)];
    const answer = async (value: number, more: object = {}) =>
      (await execute(id, { filters: [{ metric: filter, by: 'name', op: '<', value }], ...more })).body;
    expect(await answer(20_001)).toMatchObject({ rows: [['20000']] });
    expect(await answer(45_001)).toMatchObject({ code: 'too_long_list' });
    // A plan reads no rows, so the list is empty.
    expect((await answer(20_001, { explain: true })).estimate.plans).toHaveLength(2);
  });

  /** Both bindings have a join and a filter of rows, and rows with the same time. */
  async function defineConversion(place: Place, rest: string): Promise<number> {
    const [base, event] = [`base${names++}`, `event${names++}`];
    const more = { grain: ['s.product', 's.id'], row_filter: 's.quantity IS NULL OR s.quantity < 15' };
    const ids = { [base]: 'COUNT(* WHERE level < 3)', [event]: `COUNT(* WHERE level >= 1 AND product <> 'a%b')` };
    for (const [name, formula] of Object.entries(ids))
      await editor
        .post('/api/metrics')
        .send({ graph_id: graphId, name, formula, binding: bindingAt(place, more) })
        .expect(201);
    const formula = `CONVERSION([${base}] -> [${event}] BY ${rest})`;
    const { body } = await editor
      .post('/api/metrics')
      .send({ graph_id: graphId, name: `m${names++}`, formula })
      .expect(201);
    return body.id as number;
  }

  it.each([
    ['texts that a collation takes for equal, ends of months', 'product WITHIN 1 MONTH, COUNT', { dimensions: ['地区'], time: month }],
    ['a boolean and a text with NULL that are carried', 'buyer WITHIN 5 WEEK', { dimensions: ['大额', '产品'] }],
    ['a zone with a change of the clock', 'buyer WITHIN 20 DAY, COUNT', { time: { ...newYork, from: '2024-02-01' } }],
    [
      'a filter and a clause of base events only',
      'level',
      { time: month, filters: [{ field: 'amount', op: '>', value: '-5' }], filter_clause: `"产品" <> 'tea'`, totals: true },
    ],
  ])('agree on conversions: %s', async (_, rest, request) => {
    const { body: expected } = await execute(await defineConversion('mirror', rest), request).expect(200);
    expect(expected.rows.some((row: unknown[]) => row.at(-1) !== null && row.at(-1) !== '0')).toBe(true);
    for (const place of dialects) {
      const id = await defineConversion(place, rest);
      const { body } = await execute(id, request);
      expect({ place, rows: body.rows?.map(plainRow), totals: body.totals, body: body.detail }).toEqual({
        place,
        rows: expected.rows.map(plainRow),
        totals: expected.totals,
      });
      const { body: explained } = await execute(id, { ...request, explain: true }).expect(200);
      expect(explained.estimate.rows).toBeGreaterThan(0);
    }
    // Each place has three metrics of its own, whose bindings are checked.
  });

  it('hold numbers that were added up by hand', async () => {
    const cents = sold.reduce((sum, { amount }) => sum + Math.round((amount ?? 0) * 100), 0);
    const thousandths = sold.reduce((sum, { ratio }) => sum + Math.round(ratio * 1000), 0);
    for (const place of dialects) {
      expect(await rowsOf(place, 'SUM(amount)', {})).toMatchObject({ rows: [[plain((cents / 100).toFixed(2))]] });
      expect(await rowsOf(place, 'SUM(ratio)', {})).toMatchObject({ rows: [[plain((thousandths / 1000).toFixed(3))]] });
    }
  });

  it.each(dialects)('say by name what %s cannot compute exactly', async place => {
    const refusal = (formula: string, request: object = {}, binding: object = {}) => rowsOf(place, formula, request, binding);
    for (const [formula, construct] of [
      ['SUM(quantity / 3)', '/'],
      ['SUM(amount / quantity)', '/'],
      ['MAX(product)', '文本的先后（MAX）'],
      [`COUNT(* WHERE lower(product) = 'tea')`, 'LOWER'],
      [`COUNT(* WHERE product < 'x')`, '文本的先后（<）'],
      [`COUNT(* WHERE product ILIKE 'x%')`, 'ILIKE'],
    ] as const) {
      expect(await refusal(formula)).toMatchObject({ status: 422, code: 'not_in_dialect', detail: expect.stringContaining(construct) });
    }
    const { body } = await editor
      .post('/api/metrics')
      .send({ graph_id: graphId, name: `q ${place}`, formula: 'COUNT(*)', binding: { ...bindingAt(place), relation: { sql: 'SELECT 1' } } })
      .expect(422);
    expect(body).toMatchObject({ code: 'not_in_dialect', context: { dialect: place, construct: 'relation.sql' } });
  });

  it.each(dialects)('show the statements that %s runs, and how it would run them', async place => {
    const id = await define(place, 'RATIO(SUM(amount WHERE quantity > 5), COUNT(*))');
    const { body } = await execute(id, { ...byRegion, dry_run: true }).expect(200);
    const [scan, local] = body.sql.split(';\n\n');
    expect(scan.match(/sold/g)).toHaveLength(1);
    expect(local).toContain('jsonb_to_recordset');
    expect(body.params).toContain('the rows of statement 1');

    const { body: explained } = await execute(id, { ...byRegion, time: month, totals: true, explain: true }).expect(200);
    expect(explained).toMatchObject({ rows: [], as_of: null, totals: null });
    const { rows, cost, plans } = explained.estimate;
    // As many as there are, or as an engine expects to be left of them: those of sales, and those of buyers twice.
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThanOrEqual(2 * (sold.length + 3 * buyers.length));
    expect(cost).toBeNull();
    const tablesOf = ({ table, inputs = [] }: { table?: string; inputs?: object[] }): string[] =>
      [...(table ? [table] : []), ...inputs.flatMap(each => tablesOf(each))].sort();
    expect(plans.map(tablesOf)).toEqual([['buyers', 'buyers', 'sold'], ['sold']]);
  });

  it('end on DuckDB when their caller goes', async () => {
    const id = await define('duckdb', 'COUNT(*)', { relation: { table: 'slow' }, time: null, joins: [], columns: {}, dimensions: [] });
    const gone = new AbortController();
    const asked = fetch(`${test.url}/api/metrics/${id}/execute`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${editor.token}`, 'Content-Type': 'application/json' },
      body: '{}',
      signal: gone.signal,
    });
    const readers = (): Map<string, number> => {
      const lines = execFileSync('ps', ['-o', 'pid=,cputimes=,args=', '--ppid', String(process.pid)])
        .toString()
        .trim()
        .split('\n');
      const found = lines.filter(line => line.includes('duckdb/process/main.js')).map(line => line.trim().split(/\s+/));
      return new Map(found.map(([pid, seconds]) => [pid!, Number(seconds)]));
    };
    const before = readers();
    const findWorking = () => [...readers()].find(([pid, seconds]) => seconds > (before.get(pid) ?? 0))?.[0];
    while (!findWorking()) await sleep(100);
    const working = findWorking()!;
    gone.abort();
    await expect(asked).rejects.toThrow('abort');
    while (readers().has(working)) await sleep(50);
  });

  it.each(dialects)('refuse a join by a key that %s has twice', async place => {
    const binding = bindingAt(place, { joins: [{ alias: 'b', table: 'buyers', on: [['s.buyer', 'b.level']] }] });
    const { body } = await editor.post('/api/metrics').send({ graph_id: graphId, name: `twice ${place}`, formula: 'COUNT(*)', binding });
    expect(body.code).toBe('fan_out_join');
  });

  it('fails on MySQL where a window would compare only the beginning of a text', async () => {
    const { run } = engines.find(({ dialect }) => dialect === 'mysql')!;
    const id = await define('mysql', 'LAST(amount BY product)');
    expect((await execute(id)).status).toBe(200);
    await run(`INSERT INTO sold (id, at, product) VALUES (1000, '2024-01-01', REPEAT('a', 1022))`);
    expect((await execute(id)).status).toBe(400);
    await run('DELETE FROM sold WHERE id = 1000');
    expect((await execute(id)).status).toBe(200);
  });

  // The file of a DuckDB database that is read cannot be written.
  it.each(['mysql', 'clickhouse'] as const)('refuse keys that repeat and columns that change after the binding on %s', async place => {
    const { run } = engines.find(({ dialect }) => dialect === place)!;
    const id = await define(place, 'SUM(amount)');
    const conversion = await defineConversion(place, 'buyer');
    expect((await execute(conversion)).status).toBe(200);
    await run(`INSERT INTO buyers VALUES (1, 'again', 1)`);
    expect((await execute(id, byRegion)).body).toMatchObject({ code: 'fan_out_join' });
    expect((await execute(conversion)).body).toMatchObject({ code: 'fan_out_join' });
    expect((await execute(id)).body.rows).toHaveLength(1);
    await run(
      place === 'clickhouse'
        ? `ALTER TABLE buyers DELETE WHERE region = 'again' SETTINGS mutations_sync = 2`
        : `DELETE FROM buyers WHERE region = 'again'`,
    );
    expect((await execute(id, byRegion)).status).toBe(200);
    await run(
      place === 'mysql'
        ? 'ALTER TABLE sold MODIFY amount decimal(14,4)'
        : 'ALTER TABLE sold MODIFY COLUMN amount Nullable(Decimal(14,4)) SETTINGS alter_sync = 2',
    );
    const { body } = await execute(id).expect(409);
    expect(body).toMatchObject({
      code: 'binding_outdated',
      context: { changes: [{ table: 'sold', column: 'amount', was: 'numeric(12,2)', is: 'numeric(14,4)' }] },
    });
  });
});

function plainRow(row: unknown[]): unknown[] {
  return row.map(value => (typeof value === 'string' ? plain(value) : value));
}

/** A number without zeros at its end: columns of the others have digits of their own. */
function plain(value: string): string {
  return /^-?\d+\.\d+$/.test(value) ? value.replace(/\.?0+$/, '') : value;
}
