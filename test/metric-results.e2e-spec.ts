import { setTimeout as sleep } from 'node:timers/promises';
import { KeptResults } from '../src/metrics/results/kept-results.service.js';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { untilWaiting } from './support/database.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { itLong } from './support/tier.js';

let test: TestApp;
let foreign: ForeignPostgres;
let far: number;
let graphId: number;
let editor: Client;
let viewer: Client;
let metrics = 0;

beforeAll(async () => {
  [test, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
  far = await aForeignConnection(test, foreign);
  editor = await test.asUser('lin');
  viewer = await test.asUser('wei');
  await grantConnection(test, 'lin');
  await test.admin.post(`/api/permissions/connections/${far}/users`).send({ username: 'lin', right: 'read' }).expect(201);
  graphId = await aGraph();
});
afterAll(() => Promise.all([test?.close(), foreign?.remove()]));

async function aGraph(): Promise<number> {
  const { body } = await editor
    .post('/api/graphs')
    .send({ name: `g${Math.random()}` })
    .expect(201);
  await editor.post(`/api/permissions/graphs/${body.id}/members`).send({ username: 'wei', role: 'viewer' }).expect(201);
  return body.id;
}

async function upload(table: string, csv: string): Promise<void> {
  const { status, body } = await test.admin.put(`/api/warehouse/connections/1/tables/${table}`).set('Content-Type', 'text/csv').send(csv);
  if (status >= 300) throw new Error(JSON.stringify(body));
}

async function aMetric(formula: string, binding?: object, more: object = {}): Promise<number> {
  const body = { graph_id: graphId, name: `m${++metrics}`, formula, ...(binding && { binding }), ...more };
  const { body: made, status } = await editor.post('/api/metrics').send(body);
  if (status !== 201) throw new Error(JSON.stringify(made));
  return made.id;
}

const execute = (id: number, request: object = {}, by = editor) => by.post(`/api/metrics/${id}/execute`).send(request);

/** Returns the rows of an answer, and whether they come from a kept result. */
async function ask(id: number, request: object = {}, by = editor): Promise<[rows: unknown[][], hit: boolean]> {
  const { body, status } = await execute(id, request, by);
  if (status !== 200) throw new Error(JSON.stringify(body));
  return [body.rows, body.cache.hit];
}

const lines = (amount: number) => `id,amount,day,region\n1,${amount},2024-01-31,east\n2,0,2024-02-01,west\n`;
const binding = {
  relation: { table: 'lines' },
  time: { column: 'day' },
  dimensions: [{ name: '地区', column: 'region' }],
};
const bound = (table: string) => ({ ...binding, relation: { table } });

describe('a kept result', () => {
  beforeAll(() => upload('lines', lines(10)));

  it('is given to all who may see the graph, with the time when it was read', async () => {
    const id = await aMetric('SUM(amount)', binding);
    const { body: first } = await execute(id, { totals: true, dimensions: ['地区'] }).expect(200);
    expect(first.cache).toEqual({ hit: false, age_s: null });
    for (const by of [editor, viewer]) {
      const { body } = await execute(id, { totals: true, dimensions: ['地区'] }, by).expect(200);
      const { timing_ms: _, cache, ...rest } = body;
      expect(cache).toEqual({ hit: true, age_s: expect.any(Number) });
      const shown = by === editor ? {} : { sql: null, params: null };
      expect(rest).toEqual({ ...first, ...shown, cache: undefined, timing_ms: undefined });
    }
  });

  it.each<[string, object]>([
    ['filter', { filters: [{ field: 'region', op: '=', value: 'west' }] }],
    ['value of a filter', { filters: [{ field: 'region', op: '=', value: 'east' }] }],
    ['clause', { filter_clause: 'amount > 5' }],
    ['having', { having: [{ op: '>', value: 100 }] }],
    ['limit', { dimensions: ['地区'], limit: 1 }],
    ['offset', { dimensions: ['地区'], limit: 1, offset: 1 }],
    ['range', { time: { from: '2024-01-01', to: '2024-02-01' } }],
    ['grain', { time: { grain: 'month' } }],
    ['totals', { totals: true }],
  ])('is not that of a request with another %s', async (_, request) => {
    const id = await aMetric('SUM(amount)', bound('lines'));
    await ask(id);
    const other = await ask(id, request);
    expect(other[1]).toBe(false);
    expect(await ask(id, request)).toEqual([other[0], true]);
    expect(await ask(id)).toEqual([[['10']], true]);
  });

  it('is not that of another zone', async () => {
    await upload('moments', 'id,at\n1,2024-01-31T20:00:00Z\n');
    const id = await aMetric('COUNT(*)', { relation: { table: 'moments' }, time: { column: 'at' } });
    const inZone = async (timezone: string) => (await ask(id, { time: { grain: 'month', timezone } }))[0];
    expect(await inZone('UTC')).toEqual([['2024-01-01', '1']]);
    expect(await inZone('Asia/Shanghai')).toEqual([['2024-02-01', '1']]);
  });

  it('is not that of another graph', async () => {
    await ask(await aMetric('MAX(amount)', binding));
    const other = await aMetric('MAX(amount)', binding, { graph_id: await aGraph() });
    expect((await ask(other))[1]).toBe(false);
  });

  it('shows a new format at once', async () => {
    const id = await aMetric('SUM(amount) / 3', binding);
    expect((await ask(id))[1]).toBe(false);
    await editor.patch(`/api/metrics/${id}`).send({ format: '0.0' }).expect(200);
    expect(await ask(id)).toEqual([[['3.3']], true]);
  });

  it('ends with a change of the formula, of a metric in it, or of the binding', async () => {
    const inner = await aMetric('SUM(amount)', binding);
    const outer = await aMetric(`[m${metrics}] * 2`);
    expect(await ask(outer)).toEqual([[['20']], false]);
    expect(await ask(outer)).toEqual([[['20']], true]);
    await editor.patch(`/api/metrics/${inner}`).send({ formula: 'SUM(amount + 1)' }).expect(200);
    expect(await ask(outer)).toEqual([[['24']], false]);
    expect(await ask(inner)).toEqual([[['12']], false]);
    await editor.put(`/api/metrics/${inner}/binding`).send(binding).expect(200);
    expect(await ask(outer)).toEqual([[['24']], false]);
    await upload('others', lines(7));
    await editor.put(`/api/metrics/${inner}/binding`).send(bound('others')).expect(200);
    expect(await ask(outer)).toEqual([[['18']], false]);
  });

  it('is not given while a right is lost', async () => {
    const id = await aMetric('MIN(amount)', binding);
    await ask(id, {}, viewer);
    const { body: me } = await viewer.get('/api/auth/me').expect(200);
    await editor.delete(`/api/permissions/graphs/${graphId}/members/${me.user_id}`).expect(204);
    await execute(id, {}, viewer).expect(403);
    await editor.post(`/api/permissions/graphs/${graphId}/members`).send({ username: 'wei', role: 'viewer' }).expect(201);
    expect(await ask(id, {}, viewer)).toEqual([[[0]], true]);
    const { body: owner } = await editor.get('/api/auth/me').expect(200);
    await test.admin.delete(`/api/permissions/connections/1/users/${owner.user_id}`).expect(204);
    const { body } = await execute(id, {}, viewer).expect(409);
    expect(body.code).toBe('connection_access_lost');
    await grantConnection(test, 'lin');
    expect(await ask(id, {}, viewer)).toEqual([[[0]], true]);
  });

  it('has no part in a request that reads nothing', async () => {
    const id = await aMetric('SUM(amount)', binding);
    for (const idle of ['dry_run', 'explain']) {
      const { body } = await execute(id, { [idle]: true, cache: { max_age_s: 5 } }).expect(422);
      expect(body.detail.errors).toMatchObject([{ loc: ['body', 'cache'], type: 'no_effect' }]);
    }
    expect((await execute(id, { dry_run: true }).expect(200)).body.cache).toBeNull();
  });
});

describe('a table that is loaded again', () => {
  itLong('gives its new numbers at once, also while it is read', async () => {
    await upload('moving', lines(0));
    const id = await aMetric('SUM(amount)', bound('moving'));
    let loaded = 0;
    let isDone = false;
    const wrong: string[] = [];
    let hits = 0;
    const reader = async (by: Client) => {
      while (!isDone) {
        const before = loaded;
        const [rows, hit] = await ask(id, {}, by);
        const seen = Number(rows[0]![0]);
        if (hit) hits++;
        if (seen < before || seen > before + 2) wrong.push(`${seen} after ${before}`);
      }
    };
    const readers = [editor, viewer, editor].map(reader);
    for (let amount = 1; amount <= 15; amount++) {
      await upload('moving', lines(amount));
      loaded = amount;
      for (const before = hits; hits === before;) await sleep(5);
    }
    isDone = true;
    await Promise.all(readers);
    expect(wrong).toEqual([]);
    expect(hits).toBeGreaterThan(0);
    expect(await ask(id)).toEqual([[['15']], true]);
  });

  it('names a result by what its own snapshot saw, not by what was there when it was asked for', async () => {
    await upload('late', lines(1));
    const id = await aMetric('SUM(amount)', bound('late'));
    let asked: Promise<unknown> = Promise.resolve();
    await test.pool.transaction(async client => {
      await client.query(`LOCK TABLE mirror.late IN ACCESS EXCLUSIVE MODE; UPDATE mirror.late SET amount = 5 WHERE id = 1;
        UPDATE mirror_tables SET version = DEFAULT WHERE name = 'late'`);
      asked = ask(id);
      asked.catch(() => undefined);
      await untilWaiting(test.pool, 'late', 1);
    });
    expect(await asked).toEqual([[['5']], false]);
    expect(await ask(id)).toEqual([[['5']], true]);
  });

  itLong('counts also behind a query and a join', async () => {
    await upload('sold', 'id,product_id,amount\n1,1,10\n2,2,20\n');
    await upload('products', 'product_id,kind\n1,tea\n2,tea\n');
    const sql = 'SELECT s.amount FROM sold s JOIN products p ON p.product_id = s.product_id WHERE p.kind = $$tea$$';
    const byQuery = await aMetric('SUM(amount)', { relation: { sql } });
    const joined = await aMetric('SUM(amount)', {
      relation: { table: 'sold' },
      joins: [{ alias: 'p', table: 'products', on: [['sold.product_id', 'p.product_id']] }],
      dimensions: [{ name: 'kind', column: 'p.kind' }],
    });
    const both = async () => [await ask(byQuery), await ask(joined, { dimensions: ['kind'] })];
    await both();
    expect(await both()).toEqual([
      [[['30']], true],
      [[['tea', '30']], true],
    ]);
    await upload('products', 'product_id,kind\n1,tea\n2,cup\n');
    expect(await both()).toEqual([
      [[['10']], false],
      [
        [
          ['cup', '20'],
          ['tea', '10'],
        ],
        false,
      ],
    ]);
    await test.admin.delete('/api/warehouse/connections/1/tables/products?force=true').expect(204);
    expect((await execute(byQuery).expect(400)).body.code).toBe('metric_table_missing');
  });
});

describe('rows without a version', () => {
  it.each([
    'day < now()',
    'day < current_date',
    "day < 'today'",
    'day < localtimestamp',
    "age(day) > interval '1 day'",
    "day < E'\\x6eow'::timestamp",
  ])('are read each time: %s', async clause => {
    await upload('timed', lines(3));
    const id = await aMetric('COUNT(*)', bound('timed'));
    for (let time = 0; time < 2; time++) expect(await ask(id, { filter_clause: clause })).toEqual([[['2']], false]);
  });

  it('are read each time for a view', async () => {
    await upload('seen', lines(3));
    await test.pool.query('CREATE VIEW mirror.view_of_seen AS SELECT * FROM mirror.seen');
    await test.pool.query('GRANT SELECT ON mirror.view_of_seen TO PUBLIC');
    const id = await aMetric('SUM(amount)', bound('view_of_seen'));
    await ask(id);
    await test.pool.query('UPDATE mirror.seen SET amount = 4 WHERE id = 1');
    expect(await ask(id)).toEqual([[['4']], false]);
  });

  it('may have an age that the caller chooses', async () => {
    await foreign.run('CREATE TABLE public.far_lines (id int PRIMARY KEY, amount int); INSERT INTO public.far_lines VALUES (1, 1)');
    const id = await aMetric('SUM(amount)', { connection_id: far, relation: { table: 'far_lines' } });
    const young = { cache: { max_age_s: 600 } };
    expect(await ask(id)).toEqual([[['1']], false]);
    expect(await ask(id, young)).toEqual([[['1']], false]);
    await foreign.run('UPDATE public.far_lines SET amount = 2');
    expect(await ask(id, young)).toEqual([[['1']], true]);
    expect(await ask(id)).toEqual([[['2']], false]);
    expect(await ask(id, { cache: { max_age_s: 0 } })).toEqual([[['2']], false]);
    expect(await ask(id, young, viewer)).toEqual([[['1']], true]);
    // A request that accepts only a lower age reads the rows anew, and later requests get the new result.
    await test.pool.query(`UPDATE metric_results SET read_at = read_at - interval '1 s' WHERE connection_id = $1`, [far]);
    expect(await ask(id, { cache: { max_age_s: 1 } })).toEqual([[['2']], false]);
    expect(await ask(id, young)).toEqual([[['2']], true]);
    await test.admin
      .patch(`/api/warehouse/connections/${far}`)
      .send({ dsn: foreign.dsn({ query: '?sslmode=disable&application_name=other' }) })
      .expect(200);
    expect((await ask(id, young))[1]).toBe(false);
  });

  it('may not have a longer age than a day', async () => {
    const id = await aMetric('SUM(amount)', bound('lines'));
    for (const cache of [{ max_age_s: 86_401 }, { max_age_s: -1 }, { max_age_s: 1.5 }, { max_age_s: '5' }, 'use', { mode: 'default' }])
      expect([cache, (await execute(id, { cache })).status]).toEqual([cache, 422]);
    await execute(id, { cache: {} }).expect(400);
    await execute(id, { cache: null }).expect(200);
  });
});

describe('equal requests that run at once', () => {
  it('are read once, even if a caller leaves', async () => {
    await upload('slow', lines(9));
    const id = await aMetric('SUM(amount)', bound('slow'));
    const results = test.app.get(KeptResults);
    const leaving = new AbortController();
    const asked: Promise<{ body: any }>[] = [];
    let left: Promise<unknown> = Promise.resolve();
    await test.pool.transaction(async client => {
      await client.query('LOCK TABLE mirror.slow IN ACCESS EXCLUSIVE MODE');
      left = fetch(`${test.url}/api/metrics/${id}/execute`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${editor.token}`, 'Content-Type': 'application/json' },
        body: '{}',
        signal: leaving.signal,
      }).catch((error: Error) => error.name);
      await untilWaiting(test.pool, 'slow', 1);
      for (const by of [editor, viewer, viewer, editor]) asked.push(execute(id, {}, by).expect(200).then());
      while (results.waiting < 1 + asked.length) await sleep(5);
      leaving.abort();
      while (results.waiting > asked.length) await sleep(5);
      await untilWaiting(test.pool, 'slow', 1);
    });
    expect(await left).toBe('AbortError');
    const answers = (await Promise.all(asked)).map(({ body }) => body);
    expect(answers.map(({ rows }) => rows)).toEqual(answers.map(() => [['9']]));
    expect(new Set(answers.map(({ as_of: asOf }) => asOf)).size).toBe(1);
  });
});
