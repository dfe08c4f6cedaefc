import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp, type TestApp, type Client, grantConnection } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { copyAgain, copyToEnd, ended } from './support/mirror-copies.js';

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

describe('schedules of copies into the mirror', () => {
  let copier: Client;
  let copierId: number;
  beforeAll(async () => {
    await foreign.run('CREATE TABLE shared (id int); INSERT INTO shared VALUES (1)');
    copier = await test.asUser('copier');
    copierId = (await test.admin.post(`/api/permissions/connections/${far}/users`).send({ username: 'copier', right: 'read' })).body
      .user_id;
    await grantConnection(test, 'copier', 'write');
  });
  afterEach(async () => {
    await test.pool.query(`UPDATE mirror_copies SET status = 'cancelled' WHERE status IN ('queued', 'running'); DELETE FROM mirror_copies`);
  });

  const of = (id: number) => `/api/warehouse/mirror-copies/${id}/schedule`;
  const daily = { cron: '0 3 * * *', timezone: 'Asia/Shanghai' };

  let tables = 0;
  /** Returns a copy of `saver` that has ended, with a daily schedule that `saver` made. */
  async function aScheduledCopy(saver: Client = copier): Promise<number> {
    const body = { tables: [{ table: 'shared', as: `scheduled_${++tables}` }] };
    const { id } = (await saver.post(`/api/warehouse/connections/${far}/mirror`).send(body).expect(202)).body;
    expect(await ended(test, id)).toMatchObject({ status: 'succeeded' });
    await saver.put(of(id)).send(daily).expect(200);
    return id;
  }

  const makeDue = (id: number) =>
    test.pool.query(`UPDATE schedules SET next_at = now() - interval '1 s', look_at = now() WHERE target_id = $1`, [id]);

  async function untilStarts(id: number, count = 1): Promise<any> {
    for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
      const { body } = await test.admin.get(of(id)).expect(200);
      if (body.starts.length >= count) return body;
      if (Date.now() > deadline) throw new Error(JSON.stringify(body));
    }
  }
  const dataVersion = async (id: number): Promise<number> => (await ended(test, id)).tables[0].data_version;

  it('show the next five times, leave events, and go when they are deleted', async () => {
    const id = await aScheduledCopy();
    const { body } = await copier.get(of(id)).expect(200);
    expect(body).toMatchObject({ ...daily, enabled: true, paused: null, saved_by: { username: 'copier' }, starts: [] });
    expect(body.next_times).toHaveLength(5);
    const wrong = await copier.put(of(id)).send({ cron: '0 25 * * *', timezone: '+08:00' }).expect(422);
    expect(wrong.body.detail.errors.map(({ loc }: any) => loc)).toEqual([
      ['body', 'cron'],
      ['body', 'timezone'],
    ]);
    await copier.delete(of(id)).expect(204);
    expect((await copier.delete(of(id)).expect(404)).body.code).toBe('schedule_not_found');
    const { rows } = await test.pool.query(
      `SELECT action, actor, context FROM audit_events WHERE target = 'mirror_copy' AND target_id = $1 ORDER BY id OFFSET 1`,
      [id],
    );
    expect(rows).toEqual([
      { action: 'schedule.saved', actor: 'copier', context: { ...daily, enabled: true } },
      { action: 'schedule.deleted', actor: 'copier', context: {} },
    ]);
  });

  it('belong to the user of the copy and to admins', async () => {
    const id = await aScheduledCopy();
    const stranger = await test.asUser('stranger');
    for (const request of [stranger.get(of(id)), stranger.put(of(id)).send(daily), stranger.delete(of(id))]) {
      expect((await request.expect(403)).body.code).toBe('mirror_copy_forbidden');
    }
    for (const request of [copier.get(of(999_999)), copier.put(of(999_999)).send(daily), copier.delete(of(999_999))]) {
      expect((await request.expect(404)).body.code).toBe('mirror_copy_not_found');
    }
    expect((await test.admin.put(of(id)).send(daily).expect(200)).body.saved_by.username).toBe('admin');
  });

  it('start the copy in the share of the user who saved them', async () => {
    const id = await aScheduledCopy();
    const before = await dataVersion(id);
    await makeDue(id);
    const { starts, next_times } = await untilStarts(id);
    expect(starts).toEqual([expect.objectContaining({ outcome: 'started', run_id: null, missed_since: null, reason: null })]);
    expect(Date.parse(next_times[0])).toBeGreaterThan(Date.now());
    expect(await dataVersion(id)).toBeGreaterThan(before);
    expect((await ended(test, id)).started_by).toBe('schedule');
    await copier.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
    expect(await ended(test, id)).toMatchObject({ run: 3, started_by: 'user' });
    const { items } = (await copier.get(`/api/warehouse/mirror-copies/${id}/runs`).expect(200)).body;
    expect(items.map(({ run, started_by, status }: any) => [run, started_by, status])).toEqual([
      [3, 'user', 'succeeded'],
      [2, 'schedule', 'succeeded'],
      [1, 'user', 'succeeded'],
    ]);
    const { rows } = await test.pool.query('SELECT requested_by FROM mirror_copies WHERE id = $1', [id]);
    expect(rows).toEqual([{ requested_by: copierId }]);
  });

  it('skip a time while the copy still goes', async () => {
    const id = await aScheduledCopy();
    await test.pool.query(`UPDATE mirror_copies SET status = 'running', lease_until = now() + interval '1 h' WHERE id = $1`, [id]);
    await makeDue(id);
    const { starts } = await untilStarts(id);
    expect(starts[0]).toMatchObject({ outcome: 'skipped', run_id: null, reason: { code: 'mirror_copy_active' } });
  });

  it('wait while as many copies of their user wait as may', async () => {
    const id = await aScheduledCopy();
    // The running copy takes the place of its user, so the four queued ones keep waiting.
    const { rows } = await test.pool.query(
      `INSERT INTO mirror_copies (connection_id, requested_by, status, lease_until)
       SELECT $1, $2, CASE n WHEN 0 THEN 'running' ELSE 'queued' END, now() + interval '1 h' FROM generate_series(0, 4) n RETURNING id`,
      [far, copierId],
    );
    await makeDue(id);
    expect((await untilStarts(id)).starts[0]).toMatchObject({ outcome: 'waiting', reason: { code: 'too_many_copies_waiting' } });
    await test.pool.query('DELETE FROM mirror_copies WHERE id = ANY ($1)', [rows.map(row => row.id)]);
    await test.pool.query('UPDATE schedules SET look_at = now() WHERE target_id = $1', [id]);
    expect((await untilStarts(id, 2)).starts[0]).toMatchObject({ outcome: 'started' });
    await ended(test, id);
  });

  it.each([
    [
      'their user is disabled',
      'owner_disabled',
      'UPDATE users SET disabled_at = now() WHERE id = $1',
      'UPDATE users SET disabled_at = NULL WHERE id = $1',
    ],
    [
      'the source may not be read any more',
      'connection_access_lost',
      'DELETE FROM connection_grants WHERE user_id = $1 AND connection_id <> 1',
      `INSERT INTO connection_grants (connection_id, user_id, can_write) SELECT id, $1, false FROM warehouse_connections WHERE name = 'far'`,
    ],
    [
      'the mirror may not be written any more',
      'mirror_forbidden',
      'UPDATE connection_grants SET can_write = false WHERE user_id = $1 AND connection_id = 1',
      'UPDATE connection_grants SET can_write = true WHERE user_id = $1 AND connection_id = 1',
    ],
  ])('start nothing while %s', async (_, code, change, undo) => {
    const id = await aScheduledCopy();
    const before = await dataVersion(id);
    await test.pool.query(change, [copierId]);
    try {
      await makeDue(id);
      const { starts, enabled } = await untilStarts(id);
      expect(starts[0]).toMatchObject({ outcome: 'refused', run_id: null, reason: { code } });
      expect(starts[0].reason.detail).toMatch(/ \/ /);
      expect(enabled).toBe(true);
      expect(await dataVersion(id)).toBe(before);
    } finally {
      await test.pool.query(undo, [copierId]);
    }
  });

  it('start nothing for an admin who is none any more, on the copy of another user', async () => {
    const id = await aScheduledCopy();
    const former = await test.asUser('former');
    await test.pool.query(`UPDATE users SET is_admin = true WHERE username = 'former'`);
    await former.put(of(id)).send(daily).expect(200);
    await test.pool.query(`UPDATE users SET is_admin = false WHERE username = 'former'`);
    await makeDue(id);
    expect((await untilStarts(id)).starts[0]).toMatchObject({ outcome: 'refused', reason: { code: 'mirror_copy_forbidden' } });
  });

  it('go with their copy, also while they are due', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await aScheduledCopy();
      await makeDue(id);
      await sleep(round * 250);
      const remove = async () => (await copier.delete(`/api/warehouse/mirror-copies/${id}`)).status;
      // The schedule may just have started the copy. Deleting it then answers 409 until the copy has ended.
      for (let status = await remove(); status !== 204; status = await remove()) {
        expect(status).toBe(409);
        await ended(test, id);
      }
      expect((await copier.get(of(id)).expect(404)).body.code).toBe('mirror_copy_not_found');
    }
    expect((await test.pool.query('SELECT FROM schedules')).rowCount).toBe(0);
    expect((await test.pool.query('SELECT FROM schedule_starts')).rowCount).toBe(0);
  });
});
