import { openApiDocumentOf } from '../src/openapi/openapi.js';
import { startTestApp, type TestApp } from './support/app.js';
import { type SeenResponse } from './support/response-check.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/** Gives wrong answers to `ResponseCheck`, which checks every answer in the tests, and expects that it finds the fault. */
describe('the check against the OpenAPI document', () => {
  const headers = { 'content-type': 'application/json; charset=utf-8', 'x-request-id': 'a' };
  const me = { user_id: 1, username: 'admin', is_admin: true, must_change_password: false };
  const good: SeenResponse = { method: 'GET', path: '/api/auth/me', status: 200, headers, body: JSON.stringify(me) };
  const refusal = JSON.stringify({ detail: 'x', code: 'graph_not_found' });
  const legacy = JSON.stringify({ success: false, message: 'x', detail: 'x', code: 'graph_not_found' });

  it.each<[string, Partial<SeenResponse>, RegExp | null]>([
    ['a good answer', {}, null],
    ['the path without its prefix', { path: '/auth/me?x=1' }, null],
    ['no request id', { headers: { 'content-type': 'application/json' } }, /no X-Request-ID/],
    ['a field of another type', { body: JSON.stringify({ ...me, user_id: '1' }) }, /user_id must be/],
    ['a field that is missing', { body: JSON.stringify({ ...me, username: undefined }) }, /must have required property/],
    ['a field too many', { body: JSON.stringify({ ...me, password_hash: 'x' }) }, /must NOT have additional properties/],
    ['another type', { headers: { ...headers, 'content-type': 'text/html' } }, /is text\/html/],
    ['no JSON', { body: '{' }, /no JSON/],
    ['a status that is not described', { status: 202 }, /is not described/],
    ['a 5xx that is not described', { status: 502, body: refusal }, /is not described/],
    ['a described refusal', { status: 401, body: refusal }, null],
    ['a refusal of another kind', { status: 404, body: refusal }, null],
    ['a refusal with an unknown code', { status: 401, body: '{"detail":"x","code":"y"}' }, /code must be equal/],
    ['a refusal without a code', { status: 401, body: '{"detail":"x"}' }, /required property 'code'/],
    ['a refusal as a page', { status: 404, headers: { ...headers, 'content-type': 'text/html' } }, /an error as text\/html/],
    ['an unknown route', { path: '/nowhere', status: 404, body: refusal }, null],
    ['an unknown route that answers', { path: '/nowhere' }, /is no operation/],
    ['the legacy shape where it does not belong', { status: 401, body: legacy }, /additional properties/],
    [
      'the standard shape where the legacy one belongs',
      { path: '/api/metrics/1', status: 404, body: refusal },
      /required property 'success'/,
    ],
    ['the legacy shape where it belongs', { path: '/metrics/1', status: 404, body: legacy }, null],
  ])('judges %s', (_what, change, expected) => {
    const problems = test.check.problems({ ...good, ...change });
    if (expected === null) expect(problems).toEqual([]);
    else expect(problems.join('\n')).toMatch(expected);
  });

  it('checks the request against the document, and every answer to a test’s client', async () => {
    const spied = jest.spyOn(test.check, 'problems');
    await test.admin.post('/api/graphs').send({ name: '图' }).expect(201);
    const { calls } = spied.mock;
    spied.mockRestore();
    expect(calls).toHaveLength(1);
    const [seen] = calls[0]!;
    expect(seen).toMatchObject({ method: 'POST', path: '/api/graphs', status: 201, sent: { name: '图' } });
    expect(test.check.problems({ ...seen, sent: { name: 7 } }).join()).toMatch(/of the request: \/name must be string/);
    expect(test.check.problems({ ...seen, sent: { name: 'a', description: null } })).toEqual([]);
    expect(test.check.problems({ ...seen, sent: { name: 'a', more: 1 } }).join()).toMatch(/of the request: .*additional properties.*more/);
    const ignored = { ...seen.headers, 'x-ignored-fields': 'more' };
    expect(test.check.problems({ ...seen, headers: ignored, sent: { name: 'a', more: 1 } })).toEqual([]);
  });

  it('relies on a document that says how a login fails, and when to try again', () => {
    const { paths, components } = openApiDocumentOf(test.app);
    const { responses } = paths['/api/auth/login']!.post!;
    expect(responses['401']).toMatchObject({ description: expect.stringContaining('wrong password') });
    const headers = { 'Retry-After': { $ref: '#/components/headers/Retry-After' } };
    for (const status of ['429', '503']) expect(responses[status]).toMatchObject({ headers });
    expect(components?.headers).toMatchObject({ 'Retry-After': { schema: { type: 'integer' } } });
  });
});
