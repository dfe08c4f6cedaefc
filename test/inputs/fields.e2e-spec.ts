import { type Type } from '@nestjs/common';
import { PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ModulesContainer } from '@nestjs/core';
import { getMetadataStorage } from 'class-validator';
import { openApiDocumentOf } from '../../src/openapi/openapi.js';
import { type Client, startTestApp, type TestApp } from '../support/app.js';
import { upload } from '../support/ingestion.js';
import { asPerson, probe } from '../support/probe.js';
import { nestedDto } from '../../src/http/validation/nested.decorator.js';
import { describeConstraint } from '../../src/http/validation/describe-constraint.js';
import { joined } from '../../src/text/bilingual.js';
import { createFixture, type Fixture } from './fixture.js';
import { exampleOf, type Operation, type Place, readOperations, type Schema, withValueAt } from './operations.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

/** Routes that refuse requests before they read the body, and health checks, which accept any query string. */
const unread = new Set(['Jobs_replace', 'Jobs_remove', 'Connections_mirror', 'Health_live', 'Health_ready']);

/** The places of all objects in a body whose properties the schema lists, including nested objects. */
function objectsOf(schema: Schema, place: Place = []): Place[] {
  if (schema.items) return objectsOf(schema.items, [...place, 0]);
  if (!schema.properties) return [];
  return [place, ...Object.entries(schema.properties).flatMap(([name, inner]) => objectsOf(inner, [...place, name]))];
}

