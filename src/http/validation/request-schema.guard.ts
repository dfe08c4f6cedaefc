import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ROUTE_ARGS_METADATA } from '@nestjs/common/constants.js';
import { RouteParamtypes } from '@nestjs/common/enums/route-paramtypes.enum.js';
import { type Request, type Response } from 'express';
import { type FieldProblem, SchemaError } from '../../common/errors/api-error.js';
import { MalformedBodyError, MissingFieldsError, UnsupportedMediaTypeError } from '../../common/errors/common-errors.js';
import { exactFieldOf } from './body-text.js';
import { DtoReader } from './dto-reader.js';
import { findUnusableValues } from './find-unusable-values.js';
import { type Dto } from './nested.decorator.js';
import { preferenceApplied, readPreferences } from '../server/preferences.js';
import { isUnread } from './unread.decorator.js';
import { placeInRequest, yamlBodyOf, yamlTypes } from './yaml-body.decorator.js';

/** The DTOs that a handler takes as body and as query; null if it takes none. */
interface Taken {
  body: Dto | null;
  query: Dto | null;
  /** Whether the handler takes the request itself and reads its body. */
  readsBody: boolean;
}

/** Methods with which a body has no meaning (RFC 9110, section 9.3). Their bodies are not read. */
const bodiless = new Set(['GET', 'HEAD']);

/**
 * Turns the body and the query of a request into the DTOs of its handler, and reports all problems in one answer. A missing required field
 * is a 400. A value that breaks its schema is a 422, and so is an unknown field. With `Prefer: handling=lenient` unknown fields are dropped
 * and named in `X-Ignored-Fields` instead.
 */
@Injectable()
export class RequestSchemaGuard implements CanActivate {
  async canActivate(context: ExecutionContext): Promise<boolean> {
    if (isUnread(context)) return true;
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const taken = takenBy(context);

    const takesYaml = yamlBodyOf(context) !== undefined;
    const body = findBody(request, taken, takesYaml ? ['application/json', yamlTypes[0]!] : ['application/json']);
    const placed = (problem: FieldProblem): FieldProblem => placeInRequest(request, problem);
    const unusable = [...findUnusableValues(request.query, ['query']), ...findUnusableValues(body, ['body'], exactFieldOf(context))];
    if (unusable.length > 0) throw new SchemaError(unusable.map(placed));
    const reader = new DtoReader();
    const query = await reader.read(taken.query, request.query, ['query']);
    const read = body && (await reader.read(taken.body, body, ['body']));
    const isLenient =
      !reader.unknown.isEmpty && readPreferences(request.headers.prefer as string | undefined).get('handling') === 'lenient';
    if (isLenient) {
      response.setHeader('X-Ignored-Fields', reader.unknown.toHeader());
      preferenceApplied(response, 'handling=lenient');
    }
    refuse(reader.listProblems(isLenient).map(placed), takesYaml && !isJson(request));

    // Express defines only a getter for the query.
    Object.defineProperty(request, 'query', { value: query });
    if (read) request.body = read;
    return true;
  }
}

const handlers = new WeakMap<object, Taken>();

/** Reads the decorators of a handler, once for each handler. */
function takenBy(context: ExecutionContext): Taken {
  const handler = context.getHandler();
  let taken = handlers.get(handler);
  if (!taken) handlers.set(handler, (taken = readHandler(context.getClass(), handler.name)));
  return taken;
}

function readHandler(controller: new () => object, name: string): Taken {
  const types = (Reflect.getMetadata('design:paramtypes', controller.prototype as object, name) ?? []) as Dto[];
  const parameters = (Reflect.getMetadata(ROUTE_ARGS_METADATA, controller, name) ?? {}) as Record<string, { index: number }>;
  const dtoOf = (kind: RouteParamtypes): Dto | null => {
    const parameter = Object.entries(parameters).find(([key]) => key.startsWith(`${kind}:`))?.[1];
    return (parameter && types[parameter.index]) ?? null;
  };
  return {
    body: dtoOf(RouteParamtypes.BODY),
    query: dtoOf(RouteParamtypes.QUERY),
    readsBody: dtoOf(RouteParamtypes.REQUEST) !== null,
  };
}

/**
 * The parsed body that must be checked; null if there is nothing to check. A missing body counts as an empty object. A body for a handler
 * that takes none is returned too, so that its fields are reported as unknown.
 * @throws MalformedBodyError, UnsupportedMediaTypeError
 */
function findBody(request: Request, taken: Taken, types: string[]): object | null {
  const { body, headers, method } = request as Request<unknown, unknown, unknown>;
  if (taken.readsBody || (taken.body === null && bodiless.has(method))) return null;
  if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body;
  const { 'content-length': length, 'transfer-encoding': encoding } = headers;
  const isSent = length !== '0' && (length !== undefined || encoding !== undefined);
  if (isSent && !isJson(request)) throw new UnsupportedMediaTypeError(types.join(', '));
  if (taken.body === null) return null;
  if (isSent) throw new MalformedBodyError();
  return {};
}

function isJson({ headers }: Request): boolean {
  return /^application\/(\w+\+)?json\b/i.test(headers['content-type'] ?? '');
}

/**
 * Refuses a request for its problems.
 * @throws MissingFieldsError if only required fields are missing, else SchemaError with all problems
 */
function refuse(problems: FieldProblem[], isYaml: boolean): void {
  if (problems.some(({ type }) => type !== 'missing' && type !== 'more_problems')) throw new SchemaError(problems);
  if (problems.length > 0)
    throw new MissingFieldsError(
      problems.map(problem => problem.loc.slice(1).join('.')),
      isYaml,
    );
}
