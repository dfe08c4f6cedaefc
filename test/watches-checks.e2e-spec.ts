import { setTimeout as sleep } from 'node:timers/promises';
import { WatchesRepository } from '../src/metrics/watches/watches.repository.js';
import { WatchesWorker } from '../src/metrics/watches/watches.worker.js';
import { type Client, startTestApp, type TestApp } from './support/app.js';
import { aGraph, upload } from './support/ingestion.js';
import { MetricWatches, never } from './support/metric-watches.js';
import { isSigned, type Receiver } from './support/webhook-receiver.js';
import { itLong } from './support/tier.js';

describe('checks of watches of metrics', () => {
  let app: TestApp;
  let watches: MetricWatches;
  let receiver: Receiver;
  let editor: Client;
  beforeAll(async () => {
    app = await startTestApp();
    watches = await MetricWatches.start(app);
    ({ receiver, editor } = watches);
  });
  beforeEach(() => watches.clear());
  afterAll(async () => {
    receiver?.close();
    await app?.close();
  });

  it('tell a URL, signed, when a condition begins to hold and when it ceases', async () => {
    const { metricId, graphId, name, at } = await watches.aMetric(['0.1', '0.2']);
    const made = await watches.aWatch(at, {
      request: { dimensions: ['地区'] },
      condition: { op: '>=', value: 0.2 },
      timezone: 'Asia/Shanghai',
    });
    expect(made).toMatchObject({
      metric_id: metricId,
      cron: never,
      timezone: 'Asia/Shanghai',
      enabled: true,
      saved_by: { username: 'lin' },
      request: { dimensions: ['地区'] },
      condition: { by: 'value', op: '>=', value: '0.2' },
      notify: 'change',
      url: `${receiver.url}/hook`,
      checked_at: null,
      held: null,
      rows: null,
      error: null,
      failures: 0,
    });
    expect(made.secret).toMatch(/^whsec_/);
    const found = await watches.check(at, made.id);
    expect(found).toMatchObject({ held: true, columns: ['地区', 'value'], rows: [['r1', '0.2']], error: null, failures: 0 });
    expect(found.starts).toEqual([expect.objectContaining({ outcome: 'started', run_id: null, reason: null })]);
    expect(found).not.toHaveProperty('secret');
    const [message] = await receiver.until(1);
    expect(await isSigned(made.secret, message!)).toBe(true);
    expect(watches.messages()).toEqual([
      {
        type: 'watch.fired',
        timestamp: found.checked_at,
        data: {
          watch_id: made.id,
          metric_id: metricId,
          metric: name,
          graph_id: graphId,
          condition: { by: 'value', op: '>=', value: '0.2' },
          held: true,
          columns: ['地区', 'value'],
          rows: [['r1', '0.2']],
          error: null,
          failures: 0,
          location: `${at}/${made.id}`,
        },
      },
    ]);
    const checkNow = async () => (await editor.post(`${at}/${made.id}/check`).expect(200)).body;
    await checkNow();
    await watches.sales(['0.1', '0.19']);
    expect(await checkNow()).toMatchObject({ held: false, rows: [['r1', '0.19'], ['r0', '0.1']] }); // prettier-ignore
    await receiver.until(2);
    await checkNow();
    await watches.sales(['0.1', '0.21']);
    await checkNow();
    await receiver.until(3);
    expect(watches.messages().map(({ type }) => type)).toEqual(['watch.fired', 'watch.recovered', 'watch.fired']);
    const { body } = await editor.get(`${at}/${made.id}/deliveries`).expect(200);
    expect(body.items.map(({ event }: any) => event)).toEqual(['watch.fired', 'watch.recovered', 'watch.fired']);
    await editor.post(`${at}/${made.id}/deliveries/${body.items[0].id}/redeliver`).expect(202);
    const all = await receiver.until(4);
    expect(all[3]!.headers['webhook-id']).toBe(all[2]!.headers['webhook-id']);
  });

  it('can be checked now, with an answer of what was found, and keep their times', async () => {
    const { at } = await watches.aMetric(['0.1', '0.2']);
    const made = await watches.aWatch(at, { request: { dimensions: ['地区'] }, condition: { op: '>=', value: 0.2 }, enabled: false });
    const checkNow = async () => (await editor.post(`${at}/${made.id}/check`).expect(200)).body;
    const found = await checkNow();
    expect(found).toEqual({
      checked_at: expect.any(String),
      held: true,
      columns: ['地区', 'value'],
      rows: [['r1', '0.2']],
      error: null,
      failures: 0,
      event: 'watch.fired',
      delivery_id: expect.any(Number),
    });
    await receiver.until(1);
    const { items } = (await editor.get(`${at}/${made.id}/deliveries`).expect(200)).body;
    expect(items).toEqual([expect.objectContaining({ id: found.delivery_id, event: 'watch.fired' })]);
    expect(await checkNow()).toMatchObject({ held: true, event: null, delivery_id: null });
    const now = (await editor.get(`${at}/${made.id}`).expect(200)).body;
    expect(now).toMatchObject({ enabled: false, held: true, starts: [], next_times: made.next_times });

    await watches.sales(['a', 'b'], 'text');
    const failed = await checkNow();
    expect(failed).toMatchObject({ held: true, failures: 1, event: 'watch.failed', delivery_id: expect.any(Number) });
    expect(failed.error.code).toBe('binding_outdated');
    await editor.post(`${at}/${made.id + 1000}/check`).expect(404);
  });

  it('cannot be checked now while they, or another one of their user, are being checked', async () => {
    const { at } = await watches.aMetric(['1']);
    const [first, second] = [await watches.aWatch(at), await watches.aWatch(at)];
    const hold = (seconds: number) =>
      app.pool.query(
        `UPDATE metric_watches SET status = 'running', lease_owner = gen_random_uuid(), lease_until = now() + make_interval(secs => $2) WHERE id = $1`,
        [first.id, seconds],
      );
    await hold(60);
    for (const { id } of [first, second]) {
      const { headers, body } = await editor.post(`${at}/${id}/check`).expect(503);
      expect(headers['retry-after']).toMatch(/^[1-9]\d*$/);
      expect(body.code).toBe('checks_busy');
    }
    await app.pool.query(`UPDATE metric_watches SET status = 'idle', lease_owner = NULL, lease_until = NULL WHERE id = $1`, [first.id]);
    await editor.post(`${at}/${second.id}/check`).expect(200);
    const together = await Promise.all(
      [first, second, first].map(({ id }) => editor.post(`${at}/${id}/check`).then(({ status }) => status)),
    );
    expect(together).toContain(200);
    expect(together.filter(status => status !== 200 && status !== 503)).toEqual([]);
  });

  itLong('are refused a check for which another request has taken the last place', async () => {
    const { at } = await watches.aMetric(['1']);
    const made = [await watches.aWatch(at), await watches.aWatch(at), await watches.aWatch(at)];
    for (const [index, { id }] of made.entries()) {
      await app.asUser(`watcher${index}`);
      await app.pool.query('UPDATE metric_watches SET saved_by = (SELECT id FROM users WHERE username = $2) WHERE id = $1', [
        id,
        `watcher${index}`,
      ]);
    }
    const [claims, rights] = [await app.pool.connect(), await app.pool.connect()];
    try {
      await claims.query(`BEGIN; SELECT pg_advisory_xact_lock(hashtextextended('claims of watches', 0))`);
      // A request asks for a claim once it has found a free place.
      const claiming = jest.spyOn(app.app.get(WatchesRepository), 'claimNow');
      const asked = made.map(({ id }) => editor.post(`${at}/${id}/check`).then(({ status }) => status));
      while (claiming.mock.calls.length < made.length) await sleep(20);
      claiming.mockRestore();
      // The lock on the members makes the checks wait when they read the rights of their users.
      await rights.query('BEGIN; LOCK TABLE graph_members IN ACCESS EXCLUSIVE MODE');
      await claims.query('COMMIT');
      expect(await Promise.race(asked)).toBe(503);
      await rights.query('ROLLBACK');
      expect((await Promise.all(asked)).sort()).toEqual([200, 200, 503]);
    } finally {
      claims.release(true);
      rights.release(true);
    }
  });

  itLong('tell of each check at which it holds, where they are asked to', async () => {
    const { at } = await watches.aMetric(['1']);
    const { id } = await watches.aWatch(at, { notify: 'always' });
    await watches.check(at, id);
    await watches.check(at, id);
    await receiver.until(2);
    await watches.sales(['0']);
    await watches.check(at, id);
    await watches.check(at, id);
    await receiver.until(3);
    await editor.post(`${at}/${id}/test`).expect(202);
    await receiver.until(4);
    expect(watches.messages().map(({ type }) => type)).toEqual(['watch.fired', 'watch.fired', 'watch.recovered', 'webhook.test']);
  });

  itLong('compare the exact value, not what a double or the format of the metric makes of it', async () => {
    const { at } = await watches.aMetric(['0.1', '0.2', '0.0001'], { format: '0.0' });
    const above = await watches.aWatch(at, { condition: { op: '>', value: '0.3' } });
    const equal = await watches.aWatch(at, { condition: { op: '=', value: '0.3' } });
    expect(await watches.check(at, above.id)).toMatchObject({ held: true, rows: [['0.3001']] });
    expect(await watches.check(at, equal.id)).toMatchObject({ held: false, rows: [['0.3001']] });
    await watches.sales(['0.1', '0.2']);
    expect(await watches.check(at, above.id)).toMatchObject({ held: false, rows: [['0.3']] });
    expect(await watches.check(at, equal.id)).toMatchObject({ held: true });
    await watches.sales(['']);
    for (const { id } of [above, equal]) expect(await watches.check(at, id)).toMatchObject({ held: false, rows: [[null]] });
    const unequal = await watches.aWatch(at, { condition: { op: '!=', value: '0.3' } });
    expect(await watches.check(at, unequal.id)).toMatchObject({ held: false, rows: [[null]] });
  });

  itLong('look at another value of a comparison, and at no NaN', async () => {
    await upload(app, 'sales', 'region,amount,day\n东,1,2024-01-31\n东,3,2025-01-31\n', 'amount:float,day:date');
    const graphId = await aGraph(app);
    const binding = { relation: { table: 'sales' }, time: { column: 'day' } };
    const metric = { graph_id: graphId, name: 'm', formula: 'SUM(amount)', binding };
    const { body } = await app.admin.post('/api/metrics').send(metric).expect(201);
    const at = `/api/metrics/${body.id}/watches`;
    const time = { from: '2025-01-01', to: '2026-01-01', grain: 'year' };
    const request = { time, compare: { offset: '1 year' } };
    const { id } = await watches.aWatch(at, { request, condition: { by: 'rate', op: '>=', value: '2' } }, app.admin);
    expect(await watches.check(at, id)).toMatchObject({
      held: true,
      error: null,
      columns: ['period', 'value', 'previous', 'diff', 'rate'],
    });
    await app.pool.query(`UPDATE mirror.sales SET amount = 'NaN' WHERE day = '2025-01-31'`);
    await app.pool.query(`UPDATE mirror_tables SET version = DEFAULT WHERE name = 'sales'`);
    expect(await watches.check(at, id)).toMatchObject({ held: false, error: null });
  });

  itLong('find the row that meets the condition among more than are read', async () => {
    const { at } = await watches.aMetric(Array.from({ length: 10_500 }, (_, index) => String(index)));
    const request = { dimensions: ['地区'] };
    const most = await watches.aWatch(at, { request, condition: { op: '>', value: '10498' } });
    const least = await watches.aWatch(at, { request, condition: { op: '<', value: '0' } });
    const equal = await watches.aWatch(at, { request, condition: { op: '=', value: '3' } });
    expect(await watches.check(at, most.id)).toMatchObject({ held: true, rows: [['r10499', '10499']] });
    expect(await watches.check(at, least.id)).toMatchObject({ held: false, error: null });
    expect(await watches.check(at, equal.id)).toMatchObject({ held: null, error: { code: 'too_many_rows_to_watch' }, failures: 1 });
  });

  itLong('tell once of a metric that can be read no more, keep what held, and go on when it can', async () => {
    const { at } = await watches.aMetric(['1']);
    const { id } = await watches.aWatch(at);
    await watches.check(at, id);
    await watches.sales(['1'], 'text');
    const failed = await watches.check(at, id);
    expect(failed).toMatchObject({ held: true, rows: [['1']], error: { code: 'binding_outdated' }, failures: 1 });
    expect(failed.error.detail).toMatch(/sales\.amount: numeric → text.* \/ .*sales\.amount: numeric → text/);
    expect(await watches.check(at, id)).toMatchObject({ held: true, failures: 2 });
    await receiver.until(2);
    await watches.sales(['1']);
    expect(await watches.check(at, id)).toMatchObject({ held: true, error: null, failures: 0 });
    await watches.sales(['0']);
    await watches.check(at, id);
    await receiver.until(3);
    expect(watches.messages().map(({ type, data }) => [type, data.held, data.rows, data.error?.code])).toEqual([
      ['watch.fired', true, [['1']], undefined],
      ['watch.failed', true, null, 'binding_outdated'],
      ['watch.recovered', false, [['0']], undefined],
    ]);
  });

  itLong('skip a time while the last check goes on, and drop a check that a change overtakes', async () => {
    const { at } = await watches.aMetric(['1']);
    const { id } = await watches.aWatch(at);
    let ended: Promise<void> | undefined;
    await app.pool.transaction(async client => {
      await client.query('LOCK TABLE mirror.sales IN ACCESS EXCLUSIVE MODE');
      await watches.makeDue(id);
      for (let status = ''; status !== 'running'; await sleep(30)) {
        status = (await app.pool.query('SELECT status FROM metric_watches WHERE id = $1', [id])).rows[0].status;
      }
      await watches.makeDue(id);
      const { starts } = await watches.until(`${at}/${id}`, watch => watch.starts.length === 2);
      expect(starts[0]).toMatchObject({ outcome: 'skipped', reason: { code: 'check_active' } });
      ended = app.app.get(WatchesWorker).untilEnd(id, 60_000);
      await editor
        .patch(`${at}/${id}`)
        .send({ url: `${receiver.url}/other` })
        .expect(200);
    });
    await ended;
    expect((await app.admin.get(`${at}/${id}`)).body).toMatchObject({ checked_at: null, held: null });
    expect(await watches.check(at, id)).toMatchObject({ held: true });
    await receiver.until(1, '/other');
    expect(receiver.received).toHaveLength(1);
  });
});
