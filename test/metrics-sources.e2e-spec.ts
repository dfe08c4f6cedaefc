import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';

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
  const { body } = await editor.post('/api/graphs').send({ name: '销售' }).expect(201);
  graphId = body.id;
});
afterAll(() => Promise.all([test?.close(), foreign?.remove()]));

async function upload(table: string, csv: string, types?: string): Promise<void> {
  const query = types ? `?types=${encodeURIComponent(types)}` : '';
  const { status, body } = await test.admin
    .put(`/api/warehouse/connections/1/tables/${table}${query}`)
    .set('Content-Type', 'text/csv')
    .send(csv);
  if (status >= 300) throw new Error(`${table}: ${status} ${JSON.stringify(body)}`);
}

async function aMetric(formula: string, binding: object): Promise<number> {
  const { body, status } = await editor.post('/api/metrics').send({ graph_id: graphId, name: `m${Math.random()}`, formula, binding });
  if (status !== 201) throw new Error(JSON.stringify(body));
  return body.id;
}

const execute = (id: number, request: object = {}) => editor.post(`/api/metrics/${id}/execute`).send(request);

/** Returns the rows of a metric's answer, or the status and code of its error. */
async function answer(id: number, request: object = {}): Promise<unknown> {
  const { body, status } = await execute(id, request);
  return status === 200 ? body.rows : `${status} ${body.code}`;
}

const byRegion = { dimensions: ['region'] };

describe('a join whose key is repeated after the binding was made', () => {
  it('is refused where the joined table is read, and only there', async () => {
    await upload('facts', 'id,customer,amount\n1,1,200.19\n2,2,51.00\n');
    await upload('customers', 'id,region\n1,east\n2,west\n');
    const id = await aMetric('SUM(amount)', {
      relation: { table: 'facts' },
      alias: 'f',
      joins: [{ alias: 'c', table: 'customers', on: [['f.customer', 'c.id']] }],
      dimensions: [{ name: 'region', column: 'c.region' }],
    });
    const regions = [
      ['east', '200.19'],
      ['west', '51.00'],
    ];
    expect(await answer(id, byRegion)).toEqual(regions);
    await upload('customers', 'id,region\n1,east\n2,west\n2,west\n');
    const { body } = await execute(id, { ...byRegion, totals: true }).expect(422);
    expect(body).toMatchObject({ code: 'fan_out_join', context: { join: 'c' } });
    expect(body.detail).toContain('its key "c"."id" is not unique in table customers');
    expect(await answer(id)).toEqual([['251.19']]);
    await upload('customers', 'id,region\n1,east\n2,west\n');
    expect(await answer(id, byRegion)).toEqual(regions);
  });

  it('is refused in the zone in which it repeats (risk: a proof in another zone at the same data)', async () => {
    await upload('sold', 'day,amount\n2024-01-01,5\n2024-01-02,7\n', 'day:date,amount:int');
    await upload('openings', 'at,name\n2024-01-01T17:00:00Z,a\n2024-01-02T10:00:00Z,b\n', 'at:timestamptz,name:text');
    const id = await aMetric('SUM(amount)', {
      relation: { table: 'sold' },
      time: { column: 'day' },
      joins: [{ table: 'openings', on: [['sold.day', 'openings.at::date']] }],
      dimensions: [{ name: 'name', column: 'openings.name' }],
    });
    const inZone = (timezone: string) => answer(id, { dimensions: ['name'], time: { from: '2024-01-01', to: '2024-02-01', timezone } });
    const inUtc = [['a', '5'], ['b', '7']]; // prettier-ignore
    expect([await inZone('UTC'), await inZone('Asia/Shanghai'), await inZone('UTC')]).toEqual([inUtc, '422 fan_out_join', inUtc]);
  });

  it('is refused by a table that changes by itself, with and without a unique index', async () => {
    await foreign.run(`
      CREATE TABLE sales (customer int, amount numeric); INSERT INTO sales VALUES (1, 10), (2, 5);
      CREATE TABLE people (id int, code int, region text); INSERT INTO people VALUES (1, 1, 'east'), (2, 2, 'west');
      CREATE UNIQUE INDEX people_id ON people (id)`);
    const bound = (key: string) =>
      aMetric('SUM(amount)', {
        connection_id: far,
        relation: { table: 'sales' },
        alias: 's',
        joins: [{ alias: 'p', table: 'people', on: [['s.customer', `p.${key}`]] }],
        dimensions: [{ name: 'region', column: 'p.region' }],
      });
    const [byId, byCode] = [await bound('id'), await bound('code')];
    expect(await answer(byCode, byRegion)).toEqual([
      ['east', '10'],
      ['west', '5'],
    ]);
    await foreign.run(`INSERT INTO people VALUES (3, 2, 'north')`);
    expect([await answer(byId, byRegion), await answer(byCode, byRegion)]).toEqual([
      [
        ['east', '10'],
        ['west', '5'],
      ],
      '422 fan_out_join',
    ]);
    // The unique index of a parent table does not cover the rows of its child tables.
    await foreign.run(`CREATE TABLE more () INHERITS (people); INSERT INTO more VALUES (1, 9, 'south')`);
    expect(await answer(byId, byRegion)).toBe('422 fan_out_join');
  });

  it('is not trusted by an index of more columns, of some rows, or of expressions', async () => {
    await foreign.run(`
      CREATE TABLE lines (code int); INSERT INTO lines VALUES (7);
      CREATE TABLE kinds (code int, at date, name text); INSERT INTO kinds VALUES (7, '2024-01-01', 'a');
      CREATE UNIQUE INDEX ON kinds (code, at); CREATE UNIQUE INDEX ON kinds (code) WHERE at > '2024-06-01'; CREATE UNIQUE INDEX ON kinds ((code + length(name)));
      CREATE UNIQUE INDEX ON kinds (name) INCLUDE (code)`);
    const id = await aMetric('COUNT(*)', {
      connection_id: far,
      relation: { table: 'lines' },
      joins: [{ alias: 'k', table: 'kinds', kind: 'inner', on: [['lines.code', 'k.code']] }],
    });
    expect(await answer(id)).toEqual([['1']]);
    await foreign.run(`INSERT INTO kinds VALUES (7, '2024-02-01', 'bb')`);
    expect(await answer(id)).toBe('422 fan_out_join');
  });
});

