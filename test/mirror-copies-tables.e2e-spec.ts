import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp, type TestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { copyToEnd, ended, startCopy } from './support/mirror-copies.js';
import { itLong } from './support/tier.js';

let test: TestApp;
let foreign: ForeignPostgres;
let far: number;

beforeAll(async () => {
  [test, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
  far = await aForeignConnection(test, foreign);
});
afterAll(async () => {
  await Promise.all([test.close(), foreign.remove()]);
});

const copy = (tables: object[]) => copyToEnd(test, far, tables);
const versionOf = async (table: string): Promise<number | null> =>
  (await test.admin.get(`/api/warehouse/connections/1/tables/${table}`)).body.data_version ?? null;
const put = (table: string, csv: string) =>
  test.admin.put(`/api/warehouse/connections/1/tables/${table}`).set('Content-Type', 'text/csv').send(csv);
const mirrored = async (table: string): Promise<unknown[][]> =>
  (await test.pool.query({ text: `SELECT * FROM mirror."${table}" ORDER BY 1`, rowMode: 'array' })).rows;

/** The unfinished tables in schema mirror, whose names begin with `copy_`. */
const leftBehind = async (): Promise<unknown[]> =>
  (await test.pool.query(`SELECT relname FROM pg_class WHERE relname LIKE 'copy\\_%' AND relkind = 'r'`)).rows;

describe('a copy of tables of PostgreSQL', () => {
  itLong('equals its source value for value, with types, comments, key and NOT NULL', async () => {
    await foreign.run(`
      CREATE TYPE mood AS ENUM ('ok', '好');
      CREATE TABLE kinds (
        id bigint PRIMARY KEY, n numeric(30,10), plain numeric, r real, d double precision, s smallint NOT NULL, t text, v varchar(20), c char(4),
        b boolean, day date, ts timestamp, tz timestamptz(3), ti time, iv interval, u uuid, j json, jb jsonb, bin bytea,
        ints int[], texts text[], grid int[][], m mood, shape point, range int4range, net inet);
      COMMENT ON TABLE kinds IS '各种''类型\\';
      COMMENT ON COLUMN kinds.n IS '金额';
      INSERT INTO kinds VALUES
        (1, 12345678901234567890.0123456789, 'NaN', 1.1, 0.1, 7, E'tab\\there\\nnew\\r\\\\back \\\\N', '', 'ab', true, '2024-02-29', '2024-02-29 12:00:00.123456',
         '2024-02-29 12:00:00.123+08', '23:59:59.5', '1 mon 2 days -03:00', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '{"a": [1, null]}', '{"b": "\\u4e2d"}', '\\x00ff5c',
         '{1,NULL,3}', ARRAY['a,b', '', NULL, 'NULL', E'q"\\\\\\n'], '{{1,2},{3,4}}', '好', '(1,2)', '[1,5)', '10.0.0.0/8'),
        (2, NULL, NULL, NULL, NULL, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
        (3, 0, -0.000, 'Infinity', '-Infinity', -1, '', '𝒳中文 🙂', '', false, 'infinity', '-infinity', '0001-01-01 00:00:00+00 BC', '00:00', '0', NULL, 'null', '[]', '', '{}', '{}', '{}', 'ok', NULL, 'empty', '::1')`);
    const before = await versionOf('kinds');
    const done = await copy([{ table: 'kinds' }]);
    expect(done.error).toBeNull();
    expect(done).toMatchObject({ status: 'succeeded', guarantee: 'snapshot', rows: 3, saved_by: 'admin', connection: 'far' });
    expect(done.tables[0]).toMatchObject({
      table: 'kinds',
      as: 'kinds',
      mode: 'full',
      reads: 'all',
      rows: 3,
      inserted: 3,
      status: 'succeeded',
      left_out: [],
    });
    const text = 'SELECT k::text FROM kinds k ORDER BY id';
    const [here, there] = [await test.pool.query(text.replace('kinds k', 'mirror.kinds k')), await foreign.run(text)];
    expect(here.rows).toEqual(there.rows);
    const { body } = await test.admin.get('/api/warehouse/connections/1/tables/kinds').expect(200);
    const source = (await test.admin.get(`/api/warehouse/connections/${far}/tables/kinds`).expect(200)).body;
    const shape = ({ columns }: any) => columns.map(({ name, type, nullable, comment }: any) => [name, type, nullable, comment]);
    expect(shape(body)).toEqual(shape(source));
    expect(body).toMatchObject({
      comment: "各种'类型\\",
      keys: [{ kind: 'primary', columns: ['id'] }],
      row_estimate: 3,
      data_version: done.tables[0].data_version,
    });
    expect(before).toBeNull();
    expect(await leftBehind()).toEqual([]);
  });

  itLong('leaves columns without a counterpart out, and names them', async () => {
    await foreign.run(`CREATE TYPE pair AS (a int, b int);
      CREATE TABLE odd (id int, money money, p pair, "${'长'.repeat(21)}" int, "${'x'.repeat(63)}" int); INSERT INTO odd VALUES (1, 2, (1, 2), 3, 4)`);
    const done = await copy([{ table: 'odd' }]);
    expect(done.tables[0].left_out).toEqual([
      { column: 'money', native_type: 'money', reason: expect.stringContaining('no counterpart') },
      { column: 'p', native_type: 'pair', reason: expect.stringContaining('no counterpart') },
    ]);
    expect(done.tables[0].warnings).toEqual([{ code: 'columns_left_out', detail: expect.stringMatching(/没有复制的列.*'money', 'p'/) }]);
    expect(await mirrored('odd')).toEqual([[1, 3, 4]]);
  });

  itLong('fails with the column where the source breaks its own NOT NULL', async () => {
    await foreign.run(
      'CREATE TABLE strict (a int NOT NULL NO INHERIT); CREATE TABLE lax () INHERITS (strict); INSERT INTO lax VALUES (NULL)',
    );
    expect((await copy([{ table: 'strict' }])).error).toMatchObject({
      code: 'source_value_unreadable',
      detail: expect.stringContaining('NOT NULL'),
      context: { table: 'strict', column: 'a' },
    });
  });

  itLong('runs again, raises the version, and replaces what an upload put there', async () => {
    await foreign.run('CREATE TABLE again (id int PRIMARY KEY); INSERT INTO again VALUES (1)');
    const first = await copy([{ table: 'public.again' }]);
    await put('again', 'id\n77\n').expect(200);
    await foreign.run('INSERT INTO again VALUES (2)');
    await test.admin
      .post(`/api/warehouse/mirror-copies/${first.id}/run`)
      .expect(202)
      .expect('Location', `/api/warehouse/mirror-copies/${first.id}`);
    const second = await ended(test, first.id);
    expect(second.error).toBeNull();
    expect(await mirrored('again')).toEqual([[1], [2]]);
    expect(second.tables[0].data_version).toBeGreaterThan(first.tables[0].data_version);
    expect(await versionOf('again')).toBe(second.tables[0].data_version);
    // The same request starts the existing copy again instead of making another one.
    expect((await copy([{ table: 'public.again' }])).id).toBe(first.id);
    await test.admin.delete('/api/warehouse/connections/1/tables/again?force=true').expect(204);
    await test.admin.post(`/api/warehouse/mirror-copies/${first.id}/run`).expect(202);
    expect(await ended(test, first.id)).toMatchObject({ status: 'succeeded' });
    expect(await mirrored('again')).toEqual([[1], [2]]);
  });

  itLong('replaces a table that no copy made only when it is asked to', async () => {
    await foreign.run('CREATE TABLE owned (id int); INSERT INTO owned VALUES (5)');
    await put('owned', 'id\n1\n').expect(201);
    const refused = await startCopy(test, far, [{ table: 'owned' }]);
    expect({ status: refused.status, code: refused.body.code }).toEqual({ status: 409, code: 'mirror_table_exists' });
    expect(refused.body.detail).toContain('"replace": true');
    expect(await mirrored('owned')).toEqual([[1]]);
    expect(await copy([{ table: 'owned', replace: true }])).toMatchObject({ status: 'succeeded' });
    expect(await mirrored('owned')).toEqual([[5]]);
    const other = await startCopy(test, far, [{ table: 'kinds', as: 'owned', replace: true }]);
    expect(other.body).toMatchObject({ code: 'mirror_table_copied', context: { table: 'owned', mirror_copy: expect.any(Number) } });
  });

  it('copies all tables of a request from one moment, or none of them', async () => {
    await foreign.run(`CREATE TABLE one (id int); CREATE TABLE two (id int); INSERT INTO one VALUES (1); INSERT INTO two VALUES (1)`);
    const done = await copy([{ table: 'one' }, { table: 'two' }]);
    const versions = [await versionOf('one'), await versionOf('two')];
    await foreign.run('INSERT INTO one VALUES (2); DROP TABLE two');
    await test.admin.post(`/api/warehouse/mirror-copies/${done.id}/run`).expect(202);
    const failed = await ended(test, done.id);
    expect(failed).toMatchObject({ status: 'failed', error: { code: 'source_changed', context: { connection: 'far', table: 'two' } } });
    expect(failed.tables.map(({ status }: any) => status)).toEqual(['unchanged', 'failed']);
    expect(failed.tables[1].problem).toMatchObject({ code: 'source_changed', detail: expect.stringMatching(/已不存在.*gone/s) });
    expect([await versionOf('one'), await versionOf('two')]).toEqual(versions);
    expect(await mirrored('one')).toEqual([[1]]);
  });

  itLong('copies 50 tables and more columns than fit on a page, and refuses 51 tables', async () => {
    await foreign.run(
      `DO $$ BEGIN FOR n IN 1..50 LOOP EXECUTE format('CREATE TABLE many_%s (id int)', n); EXECUTE format('INSERT INTO many_%s VALUES (%s)', n, n); END LOOP; END $$`,
    );
    const tables = Array.from({ length: 50 }, (_, index) => ({ table: `many_${index + 1}` }));
    const done = await copy(tables);
    expect(done.error).toBeNull();
    expect(await mirrored('many_50')).toEqual([[50]]);
    expect((await startCopy(test, far, [...tables, { table: 'kinds' }])).status).toBe(422);
  });

  itLong('shows readers the old table or the new one, never half', async () => {
    await foreign.run('CREATE TABLE busy (round int, id int); INSERT INTO busy SELECT 0, n FROM generate_series(1, 20000) n');
    const { id } = await copy([{ table: 'busy' }]);
    let isOver = false;
    const seen = new Set<string>();
    const stateIn = (round: number) => JSON.stringify({ least: round, most: round, n: 20000 });
    const reader = async (): Promise<void> => {
      while (!isOver) {
        const { rows } = await test.pool.query('SELECT min(round) AS least, max(round) AS most, count(*)::int AS n FROM mirror.busy');
        seen.add(JSON.stringify(rows[0]));
      }
    };
    const readers = [reader(), reader(), reader()];
    for (const round of [1, 2, 3]) {
      await foreign.run(`UPDATE busy SET round = ${round}`);
      await test.admin.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
      expect(await ended(test, id)).toMatchObject({ status: 'succeeded' });
      while (!seen.has(stateIn(round))) await sleep(5);
    }
    isOver = true;
    await Promise.all(readers);
    expect([...seen].sort()).toEqual([0, 1, 2, 3].map(stateIn));
  });
});
