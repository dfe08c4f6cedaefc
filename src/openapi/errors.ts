import { type OpenAPIObject } from '@nestjs/swagger';
import { AdminOnlyError, NotAuthenticatedError, WrongLoginError } from '../auth/auth.errors.js';
import { type ApiError, SchemaError } from '../common/errors/api-error.js';
import { BodyTooLargeError, DatabaseBusyError, InternalError, MissingFieldsError } from '../common/errors/common-errors.js';
import { isLegacyPath, toErrorBody } from '../common/errors/error-body.js';
import { GraphNotFoundError } from '../graphs/graphs.errors.js';
import { JobChangeNotImplementedError, RunActiveError } from '../ingestion/ingestion.errors.js';
import { TooManyRequestsError } from '../limits/limits.errors.js';
import { UnknownFields } from '../http/validation/unknown-fields.js';
import { UpstreamTimeoutError } from '../queries/queries.errors.js';
import { ConnectionAccessLostError, ConnectionNotFoundError, UploadStalledError } from '../warehouse/warehouse.errors.js';
import { errorCodes } from './error-codes.js';

const errorProperties = {
  detail: { type: 'string', description: '给人看的句子 / a sentence for people' },
  code: { $ref: '#/components/schemas/ErrorCode' },
  context: { type: 'object', additionalProperties: true, description: '给程序读的事实 / facts for machines' },
};

const validationErrorProperties = {
  detail: {
    type: 'object',
    required: ['errors'],
    properties: {
      errors: {
        type: 'array',
        items: {
          type: 'object',
          required: ['loc', 'msg', 'type'],
          properties: {
            loc: { type: 'array', items: { oneOf: [{ type: 'string' }, { type: 'integer' }] }, example: ['body', 'username'] },
            msg: { type: 'string', example: '长度不足 / username must be longer' },
            type: { type: 'string', example: 'string_too_short' },
            line: { type: 'integer' },
            column: { type: 'integer' },
            end_line: { type: 'integer' },
            end_column: { type: 'integer', description: '其后第一个字符 / of the character after the end' },
            path: { type: 'string', example: 'nodes[0].columns[1].type' },
            hint: { type: 'string' },
            documentation_url: { type: 'string', example: '/docs/mapping#columns-type' },
          },
          additionalProperties: true,
        },
      },
    },
  },
};

/** The fields that error bodies of `/metrics` and `/warehouse` add for older clients. */
const legacyProperties = { success: { type: 'boolean', enum: [false] }, message: { type: 'string' } };

type Components = NonNullable<OpenAPIObject['components']>;
type Schemas = NonNullable<Components['schemas']>;

const object = (properties: object, required: string[]) => ({ type: 'object', required, properties }) as Schemas[string];

export const errorSchemas: Schemas = {
  ErrorCode: {
    type: 'string',
    enum: [...errorCodes],
    description: '稳定不变；新版本可能增加 / Stable; a later release may add some',
  },
  Error: object(errorProperties, ['detail', 'code']),
  ValidationError: object(validationErrorProperties, ['detail']),
  LegacyError: object({ ...legacyProperties, ...errorProperties }, ['success', 'message', 'detail', 'code']),
  LegacyValidationError: object({ ...legacyProperties, ...validationErrorProperties }, ['success', 'message', 'detail']),
};

const unknown = new UnknownFields();
unknown.add(['body', 'nmae'], new Set(['name']));

/** An example error for each status, made by the service's own error classes. */
const examples: Record<string, ApiError> = {
  400: new MissingFieldsError(['name']),
  401: new NotAuthenticatedError(),
  403: new AdminOnlyError(),
  404: new GraphNotFoundError(),
  409: new RunActiveError(),
  422: new SchemaError(unknown.toProblems()),
  429: new TooManyRequestsError({ name: 'user', limit: 60, subject: '' }, 12),
  500: new InternalError(null),
  501: new JobChangeNotImplementedError(),
  502: new UpstreamTimeoutError(120_000, { id: 17, location: '/api/graphs/1/queries/17' }),
  503: new DatabaseBusyError(),
  default: new BodyTooLargeError(),
};

const legacyExamples: Record<string, ApiError> = {
  ...examples,
  404: new ConnectionNotFoundError(),
  408: new UploadStalledError(30),
  409: new ConnectionAccessLostError(
    { kind: 'metric', id: 3, name: '销售额', savedBy: { id: 2, username: 'li.lei' } },
    { id: 1, name: 'pg_mirror' },
  ),
};

/** Descriptions of the errors that any route may answer with, by status. A 422 lists fields, or names the one rule that was broken. */
const commonErrors: Record<string, string> = {
  400: '请求无法读取、缺少字段或违反业务规则 / Unreadable, incomplete, or refused by a rule',
  422: '取值不符合要求 / A value breaks its schema',
  429: '请求过于频繁，请按 Retry-After 重试 / Too many requests; retry after Retry-After',
  500: '服务器内部错误 / Internal server error',
  503: '暂时过载，请按 Retry-After 重试 / Overloaded for now; retry after Retry-After',
  default: '其他错误，格式相同（如 408、413、415、431） / Any other error, in the same form (such as 408, 413, 415, 431)',
};

/**
 * The statuses to which some public routes give a meaning of their own, by route. For all other routes the access decorator documents 401.
 */
const ownErrors: Record<string, Record<string, string>> = {
  '/auth/login': { 401: '用户名或密码错误，或账号已禁用 / Unknown, disabled, or a wrong password: one answer for all' },
};

interface Operation {
  responses: Record<string, { description?: string; content?: unknown }>;
}

/**
 * Adds the error bodies to the operations of a route, in the form of its route family: for the statuses of each operation and for the
 * common statuses.
 * @returns the examples that the added bodies refer to, for the document's components
 */
export function documentErrors(path: string, operations: Operation[]): NonNullable<Components['examples']> {
  const isLegacy = isLegacyPath(path);
  const family = isLegacy ? 'Legacy' : '';
  const error = { $ref: `#/components/schemas/${family}Error` };
  const absent: Record<string, string> = path.includes('{') ? { 404: '不存在 / There is no such record' } : {};
  const used: NonNullable<Components['examples']> = {};
  for (const { responses } of operations) {
    for (const [status, description] of Object.entries({ ...commonErrors, ...absent, ...ownErrors[path] }))
      responses[status] ??= { description };
    for (const [status, response] of Object.entries(responses)) {
      if ((status !== 'default' && Number(status) < 400) || response.content) continue;
      const schema = status === '422' ? { oneOf: [{ $ref: `#/components/schemas/${family}ValidationError` }, error] } : error;
      const example = status === '401' && path === '/auth/login' ? new WrongLoginError() : (isLegacy ? legacyExamples : examples)[status];
      if (!example) throw new Error(`No example for ${status} of ${path}`);
      const name = `${family}${example.code}`;
      used[name] = { value: toErrorBody(example, isLegacy) };
      response.content = { 'application/json': { schema, examples: { [example.code]: { $ref: `#/components/examples/${name}` } } } };
    }
  }
  return used;
}