describe('a column that changes after the binding was made', () => {
  it('makes the binding outdated until it is saved again', async () => {
    await upload('prices', 'amount,day\n0.1,2024-01-31\n0.2,2024-01-31\n', 'amount:numeric,day:date');
    const binding = { relation: { table: 'prices' }, time: { column: 'day' } };
    const id = await aMetric('SUM(amount)', binding);
    expect(await answer(id)).toEqual([['0.3']]);
    await upload('prices', 'amount,day\n0.1,2024-01-31\n0.2,2024-01-31\n', 'amount:float,day:date');
    const { body } = await execute(id).expect(409);
    expect(body).toMatchObject({
      code: 'binding_outdated',
      context: { changes: [{ table: 'prices', column: 'amount', was: 'numeric', is: 'double precision' }] },
    });
    await editor.put(`/api/metrics/${id}/binding`).send(binding).expect(200);
    expect(await answer(id)).toEqual([['0.3']]);

    await upload('prices', 'amount,day\n0.1,2024-01-31T20:00:00Z\n', 'amount:float,day:timestamptz');
    expect([await answer(id), await answer(id, { time: { grain: 'day' } })]).toEqual([[['0.1']], '409 binding_outdated']);
  });

  it('is named when it is gone', async () => {
    await upload('short', 'a,b\n1,2\n');
    const id = await aMetric('SUM(b)', { relation: { table: 'short' } });
    await upload('short', 'a,c\n1,2\n');
    const { body } = await execute(id).expect(409);
    expect(body.context.changes).toEqual([{ table: 'short', column: 'b', was: 'integer', is: null }]);
  });

  it('may become a wider integer or another text', async () => {
    await foreign.run(`CREATE TYPE mood AS ENUM ('good'); CREATE TABLE growing (n int, s text); INSERT INTO growing VALUES (1, 'good')`);
    const id = await aMetric("SUM(n WHERE s = 'good')", { connection_id: far, relation: { table: 'growing' } });
    await foreign.run(`ALTER TABLE growing ALTER n TYPE bigint, ALTER s TYPE mood USING s::mood`);
    expect(await answer(id)).toEqual([['1']]);
    await foreign.run(`ALTER TABLE growing ALTER n TYPE text`);
    expect(await answer(id)).toBe('409 binding_outdated');
  });

  it('is seen through a query', async () => {
    await upload('behind', 'n\n1\n');
    const id = await aMetric('SUM(double)', { relation: { sql: 'SELECT n * 2 AS double FROM behind' } });
    await upload('behind', 'n\n1.5\n', 'n:numeric');
    const { body } = await execute(id).expect(409);
    expect(body.context.changes).toEqual([{ table: 'q', column: 'double', was: 'integer', is: 'numeric' }]);
  });
});

it('reads the table of a query, also if a part of the statement could have its name', async () => {
  for (const table of ['f0', 'r', '_f0']) await upload(table, 'n\n41\n');
  const id = await aMetric('SUM(n)', { relation: { sql: 'SELECT a.n FROM f0 a, r, _f0 b' } });
  expect(await answer(id)).toEqual([['41']]);
  const other = await aMetric(`[${(await editor.get(`/api/metrics/${id}`)).body.name}] / COUNT(*)`, { relation: { table: 'r' } });
  expect(await answer(other)).toEqual([['41.0000000000000000']]);
});

it('reads a view that cannot be locked', async () => {
  await foreign.run(`CREATE MATERIALIZED VIEW ready AS SELECT 3 AS n`);
  expect(await answer(await aMetric('SUM(n)', { connection_id: far, relation: { table: 'ready' } }))).toEqual([['3']]);
});
