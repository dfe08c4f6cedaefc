import { setTimeout as sleep } from 'node:timers/promises';
import { RetentionService } from '../src/retention/retention.service.js';
import { sealingKey, seal } from '../src/secrets/sealed-text.js';
import { grantConnection, startTestApp, type TestApp } from './support/app.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';
import { isSigned, Receiver } from './support/webhook-receiver.js';
import { aWebhook, deliveriesOf, hookedMapping, hooksOf, untilLastDelivery, verifyAsDocumented } from './support/webhooks.js';
import { itLong } from './support/tier.js';

const oldKey = 'an older key for the tests of 32 bytes';
const newKey = 'a newer key for the tests of 32 bytes';

describe('requests about webhooks of jobs', () => {
  let app: TestApp;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = new Receiver();
    await receiver.listen();
    app = await startTestApp({ SECRET_ENCRYPTION_KEY: `${newKey},${oldKey}`, MAX_WEBHOOKS_PER_USER: '2' });
    await upload(app, 'hooked', 'id,secret\n1,11\n2,22\n', 'id:text,secret:text');
  });
  afterEach(async () => {
    await app.pool.query('DELETE FROM webhooks');
    receiver.received.length = 0;
    receiver.answer = () => 204;
  });
  afterAll(async () => {
    receiver.close();
    await app.close();
  });

  const aHook = (request: object = {}) => aWebhook(app, receiver, request);
  const deliveries = (at: string) => deliveriesOf(app, at);
  const untilDelivery = (at: string, is: (delivery: any) => boolean) => untilLastDelivery(app, at, is);

  it('say that they are disabled instead of taking what they would not send', async () => {
    const { at } = await aHook();
    await app.admin.post(`${at}/test`).expect(202);
    const { id } = await untilDelivery(at, ({ status }) => status === 'delivered');
    await app.admin.patch(at).send({ enabled: false }).expect(200);
    for (const path of ['test', `deliveries/${id}/redeliver`]) {
      const { body } = await app.admin.post(`${at}/${path}`).expect(409);
      expect({ code: body.code, tells: body.detail.includes('enable it first with PATCH {"enabled": true}') }).toEqual({
        code: 'webhook_disabled',
        tells: true,
      });
    }
    await app.admin.patch(at).send({ enabled: true }).expect(200);
    await app.admin.post(`${at}/deliveries/${id}/redeliver`).expect(202);
    await receiver.until(2);
  });

  it('are refused to a user who was the last to save the most allowed', async () => {
    const user = await app.asUser('hook.maker');
    await grantConnection(app, 'hook.maker');
    const { body: graph } = await user.post('/api/graphs').send({ name: '图' }).expect(201);
    const jobId = await aJob({ ...app, admin: user }, graph.id, hookedMapping);
    const create = (as: typeof user) => as.post(hooksOf(jobId)).send({ url: receiver.url });
    const { body: own } = await create(user).expect(201);
    const { body: others } = await create(app.admin).expect(201);
    await create(user).expect(201);
    const full = { code: 'quota_reached', context: { most: 2 }, detail: expect.stringContaining('MAX_WEBHOOKS_PER_USER') };
    expect((await create(user).expect(409)).body).toMatchObject(full);
    const change = (id: number, body: object) => user.patch(`${hooksOf(jobId)}/${id}`).send(body);
    expect((await change(others.id, { events: ['run.failed'] }).expect(409)).body).toMatchObject(full);
    // Disabling a webhook only reduces what is sent, so the user who disables it does not become its last saver.
    await change(others.id, { enabled: false }).expect(200);
    expect((await change(others.id, { enabled: true }).expect(409)).body).toMatchObject(full);
    await change(own.id, { events: ['run.failed'] }).expect(200);
    await user.delete(`${hooksOf(jobId)}/${own.id}`).expect(204);
    await change(others.id, { enabled: true }).expect(200);
  });

  itLong('change their secret, which is sealed anew with the DSNs', async () => {
    const hookSecret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const { jobId, hook, at } = await aHook({ secret: hookSecret });
    expect(hook).toMatchObject({ secret: null, former_secret_until: null });
    await app.admin.post(`${at}/test`).expect(202);
    expect(await isSigned(hookSecret, (await receiver.until(1))[0]!)).toBe(true);
    const { body: rotated } = await app.admin
      .patch(at)
      .send({ rotate_secret: true, events: ['run.failed'] })
      .expect(200);
    expect(rotated).toMatchObject({ id: hook.id, events: ['run.failed'] });
    await app.admin.post(`${at}/test`).expect(202);
    const both = (await receiver.until(2))[1]!;
    expect(await isSigned(rotated.secret, both)).toBe(true);
    expect(await isSigned(hookSecret, both, 1)).toBe(true);
    for (const secret of [rotated.secret, hookSecret]) expect(verifyAsDocumented(secret, both).type).toBe('webhook.test');
    const hours = (Date.parse(rotated.former_secret_until) - Date.now()) / 3_600_000;
    expect(Math.abs(hours - 24)).toBeLessThan(0.1);
    await app.pool.query(`UPDATE webhooks SET former_secret_until = now()`);
    await app.admin.post(`${at}/test`).expect(202);
    expect((await receiver.until(3))[2]!.headers['webhook-signature']).toMatch(/^v1,[^ ]+$/);
    expect((await app.admin.get(hooksOf(jobId)).expect(200)).body.items[0].former_secret_until).toBeNull();

    const [given, former] = [7, 8].map(byte => `whsec_${Buffer.alloc(32, byte).toString('base64')}`) as [string, string];
    const sealedBefore = [given, former].map(secret => seal(secret, `webhook ${hook.id}`, sealingKey(oldKey)));
    await app.pool.query(
      `UPDATE webhooks SET secret_sealed = $2, former_secret_sealed = $3, former_secret_until = now() + interval '1 h' WHERE id = $1`,
      [hook.id, ...sealedBefore],
    );
    const { body } = await app.admin.post('/api/warehouse/connections/reseal').expect(200);
    expect(body.webhooks).toEqual({ resealed: 2, unreadable: [] });
    const { rows: sealed } = await app.pool.query('SELECT ARRAY[secret_sealed, former_secret_sealed] AS now FROM webhooks');
    for (const before of sealedBefore) expect(sealed[0].now).not.toContain(before);
    await app.admin.post(`${at}/test`).expect(202);
    const resealed = (await receiver.until(4))[3]!;
    expect([await isSigned(given, resealed), await isSigned(former, resealed, 1)]).toEqual([true, true]);
    // A former secret that cannot be decrypted does not prevent sending: the message is then signed with the current secret only.
    await app.pool.query('UPDATE webhooks SET former_secret_sealed = $2 WHERE id = $1', [
      hook.id,
      seal(former, 'webhook 0', sealingKey(newKey)),
    ]);
    await app.admin.post(`${at}/test`).expect(202);
    expect((await receiver.until(5))[4]!.headers['webhook-signature']).toMatch(/^v1,[^ ]+$/);
    await app.pool.query('UPDATE webhooks SET secret_sealed = $2 WHERE id = $1', [hook.id, seal(given, 'webhook 0', sealingKey(newKey))]);
    await app.admin.post(`${at}/test`).expect(202);
    expect(await untilDelivery(at, ({ error }) => error !== null)).toMatchObject({ error: { code: 'secret_unreadable' } });
    expect((await app.admin.post('/api/warehouse/connections/reseal').expect(200)).body.webhooks).toEqual({ resealed: 0, unreadable: [] });
    const { rows } = await app.pool.query(`SELECT string_agg(context::text, '') AS all FROM audit_events`);
    expect(rows[0].all).not.toMatch(/whsec_/);
  });

  itLong('are bounded in number, and refuse what they could not use', async () => {
    const { jobId, hook, at } = await aHook();
    const refuse = async (body: object) =>
      (
        await app.admin
          .post(hooksOf(jobId))
          .send({ url: receiver.url, ...body })
          .expect(422)
      ).body.detail.errors[0].loc;
    expect(await refuse({ url: 'ftp://example.com' })).toEqual(['body', 'url']);
    expect(await refuse({ url: 'http://user:pass@example.com' })).toEqual(['body', 'url']);
    expect(await refuse({ url: 'http://169.254.169.254/latest' })).toEqual(['body', 'url']);
    expect(await refuse({ url: 'http://[::1]:8080' })).toEqual(['body', 'url']);
    expect(await refuse({ url: 'http://2130706434/' })).toEqual(['body', 'url']);
    expect(await refuse({ url: 'http:///hooks.example' })).toEqual(['body', 'url']);
    expect(await refuse({ url: `${receiver.url}\n/x` })).toEqual(['body', 'url']);
    const { body } = await app.admin
      .patch(at)
      .send({ url: `${receiver.url}\r\n` })
      .expect(422);
    expect(body.detail.errors).toMatchObject([{ loc: ['body', 'url'], type: 'url' }]);
    expect(await refuse({ events: ['run.started'] })).toEqual(['body', 'events', 0]);
    expect(await refuse({ secret: 'short' })).toEqual(['body', 'secret']);
    for (let count = 2; count <= 10; count++) await app.admin.post(hooksOf(jobId)).send({ url: receiver.url }).expect(201);
    expect((await app.admin.post(hooksOf(jobId)).send({ url: receiver.url }).expect(409)).body.code).toBe('too_many_webhooks');
    const other = await aJob(app, await aGraph(app), hookedMapping);
    await app.admin.get(`${hooksOf(other)}/${at.split('/').at(-1)!}/deliveries`).expect(404);
    const waits = (count: number) =>
      app.pool.query(
        `INSERT INTO webhook_deliveries (webhook_id, event, payload, next_at)
         SELECT $1, 'test', '{}', now() + interval '1 h' FROM generate_series(1, $2)`,
        [hook.id, count],
      );
    await waits(99);
    await app.admin.post(`${at}/test`).expect(202);
    await untilDelivery(at, ({ status }) => status === 'delivered');
    await waits(1);
    expect((await app.admin.post(`${at}/test`).expect(409)).body.code).toBe('too_many_deliveries');
    const [, { id: delivered }] = await deliveries(at);
    await waits(899);
    expect((await app.admin.post(`${at}/deliveries/${delivered}/redeliver`).expect(409)).body.code).toBe('too_many_deliveries');
    receiver.answer = ({ path }) => (path === '/hook' ? null : 204);
    await runToEnd(app, jobId);
    expect((await deliveries(at))[0]).toMatchObject({ event: 'run.succeeded', status: 'pending' });
    await runToEnd(app, jobId);
    expect((await deliveries(at))[0]).toMatchObject({ status: 'failed', attempts: 0, error: { code: 'too_many_pending' } });
    await app.pool.query('DELETE FROM webhook_deliveries');
    // 64 deliveries of 1 MiB reach the limit of 64 MB together, so one more has no room.
    await app.pool.query(
      `INSERT INTO webhook_deliveries (webhook_id, event, payload, next_at)
       SELECT $1, 'test', json_build_object('x', repeat('x', 1048566)), now() + interval '1 h' FROM generate_series(1, 64)`,
      [hook.id],
    );
    await runToEnd(app, jobId);
    expect((await deliveries(at))[0]).toMatchObject({ status: 'failed', error: { code: 'too_many_pending' } });
    await app.pool.query('DELETE FROM webhook_deliveries');
    await waits(100);
    expect(receiver.received.filter(({ path, body }) => path === '/hook' && body === '{}')).toEqual([]);
    await app.pool.query(`UPDATE webhook_deliveries SET status = 'failed', ended_at = now() - interval '91 days' WHERE id % 2 = 0`);
    expect(await app.app.get(RetentionService).sweep()).toMatchObject({ 'deliveries of webhooks': 50 });
    await app.pool.query(
      `INSERT INTO webhook_deliveries (webhook_id, event, payload, status, ended_at)
       SELECT $1, 'test', '{}', 'delivered', now() FROM generate_series(1, 20100)`,
      [hook.id],
    );
    expect(await app.app.get(RetentionService).sweep()).toMatchObject({ 'deliveries of webhooks beyond the share of their user': 100 });
    expect((await app.pool.query(`SELECT FROM webhook_deliveries WHERE status = 'pending'`)).rowCount).toBe(50);
    await app.pool.query(`UPDATE webhook_deliveries SET payload = repeat('x', 64 * 1024) WHERE id IN (SELECT id FROM webhook_deliveries ORDER BY id DESC LIMIT 1030)`); // prettier-ignore
    await app.app.get(RetentionService).sweep();
    expect((await app.pool.query(`SELECT FROM webhook_deliveries WHERE status <> 'pending'`)).rowCount).toBe(1_024);
    await app.admin.delete(at).expect(204);
    expect((await app.pool.query('SELECT FROM webhook_deliveries')).rowCount).toBe(0);
  });
});

