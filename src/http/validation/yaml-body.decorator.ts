import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiConsumes, ApiExtension } from '@nestjs/swagger';
import { type Request } from 'express';
import { type FieldProblem, SchemaError } from '../../common/errors/api-error.js';

/** Media types of YAML. The documented one of RFC 9512 comes first; the others are its older names. */
export const yamlTypes = ['application/yaml', 'application/x-yaml', 'text/yaml', 'text/x-yaml'];

/**
 * The DTO's other fields, each with the kind of its value. The query string contains only texts, so integers and booleans must be
 * converted.
 */
type OtherFields = Readonly<Record<string, keyof typeof readers>>;

const truths: Record<string, boolean> = { true: true, false: false };

const readers = {
  text: (value: unknown) => value,
  integer: (value: unknown) => (typeof value === 'string' && /^-?\d{1,15}$/.test(value) ? Number(value) : value),
  boolean: (value: unknown) => (typeof value === 'string' ? (truths[value] ?? value) : value),
};

interface YamlBodyField {
  field: string;
  others: OtherFields;
}

const metadataKey = 'yaml-body';

/**
 * Lets a request send the field `field` of its DTO as a YAML body, so that its text need not be escaped into JSON. The other fields of the
 * DTO are then in the query string.
 */
export function YamlBody(field: string, others: OtherFields = {}): MethodDecorator {
  const taken: YamlBodyField = { field, others };
  return applyDecorators(
    SetMetadata(metadataKey, taken),
    ApiConsumes('application/json', yamlTypes[0]!),
    ApiExtension('x-yaml-field', field),
  );
}

export function yamlBodyOf(context: ExecutionContext): YamlBodyField | undefined {
  return Reflect.getMetadata(metadataKey, context.getHandler()) as YamlBodyField | undefined;
}

/** For each request, the fields of its body that came from the query string. */
const moved = new WeakMap<Request, ReadonlySet<string>>();

/**
 * Moves the query string into the body, so that access, idempotency and validation see the same request, however it was sent. `field`
 * itself must not be in the query string. An unknown name that is in both stays in both, and both are refused.
 * @param body parsed JSON, or `{[field]: text}`
 * @throws SchemaError for a field that has different values in the body and in the query string
 */
export function joinQuery(request: Request, body: object, { field, others }: YamlBodyField): object {
  const isLeft = (name: string): boolean => name === field || (Object.hasOwn(body, name) && !Object.hasOwn(others, name));
  const query = Object.entries(request.query);
  const given = query.filter(([name]) => !isLeft(name)).map(([name, value]) => [name, readers[others[name] ?? 'text'](value)] as const);
  const twice = given.filter(([name, value]) => Object.hasOwn(body, name) && (body as Record<string, unknown>)[name] !== value);
  if (twice.length > 0) throw new SchemaError(twice.map(([name]) => givenTwice(name)));
  moved.set(request, new Set(given.map(([name]) => name)));
  // Express defines only a getter for the query. The schema guard replaces the value again.
  Object.defineProperty(request, 'query', { value: Object.fromEntries(query.filter(([name]) => isLeft(name))), configurable: true });
  return { ...Object.fromEntries(given), ...body };
}

/** Returns the problem with the place that the caller knows: the query string, if the field was moved from there into the body. */
export function placeInRequest(request: Request, problem: FieldProblem): FieldProblem {
  const [part, name, ...rest] = problem.loc;
  const isMoved = part === 'body' && typeof name === 'string' && moved.get(request)?.has(name) === true;
  return isMoved ? { ...problem, loc: ['query', name, ...rest] } : problem;
}

function givenTwice(name: string): FieldProblem {
  const text = {
    zh: '请求体与查询串中的值不同，只写一处',
    en: 'differs between the body and the query string; write it in one of them',
  };
  return { loc: ['query', name], text, type: 'given_twice' };
}
