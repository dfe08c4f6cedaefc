import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { DiskReserve } from '../src/database/disk-reserve.js';
import { IdempotencyService } from '../src/idempotency/idempotency.service.js';
import { openApiDocumentOf } from '../src/openapi/openapi.js';
import { RetentionService } from '../src/retention/retention.service.js';
import { keyClient, startTestApp, type Client, type TestApp } from './support/app.js';
import { aGraph, aJob, upload } from './support/ingestion.js';

/** All POST routes of the API, and whether they accept an `Idempotency-Key`. Routes that create a record do. */
const takesKeys: Record<string, boolean> = {
  '/api/api-keys': true,
  '/api/graphs': true,
  '/api/graphs/{id}/saved-queries': true,
  '/api/ingestion/jobs': true,
  '/api/ingestion/jobs/{id}/retire': true,
  '/api/ingestion/jobs/{id}/revisions': true,
  '/api/ingestion/jobs/{id}/run': true,
  '/api/ingestion/jobs/{id}/webhooks': true,
  '/api/metrics': true,
  '/api/metrics/{id}/watches': true,
  '/api/permissions/connections/{id}/users': true,
  '/api/permissions/graphs/{id}/members': true,
  '/api/users': true,
  '/api/warehouse/connections': true,
  '/api/warehouse/connections/{id}/mirror': true,
  '/api/warehouse/mirror-copies/{id}/run': true,

  // A repeat makes another secret. The lost one was never used.
  '/api/api-keys/{id}/rotate': false,
  '/api/auth/login': false,
  '/api/auth/logout': false,
  // It has no caller to whom a stored answer would belong. A name can be registered only once.
  '/api/auth/register': false,
  // A repeat finds the synonyms of the first request.
  '/api/graphs/{id}/lexicon': false,
  // A repeat finds the stored answer, or joins the work under way.
  '/api/graphs/{id}/query': false,
  '/api/graphs/{id}/query/events': false,
  '/api/graphs/{id}/saved-queries/{saved_query_id}/run': false,
  // A repeat finds the delivery under way.
  '/api/ingestion/jobs/{id}/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver': false,
  // A repeat sends another test.
  '/api/ingestion/jobs/{id}/webhooks/{webhook_id}/test': false,
  '/api/ingestion/mappings/suggest': false,
  '/api/ingestion/mappings/validate': false,
  '/api/ingestion/runs/{id}/cancel': false,
  '/api/metrics/bindings/suggest': false,
  '/api/metrics/parse': false,
  '/api/metrics/query': false,
  '/api/metrics/{id}/execute': false,
  '/api/metrics/{id}/watches/{watch_id}/deliveries/{delivery_id}/redeliver': false,
  '/api/metrics/{id}/watches/{watch_id}/check': false,
  '/api/metrics/{id}/watches/{watch_id}/test': false,
  '/api/users/{id}/reset-password': false,
  // A repeat seals the same DSNs again.
  '/api/warehouse/connections/reseal': false,
  '/api/warehouse/connections/{id}/test': false,
  '/api/warehouse/mirror-copies/{id}/cancel': false,
};

let keys = 0;
const aKey = (): string => `key-${++keys}`;

