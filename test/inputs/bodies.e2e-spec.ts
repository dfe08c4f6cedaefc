import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { startTestApp, type TestApp } from '../support/app.js';
import { openApiDocumentOf } from '../../src/openapi/openapi.js';
import { asPerson, probe } from '../support/probe.js';
import { createFixture, type Fixture } from './fixture.js';
import { type Operation, readOperations } from './operations.js';
import { isLong, itLong } from '../support/tier.js';

let test: TestApp;
const logged: string[] = [];
beforeAll(async () => {
  test = await startTestApp({ LOG_LEVEL: 'debug' }, { logTo: { write: line => logged.push(line) } });
});
afterAll(() => test.close());

describe('request bodies', () => {
  let graphId: number;
  beforeAll(async () => {
    graphId = (await test.admin.post('/api/graphs').send({ name: '图' }).expect(201)).body.id;
  });

  /** Sends a login with exactly these bytes as its body. */
  const login = async (body: string | Buffer, headers: Record<string, string> = {}) => {
    const response = await fetch(`${test.url}/api/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: new Uint8Array(Buffer.from(body)),
    });
    const text = await response.text();
    const { status } = response;
    const problems = test.check.problems({ method: 'POST', path: '/auth/login', status, headers: Object.fromEntries(response.headers), body: text });
    expect(problems).toEqual([]);
    return { status, text, ...(JSON.parse(text) as { code?: string; detail: { errors?: { loc: unknown[]; type: string }[] } }) };
  }; // prettier-ignore

  /** With this header, unknown fields are ignored instead of refused. */
  const lenient = { prefer: 'handling=lenient' };

  const nested = (depth: number) => `{"username":"a","password":"b","more":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)}}`;

  it.each([
    [63, 401],
    [64, 401],
    [65, 400],
    [5_000, 400],
    [50_000, 400],
    [500_000, 400],
  ])('takes a body nested %d deep with %d', async (depth, status) => {
    const answer = await login(nested(depth), lenient);
    expect([answer.status, answer.code]).toEqual([status, status === 400 ? 'body_too_deep' : 'wrong_login']);
  });

  itLong.each([
    ['parameters', '400 cypher_parameter_invalid'],
    ['options', '422 unknown_field'],
    ['columns', '422 unknown_table'],
  ])('keeps free-form fields to the same depth (%s)', async (field, refusal) => {
    const deep = (depth: number): unknown => JSON.parse(`${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`);
    const send = (depth: number) =>
      field === 'parameters'
        ? test.admin.post(`/api/graphs/${graphId}/query`).send({ cypher: 'RETURN $a AS a', parameters: deep(depth) })
        : field === 'options'
          ? test.admin.post('/api/warehouse/connections').send({ name: `m${depth}`, type: 'pg_mirror', options: deep(depth) })
          : test.admin.post('/api/metrics').send({ graph_id: graphId, name: `m${depth}`, formula: 'COUNT(*)', binding: { relation: { table: 't' }, columns: deep(depth - 1) } }); // prettier-ignore
    // A body that is just not too deep is read, and then refused because of its content.
    const { status, body: read } = await send(63);
    expect(`${status} ${read.code ?? read.detail.errors[0].type}`).toBe(refusal);
    const { body } = await send(64).expect(400);
    expect(body.code).toBe('body_too_deep');
  });

  it.each([
    ['a body of just the limit', 1_048_576, 401],
    ['a body of one byte more', 1_048_577, 413],
  ])('answers %s', async (_what, length, status) => {
    const head = '{"username":"a","password":"b","more":"';
    expect((await login(`${head}${'x'.repeat(length - head.length - 2)}"}`, lenient)).status).toBe(status);
  });

  it.each([
    ['gzip', gzipSync('{"username":"a","password":"b"}')],
    ['deflate', Buffer.from('x')],
    ['br', Buffer.from('x')],
    ['zstd', Buffer.from('x')],
    ['gzip, identity', Buffer.from('x')],
    ['whatever', Buffer.from('x')],
  ])('refuses the encoding %s', async (encoding, body) => {
    expect(await login(body, { 'content-encoding': encoding })).toMatchObject({ status: 415, code: 'unsupported_encoding' });
  });

  it.each([
    ['utf-8', 401],
    ['"UTF-8"', 401],
    ['', 401],
    ['utf-7', 415],
    ['utf-16le', 415],
    ['utf-32', 415],
    ['iso-8859-1', 415],
    ['x', 415],
    ['utf-nonsense', 415],
  ])('takes the charset %s with %d', async (charset, status) => {
    const answer = await login('{"username":"a","password":"b"}', { 'content-type': `application/json; charset=${charset}` });
    expect([answer.status, answer.code]).toEqual([status, status === 415 ? 'unsupported_media_type' : 'wrong_login']);
  });

  it.each([
    ['a lone continuation byte', [0x80]],
    ['an overlong slash', [0xc0, 0xaf]],
    ['an encoded surrogate', [0xed, 0xa0, 0x80]],
    ['a code point beyond Unicode', [0xf4, 0x90, 0x80, 0x80]],
    ['a cut sequence', [0xe4, 0xb8]],
  ])('refuses %s because it is not UTF-8', async (_what, bytes) => {
    const body = Buffer.concat([Buffer.from('{"username":"'), Buffer.from(bytes), Buffer.from('","password":"b"}')]);
    expect(await login(body)).toMatchObject({ status: 400, code: 'malformed_json' });
  });

  it.each([
    ['application/x-www-form-urlencoded', 'username=admin&password=correct-horse-7', 415],
    ['text/plain', '{"username":"a","password":"b"}', 415],
    ['multipart/form-data; boundary=x', '--x--', 415],
    ['application/jsonx', '{"username":"a","password":"b"}', 415],
    ['application', '{}', 415],
    ['application/vnd.api+json', '{"username":"a","password":"b"}', 401],
    ['application/json', '[]', 400],
    ['application/json', 'null', 400],
    ['application/json', '"x"', 400],
    ['application/json', '7', 400],
    ['application/json', '', 400],
    ['application/json', ' ', 400],
    ['application/json', '{}', 400],
    ['application/json', '[{"username":"a","password":"b"}]', 400],
  ])('answers %s with the body %s with %d', async (type, body, status) => {
    expect((await login(body, { 'content-type': type })).status).toBe(status);
  });

  it.each([
    ['NUL', '{"username":"a\\u0000b","password":"b"}', ['body', 'username'], 'nul_character'],
    ['NUL in a name', '{"username":"a","password":"b","c\\u0000":1}', ['body', 'c\uFFFD'], 'nul_character'],
    ['half a surrogate pair', '{"username":"a","password":"\\udead"}', ['body', 'password'], 'lone_surrogate'],
    ['an infinite number', '{"username":1e400,"password":"b"}', ['body', 'username'], 'number_out_of_range'],
    ['2^53', '{"username":"a","password":"b","c":[9007199254740992]}', ['body', 'c', 0], 'number_out_of_range'],
    ['a prototype', '{"username":"a","password":"b","c":{"__proto__":{}}}', ['body', 'c', '__proto__'], 'reserved_name'],
  ])('refuses %s at any place', async (_what, body, loc, type) => {
    const { status, detail } = await login(body);
    expect([status, detail.errors]).toEqual([422, [{ loc, type, msg: expect.any(String) }]]);
  });

  it('refuses NUL in queries and paths with its place', async () => {
    const query = await test.admin.get('/api/graphs?cursor=a%00b').expect(422);
    expect(query.body.detail.errors).toMatchObject([{ loc: ['query', 'cursor'], type: 'nul_character' }]);
    const path = await test.admin.get('/api/warehouse/connections/1/tables/a%00b').expect(422);
    expect(path.body.detail.errors).toMatchObject([{ loc: ['path', 'table'], type: 'nul_character' }]);
    await test.admin.get(`/api/graphs/${graphId}/nodes/%00`).expect(422);
    await test.admin.get('/docs/%00').expect(404);
  });

  it('changes no prototype', async () => {
    for (const name of ['__proto__', 'constructor', 'prototype']) {
      for (const value of ['{"is_admin":true}', '{"prototype":{"is_admin":true}}', 'null', '[]', '"x"']) {
        for (const body of [`{"username":"${name.slice(0, 5)}x","password":"correct-horse-8","${name}":${value}}`, `{"username":{"${name}":${value}},"password":"b"}`]) {
          const response = await fetch(`${test.url}/api/auth/register`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
          expect([201, 400, 409, 422]).toContain(response.status);
          expect(((await response.json()) as { is_admin?: boolean }).is_admin ?? false).toBe(false);
        }
      }
    }
    expect(({} as { is_admin?: unknown }).is_admin).toBeUndefined();
    const { rows } = await test.pool.query('SELECT count(*)::int AS admins FROM users WHERE is_admin');
    expect(rows).toEqual([{ admins: 1 }]);
  }); // prettier-ignore

  it.each([
    ['100,000 fields', (fields: string) => `{"username":"a","password":"b",${fields}}`, 422, 'too_many'],
    ['a field of 100,000 fields', (fields: string) => `{"username":"a","password":"b","more":{${fields}}}`, 422, 'too_many'],
    ['100 fields of 1,000 fields', (fields: string) => `{"username":"a","password":"b",${Array.from({ length: 100 }, (_, index) => `"m${index}":{${fields.split(',').slice(0, 1_000).join()}}`).join()}}`, 422, 'too_many'],
  ])('is not kept busy by %s', async (_what, body, status, type) => {
    const fields = Array.from({ length: 100_000 }, (_, index) => `"${index}":1`).join();
    const startedAt = performance.now();
    const answer = await login(body(fields), lenient);
    expect([answer.status, answer.code ?? answer.detail.errors?.[0]?.type]).toEqual([status, type]);
    // This takes 0.1 s on an idle machine. class-transformer alone would take 5 s.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  }); // prettier-ignore

  itLong('is not kept busy by a list whose items must differ', async () => {
    const graph_ids = Array.from({ length: 99_000 }, (_, index) => index + 1);
    const startedAt = performance.now();
    const { body } = await test.admin.post('/api/api-keys').send({ name: 'k', graph_ids }).expect(422);
    expect(body.detail.errors).toMatchObject([{ loc: ['body', 'graph_ids'], type: 'too_many' }]);
    // class-validator's own rule would take many seconds.
    expect(performance.now() - startedAt).toBeLessThan(5_000);
    const { body: twice } = await test.admin
      .post('/api/api-keys')
      .send({ name: 'k', graph_ids: [1, 2, 1] })
      .expect(422);
    expect(twice.detail.errors).toMatchObject([{ loc: ['body', 'graph_ids'], type: 'duplicate' }]);
  });

  it.each([
    ['lenient', lenient, 401],
    ['strict', {}, 422],
  ])('is not kept busy by unknown fields at every depth (%s)', async (_what, headers, status) => {
    // The body is full of unknown names. A suggestion for each of them could compare it with all known names.
    const filter = JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`valu${index}`, 1])));
    const filters = `[${Array.from({ length: 900 }, () => filter).join()}]`;
    const metric = await test.admin.post('/api/metrics').send({ graph_id: graphId, name: `m${status}`, formula: 'COUNT(*)' }).expect(201);
    const startedAt = performance.now();
    const answer = await test.admin.post(`/api/metrics/${metric.body.id}/execute`).set(headers).type('json').send(`{"filters":${filters}}`).expect(422);
    expect(answer.text.length).toBeLessThan(300_000);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    await login(`{"username":"a","password":"b",${filter.slice(1)}`, headers).then(login => expect(login.status).toBe(status));
  }); // prettier-ignore

  it('refuses a query parameter that is given twice', async () => {
    const paths = ['/api/graphs', '/api/metrics', '/api/ingestion/jobs', '/api/users', '/api/api-keys', '/api/audit-events', '/api/warehouse/connections'];
    for (const path of paths) {
      for (const name of ['limit', 'cursor']) {
        const { body } = await test.admin.get(`${path}?${name}=1&${name}=2`).expect(422);
        expect(body.detail.errors[0].loc).toEqual(['query', name]);
      }
    }
    const upload = test.admin.put('/api/warehouse/connections/1/tables/t?mode=append&mode=replace').type('text/csv').send('a\n1\n');
    expect((await upload.expect(422)).body.detail.errors[0].loc).toEqual(['query', 'mode']);
  }); // prettier-ignore

  it('echoes and logs no unreadable body', async () => {
    const canary = 'hunter2-canary-7d1f';
    logged.length = 0;
    const broken = [
      `{"password":${canary}}`,
      `{"password":"${canary}"`,
      `{"username":"a","password":"${canary}",}`,
      `${canary}`,
      `{"password":"${canary}\u0001"}`,
      Buffer.concat([Buffer.from(`{"password":"${canary}`), Buffer.from([0xff, 0x22, 0x7d])]),
      `{"password":"${canary}","more":${'['.repeat(70)}${']'.repeat(70)}}`,
      `{"password":"${canary}\\u0000","username":"a"}`,
      `{"password":{"a":"${canary}"},"username":7}`,
    ];
    for (const body of broken) {
      const answer = await login(body);
      expect([400, 422]).toContain(answer.status);
      expect(answer.text).not.toContain(canary);
    }
    await login(`{"password":"${canary}"}`, { 'content-encoding': 'gzip' });
    await login(`{"password":"${canary}"}`, { 'content-type': 'application/json; charset=x' });
    const paths = [
      `/api/graphs/%FF${canary}/schema`,
      `/api/graphs/${canary}/schema`,
      `/api/graphs?limit=%FF${canary}`,
      `/api/graphs?limit=${canary}`,
    ];
    for (const path of paths) {
      const { text } = await test.admin.get(path);
      expect(text).not.toContain(canary);
    }
    // Each request writes a line of the log only when its answer has been sent.
    const lines = () => logged.filter(line => line.includes('"status":'));
    for (const deadline = Date.now() + 30_000; lines().length < broken.length + 2 + paths.length && Date.now() < deadline;) await sleep(5);
    expect(lines().length).toBeGreaterThanOrEqual(broken.length + 2 + paths.length);
    expect(logged.filter(line => line.includes(canary))).toEqual([]);
  });
});

