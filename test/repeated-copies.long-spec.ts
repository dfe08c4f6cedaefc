import { startTestApp, type TestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { copyAgain, copyToEnd } from './support/mirror-copies.js';

let test: TestApp;
let foreign: ForeignPostgres;
let far: number;
beforeAll(async () => {
  [test, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
  far = await aForeignConnection(test, foreign);
});
afterAll(() => Promise.all([test.close(), foreign.remove()]));

describe('a copy by cursor', () => {
  const rowsOf = async (table: string): Promise<unknown[][]> =>
    (await test.pool.query({ text: `SELECT * FROM mirror.${table} ORDER BY 1`, rowMode: 'array' })).rows;
  const codes = ({ tables: [table] }: any): string[] => table.warnings.map(({ code }: any) => code);
  it('reads all rows once, and then those from the last cursor on, with every row of the same value', async () => {
    await foreign.run(
      `CREATE TABLE events (id int PRIMARY KEY, v text, at int); INSERT INTO events VALUES (1, 'a', 10), (2, 'b', 20), (3, 'c', 20)`,
    );
    const first = await copyToEnd(test, far, [{ table: 'events', mode: 'cursor', cursor: 'at' }]);
    expect(first.error).toBeNull();
    expect(first.tables[0]).toMatchObject({ reads: 'all', rows: 3, inserted: 3, cursor_value: '20' });
    expect(codes(first)).toEqual(['deletes_not_seen']);

    const same = await copyAgain(test, first.id);
    expect(same.tables[0]).toMatchObject({ reads: 'since', rows: 2, inserted: 0, updated: 0, data_version: first.tables[0].data_version });

    // Row 4 has the cursor of the last row that was read. Row 1 changes below the cursor, so that is missed. Row 5 has no cursor.
    await foreign.run(
      `INSERT INTO events VALUES (4, 'late', 20), (5, 'none', NULL), (6, 'f', 30); UPDATE events SET v = 'x' WHERE id IN (1, 3); DELETE FROM events WHERE id = 2`,
    );
    const next = await copyAgain(test, first.id);
    expect(next.tables[0]).toMatchObject({ reads: 'since', rows: 4, inserted: 3, updated: 1, cursor_value: '30', status: 'succeeded' });
    expect(next.tables[0].data_version).toBeGreaterThan(first.tables[0].data_version);
    expect(await rowsOf('events')).toEqual([
      [1, 'a', 10],
      [2, 'b', 20],
      [3, 'x', 20],
      [4, 'late', 20],
      [5, 'none', null],
      [6, 'f', 30],
    ]);
  });

  it.each([
    ['timestamptz', '5m', `'2024-01-01 10:00:00+00'`, `'2024-01-01 09:55:00+00'`, `'2024-01-01 09:54:59+00'`],
    ['timestamp(3)', '90s', `'2024-01-01 10:00:00.5'`, `'2024-01-01 09:58:30.5'`, `'2024-01-01 09:58:30.499'`],
    ['date', '2d', `'2024-03-01'`, `'2024-02-28'`, `'2024-02-27'`],
    ['date', '1h', `'2024-03-01'`, `'2024-02-29'`, `'2024-02-28'`],
    ['numeric', '3', '10.5', '7.5', '7.4'],
    ['smallint', '10', '-32760', '-32765', '-32768'],
  ])('begins so far before the last cursor as lag says: %s, %s', async (type, lag, last, within, before) => {
    await foreign.run(
      `DROP TABLE IF EXISTS lagging; CREATE TABLE lagging (id int PRIMARY KEY, at ${type}); INSERT INTO lagging VALUES (1, ${last}), (9, 'infinity')`.replace(
        type === 'smallint' ? `, (9, 'infinity')` : '~',
        '',
      ),
    );
    const first = await copyToEnd(test, far, [{ table: 'lagging', mode: 'cursor', cursor: 'at', lag }]);
    expect(first.error).toBeNull();
    await foreign.run(`INSERT INTO lagging VALUES (2, ${within}), (3, ${before})`);
    const next = await copyAgain(test, first.id);
    expect(next.error).toBeNull();
    const ids = (await rowsOf('lagging')).map(([id]) => id).filter(id => id !== 9);
    // -32760 minus the lag is below the least smallint, so all rows are read again.
    expect(ids).toEqual(type === 'smallint' ? [1, 2, 3] : [1, 2]);
    await test.admin.delete(`/api/warehouse/mirror-copies/${first.id}`).expect(204);
    await test.admin.delete('/api/warehouse/connections/1/tables/lagging?force=true').expect(204);
  });

  it('copies the whole table, and says why, when the mirror or the source is another one', async () => {
    await foreign.run(`CREATE TABLE changed (id int PRIMARY KEY, at int, v text); INSERT INTO changed VALUES (1, 1, 'a'), (2, 2, 'b')`);
    const { id } = await copyToEnd(test, far, [{ table: 'changed', mode: 'cursor', cursor: 'at' }]);
    const upload = (csv: string, mode: string) =>
      test.admin.put(`/api/warehouse/connections/1/tables/changed?mode=${mode}`).set('Content-Type', 'text/csv').send(csv).expect(200);
    await upload('id,at,v\n7,7,seven\n', 'append');
    const afterUpload = await copyAgain(test, id);
    expect(afterUpload.tables[0]).toMatchObject({ reads: 'all', rows: 2 });
    expect(codes(afterUpload)).toEqual(['deletes_not_seen', 'copied_in_full'].sort());
    expect(await rowsOf('changed')).toEqual([
      [1, 1, 'a'],
      [2, 2, 'b'],
    ]);
    await foreign.run(`ALTER TABLE changed ALTER v TYPE varchar(9), ADD w int DEFAULT 3`);
    const afterChange = await copyAgain(test, id);
    expect(codes(afterChange)).toContain('copied_in_full');
    expect(await rowsOf('changed')).toEqual([
      [1, 1, 'a', 3],
      [2, 2, 'b', 3],
    ]);
    expect((await copyAgain(test, id)).tables[0]).toMatchObject({ reads: 'since', rows: 1 });
    await foreign.run(`ALTER TABLE changed ALTER w SET NOT NULL`);
    await copyAgain(test, id);
    await foreign.run(`ALTER TABLE changed ALTER w DROP NOT NULL; INSERT INTO changed VALUES (3, 3, 'c', NULL)`);
    const afterNull = await copyAgain(test, id);
    expect(afterNull.error).toBeNull();
    expect(await rowsOf('changed')).toContainEqual([3, 3, 'c', null]);
    await foreign.run('ALTER TABLE changed RENAME at TO later');
    const gone = await copyAgain(test, id);
    expect(gone).toMatchObject({
      status: 'failed',
      error: { code: 'cursor_column_gone', detail: expect.stringMatching(/游标列 'at'.*no cursor column 'at'/s) },
    });
    expect(gone.tables[0].data_version).toBe(afterNull.tables[0].data_version);
    expect(await rowsOf('changed')).toHaveLength(3);
  });

  it.each([
    ['has lost its key', {}, 'DROP CONSTRAINT lost_pkey', 'key_needed'],
    ['has lost a column of the key', { key: ['a'] }, 'RENAME a TO b', 'key_column_missing'],
    ['has repeated values in the key', { key: ['v'] }, 'ADD w int', 'key_not_unique'],
    ['has made its cursor a text', {}, 'ALTER at TYPE text', 'cursor_type'],
    ['has made its cursor a time', { lag: '5' }, 'ALTER at TYPE timestamptz USING to_timestamp(at)', 'cursor_lag'],
  ])('fails with a sentence once its source %s', async (_, more, change, code) => {
    await foreign.run(`CREATE TABLE lost (a int PRIMARY KEY, v int, at int); INSERT INTO lost VALUES (1, 1, 1)`);
    const { id, error } = await copyToEnd(test, far, [{ table: 'lost', mode: 'cursor', cursor: 'at', ...more }]);
    expect(error).toBeNull();
    await foreign.run(`INSERT INTO lost VALUES (2, 1, 2); ALTER TABLE lost ${change}`);
    const done = await copyAgain(test, id);
    expect(done).toMatchObject({ status: 'failed', error: { code } });
    expect(done.tables[0]).toMatchObject({ status: 'failed', problem: done.error });
    expect(await rowsOf('lost')).toHaveLength(1);
    await test.admin.delete(`/api/warehouse/mirror-copies/${id}`).expect(204);
    await test.admin.delete('/api/warehouse/connections/1/tables/lost?force=true').expect(204);
    await foreign.run('DROP TABLE lost');
  });

  it('fails with a sentence once rows have no value in the key', async () => {
    await foreign.run(`CREATE TABLE emptied (a int, at int); INSERT INTO emptied VALUES (1, 1)`);
    const { id, error } = await copyToEnd(test, far, [{ table: 'emptied', mode: 'cursor', cursor: 'at', key: ['a'] }]);
    expect(error).toBeNull();
    await foreign.run(`INSERT INTO emptied VALUES (NULL, 2)`);
    expect(await copyAgain(test, id)).toMatchObject({
      status: 'failed',
      error: { code: 'key_not_unique' },
      tables: [{ status: 'failed' }],
    });
  });

  it('takes a view by a key of its own', async () => {
    await foreign.run(`
      CREATE TABLE keyless (a int, at int, t text); INSERT INTO keyless VALUES (1, 1, 'x'), (1, 2, 'y'), (2, NULL, 'z');
      CREATE VIEW seen AS SELECT * FROM keyless WHERE a = 2`);
    expect(await copyToEnd(test, far, [{ table: 'seen', mode: 'cursor', cursor: 'at', key: ['a'] }])).toMatchObject({
      status: 'succeeded',
    });
  });
});
