import { sealingKey, seal } from '../src/secrets/sealed-text.js';
import { startTestApp, type TestApp } from './support/app.js';
import { asSuperuser, untilBlocking } from './support/database.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';
import { isSigned, Receiver } from './support/webhook-receiver.js';
import { aWebhook, deliveriesOf, hookedMapping, hooksOf, untilLastDelivery, verifyAsDocumented } from './support/webhooks.js';
import { itLong } from './support/tier.js';

describe('deliveries of webhooks of jobs', () => {
  let app: TestApp;
  let receiver: Receiver;
  beforeAll(async () => {
    receiver = new Receiver();
    await receiver.listen();
    app = await startTestApp();
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

  const aHook = (request: object = {}, mapping = hookedMapping) => aWebhook(app, receiver, request, mapping);
  const deliveries = (at: string) => deliveriesOf(app, at);
  const untilDelivery = (at: string, is: (delivery: any) => boolean) => untilLastDelivery(app, at, is);
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
    const { jobId, hook } = await aHook({ events: ['run.failed', 'run.cancelled'] }, hookedMapping.replace('hooked', 'wrong'));
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
    await untilBlocking(blocker);
    await blocker.query(`UPDATE ingestion_runs SET status = 'queued' WHERE id = $1`, [rows[0].id]);
    await blocker.query('COMMIT');
    blocker.release();
    await cancelling;
    const told = (await receiver.until(2)).map(({ body }) => JSON.parse(body).type);
    expect(told).toEqual(['run.failed', 'run.cancelled']);
    await runToEnd(app, await aJob(app, await aGraph(app), hookedMapping));
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

  itLong('send to others while ten thousand older deliveries of four users keep all places', async () => {
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
      const sealed = seal(
        `whsec_${Buffer.alloc(32).toString('base64')}`,
        `webhook ${id}`,
        sealingKey('a key for the tests of at least 32 bytes'),
      );
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
});