describe('a field that the service does not know', () => {
  let fixture: Fixture;
  let operations: Operation[];
  let graphId: number;
  let metricId: number;
  let admin: Client;

  beforeAll(async () => {
    ({ admin } = test);
    fixture = await createFixture(test);
    operations = readOperations(openApiDocumentOf(test.app));
    graphId = (await admin.post('/api/graphs').send({ name: '图' }).expect(201)).body.id;
    await upload(test, 'sales', 'day,region,amount\n2026-01-01,华东,1\n2026-02-01,华南,2\n');
    const metric = {
      graph_id: graphId,
      name: '额',
      formula: 'SUM(amount)',
      binding: { relation: { table: 'sales' }, time: { column: 'day' } },
    };
    metricId = (await admin.post('/api/metrics').send(metric).expect(201)).body.id;
  });

  const errorsOf = async (request: ReturnType<Client['post']>) =>
    (await request.expect(422)).body.detail.errors as { loc: unknown[]; msg: string; type: string }[];

  it.each([
    [{ time: { span: 'last_month' } }, ['body', 'time', 'span'], /可用的有：from、to、range、grain.*known here: from, to, range, grain/],
    [{ filter: [{ field: 'region', op: '=', value: '华东' }] }, ['body', 'filter'], /是否为“filters”.*did you mean 'filters'/],
    [{ dimension: ['region'] }, ['body', 'dimension'], /did you mean 'dimensions'/],
    [{ filters: [{ field: 'region', op: '=', value: '华东' }, { field: 'region', op: '=', vale: 'x', value: 'x' }] }, ['body', 'filters', 1, 'vale'], /did you mean 'value'/],
    [{ order: [{ by: 'value', direction: 'desc' }] }, ['body', 'order', 0, 'direction'], /known here: by, dir, nulls/],
    [{ 'filters.0': 1 }, ['body', 'filters.0'], /did you mean 'filters'/],
    [{ filter: null }, ['body', 'filter'], /did you mean 'filters'/],
  ])('is a 422 at execute: %j', async (body, loc, msg) => {
    const errors = await errorsOf(admin.post(`/api/metrics/${metricId}/execute`).send(body));
    expect(errors).toEqual([{ loc, type: 'unknown_field', msg: expect.stringMatching(msg) }]);
  }); // prettier-ignore

  it('is a 422 in a binding, at every depth', async () => {
    const binding = { relation: { table: 'sales' }, rowFilter: 'amount > 1', joins: [{ table: 'sales', type: 'inner', on: [['day', 'day']] }] };
    const expected = (at: string[]) => [
      { loc: ['body', ...at, 'joins', 0, 'type'], type: 'unknown_field', msg: expect.stringContaining('kind') },
      { loc: ['body', ...at, 'rowFilter'], type: 'unknown_field', msg: expect.stringContaining("did you mean 'row_filter'?") },
    ];
    const byPlace = (errors: { loc: unknown[] }[]) => errors.sort((a, b) => (a.loc.join() < b.loc.join() ? -1 : 1));
    expect(byPlace(await errorsOf(admin.put(`/api/metrics/${metricId}/binding`).send(binding)))).toEqual(expected([]));
    const metric = { graph_id: graphId, name: 'b', formula: 'SUM(amount)', binding };
    expect(byPlace(await errorsOf(admin.post('/api/metrics').send(metric)))).toEqual(expected(['binding']));
  }); // prettier-ignore

  it('is a 422 for a key', async () => {
    const errors = await errorsOf(admin.post('/api/api-keys').send({ name: 'k', graph_ids: [graphId], scopes: ['read'] }));
    expect(errors).toEqual([{ loc: ['body', 'scopes'], type: 'unknown_field', msg: expect.stringContaining('graph_ids') }]);
  });

  it('is reported with everything else that is wrong, in query and body', async () => {
    const errors = await errorsOf(test.anonymous.post('/api/auth/login?next=1').send({ usernam: 'a', password: 7 }));
    expect(errors.map(({ loc, type }) => [loc.join('.'), type])).toEqual([
      ['body.username', 'missing'],
      ['body.password', 'string_type'],
      ['query.next', 'unknown_field'],
      ['body.usernam', 'unknown_field'],
    ]);
  });

  it('is a 422 in every query string, and with every body', async () => {
    expect(operations.length).toBeGreaterThan(50);
    const found: string[] = [];
    for (const operation of operations.filter(({ id }) => !unread.has(id))) {
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => fixture.idFor(operation, name));
      const json = operation.contentType === 'application/json' && operation.method !== 'GET';
      const example = operation.body ? (fixture.withRealIds(exampleOf(operation.body)) as Record<string, unknown>) : {};
      const headers = { ...asPerson(await fixture.tokenOf('admin')), 'content-type': json ? 'application/json' : operation.contentType };
      const wanted = json ? ['query.nonsense', 'body.nonsense'] : ['query.nonsense'];
      const sent = json ? JSON.stringify({ ...example, nonsense: 1 }) : operation.body ? 'a\n1\n' : undefined;
      const { status, body, problems } = await probe(test, { method: operation.method, path: `${path}?nonsense=1`, headers, ...(sent === undefined ? {} : { body: sent }) });
      found.push(...problems);
      const errors = (JSON.parse(body) as { detail: { errors?: { loc: unknown[]; type: string }[] } }).detail.errors ?? [];
      const unknown = errors.filter(({ type }) => type === 'unknown_field').map(({ loc }) => loc.join('.'));
      if (status !== 422 || unknown.join() !== wanted.join()) found.push(`${operation.id}: ${status} ${body}`);
    }
    expect(found).toEqual([]);
  }); // prettier-ignore

  it('is a 422 in every object of every body, and closed in the document', async () => {
    const found: string[] = [];
    let places = 0;
    for (const operation of operations.filter(({ body, contentType }) => body && contentType === 'application/json')) {
      const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => fixture.idFor(operation, name));
      const headers = { ...asPerson(await fixture.tokenOf('admin')), 'content-type': 'application/json' };
      for (const place of objectsOf(operation.body!)) {
        places++;
        const body = JSON.stringify(withValueAt(fixture.withRealIds(exampleOf(operation.body!)), [...place, 'toString'], 1));
        const answer = await probe(test, { method: operation.method, path, headers, body });
        found.push(...answer.problems);
        if (!answer.body.includes(JSON.stringify(['body', ...place, 'toString']))) found.push(`${operation.id} ${body}: ${answer.status} ${answer.body}`);
      }
    }
    expect(places).toBeGreaterThan(30);
    expect(found).toEqual([]);
    const { schemas } = openApiDocumentOf(test.app).components!;
    for (const name of ['LoginRequest', 'ExecuteTime', 'BindingJoin', 'QueryRequest']) expect(schemas![name]).toMatchObject({ additionalProperties: false });
  }); // prettier-ignore

  it('is allowed in maps', async () => {
    const query = { cypher: 'RETURN $anything AS a', parameters: { anything: { nested: [{ x: 1 }] } } };
    await admin.post(`/api/graphs/${graphId}/query`).send(query).expect(200);
    const columns = { 随便: 'amount', toString: 'region' };
    await admin.put(`/api/metrics/${metricId}/binding`).send({ relation: { table: 'sales' }, time: { column: 'day' }, columns }).expect(200);
    await admin.put(`/api/metrics/${metricId}/binding`).send({ relation: { table: 'sales' }, time: { column: 'day' } }).expect(200);
  }); // prettier-ignore

  it('is ignored and named for a client that prefers leniency', async () => {
    const request = () => admin.post(`/api/metrics/${metricId}/execute?调试=1`).send({ time: { grain: 'year', span: 'x' }, filters: [{ field: 'region', op: '=', value: '华东', 'a.b': 1 }], filter: 1 }); // prettier-ignore
    for (const prefer of ['handling=lenient', 'wait=5, Handling="lenient"', 'respond-async; x=1, handling=lenient']) {
      const { body, headers } = await request().set('Prefer', prefer).expect(200);
      expect(body.rows).toEqual([['2026-01-01', '1']]);
      expect(headers['x-ignored-fields']).toBe('%E8%B0%83%E8%AF%95, filter, time.span, filters.0.a.b');
      expect(headers['preference-applied']).toBe('handling=lenient');
    }
    for (const prefer of ['handling=strict', 'handling', 'handling=strict, handling=lenient', 'x="handling=lenient"', 'lenient']) {
      const { headers } = await request().set('Prefer', prefer).expect(422);
      expect([headers['x-ignored-fields'], headers['preference-applied']]).toEqual([undefined, undefined]);
    }
  });

  it('is dropped for a lenient client before the values are judged', async () => {
    const { headers, body } = await test.anonymous
      .post('/api/auth/login')
      .set('Prefer', 'handling=lenient')
      .send({ username: 7, remember: true })
      .expect(422);
    expect(body.detail.errors.map(({ loc }: { loc: unknown[] }) => loc)).toEqual([['body', 'username'], ['body', 'password']]); // prettier-ignore
    expect(headers['x-ignored-fields']).toBe('remember');
  });

  it('is reported within what a client can take, however many there are', async () => {
    const many = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`${'图'.repeat(500)}${index}`, 1]));
    const login = () => test.anonymous.post('/api/auth/login').send({ username: 'a', password: 'b', ...many, toString: 1 });
    const { headers } = await login().set('Prefer', 'handling=lenient').expect(401);
    expect(headers['x-ignored-fields']!.length).toBeLessThan(8_000);
    expect(headers['x-ignored-fields']).toMatch(/, \+481$/);
    const errors = await errorsOf(login());
    expect(errors).toHaveLength(21);
    expect(errors.at(-1)).toEqual({ loc: ['body'], type: 'unknown_field', msg: expect.stringContaining('481 more unknown fields') });
    expect(JSON.stringify(errors).length).toBeLessThan(10_000);
  });

  it('is a 415 as a form on a route that takes no body', async () => {
    await admin.post('/api/auth/logout').type('form').send({ everywhere: 1 }).expect(415);
    await admin.post(`/api/api-keys/999999/rotate`).type('form').send('').expect(404);
  });
});

