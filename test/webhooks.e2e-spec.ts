import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { RetentionService } from '../src/retention/retention.service.js';
import { sealingKey, seal } from '../src/secrets/sealed-text.js';
import { startTestApp, type TestApp } from './support/app.js';
import { asSuperuser } from './support/database.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';
import { isSigned, type Received, Receiver } from './support/webhook-receiver.js';
import { itLong } from './support/tier.js';

/** Verifies with the code that the documentation shows. */
function verifyAsDocumented(secret: string, { headers, body }: Received): any {
  const docs = readFileSync(path.resolve(__dirname, '..', 'docs', 'operating.md'), 'utf8');
  const shown = /```js\n(.*?)```/s.exec(docs)![1]!;
  const call = `${shown}
    import { readFileSync } from 'node:fs';
    const { secret, headers, body } = JSON.parse(readFileSync(0, 'utf8'));
    try { console.log(JSON.stringify(verify(secret, headers, body))); } catch (error) { console.log(JSON.stringify(error.message)); }`;
  const input = JSON.stringify({ secret, headers, body });
  return JSON.parse(execFileSync(process.execPath, ['--input-type=module', '-e', call], { input, encoding: 'utf8' }));
}

const mapping = `version: 1
nodes:
  - {id: r, label: 行, table: hooked, key: [id], columns: [{column: id}, {column: secret, property: 秘密, type: int, sensitive: true}]}
`;
const oldKey = 'an older key for the tests of 32 bytes';
const newKey = 'a newer key for the tests of 32 bytes';

