import { gzipSync } from 'node:zlib';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { DocumentBuilder, type OpenAPIObject, SwaggerModule } from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { Settings } from '../config/settings.js';
import { version } from '../config/version.js';
import { documentBounds } from './bounds.js';
import { documentErrors, errorSchemas } from './errors.js';
import { referencePages } from './pages.js';
import { headers, headersOf } from './response-headers.js';
import { describeRequestSchemas, describeYamlBodies, loosenEmptyBodies, openMaps, placeBodyExamples } from './schemas.js';
import { fillInToken, fitScreen, narrowScreens, withYamlFirst } from './swagger-ui.js';
import { tags } from './tags.js';

const descriptionAt = (basePath: string): string => `
把仓库里的表变成图和指标 / A warehouse as a graph and as metrics.

1. \`POST /api/auth/login\`; the first login must change the password (\`PUT /api/auth/password\`). This page then sends the new \`token\` by itself.
2. \`POST /api/graphs\`, then \`PUT /api/warehouse/connections/1/tables/{table}\` with the CSV body of each example.
3. \`POST /api/ingestion/jobs\` with a mapping in YAML, then \`POST /api/ingestion/jobs/{id}/run\`.
4. \`POST /api/metrics\`, then \`POST /api/metrics/{id}/execute\`.
5. \`POST /api/graphs/{id}/query\` with \`question\`, \`search\` or \`cypher\`.

语言参考 / The languages: ${referencePages.map(({ path, title }) => `[${title.zh} / ${title.en}](${basePath}${path})`).join(' · ')}

按此顺序发送各接口的示例即可得到答案，无需其他数据。 / The examples, sent in this order, give answers without any other data.

请求体与查询串中的未知字段会被拒绝（422）；\`Prefer: handling=lenient\` 则忽略它们，并在 \`X-Ignored-Fields\` 中列出。 /
Unknown fields of bodies and query strings are refused (422); \`Prefer: handling=lenient\` ignores them and names them in \`X-Ignored-Fields\`.
`;

/**
 * Builds the OpenAPI document: paths under `/api`, both ways to authenticate, and the error bodies, headers and access of every route.
 * Clients can be generated from it.
 */
function createOpenApiDocument(app: NestExpressApplication, basePath: string): OpenAPIObject {
  const config = new DocumentBuilder()
    .setTitle('Graph service')
    .setDescription(descriptionAt(basePath))
    .setVersion(version)
    .addServer(basePath === '' ? '/' : basePath)
    .addBearerAuth({ type: 'http', scheme: 'bearer', bearerFormat: 'JWT' })
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key' }, 'api_key');
  for (const [name, sentence] of tags) config.addTag(name, sentence);
  documentBounds();
  const document = SwaggerModule.createDocument(app, config.build(), {
    operationIdFactory: (controller, method) => `${controller.replace(/Controller$/, '')}_${method}`,
  });
  document.info.license = { name: 'Proprietary' };
  const components = (document.components ??= {});
  components.schemas = { ...components.schemas, ...errorSchemas };
  components.headers = headers;
  components.examples = {};
  for (const [path, item] of Object.entries(document.paths)) {
    const operations = Object.values(item) as Operation[];
    Object.assign(components.examples, documentErrors(path, operations));
    for (const operation of operations) {
      // Some clients treat an operation without `security` as open to everyone, others as closed. An explicit empty list means open.
      operation.security ??= [];
      const { externalDocs } = operation;
      if (externalDocs) operation.externalDocs = { ...externalDocs, url: `${basePath}${externalDocs.url}` };
      for (const [status, response] of Object.entries(operation.responses)) {
        response.headers = { ...headersOf(status, !path.startsWith('/health'), operation), ...response.headers };
      }
    }
  }
  documentLimits(document, app.get(Settings));
  describeRequestSchemas(document);
  describeYamlBodies(document);
  loosenEmptyBodies(document);
  placeBodyExamples(document);
  openMaps(document);
  document.paths = Object.fromEntries(Object.entries(document.paths).map(([path, item]) => [`/api${path}`, item]));
  return document;
}

interface Operation {
  security?: object[];
  externalDocs?: { url: string };
  parameters?: { name?: string }[];
  responses: Record<string, { description?: string; content?: unknown; headers?: object }>;
}

/** Adds the number of requests to the description of each route's rate limit. The number is a setting, so decorators cannot give it. */
function documentLimits(document: OpenAPIObject, { rateLimits }: Settings): void {
  type Documented = { 'x-rate-limit'?: { bucket: keyof Settings['rateLimits']; requests?: number } };
  const operations = Object.values(document.paths).flatMap(item => Object.values(item as object) as Documented[]);
  for (const { 'x-rate-limit': limit } of operations) if (limit) limit.requests = rateLimits[limit.bucket];
}

const served = new WeakMap<NestExpressApplication, OpenAPIObject>();

/** The OpenAPI document that an application serves. */
export function openApiDocumentOf(app: NestExpressApplication): OpenAPIObject {
  const document = served.get(app);
  if (!document) throw new Error('serveOpenApi() comes first');
  return document;
}

/** Serves `/docs` (Swagger UI) and `/openapi.json`, also under `/api`. With `keepTokens` the browser remembers the login. */
export function serveOpenApi(app: NestExpressApplication, { keepTokens, basePath }: { keepTokens: boolean; basePath: string }): void {
  const document = createOpenApiDocument(app, basePath);
  served.set(app, document);
  const text = Buffer.from(JSON.stringify(document));
  const compressed = gzipSync(text);
  app.use('/openapi.json', (request: Request, response: Response) => {
    response.type('application/json').vary('Accept-Encoding');
    if (request.acceptsEncodings('gzip') === false) response.send(text);
    else response.set('Content-Encoding', 'gzip').send(compressed);
  });
  SwaggerModule.setup('docs', app, withYamlFirst(document), {
    raw: false,
    customSiteTitle: 'Graph service',
    customCss: narrowScreens,
    swaggerOptions: {
      persistAuthorization: keepTokens,
      displayRequestDuration: true,
      tryItOutEnabled: true,
      onComplete: fitScreen,
      responseInterceptor: fillInToken,
    },
  });
}
