import { type Client, startTestApp, type TestApp } from './support/app.js';
import { MetricWatches, never } from './support/metric-watches.js';
import { type Receiver } from './support/webhook-receiver.js';

describe('requests about watches of metrics', () => {
  let app: TestApp;
  let watches: MetricWatches;
  let receiver: Receiver;
  let editor: Client;
  let editorId: number;
  beforeAll(async () => {
    app = await startTestApp();
    watches = await MetricWatches.start(app);
    ({ receiver, editor, editorId } = watches);
  });
  beforeEach(() => watches.clear());
  afterAll(async () => {
    receiver?.close();
    await app?.close();
  });

  it('can be changed field by field; another condition is judged anew', async () => {
    const { at } = await watches.aMetric(['1']);
    const made = await watches.aWatch(at);
    await watches.check(at, made.id);
    const url = `${at}/${made.id}`;
    const same = (await editor.patch(url).send({ cron: '*/5 * * * *', notify: 'always', rotate_secret: true }).expect(200)).body;
    expect(same).toMatchObject({ cron: '*/5 * * * *', notify: 'always', held: true, condition: { by: 'value', op: '>', value: '0.3' } });
    expect(same.secret).toMatch(/^whsec_/);
    expect(same.secret).not.toBe(made.secret);
    expect(same.former_secret_until).not.toBeNull();
    const other = (
      await editor
        .patch(url)
        .send({ condition: { op: '<', value: 5 }, notify: 'change' })
        .expect(200)
    ).body;
    expect(other).toMatchObject({ held: null, checked_at: null, cron: '*/5 * * * *', condition: { op: '<', value: '5' } });
    await watches.check(at, made.id);
    await receiver.until(2);
    expect(watches.messages().map(({ type }) => type)).toEqual(['watch.fired', 'watch.fired']);
    const { rows } = await app.pool.query(
      `SELECT action, actor FROM audit_events WHERE target = 'metric_watch' AND target_id = $1 ORDER BY id`,
      [made.id],
    );
    const actions = rows.map(({ action, actor }) => `${actor} ${action}`);
    expect([...new Set(actions)].sort()).toEqual(['lin schedule.saved', 'lin webhook.changed', 'lin webhook.created']);
  });

  it('can be disabled while their metric cannot be executed, and not enabled', async () => {
    const { at, metricId } = await watches.aMetric(['1']);
    const { id } = await watches.aWatch(at);
    await app.pool.query('DELETE FROM metric_bindings WHERE metric_id = $1', [metricId]);
    expect(await watches.check(at, id)).toMatchObject({ error: { code: 'missing_binding' } });
    await editor.patch(`${at}/${id}`).send({ enabled: false }).expect(200);
    expect((await editor.patch(`${at}/${id}`).send({ enabled: true }).expect(400)).body.code).toBe('missing_binding');
  });

  it('count with the schedules of copies against the maximum of a user', async () => {
    const { at } = await watches.aMetric(['1']);
    const { rows } = await app.pool.query(
      `WITH copies AS (INSERT INTO mirror_copies (connection_id, saved_by, status) SELECT 1, $1, 'failed' FROM generate_series(1, 200) RETURNING id),
         most AS (INSERT INTO schedules (kind, target_id, cron, timezone, enabled, next_at, look_at, saved_by)
           SELECT 'mirror_copy', id, $2, 'UTC', true, now() + interval '1 h', now() + interval '1 h', $1 FROM copies ORDER BY id OFFSET 1)
       SELECT min(id) AS id FROM copies`,
      [editorId, never],
    );
    const scheduleOfCopy = `/api/warehouse/mirror-copies/${rows[0].id}/schedule`;
    const saveCopy = () => editor.put(scheduleOfCopy).send({ cron: never });
    const full = { code: 'quota_reached', context: { most: 200 } };
    const { id } = await watches.aWatch(at);
    expect((await saveCopy().expect(409)).body).toMatchObject(full);
    await editor.patch(`${at}/${id}`).send({ enabled: false }).expect(200);
    await saveCopy().expect(200);
    expect((await editor.patch(`${at}/${id}`).send({ enabled: true }).expect(409)).body).toMatchObject(full);
    const request = { cron: never, condition: { op: '>', value: '0.3' }, url: `${receiver.url}/hook` };
    expect((await editor.post(at).send(request).expect(409)).body).toMatchObject(full);
    await editor.delete(scheduleOfCopy).expect(204);
    await editor.patch(`${at}/${id}`).send({ enabled: true }).expect(200);
    await app.pool.query('DELETE FROM mirror_copies');
  });

  it('refuse what is wrong, with its place, in both languages', async () => {
    const { at } = await watches.aMetric(['1']);
    const good = { cron: never, condition: { op: '>', value: '1' }, url: `${receiver.url}/hook` };
    const problems = async (wrong: object): Promise<unknown> => {
      const { body } = await editor
        .post(at)
        .send({ ...good, ...wrong })
        .expect(422);
      for (const { msg } of body.detail.errors) expect(msg).toMatch(/[一-鿿].* \/ .*[a-z]/);
      return body.detail.errors.map(({ loc, type }: any) => `${loc.join('.')} ${type}`);
    };
    expect(await problems({ cron: '* * * * * *' })).toEqual(['body.cron cron']);
    expect(await problems({ timezone: 'Mars' })).toEqual(['body.timezone timezone']);
    expect(await problems({ url: 'ftp://x' })).toEqual(['body.url url']);
    expect(await problems({ url: `${receiver.url}\n` })).toEqual(['body.url url']);
    expect(await problems({ url: 'http://169.254.169.254/' })).toEqual(['body.url url']);
    expect(await problems({ secret: 'short' })).toEqual(['body.secret secret']);
    expect(await problems({ condition: { by: 'rate', op: '>', value: '1' } })).toEqual(['body.condition.by unknown_column']);
    expect(await problems({ request: { dimensions: ['地区'] }, condition: { by: '地区', op: '>', value: '1' } })).toEqual([
      'body.condition.by unknown_column',
    ]);
    expect(await problems({ request: { dimensions: ['城市'] } })).toEqual(['body.request.dimensions.0 unknown_dimension']);
    expect(await problems({ request: { filters: [{ field: '地区', op: 'in', values: ['x'.repeat(20_000)] }] } })).toEqual([
      'body.request too_long',
    ]);
    for (const wrong of [{ condition: { op: 'like', value: '1' } }, { condition: { op: '>', value: 'NaN' } }, { notify: 'sometimes' }])
      expect(await problems(wrong)).toEqual([expect.stringMatching(/^body\.(condition|notify|url)/)]);
    for (const missing of ['cron', 'condition', 'url']) {
      const { body } = await editor
        .post(at)
        .send({ ...good, [missing]: undefined })
        .expect(400);
      expect(body).toMatchObject({ code: 'missing_field', context: { fields: [missing] } });
    }
    expect((await editor.get(at).expect(200)).body.items).toEqual([]);
    const other = await watches.aMetric(['1']);
    const { id } = await watches.aWatch(other.at);
    for (const wrong of [`${at}/${id}`, `${at}/${id}/deliveries`]) {
      expect((await editor.get(wrong).expect(404)).body.code).toBe('watch_not_found');
    }
    await editor.delete(`${at}/${id}`).expect(404);
    const unbound = (await editor.post('/api/metrics').send({ graph_id: other.graphId, name: '未绑定', formula: 'SUM(x)' }).expect(201)).body.id; // prettier-ignore
    expect((await editor.post(`/api/metrics/${unbound}/watches`).send(good).expect(400)).body.code).toBe('missing_binding');
  });

  it('are at most 20 of a metric and 100 of a user', async () => {
    const { at, metricId } = await watches.aMetric(['1']);
    const add = (count: number, metric: number) =>
      app.pool.query(
        `INSERT INTO metric_watches (metric_id, request, condition, notify, saved_by)
         SELECT $1, '{}', '{"by": "value", "op": ">", "value": "1"}', 'change', $2 FROM generate_series(1, $3::int)`,
        [metric, editorId, count],
      );
    await add(17, metricId);
    const good = { cron: never, condition: { op: '>', value: '1' }, url: `${receiver.url}/hook` };
    const answers = await Promise.all(Array.from({ length: 6 }, () => editor.post(at).send(good)));
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)!.body).toMatchObject({ code: 'too_many_metric_watches', context: { most: 20 } });
    const other = await watches.aMetric(['1']);
    await add(80, (await watches.aMetric(['1'])).metricId);
    expect((await editor.post(other.at).send(good).expect(409)).body).toMatchObject({ context: { most: 100 } });
    await watches.aWatch(other.at, {}, app.admin);
  });

  it('go with their metric, their graph, and alone', async () => {
    const first = await watches.aMetric(['1']);
    const alone = await watches.aWatch(first.at);
    await watches.aWatch(first.at);
    await editor.delete(`${first.at}/${alone.id}`).expect(204);
    await editor.delete(`/api/metrics/${first.metricId}`).expect(204);
    const second = await watches.aMetric(['1']);
    const { id } = await watches.aWatch(second.at);
    await editor.post(`${second.at}/${id}/test`).expect(202);
    await app.admin.delete(`/api/graphs/${second.graphId}`).expect(204);
    for (const table of ['metric_watches', 'schedules', 'webhooks', 'webhook_deliveries']) {
      expect([table, (await app.pool.query(`SELECT FROM ${table}`)).rowCount]).toEqual([table, 0]);
    }
  });
});
