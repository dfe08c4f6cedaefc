import { startTestApp, type TestApp } from './support/app.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describe('errors', () => {
  it('puts a request id on every response, the caller’s own when it is a plain token', async () => {
    const made = await test.anonymous.get('/health').expect(200);
    expect(made.headers['x-request-id']).toMatch(/^[\da-f-]{36}$/);
    const kept = await test.anonymous.get('/nowhere').set('X-Request-ID', 'my-id.1').expect(404);
    expect(kept.headers['x-request-id']).toBe('my-id.1');
    const replaced = await test.anonymous.get('/health').set('X-Request-ID', 'a b"c').expect(200);
    expect(replaced.headers['x-request-id']).not.toBe('a b"c');
  });

  it('answers an unknown route in the standard shape, and under the legacy families in the legacy one', async () => {
    const standard = await test.anonymous.get('/api/nowhere').expect(404);
    expect(standard.body).toEqual({ detail: expect.stringContaining(' / '), code: 'route_not_found' });
    const legacy = await test.anonymous.get('/api/warehouse/nowhere').expect(404);
    expect(legacy.body).toEqual({ success: false, message: legacy.body.detail, detail: expect.any(String), code: 'route_not_found' });
  });

  it.each(['/api/METRICS/abc', '/Metrics/abc', '/api/Warehouse/connections/abc', '/WAREHOUSE/CONNECTIONS/abc'])(
    'answers %s in the legacy shape, whatever its case',
    async path => {
      const { body } = await test.admin.get(path).expect(422);
      expect(body).toEqual({
        success: false,
        message: expect.any(String),
        detail: { errors: [expect.objectContaining({ loc: ['path', 'id'] })] },
      });
    },
  );

  it.each([
    ['999999', '用户 999999 不存在 / There is no user 999999'],
    ['2147483648', '没有这个用户 / There is no such user'],
    ['0', '没有这个用户 / There is no such user'],
    ['-1', '没有这个用户 / There is no such user'],
  ])('names only the requested user: %s', async (id, detail) => {
    const { body } = await test.admin.get(`/api/users/${id}`).expect(404);
    expect(body).toEqual({ detail, code: 'user_not_found' });
  });

  it.each([
    ['/api/graphs', {}],
    ['/api/metrics', { graph_id: 0, formula: 'COUNT(*)' }],
    ['/api/ingestion/jobs', { graph_id: 0, mapping_yaml: 'version: 1' }],
    ['/api/api-keys', { graph_ids: [] }],
    ['/api/warehouse/connections', { type: 'pg_mirror' }],
  ] as [string, Record<string, unknown>][])('refuses blanks as a name in POST %s', async (path, more) => {
    const { id } = (await test.admin.post('/api/graphs').send({ name: ' 图 ' }).expect(201)).body;
    for (const [name, type] of [['   ', 'string_pattern'], ['\u3000\u00a0', 'string_pattern'], ['', 'string_length'], ['a\nb', 'string_pattern']]) {
      const graph = { ...('graph_id' in more ? { graph_id: id } : {}), ...('graph_ids' in more ? { graph_ids: [id] } : {}) };
      const { body } = await test.admin.post(path).send({ ...more, ...graph, name }).expect(422);
      expect(body.detail.errors).toEqual([{ loc: ['body', 'name'], type, msg: expect.any(String) }]);
    }
  }); // prettier-ignore

  it.each([
    ['{"username":', 400, 'malformed_json'],
    ['[]', 400, 'malformed_json'],
    ['', 400, 'missing_field'],
    ['{}', 400, 'missing_field'],
    [`{"username":"${'x'.repeat(1_100_000)}"}`, 413, 'body_too_large'],
  ])('answers the body %.20s with %d %s', async (text, status, code) => {
    const { body } = await test.anonymous.post('/api/auth/login').set('Content-Type', 'application/json').send(text).expect(status);
    expect(body.code).toBe(code);
    expect(typeof body.detail).toBe('string');
  });

  it('refuses a form with 415', async () => {
    const { body } = await test.anonymous.post('/api/auth/login').type('form').send({ username: 'admin', password: 'x' }).expect(415);
    expect(body.code).toBe('unsupported_media_type');
  });

  it('lists every broken and missing field of a body in one 422', async () => {
    const { body } = await test.anonymous.post('/api/auth/login').send({ username: 7 }).expect(422);
    expect(body.detail.errors).toEqual([
      { loc: ['body', 'username'], msg: expect.any(String), type: 'string_type' },
      { loc: ['body', 'password'], msg: expect.any(String), type: 'missing' },
    ]);
  });

  it.each([
    ['abc', 422],
    ['1.5', 422],
    ['0', 404],
    ['-1', 404],
    ['007', 404],
    ['2147483648', 404],
    ['99999999999999999999', 404],
  ])('answers the id %s with %d', async (id, status) => {
    await test.admin.get(`/api/graphs/${id}`).expect(status);
  });

  it('refuses a duplicate or unreadable query parameter', async () => {
    for (const query of ['limit=1&limit=2', 'limit=x', 'limit=0', 'limit=201', 'limit=1e2', 'cursor=%00']) {
      const { body } = await test.admin.get(`/api/graphs?${query}`).expect(422);
      expect(body.detail.errors[0].loc[0]).toBe('query');
    }
  });

  it('serves Swagger UI and a document that covers every route', async () => {
    await test.anonymous.get('/docs').expect(200);
    const { body } = await test.anonymous.get('/openapi.json').expect(200);
    expect(Object.keys(body.paths)).toContain('/api/auth/login');
    expect(body.components.securitySchemes).toMatchObject({ bearer: { scheme: 'bearer' }, api_key: { name: 'X-API-Key' } });
  });
});
