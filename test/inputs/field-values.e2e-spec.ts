import { openApiDocumentOf } from '../../src/openapi/openapi.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { asPerson, probe } from '../support/probe.js';
import { inParallel, sample } from '../support/seeded.js';
import { createFixture, type Fixture } from './fixture.js';
import { exampleOf, type Operation, type Place, readOperations, type Schema, withValueAt } from './operations.js';

const long = process.env.LONG_TESTS === '1';

/** JSON texts, so that numbers are sent as they are written. */
const values = [
  'null', 'true', 'false', '0', '-1', '1.5', '2147483648', '9007199254740993', '1e400', '-1e400', '1e21', '""', '" "', '"x"', '"5"', '"false"', '"null"', '[]', '[null]', '[[]]', '{}', '{"a":1}', '["x","x"]',
  '"\\u0000"', '"\\ud800"', `"${'x'.repeat(10_000)}"`, '{"toString":1,"valueOf":1,"hasOwnProperty":1,"length":-1,"then":1}', '{"__proto__":{}}', '{"constructor":{"prototype":{}}}', '[{"toString":1}]', '"2026-02-30"',
]; // prettier-ignore

/** Every field of a body, including those of nested objects, and the body itself. */
function fieldsOf(schema: Schema, place: Place = []): Place[] {
  const inner = schema.properties
    ? Object.entries(schema.properties).flatMap(([name, property]) => fieldsOf(property, [...place, name]))
    : schema.items
      ? fieldsOf(schema.items, [...place, 0])
      : [];
  return [place, ...inner];
}

describe('every field of every body', () => {
  let test: TestApp;
  let fixture: Fixture;
  let operations: Operation[];
  beforeAll(async () => {
    test = await startTestApp();
    fixture = await createFixture(test);
    operations = readOperations(openApiDocumentOf(test.app)).filter(({ body, contentType }) => body && contentType === 'application/json');
  }, 60_000);
  afterAll(() => test.close());

  it('takes or refuses each kind of value, and never fails over one', async () => {
    const found: string[] = [];
    const requests = operations.flatMap(requestsTo);
    expect(requests.length).toBeGreaterThan(3_000);
    const [nulls, others] = [requests.filter(({ isNull }) => isNull), requests.filter(({ isNull }) => !isNull)];
    expect(nulls.length).toBeGreaterThan(100);
    await inParallel(8, long ? requests : [...nulls, ...sample(others, 1_400, 20_261_120)], async ({ label, isNull: _, ...request }) => {
      const headers = { ...asPerson(await fixture.tokenOf('admin')), 'content-type': 'application/json' };
      const { problems } = await probe(test, { ...request, headers });
      found.push(...problems.map(problem => `${label}: ${problem}`));
    });
    expect(found).toEqual([]);
  }, 300_000);

  it.each([
    ['POST', '/api/users', { username: 'texts', is_admin: 'false' }, 'is_admin', 'bool_type'],
    ['POST', '/api/users', { username: 'texts', is_admin: 0 }, 'is_admin', 'bool_type'],
    ['PATCH', '/api/users/1', { disabled: '' }, 'disabled', 'bool_type'],
    ['POST', '/api/api-keys', { name: 'k', graph_ids: [1], rate_limit: '5' }, 'rate_limit', 'int_type'],
    ['POST', '/api/api-keys', { name: 'k', graph_ids: ['1'] }, 'graph_ids', 'int_type'],
    ['POST', '/api/graphs', { name: 7 }, 'name', 'string_type'],
  ])('does not convert a value to another type: %s %s %j', async (method, path, body, field, type) => {
    const answer = await test.admin[method === 'POST' ? 'post' : 'patch'](path).send(body).expect(422);
    expect(answer.body.detail.errors).toEqual([{ loc: ['body', field], type, msg: expect.any(String) }]);
  });

  it('takes null for an optional field', async () => {
    const created = await test.admin.post('/api/users').send({ username: 'nobody', is_admin: null }).expect(201);
    expect(created.body.is_admin).toBe(false);
    const disabled = await test.admin.patch(`/api/users/${created.body.id}`).send({ disabled: true }).expect(200);
    const unchanged = await test.admin.patch(`/api/users/${created.body.id}`).send({ disabled: null, is_admin: null }).expect(200);
    expect(unchanged.body).toEqual(disabled.body);
    const key = await test.admin
      .post('/api/api-keys')
      .send({ name: 'k', graph_ids: [fixture.graphId], rate_limit: null, expires_at: null })
      .expect(201);
    expect(key.body.rate_limit).toBe(60);
    const before = await test.admin.patch(`/api/graphs/${fixture.graphId}`).send({ name: '贸易', description: null }).expect(200);
    expect(before.body.description).toBe(null);
    const graph = await test.admin.patch(`/api/graphs/${fixture.graphId}`).send({ name: null, description: 'x' }).expect(200);
    expect([graph.body.name, graph.body.description]).toEqual(['贸易', 'x']);
  });

  function requestsTo(operation: Operation): { label: string; isNull: boolean; method: string; path: string; body: string }[] {
    const { method, body: schema } = operation;
    const whole = fixture.withRealIds(exampleOf(schema!));
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => fixture.idFor(operation, name));
    return fieldsOf(schema!).flatMap(place =>
      values.map(value => ({
        label: `${place.join('.')} = ${value.slice(0, 60)}`,
        isNull: value === 'null',
        method,
        path,
        body: JSON.stringify(withValueAt(whole, place, '@value')).replace('"@value"', value),
      })),
    );
  }
});