const json = 'application/json';

/**
 * The answers to an empty object on routes without a required field; some of these routes need one of several fields. All other routes
 * refuse it with `missing_field`.
 */
const allOptional: Record<string, string> = {
  Connections_change: '200',
  Graphs_update: '200',
  JobWebhooks_change: '200',
  // The route needs entries or a CSV text.
  Lexicon_add: '422',
  Metrics_execute: '200',
  Metrics_update: '200',
  Permissions_grant: '400 one_user_expected',
  Queries_query: '400 one_query_kind',
  Queries_stream: '400 one_query_kind',
  SavedQueries_change: '200',
  SavedQueries_run: '200',
  Suggestions_suggest: '200',
  Users_change: '200',
  Watches_change: '200',
};
const emptyObject = ({ id }: Operation) => allOptional[id] ?? '400 missing_field';

const sent: [what: string, headers: Record<string, string>, body: string | undefined, answer: string | ((operation: Operation) => string)][] = [
  ['no body', {}, undefined, emptyObject],
  ['no body, but its type', { 'content-type': json }, undefined, emptyObject],
  ['an empty body', { 'content-type': json }, '', emptyObject],
  ['an empty object', { 'content-type': json }, '{}', emptyObject],
  ['a text', { 'content-type': 'text/plain' }, '{}', '415 unsupported_media_type'],
  ['a body without a type', {}, '{}', '415 unsupported_media_type'],
  ['an empty text', { 'content-type': 'text/plain' }, '', emptyObject],
  ['a list', { 'content-type': json }, '[]', '400 malformed_json'],
  ['null', { 'content-type': json }, 'null', '400 malformed_json'],
  ['a string', { 'content-type': json }, '"x"', '400 malformed_json'],
  ['half an object', { 'content-type': json }, '{"a":', '400 malformed_json'],
]; // prettier-ignore

