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

/** Moments around midnight in Apia, before and after the day that it skipped, and around 00:01 in St. John's, when its clock changed. */
const moments = [
  '2011-12-30 09:59:59',
  '2011-12-30 10:00:00',
  '2024-03-30 10:59:59',
  '2024-03-30 11:00:00',
  '2024-03-31 10:59:59',
  '2006-04-02 03:30:30',
  '2006-04-02 03:31:30',
];
const zones = ['Pacific/Apia', 'Pacific/Kiritimati', 'Pacific/Kwajalein', 'Pacific/Fakaofo', 'Pacific/Kanton', 'America/St_Johns'];

const ratios = [0.25, 1 / 3000, 0.5, 1e-7, 1 / 3e6, 0.1, 0.1 + 0.2, 98765432.1, -2.675, null];

const momentType: Record<Place, string> = {
  mirror: 'timestamptz',
  duckdb: 'timestamptz',
  mysql: 'timestamp NULL',
  clickhouse: "DateTime('UTC')",
};
const doubleType: Record<Place, string> = { mirror: 'float8', duckdb: 'double', mysql: 'double', clickhouse: 'Nullable(Float64)' };
/** Columns of types that scans of metrics cannot read. */
const unreadable: Record<(typeof dialects)[number], string> = {
  duckdb: 'amount decimal(12,2), opening time, code uuid',
  mysql: 'amount decimal(12,2), opening time, code varbinary(8), flags bit(3), weight float',
  clickhouse: 'amount Decimal(12,2), opening Array(Int32), code UUID',
};

function tables(place: Place): string[] {
  const end = place === 'clickhouse' ? ' ENGINE = MergeTree ORDER BY id' : '';
  const schema = place === 'mirror' ? 'mirror.' : '';
  const id = place === 'clickhouse' ? 'Int32' : 'int';
  const rows = (list: readonly (string | number | null)[], write: (each: string | number) => string) =>
    list.map((each, index) => `(${index + 1}, ${each === null ? 'NULL' : write(each)})`).join(', ');
  const create = (table: string, column: string) => `CREATE TABLE ${schema}${table} (id ${id}, ${column})${end}`;
  return [
    create('visits', `visited ${momentType[place]}`),
    `INSERT INTO ${schema}visits VALUES ${rows(moments, each => `'${each}'`)}`,
    create('rates', `ctr ${doubleType[place]}`),
    `INSERT INTO ${schema}rates VALUES ${rows(ratios, each => Number(each).toExponential())}`,
    create('tiny', `ctr ${doubleType[place]}`),
    `INSERT INTO ${schema}tiny VALUES ${rows([0.5, 1.2345678901234567e-40, 1e25], each => Number(each).toExponential())}`,
    ...(place === 'mirror' ? [] : [create('odd', unreadable[place]), `INSERT INTO odd (id, amount) VALUES (1, 2.50), (2, 4.25)`]),
  ];
}

