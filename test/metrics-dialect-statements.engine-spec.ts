import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { buyers, byRegion, dialects, MetricDialects, month, sold } from './support/metric-dialects.js';
import { describeOnEngines } from './support/translations.js';

const world = new MetricDialects();

/** A view that takes minutes to read. */
const slow = 'CREATE VIEW slow AS SELECT a.range AS id FROM range(1000000000) a, range(1000) b WHERE a.range % 7 = b.range';

/** A table with so many names that a list of them is too long to be passed to the database. */
const many = {
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

const edges = {
  duckdb: `CREATE TABLE edges AS SELECT * FROM (VALUES (CAST('-9223372036854775808' AS bigint)), (9223372036854775807), (5)) AS t (big)`,
  mysql: 'CREATE TABLE edges AS SELECT CAST(-9223372036854775808 AS int) AS big UNION ALL SELECT 9223372036854775807 UNION ALL SELECT 5',
  clickhouse: 'CREATE TABLE edges ENGINE = Memory AS SELECT arrayJoin([toInt64(-9223372036854775808), 9223372036854775807, 5]) AS big',
};

describeOnEngines('The statements of metrics on other databases', () => {
  beforeAll(() =>
    world.start({
      duckdb: [...many.duckdb, edges.duckdb, slow],
      mysql: [...many.mysql, edges.mysql],
      clickhouse: [...many.clickhouse, edges.clickhouse],
    }),
  );
  afterAll(() => world.close());

  it.each(dialects)('hand %s the ends of 64 bits as keys', async place => {
    const binding = { relation: { table: 'edges' }, time: null, joins: [], columns: { big: 's.big' }, dimensions: [] };
    const id = await world.define(place, 'COUNT(*)', binding);
    expect((await world.execute(id, { filters: [{ metric: id, by: 'big', op: '>', value: 0 }] })).body).toMatchObject({ rows: [['3']] });
    expect((await world.execute(id, { filters: [{ field: 'big', op: 'in', values: ['5', '9223372036854775807'] }] })).body).toMatchObject({
      rows: [['2']],
    });
  });

  it.each(dialects)('hand %s a list of many keys, and refuse a longer one', async place => {
    const binding = { relation: { table: 'many' }, time: null, joins: [], columns: { id: 's.id', name: 's.name' }, dimensions: [] };
    const [id, filter] = [await world.define(place, 'COUNT(*)', binding), await world.define(place, 'SUM(id)', binding)];
    const answer = async (value: number, more: object = {}) =>
      (await world.execute(id, { filters: [{ metric: filter, by: 'name', op: '<', value }], ...more })).body;
    expect(await answer(20_001)).toMatchObject({ rows: [['20000']] });
    expect(await answer(45_001)).toMatchObject({ code: 'too_long_list' });
    // A plan does not read rows, so the list is empty.
    expect((await answer(20_001, { explain: true })).estimate.plans).toHaveLength(2);
  });

  it.each(dialects)('say by name what %s cannot compute exactly', async place => {
    const refusal = (formula: string, request: object = {}, binding: object = {}) => world.rowsOf(place, formula, request, binding);
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
    const { body } = await world.post(`q ${place}`, 'COUNT(*)', { ...world.bindingAt(place), relation: { sql: 'SELECT 1' } }).expect(422);
    expect(body).toMatchObject({ code: 'not_in_dialect', context: { dialect: place, construct: 'relation.sql' } });
  });

  it.each(dialects)('show the statements that %s runs, and how it would run them', async place => {
    const id = await world.define(place, 'RATIO(SUM(amount WHERE quantity > 5), COUNT(*))');
    const { body } = await world.execute(id, { ...byRegion, dry_run: true }).expect(200);
    const [scan, local] = body.sql.split(';\n\n');
    expect(scan.match(/sold/g)).toHaveLength(1);
    expect(local).toContain('jsonb_to_recordset');
    expect(body.params).toContain('the rows of statement 1');

    const { body: explained } = await world.execute(id, { ...byRegion, time: month, totals: true, explain: true }).expect(200);
    expect(explained).toMatchObject({ rows: [], as_of: null, totals: null });
    const { rows, cost, plans } = explained.estimate;
    // The estimate is at most the number of rows in both statements: sales, and buyers twice. An engine may expect fewer after filters.
    expect(rows).toBeGreaterThan(0);
    expect(rows).toBeLessThanOrEqual(2 * (sold.length + 3 * buyers.length));
    expect(cost).toBeNull();
    const tablesOf = ({ table, inputs = [] }: { table?: string; inputs?: object[] }): string[] =>
      [...(table ? [table] : []), ...inputs.flatMap(each => tablesOf(each))].sort();
    expect(plans.map(tablesOf)).toEqual([['buyers', 'buyers', 'sold'], ['sold']]);
  });

  it('end on DuckDB when their caller goes', async () => {
    const id = await world.define('duckdb', 'COUNT(*)', {
      relation: { table: 'slow' },
      time: null,
      joins: [],
      columns: {},
      dimensions: [],
    });
    const gone = new AbortController();
    const asked = fetch(`${world.test.url}/api/metrics/${id}/execute`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${world.editor.token}`, 'Content-Type': 'application/json' },
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
    const binding = world.bindingAt(place, { joins: [{ alias: 'b', table: 'buyers', on: [['s.buyer', 'b.level']] }] });
    const { body } = await world.post(`twice ${place}`, 'COUNT(*)', binding);
    expect(body.code).toBe('fan_out_join');
  });

  it.each(dialects)('refuse to count a joined row once for each fact row on %s, one-to-one joins included', async place => {
    const { body } = await world.post(`sides ${place}`, 'SUM(level)', world.bindingAt(place));
    expect(body.warnings).toMatchObject([{ code: 'fan_out_measure' }]);
    const declared = { joins: [{ alias: 'b', table: 'buyers', relationship: 'one_to_one', on: [['s.buyer', 'b.id']] }] };
    const id = await world.define(place, 'SUM(level)', declared);
    expect((await world.execute(id)).body).toMatchObject({ code: 'fan_out_join', context: { join: 's' } });
  });

  it('fails on MySQL where a window would compare only the beginning of a text', async () => {
    const run = (statement: string) => world.run('mysql', statement);
    const id = await world.define('mysql', 'LAST(amount BY product)');
    expect((await world.execute(id)).status).toBe(200);
    await run(`INSERT INTO sold (id, at, product) VALUES (1000, '2024-01-01', REPEAT('a', 1022))`);
    expect((await world.execute(id)).status).toBe(400);
    await run('DELETE FROM sold WHERE id = 1000');
    expect((await world.execute(id)).status).toBe(200);
  });

  // DuckDB is left out, because its file cannot be written while the service reads it.
  it.each(['mysql', 'clickhouse'] as const)('refuse keys that repeat and columns that change after the binding on %s', async place => {
    const run = (statement: string) => world.run(place, statement);
    const id = await world.define(place, 'SUM(amount)');
    const conversion = await world.defineConversion(place, 'buyer');
    expect((await world.execute(conversion)).status).toBe(200);
    await run(`INSERT INTO buyers VALUES (1, 'again', 1)`);
    expect((await world.execute(id, byRegion)).body).toMatchObject({ code: 'fan_out_join' });
    expect((await world.execute(conversion)).body).toMatchObject({ code: 'fan_out_join' });
    expect((await world.execute(id)).body.rows).toHaveLength(1);
    await run(
      place === 'clickhouse'
        ? `ALTER TABLE buyers DELETE WHERE region = 'again' SETTINGS mutations_sync = 2`
        : `DELETE FROM buyers WHERE region = 'again'`,
    );
    expect((await world.execute(id, byRegion)).status).toBe(200);
    await run(
      place === 'mysql'
        ? 'ALTER TABLE sold MODIFY amount decimal(14,4)'
        : 'ALTER TABLE sold MODIFY COLUMN amount Nullable(Decimal(14,4)) SETTINGS alter_sync = 2',
    );
    const { body } = await world.execute(id).expect(409);
    expect(body).toMatchObject({
      code: 'binding_outdated',
      context: { changes: [{ table: 'sold', column: 'amount', was: 'numeric(12,2)', is: 'numeric(14,4)' }] },
    });
  });
});
