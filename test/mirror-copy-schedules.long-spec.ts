import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { ended } from './support/mirror-copies.js';

let test: TestApp;
let foreign: ForeignPostgres;
let far: number;
beforeAll(async () => {
  [test, foreign] = await Promise.all([startTestApp(), ForeignPostgres.start()]);
  far = await aForeignConnection(test, foreign);
});
afterAll(() => Promise.all([test.close(), foreign.remove()]));

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