describeOnEngines('Metrics on other databases, of values at their edges', () => {
  beforeAll(async () => {
    engines = await startEngines();
    test = await startTestApp({ DUCKDB_DIR: engines[0]!.directory! });
    editor = await test.asUser('lin');
    await grantConnection(test, 'lin');
    connections.mirror = 1;
    await test.pool.query(`SET timezone = 'UTC'; ${tables('mirror').join('; ')}`);
    for (const { dialect, dsn, run } of engines) {
      const session = { duckdb: [`SET timezone = 'UTC'`], mysql: [`SET time_zone = '+00:00'`], clickhouse: [] }[dialect];
      await run(...session, ...tables(dialect));
      if (dialect === 'mysql')
        await run(
          `SET sql_mode = 'ALLOW_INVALID_DATES'`,
          'CREATE TABLE lax (id int, day date, at datetime)',
          `INSERT INTO lax VALUES (1, '2024-00-15', '2024-00-15 01:00:00'), (2, '2024-02-00', '2024-02-31 00:00:00'),
             (3, '0000-00-00', '0000-00-00 00:00:00'), (4, '2024-03-01', '2024-03-01 10:00:00')`,
        );
      const id = await connectTo(test, dialect, dsn);
      connections[dialect] = id;
      await test.admin.post(`/api/permissions/connections/${id}/users`).send({ username: 'lin', right: 'read' }).expect(201);
    }
    graphId = (await editor.post('/api/graphs').send({ name: '边界' }).expect(201)).body.id;
  }, 180_000);
  afterAll(async () => {
    await test?.close();
    for (const engine of engines) await engine.close();
  });

  let names = 0;
  const define = (place: Place, formula: string, binding: object) =>
    editor.post('/api/metrics').send({
      graph_id: graphId,
      name: `m${names++}`,
      formula,
      binding: { connection_id: connections[place], ...binding },
    });
  async function answerOf(place: Place, formula: string, binding: object, request: object = {}) {
    const defined = await define(place, formula, binding);
    const { body, status } = defined.status === 201 ? await editor.post(`/api/metrics/${defined.body.id}/execute`).send(request) : defined;
    return status === 200 ? { rows: body.rows.map(plainRow) } : { status, code: body.code, detail: body.detail };
  }

  it.each(zones)('begin the days of %s as PostgreSQL does', async timezone => {
    const binding = { relation: { table: 'visits' }, time: { column: 'visits.visited', timezone } };
    const expected = await answerOf('mirror', 'COUNT(*)', binding, { time: { grain: 'day' } });
    expect(expected).toHaveProperty('rows');
    for (const place of dialects)
      expect({ place, ...(await answerOf(place, 'COUNT(*)', binding, { time: { grain: 'day' } })) }).toEqual({ place, ...expected });
  });

  it.each([
    'AVG(ctr)',
    'SUM(ctr)',
    'MAX(ctr) - MIN(ctr)',
    'AVG(ctr WHERE ctr < 1)',
    'COUNT_DISTINCT(ctr)',
    'COUNT(* WHERE ctr > 0.1)',
    'COUNT(* WHERE ctr >= 0.1)',
    'COUNT(* WHERE ctr = 0.3 OR ctr IN (0.1, 0.5))',
    'COUNT(* WHERE ctr <= 0.0000001 AND ctr <> -2.675)',
    'COUNT(* WHERE ctr = 0.30000000000000004)',
    'COUNT(* WHERE ctr BETWEEN 0.0001 AND 1)',
    'COUNT(* WHERE 1 < ctr)',
    'SUM(ctr * 100)',
  ])('read doubles as decimals: %s', async formula => {
    const binding = { relation: { table: 'rates' }, columns: { ctr: 'rates.ctr' } };
    const expected = await answerOf('mirror', formula, binding);
    expect(expected).toHaveProperty('rows');
    for (const place of dialects) {
      const actual = await answerOf(place, formula, binding);
      if (place === 'mysql' && formula === 'SUM(ctr * 100)') expect(actual).toMatchObject({ code: 'not_in_dialect' });
      else expect({ place, ...actual }).toEqual({ place, ...expected });
    }
  });

  it.each(dialects)('say of doubles on %s that they have too many digits, unless a condition excludes them', async place => {
    const binding = { relation: { table: 'tiny' }, columns: { ctr: 'tiny.ctr' } };
    const refusal = { status: 400, code: 'warehouse_query_failed', detail: expect.stringContaining('浮点数的位数') };
    expect(await answerOf(place, 'SUM(ctr)', binding)).toMatchObject(refusal);
    expect(await answerOf(place, 'SUM(ctr WHERE ctr > 0.1 AND ABS(ctr) < 1000)', binding)).toEqual({ rows: [['0.5']] });
  });

  it.each(dialects)('leave columns of other types on %s aside', async place => {
    const binding = { relation: { table: 'odd' } };
    expect(await answerOf(place, 'SUM(amount)', binding)).toEqual({ rows: [['6.75']] });
    expect(await answerOf(place, 'COUNT(opening)', binding)).toMatchObject({ status: 400, detail: expect.stringContaining('opening') });
    const listed = await answerOf(place, 'SUM(amount)', { ...binding, columns: { amount: 'odd.amount', opening: 'odd.opening' } });
    expect(listed).toMatchObject({ status: 422, code: 'not_in_dialect', detail: expect.stringContaining('opening') });
    expect(listed.detail).not.toContain('镜像');
  });

  it('take dates that no calendar has for none on MySQL', async () => {
    const binding = { relation: { table: 'lax' }, time: { column: 'lax.at' } };
    for (const formula of ['COUNT_DISTINCT(day)', 'COUNT(day)', 'COUNT_DISTINCT(at)'])
      expect(await answerOf('mysql', formula, binding)).toEqual({ rows: [['1']] });
    expect(await answerOf('mysql', 'MIN(day)', binding)).toEqual({ rows: [['2024-03-01']] });
    expect(await answerOf('mysql', 'COUNT(*)', binding, { dimensions: ['day'] })).toEqual({
      rows: [
        ['2024-03-01', '1'],
        [null, '3'],
      ],
    });
  });
});

/** Removes zeros at the end of decimals, because other databases give columns another number of decimals. */
function plainRow(row: unknown[]): unknown[] {
  return row.map(value => (typeof value === 'string' && /^-?\d+\.\d+$/.test(value) ? value.replace(/\.?0+$/, '') : value));
}
