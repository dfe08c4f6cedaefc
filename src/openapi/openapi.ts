import { gzipSync } from 'node:zlib';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { isLegacyPath } from '../common/errors/error-body.js';
import { documentBounds } from './bounds.js';
import { closeRequestSchemas } from './closed.js';
import { version } from '../config/version.js';

const description = `
把仓库里的表变成图和指标 / A warehouse as a graph and as metrics.

1. \`POST /api/auth/login\` → **Authorize** with the \`token\`; the first login must change the password (\`PUT /api/auth/password\`).
2. \`POST /api/graphs\`, then \`PUT /api/warehouse/connections/1/tables/{table}\` with the CSV body of each example.
3. \`POST /api/ingestion/jobs\` with a mapping, then \`POST /api/ingestion/jobs/{id}/run\`.
4. \`POST /api/metrics\`, then \`POST /api/metrics/{id}/execute\`.
5. \`POST /api/graphs/{id}/query\` with \`question\`, \`search\` or \`cypher\`.

按此顺序发送各接口的示例即可得到答案，无需其他数据。 / The examples, sent in this order, give answers without any other data.

请求体与查询串中的未知字段会被拒绝（422）；\`Prefer: handling=lenient\` 则忽略它们，并在 \`X-Ignored-Fields\` 中列出。 /
Unknown fields of bodies and query strings are refused (422); \`Prefer: handling=lenient\` ignores them and names them in \`X-Ignored-Fields\`.
`;

const errorProperties = {
  detail: { type: 'string', example: '图不存在 / There is no such graph' },
  code: { type: 'string', example: 'graph_not_found' },
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
          },
          additionalProperties: true,
        },
      },
    },
  },
};

/** The fields that error bodies of `/metrics` and `/warehouse` add for older clients. */
const legacyProperties = { success: { type: 'boolean', enum: [false] }, message: { type: 'string' } };

type Schemas = NonNullable<NonNullable<OpenAPIObject['components']>['schemas']>;

const object = (properties: object, required: string[]) => ({ type: 'object', required, properties }) as Schemas[string];

const errorSchemas: Schemas = {
  Error: object(errorProperties, ['detail', 'code']),
  ValidationError: object(validationErrorProperties, ['detail']),
  LegacyError: object({ ...legacyProperties, ...errorProperties }, ['success', 'message', 'detail', 'code']),
  LegacyValidationError: object({ ...legacyProperties, ...validationErrorProperties }, ['success', 'message', 'detail']),
};

/** Errors that any route may answer besides its own. A 422 lists fields, or names the one rule that was broken. */
const commonErrors: Record<string, string> = {
  400: '请求无法读取、缺少字段或违反业务规则 / Unreadable, incomplete, or refused by a rule',
  422: '取值不符合要求 / A value breaks its schema',
  429: '请求过于频繁，60 秒后重试 / Too many requests; retry after 60 seconds',
  500: '服务器内部错误 / Internal server error',
  503: '暂时过载，请按 Retry-After 重试 / Overloaded for now; retry after Retry-After',
  default: '其他错误，格式相同（如 408、413、415、431） / Any other error, in the same form (such as 408, 413, 415, 431)',
};

/** Builds the OpenAPI document: paths under `/api`, both ways to authenticate, and the error bodies of every route. */
export function createOpenApiDocument(app: NestExpressApplication, basePath = ''): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Graph service')
    .setDescription(description)
    .setVersion(version)
    .addServer(basePath === '' ? '/' : basePath)
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key' }, 'api_key')
    .build();
  documentBounds();
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  document.components ??= {};
  document.components.schemas = { ...document.components.schemas, ...errorSchemas };
  closeRequestSchemas(document);
  document.paths = Object.fromEntries(Object.entries(document.paths).map(([path, item]) => [`/api${path}`, withErrors(path, item)]));
  return document;
}

/** Public routes give 401 a meaning of their own. For all other routes the access decorator documents it. */
const ownErrors: Record<string, Record<string, string>> = {
  '/auth/login': { 401: '用户名或密码错误，或账号已禁用 / Unknown, disabled, or a wrong password: one answer for all' },
};

/** The header of answers that ask the client to wait. */
const retryAfter = { 'Retry-After': { schema: { type: 'integer', minimum: 1 }, description: '秒 / seconds' } };

type PathItem = OpenAPIObject['paths'][string];

/** Adds the error bodies to a route, in the form of its family, for its own statuses and the common ones. */
function withErrors(path: string, item: PathItem): PathItem {
  const prefix = isLegacyPath(path) ? '#/components/schemas/Legacy' : '#/components/schemas/';
  const error = { $ref: `${prefix}Error` };
  const absent: Record<string, string> = path.includes('{') ? { 404: '不存在 / There is no such record' } : {};
  for (const operation of Object.values(item) as {
    responses?: Record<string, { description?: string; content?: unknown; headers?: unknown }>;
  }[]) {
    if (!operation.responses) continue;
    for (const [status, description] of Object.entries({ ...commonErrors, ...absent, ...ownErrors[path] }))
      operation.responses[status] ??= { description };
    for (const [status, response] of Object.entries(operation.responses)) {
      if (status !== 'default' && Number(status) < 400) continue;
      const schema = status === '422' ? { oneOf: [{ $ref: `${prefix}ValidationError` }, error] } : error;
      if (status === '429' || status === '503') response.headers ??= retryAfter;
      response.content ??= { 'application/json': { schema } };
    }
  }
  return item;
}

/** Serves `/docs` (Swagger UI) and `/openapi.json`, also under `/api`. With `keepTokens` the browser keeps the login. */
export function serveOpenApi(app: NestExpressApplication, { keepTokens, basePath }: { keepTokens: boolean; basePath: string }): void {
  const document = createOpenApiDocument(app, basePath);
  const text = Buffer.from(JSON.stringify(document));
  const compressed = gzipSync(text);
  app.use('/openapi.json', (request: Request, response: Response) => {
    response.type('application/json').vary('Accept-Encoding');
    if (request.acceptsEncodings('gzip') === false) response.send(text);
    else response.set('Content-Encoding', 'gzip').send(compressed);
  });
  SwaggerModule.setup('docs', app, document, {
    raw: false,
    customSiteTitle: 'Graph service',
    swaggerOptions: { persistAuthorization: keepTokens, displayRequestDuration: true, tryItOutEnabled: true },
  });
}
