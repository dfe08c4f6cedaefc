import { setTimeout as sleep } from 'node:timers/promises';
import { type Client, grantConnection, startTestApp, type TestApp } from './support/app.js';
import { aGraph, upload } from './support/ingestion.js';
import { isSigned, Receiver } from './support/webhook-receiver.js';
import { itLong } from './support/tier.js';

const never = '0 0 1 1 *';

describe('watches of metrics', () => {
  let app: TestApp;
  let receiver: Receiver;
  let editor: Client;
  let editorId: number;
  let metrics = 0;
  beforeAll(async () => {
    receiver = new Receiver();
    await receiver.listen();
    app = await startTestApp();
    editor = await app.asUser('lin');
    editorId = (await editor.get('/api/auth/me').expect(200)).body.user_id;
    await grantConnection(app, 'lin');
  });
  beforeEach(async () => {
    await app.pool.query('DELETE FROM metric_watches');
    receiver.received.length = 0;
    receiver.answer = () => 204;
  });
  afterAll(async () => {
    receiver.close();
    await app?.close();
  });

  const sales = (amounts: string[], type = 'numeric') =>
    upload(app, 'sales', `region,amount\n${amounts.map((amount, index) => `r${index},${amount}\n`).join('')}`, `amount:${type}`);

  /** A metric of the editor on a graph of the admin. */
  async function aMetric(amounts: string[], more: object = {}, as = editor): Promise<{ graphId: number; metricId: number; at: string }> {
    await sales(amounts);
    const graphId = await aGraph(app);
    await app.admin.post(`/api/permissions/graphs/${graphId}/members`).send({ user_id: editorId, role: 'editor' }).expect(201);
    const binding = { relation: { table: 'sales' }, dimensions: [{ name: '地区', column: 'region' }] };
    const metric = { graph_id: graphId, name: `m${++metrics}`, formula: 'SUM(amount)', binding, ...more };
    const { body } = await as.post('/api/metrics').send(metric).expect(201);
    return { graphId, metricId: body.id, at: `/api/metrics/${body.id}/watches` };
  }
  const aWatch = async (at: string, more: object = {}, as = editor): Promise<any> => {
    const request = { cron: never, condition: { op: '>', value: '0.3' }, url: `${receiver.url}/hook`, ...more };
    return (await as.post(at).send(request).expect(201)).body;
  };
  const makeDue = (id: number) =>
    app.pool.query(
      `UPDATE schedules SET next_at = now() - interval '1 s', look_at = now() WHERE kind = 'metric_watch' AND target_id = $1`,
      [id],
    );
  async function until(url: string, is: (watch: any) => boolean): Promise<any> {
    for (const deadline = Date.now() + 20_000; ; await sleep(50)) {
      const { body } = await app.admin.get(url).expect(200);
      if (is(body)) return body;
      if (Date.now() > deadline) throw new Error(JSON.stringify(body));
    }
  }
  /** Lets the time of the watch come, and waits for its end. */
  async function check(at: string, id: number): Promise<any> {
    const before = (await app.admin.get(`${at}/${id}`).expect(200)).body;
    await makeDue(id);
    return until(`${at}/${id}`, watch => watch.checked_at !== before.checked_at);
  }
  const messages = () => receiver.received.map(({ body }) => JSON.parse(body));

  it('tell a URL, signed, when a condition begins to hold and when it ceases', async () => {
    const { metricId, graphId, at } = await aMetric(['0.1', '0.2']);
    const made = await aWatch(at, { request: { dimensions: ['地区'] }, condition: { op: '>=', value: 0.2 }, timezone: 'Asia/Shanghai' });
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
    const found = await check(at, made.id);
    expect(found).toMatchObject({ held: true, columns: ['地区', 'value'], rows: [['r1', '0.2']], error: null, failures: 0 });
    expect(found.starts).toEqual([expect.objectContaining({ outcome: 'started', run_id: null, reason: null })]);
    expect(found).not.toHaveProperty('secret');
    const [message] = await receiver.until(1);
    expect(await isSigned(made.secret, message!)).toBe(true);
    expect(messages()).toEqual([
      {
        type: 'watch.fired',
        timestamp: found.checked_at,
        data: {
          watch_id: made.id,
          metric_id: metricId,
          metric: `m${metrics}`,
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
    await check(at, made.id);
    await sales(['0.1', '0.19']);
    expect(await check(at, made.id)).toMatchObject({ held: false, rows: [['r1', '0.19'], ['r0', '0.1']] }); // prettier-ignore
    await receiver.until(2);
    await check(at, made.id);
    await sales(['0.1', '0.21']);
    await check(at, made.id);
    await receiver.until(3);
    expect(messages().map(({ type }) => type)).toEqual(['watch.fired', 'watch.recovered', 'watch.fired']);
    const { body } = await editor.get(`${at}/${made.id}/deliveries`).expect(200);
    expect(body.items.map(({ event }: any) => event)).toEqual(['watch.fired', 'watch.recovered', 'watch.fired']);
    await editor.post(`${at}/${made.id}/deliveries/${body.items[0].id}/redeliver`).expect(202);
    const all = await receiver.until(4);
    expect(all[3]!.headers['webhook-id']).toBe(all[2]!.headers['webhook-id']);
  });

  it('can be checked now, with an answer of what was found, and keep their times', async () => {
    const { at } = await aMetric(['0.1', '0.2']);
    const made = await aWatch(at, { request: { dimensions: ['地区'] }, condition: { op: '>=', value: 0.2 }, enabled: false });
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

    await sales(['a', 'b'], 'text');
    const failed = await checkNow();
    expect(failed).toMatchObject({ held: true, failures: 1, event: 'watch.failed', delivery_id: expect.any(Number) });
    expect(failed.error.code).toBe('binding_outdated');
    await editor.post(`${at}/${made.id + 1000}/check`).expect(404);
  });

  it('cannot be checked now while they, or another one of their user, are being checked', async () => {
    const { at } = await aMetric(['1']);
    const [first, second] = [await aWatch(at), await aWatch(at)];
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

  it('are refused a check for which another request has taken the last place', async () => {
    const { at } = await aMetric(['1']);
    const made = [await aWatch(at), await aWatch(at), await aWatch(at)];
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
      const asked = made.map(({ id }) => editor.post(`${at}/${id}/check`).then(({ status }) => status));
      await sleep(2_000);
      // The checks go on until they know the rights of their users.
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
    const { at } = await aMetric(['1']);
    const { id } = await aWatch(at, { notify: 'always' });
    await check(at, id);
    await check(at, id);
    await receiver.until(2);
    await sales(['0']);
    await check(at, id);
    await check(at, id);
    await receiver.until(3);
    await editor.post(`${at}/${id}/test`).expect(202);
    await receiver.until(4);
    expect(messages().map(({ type }) => type)).toEqual(['watch.fired', 'watch.fired', 'watch.recovered', 'webhook.test']);
  });

  itLong('compare the exact value, not what a double or the format of the metric makes of it', async () => {
    const { at } = await aMetric(['0.1', '0.2', '0.0001'], { format: '0.0' });
    const above = await aWatch(at, { condition: { op: '>', value: '0.3' } });
    const equal = await aWatch(at, { condition: { op: '=', value: '0.3' } });
    expect(await check(at, above.id)).toMatchObject({ held: true, rows: [['0.3001']] });
    expect(await check(at, equal.id)).toMatchObject({ held: false, rows: [['0.3001']] });
    await sales(['0.1', '0.2']);
    expect(await check(at, above.id)).toMatchObject({ held: false, rows: [['0.3']] });
    expect(await check(at, equal.id)).toMatchObject({ held: true });
    await sales(['']);
    for (const { id } of [above, equal]) expect(await check(at, id)).toMatchObject({ held: false, rows: [[null]] });
    const unequal = await aWatch(at, { condition: { op: '!=', value: '0.3' } });
    expect(await check(at, unequal.id)).toMatchObject({ held: false, rows: [[null]] });
  });

  it('look at another value of a comparison, and at no NaN', async () => {
    await upload(app, 'sales', 'region,amount,day\n东,1,2024-01-31\n东,3,2025-01-31\n', 'amount:float,day:date');
    const graphId = await aGraph(app);
    const binding = { relation: { table: 'sales' }, time: { column: 'day' } };
    const metric = { graph_id: graphId, name: 'm', formula: 'SUM(amount)', binding };
    const { body } = await app.admin.post('/api/metrics').send(metric).expect(201);
    const at = `/api/metrics/${body.id}/watches`;
    const time = { from: '2025-01-01', to: '2026-01-01', grain: 'year' };
    const request = { time, compare: { offset: '1 year' } };
    const { id } = await aWatch(at, { request, condition: { by: 'rate', op: '>=', value: '2' } }, app.admin);
    expect(await check(at, id)).toMatchObject({ held: true, error: null, columns: ['period', 'value', 'previous', 'diff', 'rate'] });
    await app.pool.query(`UPDATE mirror.sales SET amount = 'NaN' WHERE day = '2025-01-31'`);
    await app.pool.query(`UPDATE mirror_tables SET version = DEFAULT WHERE name = 'sales'`);
    expect(await check(at, id)).toMatchObject({ held: false, error: null });
  });

  itLong('find the row that meets the condition among more than are read', async () => {
    const { at } = await aMetric(Array.from({ length: 10_500 }, (_, index) => String(index)));
    const request = { dimensions: ['地区'] };
    const most = await aWatch(at, { request, condition: { op: '>', value: '10498' } });
    const least = await aWatch(at, { request, condition: { op: '<', value: '0' } });
    const equal = await aWatch(at, { request, condition: { op: '=', value: '3' } });
    expect(await check(at, most.id)).toMatchObject({ held: true, rows: [['r10499', '10499']] });
    expect(await check(at, least.id)).toMatchObject({ held: false, error: null });
    expect(await check(at, equal.id)).toMatchObject({ held: null, error: { code: 'too_many_rows_to_watch' }, failures: 1 });
  });

  itLong('tell once of a metric that can be read no more, keep what held, and go on when it can', async () => {
    const { at } = await aMetric(['1']);
    const { id } = await aWatch(at);
    await check(at, id);
    await sales(['1'], 'text');
    const failed = await check(at, id);
    expect(failed).toMatchObject({ held: true, rows: [['1']], error: { code: 'binding_outdated' }, failures: 1 });
    expect(failed.error.detail).toMatch(/sales\.amount: numeric → text.* \/ .*sales\.amount: numeric → text/);
    expect(await check(at, id)).toMatchObject({ held: true, failures: 2 });
    await receiver.until(2);
    await sales(['1']);
    expect(await check(at, id)).toMatchObject({ held: true, error: null, failures: 0 });
    await sales(['0']);
    await check(at, id);
    await receiver.until(3);
    expect(messages().map(({ type, data }) => [type, data.held, data.rows, data.error?.code])).toEqual([
      ['watch.fired', true, [['1']], undefined],
      ['watch.failed', true, null, 'binding_outdated'],
      ['watch.recovered', false, [['0']], undefined],
    ]);
  });

  itLong.each([
    ['is made a viewer', 'graph_forbidden', `UPDATE graph_members SET role = 'viewer' WHERE user_id = $1`, ''],
    ['is disabled', 'owner_disabled', 'UPDATE users SET disabled_at = now() WHERE id = $1', 'UPDATE users SET disabled_at = NULL WHERE id = $1'], // prettier-ignore
  ])('are kept back while their user %s, and paused after five times', async (_, code, lose, undo) => {
    const { at } = await aMetric(['1'], {}, app.admin);
    const { id } = await aWatch(at);
    await app.pool.query(lose, [editorId]);
    try {
      for (let refusal = 1; refusal <= 5; refusal++) {
        await makeDue(id);
        await until(`${at}/${id}`, ({ starts }) => starts.length === refusal);
      }
      const { body } = await app.admin.get(`${at}/${id}`).expect(200);
      expect(body).toMatchObject({ enabled: false, paused: { code: 'paused_after_refusals' }, checked_at: null });
      expect(body.starts[0]).toMatchObject({ outcome: 'refused', reason: { code } });
      // Whoever may edit the graph makes it his own.
      const changed = await app.admin.patch(`${at}/${id}`).send({ enabled: true }).expect(200);
      expect(changed.body).toMatchObject({ enabled: true, paused: null, saved_by: { username: 'admin' }, secret: null });
      expect(await check(at, id)).toMatchObject({ held: true });
      await receiver.until(1);
    } finally {
      if (undo !== '') await app.pool.query(undo, [editorId]);
    }
  });

  it('end a check whose user loses the right while it waits, and send nothing to the URL', async () => {
    const { at } = await aMetric(['1']);
    const { id } = await aWatch(at);
    await app.pool.transaction(async client => {
      await client.query(`UPDATE metric_watches SET status = 'queued', queued_at = now() WHERE id = $1`, [id]);
      await client.query(`UPDATE graph_members SET role = 'viewer' WHERE user_id = $1`, [editorId]);
    });
    const watch = await until(`${at}/${id}`, ({ checked_at }) => checked_at !== null);
    expect(watch).toMatchObject({ held: null, error: { code: 'requester_access_lost' }, failures: 1 });
    for (let status = ''; status !== 'failed'; await sleep(50)) {
      const [delivery] = (await app.admin.get(`${at}/${id}/deliveries`).expect(200)).body.items;
      status = delivery?.status;
      if (status === 'failed') expect(delivery).toMatchObject({ event: 'watch.failed', error: { code: 'access_lost' } });
    }
    expect(receiver.received).toEqual([]);
  });

  it('can be disabled while their metric cannot be executed, and not enabled', async () => {
    const { at, metricId } = await aMetric(['1']);
    const { id } = await aWatch(at);
    await app.pool.query('DELETE FROM metric_bindings WHERE metric_id = $1', [metricId]);
    expect(await check(at, id)).toMatchObject({ error: { code: 'missing_binding' } });
    await editor.patch(`${at}/${id}`).send({ enabled: false }).expect(200);
    expect((await editor.patch(`${at}/${id}`).send({ enabled: true }).expect(400)).body.code).toBe('missing_binding');
  });

  it('fail with the name of the connection that whoever bound the metric may use no more', async () => {
    const { at } = await aMetric(['1']);
    const { id } = await aWatch(at, {}, app.admin);
    await app.pool.query('DELETE FROM connection_grants WHERE user_id = $1', [editorId]);
    try {
      expect(await check(at, id)).toMatchObject({ held: null, error: { code: 'connection_access_lost' }, failures: 1 });
    } finally {
      await grantConnection(app, 'lin');
    }
  });

  itLong('skip a time while the last check goes on, and drop a check that a change overtakes', async () => {
    const { at } = await aMetric(['1']);
    const { id } = await aWatch(at);
    await app.pool.transaction(async client => {
      await client.query('LOCK TABLE mirror.sales IN ACCESS EXCLUSIVE MODE');
      await makeDue(id);
      for (let status = ''; status !== 'running'; await sleep(30)) {
        status = (await app.pool.query('SELECT status FROM metric_watches WHERE id = $1', [id])).rows[0].status;
      }
      await makeDue(id);
      const { starts } = await until(`${at}/${id}`, watch => watch.starts.length === 2);
      expect(starts[0]).toMatchObject({ outcome: 'skipped', reason: { code: 'check_active' } });
      await editor
        .patch(`${at}/${id}`)
        .send({ url: `${receiver.url}/other` })
        .expect(200);
    });
    await sleep(1_000);
    expect((await app.admin.get(`${at}/${id}`)).body).toMatchObject({ checked_at: null, held: null });
    expect(await check(at, id)).toMatchObject({ held: true });
    await receiver.until(1, '/other');
    expect(receiver.received).toHaveLength(1);
  });

  it('can be changed field by field; another condition is judged anew', async () => {
    const { at } = await aMetric(['1']);
    const made = await aWatch(at);
    await check(at, made.id);
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
    await check(at, made.id);
    await receiver.until(2);
    expect(messages().map(({ type }) => type)).toEqual(['watch.fired', 'watch.fired']);
    const { rows } = await app.pool.query(
      `SELECT action, actor FROM audit_events WHERE target = 'metric_watch' AND target_id = $1 ORDER BY id`,
      [made.id],
    );
    const actions = rows.map(({ action, actor }) => `${actor} ${action}`);
    expect([...new Set(actions)].sort()).toEqual(['lin schedule.saved', 'lin webhook.changed', 'lin webhook.created']);
  });

  it('refuse what is wrong, with its place, in both languages', async () => {
    const { at } = await aMetric(['1']);
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
    const other = await aMetric(['1']);
    const { id } = await aWatch(other.at);
    for (const wrong of [`${at}/${id}`, `${at}/${id}/deliveries`]) {
      expect((await editor.get(wrong).expect(404)).body.code).toBe('watch_not_found');
    }
    await editor.delete(`${at}/${id}`).expect(404);
    const unbound = (await editor.post('/api/metrics').send({ graph_id: other.graphId, name: '未绑定', formula: 'SUM(x)' }).expect(201)).body.id; // prettier-ignore
    expect((await editor.post(`/api/metrics/${unbound}/watches`).send(good).expect(400)).body.code).toBe('missing_binding');
  });

  it('are at most 20 of a metric and 100 of a user', async () => {
    const { at, metricId } = await aMetric(['1']);
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
    const other = await aMetric(['1']);
    await add(80, (await aMetric(['1'])).metricId);
    expect((await editor.post(other.at).send(good).expect(409)).body).toMatchObject({ context: { most: 100 } });
    await aWatch(other.at, {}, app.admin);
  });

  it('go with their metric, their graph, and alone', async () => {
    const first = await aMetric(['1']);
    const alone = await aWatch(first.at);
    await aWatch(first.at);
    await editor.delete(`${first.at}/${alone.id}`).expect(204);
    await editor.delete(`/api/metrics/${first.metricId}`).expect(204);
    const second = await aMetric(['1']);
    const { id } = await aWatch(second.at);
    await editor.post(`${second.at}/${id}/test`).expect(202);
    await app.admin.delete(`/api/graphs/${second.graphId}`).expect(204);
    for (const table of ['metric_watches', 'schedules', 'webhooks', 'webhook_deliveries']) {
      expect([table, (await app.pool.query(`SELECT FROM ${table}`)).rowCount]).toEqual([table, 0]);
    }
  });
});