describe('an Idempotency-Key', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
  });
  afterAll(() => test.close());

  const post = (path: string, key: string, body: object, by: Client = test.admin) =>
    by.post(`/api${path}`).set('Idempotency-Key', key).send(body);
  const count = async (table: string, name: string): Promise<number> =>
    (await test.pool.query(`SELECT count(*)::int AS n FROM ${table} WHERE name = $1`, [name])).rows[0].n;

  it('is decided for every POST route', () => {
    const { paths } = openApiDocumentOf(test.app);
    const posts = Object.entries(paths).flatMap(([path, { post }]) => (post ? [[path, post] as const] : []));
    const takers = posts.map(([path, { parameters = [] }]) => {
      return [path, parameters.some(parameter => 'name' in parameter && parameter.name === 'Idempotency-Key')] as const;
    });
    expect(Object.fromEntries(takers)).toEqual(takesKeys);
  });

  it('gets the first answer again, byte for byte, and creates one record', async () => {
    const [key, body] = [aKey(), { name: '一次', description: 'one' }];
    const first = await post('/graphs', key, body).expect(201);
    expect(first.headers['idempotent-replayed']).toBeUndefined();
    const second = await post('/graphs', `"${key}"`, body).expect(201);
    expect([second.text, second.headers['idempotent-replayed']]).toEqual([first.text, 'true']);
    expect(await count('graphs', '一次')).toBe(1);
    await post('/graphs', aKey(), body).expect(201);
    await test.admin.post('/api/graphs').send(body).expect(201);
    expect(await count('graphs', '一次')).toBe(3);
  });

  it('gets the status and the Location of the first answer, whatever happened since', async () => {
    await upload(test, 'rows_once', 'id\n1\n', 'id:text');
    const mapping = 'version: 1\nnodes:\n  - {id: r, label: 行, table: rows_once, key: [id], columns: [{column: id}]}\n';
    const job = await aJob(test, await aGraph(test), mapping);
    const key = aKey();
    const first = await post(`/ingestion/jobs/${job}/run`, key, {}).expect(202);
    expect(first.headers.location).toBe(`/api/ingestion/runs/${first.body.id}`);
    for (let status = ''; status !== 'succeeded'; await sleep(50)) {
      status = (await test.admin.get(`/api/ingestion/runs/${first.body.id}`).expect(200)).body.status;
    }
    const second = await post(`/ingestion/jobs/${job}/run`, key, {}).expect(202);
    expect([second.headers.location, second.text]).toEqual([first.headers.location, first.text]);

    await test.asUser('grantee');
    const [granted, changed] = [aKey(), aKey()];
    const grant = (key: string, right: string) => post('/permissions/connections/1/users', key, { username: 'grantee', right });
    await grant(granted, 'read').expect(201);
    await grant(changed, 'write').expect(200);
    await grant(changed, 'write').expect(200);
    expect((await grant(granted, 'read').expect(201)).body.right).toBe('read');
  });

  it('refuses another body, and a malformed key', async () => {
    const key = aKey();
    await post('/graphs', key, { name: '甲' }).expect(201);
    expect((await post('/graphs', key, { name: '乙' }).expect(422)).body.code).toBe('idempotency_key_reused');
    expect(await count('graphs', '乙')).toBe(0);
    for (const bad of ['', '""', 'a b', 'k'.repeat(256)]) {
      expect((await post('/graphs', bad, { name: '乙' }).expect(400)).body.code).toBe('invalid_idempotency_key');
    }
    expect(await count('graphs', '乙')).toBe(0);
  });

  it('belongs to one caller and one path', async () => {
    const [key, user] = [aKey(), await test.asUser('another')];
    const first = await post('/graphs', key, { name: '各自' }).expect(201);
    const second = await post('/graphs', key, { name: '各自' }, user).expect(201);
    expect(second.body.id).not.toBe(first.body.id);
    const metric = { graph_id: second.body.id, name: '行数', formula: 'COUNT(*)' };
    await post('/metrics', key, metric, user).expect(201);
    const { raw_key: rawKey } = (
      await user
        .post('/api/api-keys')
        .send({ name: 'k', graph_ids: [second.body.id] })
        .expect(201)
    ).body;
    // The refusal of the taken name shows that this is not a repeat of the user's own request.
    await post('/metrics', key, metric, keyClient(test.url, rawKey)).expect(400);
  });

  it('repeats nothing to a caller who lost the right', async () => {
    const [owner, editor] = [await test.asUser('owner'), await test.asUser('editor')];
    const graphId = (await owner.post('/api/graphs').send({ name: '权' }).expect(201)).body.id;
    const members = `/api/permissions/graphs/${graphId}/members`;
    const { user_id: userId } = (await owner.post(members).send({ username: 'editor', role: 'editor' }).expect(201)).body;
    const [key, metric] = [aKey(), { graph_id: graphId, name: '行数', formula: 'COUNT(*)' }];
    await post('/metrics', key, metric, editor).expect(201);
    await post('/metrics', key, metric, editor).expect(201);
    await owner.patch(`${members}/${userId}`).send({ role: 'viewer' }).expect(200);
    await post('/metrics', key, metric, editor).expect(403);
    await owner.delete(`${members}/${userId}`).expect(204);
    expect((await post('/metrics', key, metric, editor)).status).toBeGreaterThanOrEqual(403);
  });

  it('does not keep an error: a repeat tries again', async () => {
    const key = aKey();
    const graphId = await aGraph(test);
    const metric = { graph_id: graphId, name: '重名', formula: 'COUNT(*)' };
    const { id } = (await test.admin.post('/api/metrics').send(metric).expect(201)).body;
    await post('/metrics', key, metric).expect(400);
    await test.admin.delete(`/api/metrics/${id}`).expect(204);
    await post('/metrics', key, metric).expect(201);
    const repeat = await post('/metrics', key, metric).expect(201);
    expect(repeat.headers['idempotent-replayed']).toBe('true');
  });

  it('gets a new API key again without its secret, which is nowhere in the table', async () => {
    const [key, body] = [aKey(), { name: '密钥', graph_ids: [await aGraph(test)] }];
    const first = await post('/api-keys', key, body).expect(201);
    const second = await post('/api-keys', key, body).expect(201);
    expect(second.body).toEqual({ ...first.body, raw_key: null });
    expect(await count('api_keys', '密钥')).toBe(1);
    const { rows } = await test.pool.query('SELECT * FROM idempotency_keys');
    const secret = (first.body.raw_key as string).split('_').at(-1)!;
    expect(JSON.stringify(rows)).not.toContain(secret);
    expect(JSON.stringify(rows)).not.toContain(key);
    const rotated = await test.admin.post(`/api/api-keys/${second.body.id}/rotate`).send({}).expect(200);
    await keyClient(test.url, rotated.body.raw_key).get('/api/graphs').expect(200);
  });

  it('is forgotten after 24 hours, and swept', async () => {
    const [key, body] = [aKey(), { name: '过期' }];
    const age = () => test.pool.query("UPDATE idempotency_keys SET expires_at = expires_at - interval '24 hours'");
    const stored = async () => (await test.pool.query('SELECT count(*)::int AS n FROM idempotency_keys')).rows[0].n;
    for (const each of [key, aKey()]) await post('/graphs', each, body).expect(201);
    await age();
    await post('/graphs', key, body).expect(201);
    await post('/graphs', key, body).expect(201);
    expect(await count('graphs', '过期')).toBe(3);
    const removed = await test.app.get(RetentionService).sweep();
    expect(removed['idempotency keys']).toBeGreaterThan(0);
    expect(await stored()).toBe(1);
    await age();
    await test.app.get(RetentionService).sweep();
    expect(await stored()).toBe(0);
  });

  it.each([
    ['20,000 keys', 20_000, 0],
    ['64 MB', 1, 67_108_864],
  ])('is refused to a user who holds %s by former API keys, save for repeats', async (_, held, bytes) => {
    const user = await test.asUser(`holder-${held}`);
    const [key, body] = [aKey(), { name: '满' }];
    const { id } = (await test.pool.query('SELECT id FROM users WHERE username = $1', [`holder-${held}`])).rows[0];
    await post('/graphs', key, body, user).expect(201);
    await test.pool.query(
      `INSERT INTO idempotency_keys (caller, user_id, key_hash, body_hash, attempt, status, answer, bytes, expires_at)
       SELECT 'key:' || ($1::bigint * 100000 + n), $1, int4send(n), '', gen_random_uuid(), 201, '{}', $3, now() + interval '1 hour' FROM generate_series(2, $2) n`,
      [id, Math.max(2, held), bytes],
    );
    const refused = await post('/graphs', aKey(), body, user).expect(429);
    expect(refused.body.code).toBe('too_many_idempotency_keys');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
    await post('/graphs', key, body, user).expect(201);
    await user.post('/api/graphs').send(body).expect(201);
    await post('/graphs', aKey(), body).expect(201);
  });

  it('keeps no large answer while the disk lacks room, so that a repeat learns that the answer is lost', async () => {
    const disk = test.app.get(DiskReserve);
    const request = {
      caller: 'user:0',
      userId: 0,
      keyHash: Buffer.from('large'),
      bodyHash: Buffer.from(''),
      attempt: randomUUID(),
      listedAt: '/api/graphs',
    };
    const keys = test.app.get(IdempotencyService);
    await keys.begin(request);
    await test.pool.query("UPDATE idempotency_keys SET committed = true WHERE caller = 'user:0'");
    const hasRoomFor = jest.spyOn(disk, 'hasRoomFor').mockReturnValue(false);
    await keys.keep(request, { status: 201, location: null, answer: 'x'.repeat(20_000) });
    hasRoomFor.mockRestore();
    await expect(keys.find(request)).rejects.toMatchObject({ code: 'idempotency_answer_lost' });
  });
});