describe('every route with a body', () => {
  let fixture: Fixture;
  let operations: Operation[];
  beforeAll(async () => {
    fixture = await createFixture(test);
    operations = readOperations(openApiDocumentOf(test.app)).filter(({ body, contentType }) => body && contentType === json);
  });

  it.each(sent)('answers %s as listed', async (what, headers, body, expected) => {
    expect(operations.length).toBeGreaterThan(18);
    // With `npm test`, each route gets an empty object and a third of the other bodies.
    const turn = sent.findIndex(([name]) => name === what);
    const asked = operations.filter((_, index) => isLong || body === '{}' || (index + turn) % 3 === 0);
    const answers: Record<string, string> = {};
    const wanted: Record<string, string> = {};
    for (const operation of asked) {
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => fixture.idFor(operation, name));
      const { method } = operation;
      const credentials = asPerson(await fixture.tokenOf('admin'));
      const answer = await probe(test, { method, path, headers: { ...credentials, ...headers }, ...(body === undefined ? {} : { body }) });
      const { code } = JSON.parse(answer.body) as { code?: string };
      answers[operation.id] = [answer.status, code ?? '', ...answer.problems].join(' ').trim();
      wanted[operation.id] = typeof expected === 'string' ? expected : expected(operation);
    }
    expect(answers).toEqual(wanted);
  });
});