describe('webhooks of jobs', () => {
  let app: TestApp;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = new Receiver();
    await receiver.listen();
    app = await startTestApp({ SECRET_ENCRYPTION_KEY: `${newKey},${oldKey}` });
    await upload(app, 'hooked', 'id,secret\n1,11\n2,22\n', 'id:text,secret:text');
  });
  afterEach(async () => {
    await app.pool.query('DELETE FROM webhooks');
    receiver.received.length = 0;
    receiver.answer = () => 204;
    receiver.delayMs = () => 0;
  });
  afterAll(async () => {
    receiver.close();
    await app.close();
  });

  const hooksOf = (jobId: number) => `/api/ingestion/jobs/${jobId}/webhooks`;
  async function aHook(request: object = {}, text = mapping): Promise<{ jobId: number; hook: any; at: string }> {
    const jobId = await aJob(app, await aGraph(app), text);
    const { body: hook } = await app.admin
      .post(hooksOf(jobId))
      .send({ url: `${receiver.url}/hook`, ...request })
      .expect(201);
    return { jobId, hook, at: `${hooksOf(jobId)}/${hook.id}` };
  }
  const deliveries = async (at: string) => (await app.admin.get(`${at}/deliveries`).expect(200)).body.items;
  async function untilDelivery(at: string, is: (delivery: any) => boolean): Promise<any> {
    for (const deadline = Date.now() + 20_000; ; await sleep(30)) {
      const [last] = await deliveries(at);
      if (last && is(last)) return last;
      if (Date.now() > deadline) throw new Error(JSON.stringify(last));
    }
  }
  const attemptNow = () => app.pool.query(`UPDATE webhook_deliveries SET next_at = now() WHERE status = 'pending'`);

  it('are told of a success, signed, with counts and the place of the run', async () => {
    const { jobId, hook, at } = await aHook();
    expect(hook).toMatchObject({ enabled: true, events: ['run.succeeded', 'run.failed', 'run.cancelled'] });
    expect(hook.secret).toMatch(/^whsec_/);
    const run = await runToEnd(app, jobId);
    const [message] = await receiver.until(1);
    expect(await isSigned(hook.secret, message!)).toBe(true);
    expect(await isSigned(hook.secret, { ...message!, body: message!.body.replace('succeeded', 'failed') })).toBe(false);
    expect(verifyAsDocumented(hook.secret, message!)).toEqual({
      type: 'run.succeeded',
      timestamp: run.finished_at,
      data: {
        run_id: run.id,
        job_id: jobId,
        graph_id: run.graph_id,
        status: 'succeeded',
        graph_version: 1,
        totals: run.report.totals,
        error: null,
        location: `/api/ingestion/runs/${run.id}`,
      },
    });
    expect(verifyAsDocumented('whsec_' + Buffer.alloc(32).toString('base64'), message!)).toBe('wrong signature');
    expect(verifyAsDocumented(hook.secret, { ...message!, headers: { ...message!.headers, 'webhook-timestamp': '1' } })).toBe(
      'too old or too new',
    );
    const delivered = await untilDelivery(at, ({ status }) => status === 'delivered');
    expect(delivered).toMatchObject({ message_id: message!.headers['webhook-id'], attempts: 1, answered: 204, error: null, next_at: null });
    const { body: listed } = await app.admin.get(hooksOf(jobId)).expect(200);
    expect(listed.items).toEqual([{ ...hook, secret: undefined }]);
    const { rows } = await app.pool.query(`SELECT action, context FROM audit_events WHERE action LIKE 'webhook.%' AND target_id = $1`, [
      jobId,
    ]);
    expect(rows).toEqual([
      { action: 'webhook.created', context: { webhook: hook.id, place: new URL(receiver.url).host, events: hook.events } },
    ]);
  });

  it('are told of a failure without values of sensitive columns, and of a cancellation in the queue', async () => {
    await upload(app, 'wrong', 'id,secret\n1,4711-x\n', 'id:text,secret:text');
    const { jobId, hook } = await aHook({ events: ['run.failed', 'run.cancelled'] }, mapping.replace('hooked', 'wrong'));
    const run = await runToEnd(app, jobId);
    expect(run.status).toBe('failed');
    const [failed] = await receiver.until(1);
    const message = verifyAsDocumented(hook.secret, failed!);
    expect(message).toMatchObject({ type: 'run.failed', data: { graph_version: null, error: { code: run.error.code } } });
    expect(`${message.data.error.zh} / ${message.data.error.en}`).toBe(run.error.detail);
    expect(failed!.body).not.toContain('4711');
    const { rows } = await app.pool.query(
      `INSERT INTO ingestion_runs (job_id, status, requested_by) SELECT $1, 'running', 1 RETURNING id`,
      [jobId],
    );
    await app.pool.query(`UPDATE ingestion_runs SET lease_until = now() + interval '1 h' WHERE id = $1`, [rows[0].id]);
    const blocker = await app.pool.connect();
    await blocker.query('BEGIN');
    await blocker.query('SELECT FROM ingestion_runs WHERE id = $1 FOR UPDATE', [rows[0].id]);
    const cancelling = app.admin.post(`/api/ingestion/runs/${rows[0].id}/cancel`).expect(202).then();
    await sleep(100);
    await blocker.query(`UPDATE ingestion_runs SET status = 'queued' WHERE id = $1`, [rows[0].id]);
    await blocker.query('COMMIT');
    blocker.release();
    await cancelling;
    const told = (await receiver.until(2)).map(({ body }) => JSON.parse(body).type);
    expect(told).toEqual(['run.failed', 'run.cancelled']);
    await runToEnd(app, await aJob(app, await aGraph(app), mapping));
    expect(receiver.received).toHaveLength(2);
  });

  it('are told nothing of an end that was rolled back', async () => {
    const { jobId } = await aHook();
    await asSuperuser(
      app.databaseUrl,
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
         IF new.status = 'succeeded' THEN RAISE 'not this time'; END IF; RETURN new; END $$;
       CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON ingestion_runs DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION refuse()`,
    );
    try {
      expect((await runToEnd(app, jobId)).status).toBe('failed');
    } finally {
      await asSuperuser(app.databaseUrl, 'DROP TRIGGER late ON ingestion_runs; DROP FUNCTION refuse()');
    }
    await receiver.until(1);
    expect(receiver.received.map(({ body }) => JSON.parse(body).type)).toEqual(['run.failed']);
  });

  itLong('get the same message again after 500, and after the pauses it has failed and can be sent anew', async () => {
    const { jobId, hook, at } = await aHook();
    receiver.answer = () => 500;
    await runToEnd(app, jobId);
    const paused: number[] = [];
    for (let attempt = 1; attempt <= 7; attempt++) {
      const { next_at, status, error } = await untilDelivery(at, each => each.attempts === attempt && each.answered === 500);
      expect({ code: error.code, status }).toEqual({ code: 'status', status: attempt === 7 ? 'failed' : 'pending' });
      if (status === 'pending') paused.push(Math.round((Date.parse(next_at) - Date.now()) / 1000));
      await attemptNow();
    }
    for (const [index, seconds] of [10, 60, 300, 1_800, 7_200, 21_600].entries())
      expect(Math.abs(paused[index]! - seconds)).toBeLessThan(5);
    expect(new Set(receiver.received.map(({ headers }) => headers['webhook-id'])).size).toBe(1);
    expect(new Set(receiver.received.map(({ body }) => body)).size).toBe(1);
    for (const message of receiver.received) expect(await isSigned(hook.secret, message)).toBe(true);
    receiver.answer = () => 200;
    const [{ id }] = await deliveries(at);
    await app.admin.post(`${at}/deliveries/${id}/redeliver`).expect(202);
    expect(await untilDelivery(at, ({ status }) => status === 'delivered')).toMatchObject({ id, attempts: 1, answered: 200 });
    expect(receiver.received).toHaveLength(8);
  });

  it('are tried again where nobody listens, and where a redirect leads elsewhere', async () => {
    const gone = new Receiver();
    await gone.listen();
    const { url } = gone;
    gone.close();
    const refused = await aHook({ url });
    await app.admin.post(`${refused.at}/test`).expect(202);
    expect(await untilDelivery(refused.at, ({ error }) => error !== null)).toMatchObject({
      status: 'pending',
      event: 'webhook.test',
      error: { code: 'refused' },
    });
    await app.admin.post(`${refused.at}/deliveries/${(await deliveries(refused.at))[0].id}/redeliver`).expect(409);
    const redirected = await aHook();
    receiver.answer = () => 302;
    await app.admin.post(`${redirected.at}/test`).expect(202);
    expect(await untilDelivery(redirected.at, ({ error }) => error !== null)).toMatchObject({ answered: 302, error: { code: 'status' } });
    expect(receiver.received.map(each => each.path)).toEqual(['/hook']);
  });

  itLong('reach a quick receiver while slow ones hang, which count as failed after ten seconds', async () => {
    receiver.answer = ({ path }) => (path === '/hook' ? null : 204);
    const slow = await aHook();
    for (let count = 0; count < 30; count++) await app.admin.post(`${slow.at}/test`).expect(202);
    await receiver.until(2, '/hook');
    const quick = await aHook({ url: `${receiver.url}/quick` });
    for (let count = 0; count < 20; count++) await app.admin.post(`${quick.at}/test`).expect(202);
    await receiver.until(20, '/quick');
    const first = (await deliveries(slow.at)).at(-1);
    expect(first).toMatchObject({ status: 'pending', error: null });
    await untilDelivery(slow.at, () => Date.now() - Date.parse(first.created_at) > 12_500);
    const late = (await deliveries(slow.at)).find(({ id }: any) => id === first.id);
    expect(late).toMatchObject({ status: 'pending', answered: null, error: { code: 'timeout' } });
  });

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

  it('send to others while ten thousand older deliveries of four users keep all places', async () => {
    receiver.answer = ({ path }) => (path === '/slow' ? 500 : 204);
    receiver.delayMs = path => (path === '/slow' ? 1_000 : 0);
    const quick = await aHook({ url: `${receiver.url}/quick` });
    const { rows: slow } = await app.pool.query(
      `WITH strangers AS (
         INSERT INTO users (username, password_hash) SELECT 'stranger' || n, 'x' FROM generate_series(1, 4) n RETURNING id)
       INSERT INTO webhooks (kind, target_id, url, events, secret_sealed, created_by)
       SELECT 'test', 1, $1, '{}', '', id FROM strangers, generate_series(1, 2) RETURNING id`,
      [`${receiver.url}/slow`],
    );
    for (const { id } of slow) {
      const sealed = seal(`whsec_${Buffer.alloc(32).toString('base64')}`, `webhook ${id}`, sealingKey(newKey));
      await app.pool.query('UPDATE webhooks SET secret_sealed = $2 WHERE id = $1', [id, sealed]);
    }
    await app.pool.query(
      `INSERT INTO webhook_deliveries (webhook_id, event, payload, next_at)
       SELECT id, 'test', '{}', now() - interval '1 h' FROM webhooks, generate_series(1, 1250) WHERE kind = 'test'`,
    );
    await receiver.until(16, '/slow');
    for (let count = 0; count < 5; count++) await app.admin.post(`${quick.at}/test`).expect(202);
    await receiver.until(5, '/quick');
    const { rows } = await app.pool.query(`SELECT count(*)::int AS n FROM webhook_deliveries WHERE attempts = 0`);
    expect(rows[0].n).toBeGreaterThan(9_000);
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
    // A former secret that is lost keeps nothing from being sent.
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

  it('are bounded in number, and refuse what they could not use', async () => {
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
    expect(await refuse({ events: ['run.started'] })).toEqual(['body', 'events', 0]);
    expect(await refuse({ secret: 'short' })).toEqual(['body', 'secret']);
    for (let count = 2; count <= 10; count++) await app.admin.post(hooksOf(jobId)).send({ url: receiver.url }).expect(201);
    expect((await app.admin.post(hooksOf(jobId)).send({ url: receiver.url }).expect(409)).body.code).toBe('too_many_webhooks');
    const other = await aJob(app, await aGraph(app), mapping);
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
    await waits(100);
    expect(receiver.received.filter(({ path, body }) => path === '/hook' && body === '{}')).toEqual([]);
    await app.pool.query(`UPDATE webhook_deliveries SET status = 'failed', ended_at = now() - interval '91 days' WHERE id % 2 = 0`);
    expect(await app.app.get(RetentionService).sweep()).toMatchObject({ 'deliveries of webhooks': 50 });
    await app.admin.delete(at).expect(204);
    expect((await app.pool.query('SELECT FROM webhook_deliveries')).rowCount).toBe(0);
  });
});

it('sends nothing to the machine itself unless it is told to', async () => {
  const receiver = new Receiver();
  await receiver.listen();
  const app = await startTestApp({ WAREHOUSE_ALLOWED_ADDRESSES: '' });
  try {
    await upload(app, 'hooked', 'id,secret\n1,11\n', 'id:text,secret:text');
    const hooks = `/api/ingestion/jobs/${await aJob(app, await aGraph(app), mapping)}/webhooks`;
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