itLong('sends nothing to the machine itself unless it is told to', async () => {
  const receiver = new Receiver();
  await receiver.listen();
  const app = await startTestApp({ WAREHOUSE_ALLOWED_ADDRESSES: '' });
  try {
    await upload(app, 'hooked', 'id,secret\n1,11\n', 'id:text,secret:text');
    const hooks = `/api/ingestion/jobs/${await aJob(app, await aGraph(app), hookedMapping)}/webhooks`;
    const { body } = await app.admin.post(hooks).send({ url: receiver.url }).expect(422);
    expect(body.detail.errors[0].msg).toMatch(/connections there are not allowed: it is an address of the machine itself/);
    const { body: hook } = await app.admin
      .post(hooks)
      .send({ url: receiver.url.replace('127.0.0.1', 'localhost') })
      .expect(201);
    await app.admin.post(`${hooks}/${hook.id}/test`).expect(202);
    for (let error = null; error === null; await sleep(50)) {
      const { items } = (await app.admin.get(`${hooks}/${hook.id}/deliveries`).expect(200)).body;
      error = items[0].error;
      if (error) expect(error).toMatchObject({ code: 'blocked_address' });
    }
    expect(receiver.received).toEqual([]);
  } finally {
    receiver.close();
    await app.close();
  }
});
