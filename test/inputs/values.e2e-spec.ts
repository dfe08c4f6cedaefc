import fc from 'fast-check';
import { openApiDocumentOf } from '../../src/openapi/openapi.js';
import { startTestApp, type TestApp } from '../support/app.js';
import { asPerson, probe } from '../support/probe.js';
import { inParallel, sample } from '../support/seeded.js';
import { createFixture, type Fixture } from './fixture.js';
import { exampleOf, type Operation, type Place, readOperations, type Schema, withValueAt } from './operations.js';
import { type DrawnRequest, requestTo } from './request-arbitrary.js';
import { isLong } from '../support/tier.js';

let test: TestApp;
let fixture: Fixture;
beforeAll(async () => {
  test = await startTestApp();
  fixture = await createFixture(test);
});
afterAll(() => test.close());

describe('every field of every body', () => {
  /** JSON texts, so that numbers are sent as written. */
  const values = [
  'null', 'true', 'false', '0', '-1', '1.5', '2147483648', '9007199254740993', '1e400', '-1e400', '1e21', '""', '" "', '"x"', '"5"', '"false"', '"null"', '[]', '[null]', '[[]]', '{}', '{"a":1}', '["x","x"]',
  '"\\u0000"', '"\\ud800"', `"${'x'.repeat(10_000)}"`, '{"toString":1,"valueOf":1,"hasOwnProperty":1,"length":-1,"then":1}', '{"__proto__":{}}', '{"constructor":{"prototype":{}}}', '[{"toString":1}]', '"2026-02-30"',
]; // prettier-ignore

  /** The places of all fields of a body, including those of nested objects, and of the body itself. */
  function fieldsOf(schema: Schema, place: Place = []): Place[] {
    const inner = schema.properties
      ? Object.entries(schema.properties).flatMap(([name, property]) => fieldsOf(property, [...place, name]))
      : schema.items
        ? fieldsOf(schema.items, [...place, 0])
        : [];
    return [place, ...inner];
  }
  let operations: Operation[];
  beforeAll(() => {
    operations = readOperations(openApiDocumentOf(test.app)).filter(({ body, contentType }) => body && contentType === 'application/json');
  });

  it('takes or refuses each kind of value, and never fails over one', async () => {
    const found: string[] = [];
    const requests = operations.flatMap(requestsTo);
    expect(requests.length).toBeGreaterThan(3_000);
    const [nulls, others] = [requests.filter(({ isNull }) => isNull), requests.filter(({ isNull }) => !isNull)];
    expect(nulls.length).toBeGreaterThan(100);
    const tried = isLong ? requests : [...sample(nulls, 60, 20_261_120), ...sample(others, 60, 20_261_120)];
    await inParallel(8, tried, async ({ label, isNull: _, ...request }) => {
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

describe('any request to any operation of the document', () => {
  const rounds = isLong ? 1_500 : 15;
  const requestsAtOnce = 6;
  /** `FUZZ_ONLY=Queries npm run test:long -- values` tests only operations whose id contains `Queries`. */
  const only = new RegExp(process.env.FUZZ_ONLY ?? '');

  /** Reports a failure in short form: fast-check's own report would show each request with its schemas. */
  function report<T>({ failed, seed, errorInstance }: fc.RunDetails<T>): void {
    if (failed) throw new Error(`seed ${seed}: ${errorInstance instanceof Error ? errorInstance.message : String(errorInstance)}`);
  }

  /** Returns the path of a collection, such as `/api/metrics` for `/api/metrics/{id}/binding`. */
  function collectionOf(path: string): string {
    return path.split('/{')[0]!;
  }
  let operations: Operation[];
  /** By collection: ids of records that the fuzzer's requests have created. Requests may change and delete these records. */
  const made = new Map<string, string[]>();
  const statuses: Record<string, number> = {};
  /** Operations of which no request has succeeded. */
  const refusedOnly = new Set<string>();
  let sent = 0;

  beforeAll(async () => {
    await test.admin.put('/api/warehouse/connections/1/tables/made').type('text/csv').send('a\n1\n').expect(201);
    operations = readOperations(openApiDocumentOf(test.app)).filter(({ id }) => only.test(id));
    for (const { id } of operations) refusedOnly.add(id);
  });

  /**
   * The id for a path parameter. A request that deletes or overwrites gets a record of the fuzzer, because without the fixture later
   * requests would test nothing.
   */
  function idOf(operation: Operation, name: string): string {
    const harmful = operation.method === 'DELETE' || /^Metrics_(update|bind)$/.test(operation.id);
    if (harmful && name === 'table') return 'made';
    const isOthers = harmful && /^(Graphs|Metrics|ApiKeys|Users|Connections)_/.test(operation.id);
    return isOthers ? (made.get(collectionOf(operation.path))?.at(-1) ?? '999999') : fixture.idFor(operation, name);
  }

  async function send(drawn: DrawnRequest): Promise<string[]> {
    const { operation, prefix, path, query, headers, body } = drawn;
    const { method } = operation;
    // A logout ends the tokens of other requests under way, so only the bystander sends it.
    const person = operation.id === 'Auth_logout' ? 'bystander' : drawn.person;
    const filled = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
      const asked = path[name] ?? idOf(operation, name);
      // User 1 is the admin who sends the requests and must stay an admin.
      return asked === '1' && operation.path.startsWith('/api/users') ? fixture.idFor(operation, name) : asked;
    });
    const search = query.map(([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`).join('&');
    const target = `${prefix}${filled.slice('/api'.length)}${search === '' ? '' : `?${search}`}`;
    const answer = await probe(test, {
      method,
      path: target,
      headers: { ...asPerson(await fixture.tokenOf(person)), ...headers },
      ...(body === undefined ? {} : { body: withRealGraph(body) }),
    });
    sent++;
    statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
    if (answer.status < 400) refusedOnly.delete(operation.id);
    if (answer.status === 401) fixture.forgetToken(person);
    if (answer.status === 201) remember(operation.path, answer.body);
    return answer.problems.map(problem => `${person} ${target} ${JSON.stringify(headers)} ${body ?? ''}\n  ${problem}`);
  }

  /** Replaces graph 1, which the examples of the document name, by the fixture's graph. */
  function withRealGraph(body: string): string {
    return body.replace(/"graph_id":1\b/, `"graph_id":${fixture.graphId}`);
  }

  function remember(path: string, body: string): void {
    const { id } = JSON.parse(body) as { id?: number };
    if (id !== undefined) made.set(path, [...(made.get(path) ?? []).slice(-20), String(id)]);
  }

  it(
    'ends in a documented answer with X-Request-ID, never in a fault',
    async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(requestTo(operations), { minLength: requestsAtOnce, maxLength: requestsAtOnce }), async drawn => {
          const problems = await Promise.all(drawn.map(send));
          if (problems.flat().length > 0) throw new Error(problems.flat().join('\n'));
        }),
        { numRuns: rounds, ...(isLong ? {} : { seed: 20_261_120 }), endOnFailure: true, reporter: report },
      );
      if (isLong || process.env.FUZZ_ONLY !== undefined)
        process.stdout.write(`fuzzer: ${sent} requests, ${JSON.stringify(statuses)}, never through: ${[...refusedOnly].join(', ')}\n`);
      // If the fixture were deleted or the people locked out, nearly all requests would be refused.
      if (only.source === '(?:)') expect((statuses['200'] ?? 0) + (statuses['201'] ?? 0)).toBeGreaterThan(sent / 10);
      await test.anonymous.get('/health').expect(200);
    },
    isLong ? 3_600_000 : 120_000,
  );
});
