import { setTimeout as sleep } from 'node:timers/promises';
import { grantConnection, startTestApp, type TestApp } from './support/app.js';
import { MetricWatches } from './support/metric-watches.js';
import { type Receiver } from './support/webhook-receiver.js';
import { itLong } from './support/tier.js';

describe('rights on watches of metrics', () => {
  let app: TestApp;
  let watches: MetricWatches;
  let receiver: Receiver;
  let editorId: number;
  beforeAll(async () => {
    app = await startTestApp();
    watches = await MetricWatches.start(app);
    ({ receiver, editorId } = watches);
  });
  beforeEach(() => watches.clear());
  afterAll(async () => {
    receiver?.close();
    await app?.close();
  });

  itLong.each([
    ['is made a viewer', 'graph_forbidden', `UPDATE graph_members SET role = 'viewer' WHERE user_id = $1`, ''],
    ['is disabled', 'owner_disabled', 'UPDATE users SET disabled_at = now() WHERE id = $1', 'UPDATE users SET disabled_at = NULL WHERE id = $1'], // prettier-ignore
  ])('are kept back while their user %s, and paused after five times', async (_, code, lose, undo) => {
    const { at } = await watches.aMetric(['1'], {}, app.admin);
    const { id } = await watches.aWatch(at);
    await app.pool.query(lose, [editorId]);
    try {
      for (let refusal = 1; refusal <= 5; refusal++) {
        await watches.makeDue(id);
        await watches.until(`${at}/${id}`, ({ starts }) => starts.length === refusal);
      }
      const { body } = await app.admin.get(`${at}/${id}`).expect(200);
      expect(body).toMatchObject({ enabled: false, paused: { code: 'paused_after_refusals' }, checked_at: null });
      expect(body.starts[0]).toMatchObject({ outcome: 'refused', reason: { code } });
      // The admin, who may edit the graph, becomes the user of the watch by saving it.
      const changed = await app.admin.patch(`${at}/${id}`).send({ enabled: true }).expect(200);
      expect(changed.body).toMatchObject({ enabled: true, paused: null, saved_by: { username: 'admin' }, secret: null });
      expect(await watches.check(at, id)).toMatchObject({ held: true });
      await receiver.until(1);
    } finally {
      if (undo !== '') await app.pool.query(undo, [editorId]);
    }
  });

  it('end a check whose user loses the right while it waits, and send nothing to the URL', async () => {
    const { at } = await watches.aMetric(['1']);
    const { id } = await watches.aWatch(at);
    await app.pool.transaction(async client => {
      await client.query(`UPDATE metric_watches SET status = 'queued', queued_at = now() WHERE id = $1`, [id]);
      await client.query(`UPDATE graph_members SET role = 'viewer' WHERE user_id = $1`, [editorId]);
    });
    const watch = await watches.until(`${at}/${id}`, ({ checked_at }) => checked_at !== null);
    expect(watch).toMatchObject({ held: null, error: { code: 'requester_access_lost' }, failures: 1 });
    for (let status = ''; status !== 'failed'; await sleep(50)) {
      const [delivery] = (await app.admin.get(`${at}/${id}/deliveries`).expect(200)).body.items;
      status = delivery?.status;
      if (status === 'failed') expect(delivery).toMatchObject({ event: 'watch.failed', error: { code: 'access_lost' } });
    }
    expect(receiver.received).toEqual([]);
  });

  it('fail with the name of the connection that the binder of the metric may no longer use', async () => {
    const { at } = await watches.aMetric(['1']);
    const { id } = await watches.aWatch(at, {}, app.admin);
    await app.pool.query('DELETE FROM connection_grants WHERE user_id = $1', [editorId]);
    try {
      expect(await watches.check(at, id)).toMatchObject({ held: null, error: { code: 'connection_access_lost' }, failures: 1 });
    } finally {
      await grantConnection(app, 'lin');
    }
  });
});
