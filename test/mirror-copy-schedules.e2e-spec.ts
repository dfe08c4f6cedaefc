import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { ForeignPostgres } from './support/foreign-postgres.js';
import { aForeignConnection } from './support/foreign-tables.js';
import { ended } from './support/mirror-copies.js';

describe('schedules of copies into the mirror', () => {
  let app: TestApp;
  let foreign: ForeignPostgres;
  let far: number;
  let copier: Client;
  let copierId: number;
  beforeAll(async () => {
    [app, foreign] = await Promise.all([startTestApp({ WAREHOUSE_ALLOWED_ADDRESSES: '127.0.0.1' }), ForeignPostgres.start()]);
    far = await aForeignConnection(app, foreign);
    await foreign.run('CREATE TABLE shared (id int); INSERT INTO shared VALUES (1)');
    copier = await app.asUser('copier');
    copierId = (await app.admin.post(`/api/permissions/connections/${far}/users`).send({ username: 'copier', right: 'read' })).body.user_id;
    await grantConnection(app, 'copier', 'write');
  }, 60_000);
  afterEach(async () => {
    await app.pool.query(`UPDATE mirror_copies SET status = 'cancelled' WHERE status IN ('queued', 'running'); DELETE FROM mirror_copies`);
  });
  afterAll(() => Promise.all([app.close(), foreign.remove()]), 60_000);

  const of = (id: number) => `/api/warehouse/mirror-copies/${id}/schedule`;
  const daily = { cron: '0 3 * * *', timezone: 'Asia/Shanghai' };

  let tables = 0;
  /** A copy of that user, which has ended, with a schedule of the copier. */
  async function aScheduledCopy(saver: Client = copier): Promise<number> {
    const body = { tables: [{ table: 'shared', as: `scheduled_${++tables}` }] };
    const { id } = (await saver.post(`/api/warehouse/connections/${far}/mirror`).send(body).expect(202)).body;
    expect(await ended(app, id)).toMatchObject({ status: 'succeeded' });
    await saver.put(of(id)).send(daily).expect(200);
    return id;
  }

  const makeDue = (id: number) =>
    app.pool.query(`UPDATE schedules SET next_at = now() - interval '1 s', look_at = now() WHERE target_id = $1`, [id]);

  async function untilStarts(id: number, count = 1): Promise<any> {
    for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
      const { body } = await app.admin.get(of(id)).expect(200);
      if (body.starts.length >= count) return body;
      if (Date.now() > deadline) throw new Error(JSON.stringify(body));
    }
  }
  const dataVersion = async (id: number): Promise<number> => (await ended(app, id)).tables[0].data_version;

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
    const { rows } = await app.pool.query(
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
    const stranger = await app.asUser('stranger');
    for (const request of [stranger.get(of(id)), stranger.put(of(id)).send(daily), stranger.delete(of(id))]) {
      expect((await request.expect(403)).body.code).toBe('mirror_copy_forbidden');
    }
    for (const request of [copier.get(of(999_999)), copier.put(of(999_999)).send(daily), copier.delete(of(999_999))]) {
      expect((await request.expect(404)).body.code).toBe('mirror_copy_not_found');
    }
    expect((await app.admin.put(of(id)).send(daily).expect(200)).body.saved_by.username).toBe('admin');
  });

  it('start the copy in the share of the user who saved them', async () => {
    const id = await aScheduledCopy();
    const before = await dataVersion(id);
    await makeDue(id);
    const { starts, next_times } = await untilStarts(id);
    expect(starts).toEqual([expect.objectContaining({ outcome: 'started', run_id: null, missed_since: null, reason: null })]);
    expect(Date.parse(next_times[0])).toBeGreaterThan(Date.now());
    expect(await dataVersion(id)).toBeGreaterThan(before);
    expect((await ended(app, id)).started_by).toBe('schedule');
    await copier.post(`/api/warehouse/mirror-copies/${id}/run`).expect(202);
    expect(await ended(app, id)).toMatchObject({ run: 3, started_by: 'user' });
    const { items } = (await copier.get(`/api/warehouse/mirror-copies/${id}/runs`).expect(200)).body;
    expect(items.map(({ run, started_by, status }: any) => [run, started_by, status])).toEqual([
      [3, 'user', 'succeeded'],
      [2, 'schedule', 'succeeded'],
      [1, 'user', 'succeeded'],
    ]);
    const { rows } = await app.pool.query('SELECT requested_by FROM mirror_copies WHERE id = $1', [id]);
    expect(rows).toEqual([{ requested_by: copierId }]);
  }, 30_000);

  it('skip a time while the copy still goes', async () => {
    const id = await aScheduledCopy();
    await app.pool.query(`UPDATE mirror_copies SET status = 'running', lease_until = now() + interval '1 h' WHERE id = $1`, [id]);
    await makeDue(id);
    const { starts } = await untilStarts(id);
    expect(starts[0]).toMatchObject({ outcome: 'skipped', run_id: null, reason: { code: 'mirror_copy_active' } });
  }, 30_000);

  it('wait while as many copies of their user wait as may', async () => {
    const id = await aScheduledCopy();
    // The running one holds the place of its user, so that the others stay where they are.
    const { rows } = await app.pool.query(
      `INSERT INTO mirror_copies (connection_id, requested_by, status, lease_until)
       SELECT $1, $2, CASE n WHEN 0 THEN 'running' ELSE 'queued' END, now() + interval '1 h' FROM generate_series(0, 4) n RETURNING id`,
      [far, copierId],
    );
    await makeDue(id);
    expect((await untilStarts(id)).starts[0]).toMatchObject({ outcome: 'waiting', reason: { code: 'too_many_copies_waiting' } });
    await app.pool.query('DELETE FROM mirror_copies WHERE id = ANY ($1)', [rows.map(row => row.id)]);
    await app.pool.query('UPDATE schedules SET look_at = now() WHERE target_id = $1', [id]);
    expect((await untilStarts(id, 2)).starts[0]).toMatchObject({ outcome: 'started' });
    await ended(app, id);
  }, 30_000);

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
  ])(
    'start nothing while %s',
    async (_, code, change, undo) => {
      const id = await aScheduledCopy();
      const before = await dataVersion(id);
      await app.pool.query(change, [copierId]);
      try {
        await makeDue(id);
        const { starts, enabled } = await untilStarts(id);
        expect(starts[0]).toMatchObject({ outcome: 'refused', run_id: null, reason: { code } });
        expect(starts[0].reason.detail).toMatch(/ \/ /);
        expect(enabled).toBe(true);
        expect(await dataVersion(id)).toBe(before);
      } finally {
        await app.pool.query(undo, [copierId]);
      }
    },
    30_000,
  );

  it('start nothing for an admin who is none any more, on the copy of another user', async () => {
    const id = await aScheduledCopy();
    const former = await app.asUser('former');
    await app.pool.query(`UPDATE users SET is_admin = true WHERE username = 'former'`);
    await former.put(of(id)).send(daily).expect(200);
    await app.pool.query(`UPDATE users SET is_admin = false WHERE username = 'former'`);
    await makeDue(id);
    expect((await untilStarts(id)).starts[0]).toMatchObject({ outcome: 'refused', reason: { code: 'mirror_copy_forbidden' } });
  }, 30_000);

  it('go with their copy, also while they are due', async () => {
    for (let round = 0; round < 5; round++) {
      const id = await aScheduledCopy();
      await makeDue(id);
      await sleep(round * 250);
      const remove = async () => (await copier.delete(`/api/warehouse/mirror-copies/${id}`)).status;
      // It may just have been started.
      for (let status = await remove(); status !== 204; status = await remove()) {
        expect(status).toBe(409);
        await ended(app, id);
      }
      expect((await copier.get(of(id)).expect(404)).body.code).toBe('mirror_copy_not_found');
    }
    expect((await app.pool.query('SELECT FROM schedules')).rowCount).toBe(0);
    expect((await app.pool.query('SELECT FROM schedule_starts')).rowCount).toBe(0);
  }, 60_000);
});
