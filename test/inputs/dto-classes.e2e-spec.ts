import { type Type } from '@nestjs/common';
import { PATH_METADATA, ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { ModulesContainer } from '@nestjs/core';
import { getMetadataStorage } from 'class-validator';
import { nestedDto } from '../../src/http/validation/nested.decorator.js';
import { describeConstraint } from '../../src/http/validation/describe-constraint.js';
import { joined } from '../../src/text/bilingual.js';
import { startTestApp, type TestApp } from '../support/app.js';

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
  let test: TestApp;
  let graphId: number;
  let controllers: Type[];
  beforeAll(async () => {
    test = await startTestApp();
    graphId = (await test.admin.post('/api/graphs').send({ name: '图' }).expect(201)).body.id;
    const modules = [...test.app.get(ModulesContainer).values()];
    controllers = modules.flatMap(module => [...module.controllers.values()].map(({ metatype }) => metatype as Type));
  });
  afterAll(() => test.close());

  it('are taken as a whole, as a class whose fields are checked', () => {
    const parameters = controllers.flatMap(parametersOf);
    const handlersWithBody = new Set(parameters.map(({ where }) => where).filter(where => where.endsWith('@Body()')));
    expect(handlersWithBody.size).toBeGreaterThan(15);
    const unchecked = parameters.filter(({ field, metatype }) => field !== undefined || !isChecked(metatype));
    expect(unchecked.map(({ where }) => where)).toEqual([]);
  });

  it('are checked to the same depth for unknown fields as for values', () => {
    const { validationMetadatas } = getMetadataStorage() as unknown as { validationMetadatas: Map<Type<object>, Rule[]> };
    const nested = [...validationMetadatas].flatMap(([dto, rules]) => rules.filter(({ type }) => type === 'nestedValidation').map(rule => ({ dto, ...rule })));
    expect(nested.length).toBeGreaterThan(7);
    const forgotten = nested.filter(({ dto, propertyName }) => nestedDto(dto, propertyName) === undefined);
    expect(forgotten.map(({ dto, propertyName }) => `${dto.name}.${propertyName}`)).toEqual([]);
  }); // prettier-ignore

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
