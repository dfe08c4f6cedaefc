import { type NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type Request, type Response } from 'express';

const description = `
把仓库里的表变成图和指标 / A warehouse as a graph and as metrics.

1. \`POST /api/auth/login\` → **Authorize** with the \`token\`; the first login must change the password (\`PUT /api/auth/password\`).
2. \`POST /api/graphs\`, then \`PUT /api/warehouse/connections/1/tables/{table}\` with a CSV body.
3. \`POST /api/ingestion/jobs\` with a mapping, then \`POST /api/ingestion/jobs/{id}/run\`.
4. \`POST /api/graphs/{id}/query\` with \`question\`, \`search\` or \`cypher\`.
5. \`POST /api/metrics\`, then \`POST /api/metrics/{id}/execute\`.
`;

const errorSchema = {
  type: 'object',
  required: ['detail', 'code'],
  properties: {
    detail: { type: 'string', example: '图不存在 / There is no such graph' },
    code: { type: 'string', example: 'graph_not_found' },
    context: { type: 'object', additionalProperties: true },
    success: { type: 'boolean', enum: [false], description: '仅 /metrics 与 /warehouse / on /metrics and /warehouse only' },
    message: { type: 'string', description: '仅 /metrics 与 /warehouse / on /metrics and /warehouse only' },
  },
};

const validationErrorSchema = {
  type: 'object',
  required: ['detail'],
  properties: {
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
          },
        },
      },
    },
    success: { type: 'boolean', enum: [false] },
    message: { type: 'string' },
  },
};

/** What any route may answer besides its own responses, with the sentence that documents it. */
const commonErrors: Record<string, [description: string, schema: 'Error' | 'ValidationError']> = {
  400: ['请求无法读取、缺少字段或违反业务规则 / Unreadable, incomplete, or refused by a rule', 'Error'],
  422: ['取值不符合要求 / A value breaks its schema', 'ValidationError'],
  429: ['请求过于频繁，60 秒后重试 / Too many requests; retry after 60 seconds', 'Error'],
  500: ['服务器内部错误 / Internal server error', 'Error'],
};

/** The OpenAPI document: paths under `/api`, both ways to authenticate, and the error bodies on every route. */
export function createOpenApiDocument(app: NestExpressApplication): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Graph service')
    .setDescription(description)
    .setVersion('0.1.0')
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key' }, 'api_key')
    .build();
  const document = SwaggerModule.createDocument(app, config, {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  document.components ??= {};
  document.components.schemas = { ...document.components.schemas, Error: errorSchema, ValidationError: validationErrorSchema };
  document.paths = Object.fromEntries(Object.entries(document.paths).map(([path, item]) => [`/api${path}`, withErrors(item)]));
  return document;
}

type PathItem = OpenAPIObject['paths'][string];

function withErrors(item: PathItem): PathItem {
  for (const operation of Object.values(item) as { responses?: Record<string, { description?: string; content?: unknown }> }[]) {
    if (!operation.responses) continue;
    for (const [status, [text, schema]] of Object.entries(commonErrors)) {
      operation.responses[status] ??= { description: text, ...errorContent(schema) };
    }
    for (const [status, response] of Object.entries(operation.responses)) {
      if (Number(status) >= 400) operation.responses[status] = { ...errorContent(commonErrors[status]?.[1] ?? 'Error'), ...response };
    }
  }
  return item;
}

function errorContent(schema: string): { content: Record<string, unknown> } {
  return { content: { 'application/json': { schema: { $ref: `#/components/schemas/${schema}` } } } };
}

/** `/docs` (Swagger UI) and `/openapi.json`, also under `/api`. */
export function serveOpenApi(app: NestExpressApplication): void {
  const document = createOpenApiDocument(app);
  app.use('/openapi.json', (_request: Request, response: Response) => response.json(document));
  SwaggerModule.setup('docs', app, document, {
    raw: false,
    customSiteTitle: 'Graph service',
    swaggerOptions: { persistAuthorization: true, displayRequestDuration: true, tryItOutEnabled: true },
  });
}