type Method = (...values: unknown[]) => unknown;

interface Parameter {
  /** For instance `GraphsController.create @Body()`. */
  where: string;
  /** The name in `@Body('name')`; undefined for the whole body. */
  field: unknown;
  metatype: unknown;
}

const checked: Record<string, string> = { [RouteParamtypes.BODY]: '@Body', [RouteParamtypes.QUERY]: '@Query' };

function parametersOf(controller: Type): Parameter[] {
  const prototype = controller.prototype as Record<string, Method>;
  return Object.getOwnPropertyNames(prototype)
    .filter(name => Reflect.hasMetadata(PATH_METADATA, prototype[name]!))
    .flatMap(name => {
      const types = (Reflect.getMetadata('design:paramtypes', prototype, name) ?? []) as unknown[];
      const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, { index: number; data?: unknown }>;
      return Object.entries(parameters).flatMap(([key, { index, data }]) => {
        const decorator = checked[key.split(':')[0]!];
        return decorator ? [{ where: `${controller.name}.${name} ${decorator}()`, field: data, metatype: types[index] }] : [];
      });
    });
} // prettier-ignore

describe('bodies and queries of handlers', () => {
  let graphId: number;
  let controllers: Type[];
  beforeAll(async () => {
    graphId = (await test.admin.post('/api/graphs').send({ name: '图' }).expect(201)).body.id;
    const modules = [...test.app.get(ModulesContainer).values()];
    controllers = modules.flatMap(module => [...module.controllers.values()].map(({ metatype }) => metatype as Type));
  });

  it('are taken as a whole, as a class whose fields are checked', () => {
    const parameters = controllers.flatMap(parametersOf);
    const handlersWithBody = new Set(parameters.map(({ where }) => where).filter(where => where.endsWith('@Body()')));
    expect(handlersWithBody.size).toBeGreaterThan(15);
    const unchecked = parameters.filter(({ field, metatype }) => field !== undefined || !isChecked(metatype));
    expect(unchecked.map(({ where }) => where)).toEqual([]);
  });

  it('are read one object after the other: no rule of class-validator goes into another DTO', () => {
    const { validationMetadatas } = getMetadataStorage() as unknown as { validationMetadatas: Map<Type<object>, Rule[]> };
    const rules = [...validationMetadatas].flatMap(([dto, ofDto]) => ofDto.map(rule => ({ dto, ...rule })));
    const read = new Set(rules.filter(({ dto, propertyName }) => nestedDto(dto, propertyName)).map(({ dto, propertyName }) => `${dto.name}.${propertyName}`)); // prettier-ignore
    expect(read.size).toBeGreaterThan(7);
    const skipped = rules.filter(({ type }) => type === 'nestedValidation').map(({ dto, propertyName }) => `${dto.name}.${propertyName}`);
    expect(skipped).toEqual([]);
  });

  it('have a word and a Chinese reason for every rule that can be broken', () => {
    const { validationMetadatas } = getMetadataStorage() as unknown as { validationMetadatas: Map<Type, Rule[]> };
    const rules = [...validationMetadatas].flatMap(([dto, ofDto]) => ofDto.map(rule => ({ dto, ...rule })));
    expect(rules.length).toBeGreaterThan(200);
    const unsaid = rules
      .filter(({ name }) => name !== 'isOptional')
      .map(({ dto, type, name, propertyName, message, context }) => ({ where: `${dto.name}.${propertyName} ${name ?? type}`, msg: joined(describeConstraint(name ?? type, typeof message === 'string' ? message : 'text', context?.zh).text) }))
      .filter(({ msg }) => /^取值不符合要求|^[^\p{Script=Han}]+\//u.test(msg));
    expect(unsaid).toEqual([]);
  }); // prettier-ignore

  it.each([
    ['/api/metrics', { binding: 'x' }, ['body', 'binding'], 'object_type'],
    ['/api/metrics', { binding: { relation: null } }, ['body', 'binding', 'relation'], 'object_type'],
    ['/api/api-keys', { expires_at: '2027-02-30T00:00:00Z' }, ['body', 'expires_at'], 'date_type'],
    ['/api/api-keys', { expires_at: '2027-W01-1T00:00:00Z' }, ['body', 'expires_at'], 'string_pattern'],
    ['/api/api-keys', { expires_at: '2027-001T00:00:00Z' }, ['body', 'expires_at'], 'string_pattern'],
    ['/api/api-keys', { expires_at: '20270101T000000Z' }, ['body', 'expires_at'], 'string_pattern'],
    ['/api/api-keys', { expires_at: '2027-01-01T00Z' }, ['body', 'expires_at'], 'string_pattern'],
    ['/api/api-keys', { expires_at: '2027-01-01T00:00:00,5Z' }, ['body', 'expires_at'], 'string_pattern'],
    ['/api/api-keys', { expires_at: '2027-01-01T00:00:00' }, ['body', 'expires_at'], 'string_pattern'],
    ['/api/api-keys', { expires_at: '2020-01-01T00:00:00Z' }, ['body', 'expires_at'], 'too_small'],
  ])('%s with %j: %j %s', async (path, wrong, loc, type) => {
    const right = path === '/api/metrics' ? { graph_id: graphId, name: 'k', formula: 'COUNT(*)' } : { graph_ids: [graphId], name: 'k' };
    const body = { ...right, ...wrong };
    const { detail } = (await test.admin.post(path).send(body).expect(422)).body;
    expect(detail.errors).toEqual([{ loc, type, msg: expect.stringMatching(/\p{Script=Han}.* \/ /u) }]);
  });

  it.each(['2099-01-01T00:00Z', '2099-01-01T00:00:00Z', '2099-01-01T00:00:00.123456789+08:00', '2099-01-01T00:00:00-11:30'])(
    'an expiry of %s is understood',
    async expires_at => {
      const { body } = await test.admin
        .post('/api/api-keys')
        .send({ name: 'k', graph_ids: [graphId], expires_at })
        .expect(201);
      expect(new Date(body.expires_at as string)).toEqual(new Date(expires_at));
    },
  );
});

/** The part of class-validator's metadata that the test reads. */
interface Rule {
  type: string;
  name?: string;
  propertyName: string;
  message?: unknown;
  context?: { zh?: string };
}

function isChecked(metatype: unknown): boolean {
  return typeof metatype === 'function' && getMetadataStorage().getTargetValidationMetadatas(metatype, '', false, false).length > 0;
}
