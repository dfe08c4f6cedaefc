import { NestFactory } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { json } from 'express';
import { AppModule, type AppOptions } from './app.module.js';
import { bodyErrorMiddleware } from './common/http/body-error.middleware.js';
import { pathPrefixMiddleware } from './common/http/path-prefix.middleware.js';
import { requestContextMiddleware } from './common/http/request-context.js';
import { requestLogMiddleware } from './common/http/request-log.middleware.js';
import { FrameworkLog } from './common/logging/log.js';
import { AnonymousCeiling } from './limits/anonymous-ceiling.service.js';
import { serveOpenApi } from './openapi.js';

const headersTimeoutMs = 10_000;
const exposedHeaders = ['X-Request-ID', 'Retry-After', 'RateLimit', 'RateLimit-Policy', 'Location', 'X-Ignored-Fields'];

/** The whole API, ready to listen: what `main.ts` runs and what the tests talk to. */
export async function createApp(options: AppOptions): Promise<NestExpressApplication> {
  const { settings, log } = options;
  const app = await NestFactory.create<NestExpressApplication>(AppModule.with(options), {
    bodyParser: false,
    abortOnError: false,
    logger: new FrameworkLog(log),
  });
  app.disable('x-powered-by');
  app.set('etag', false);
  app.use(requestContextMiddleware, requestLogMiddleware(log), pathPrefixMiddleware);
  if (settings.corsOrigins.length > 0) {
    app.enableCors({ origin: settings.corsOrigins, exposedHeaders });
  }
  const ceiling = app.get(AnonymousCeiling);
  app.use(ceiling.gate);
  app.use(json({ limit: settings.maxBodyBytes, strict: true, type: ['application/json', 'application/*+json'] }), bodyErrorMiddleware);
  app.use(['/docs', '/openapi.json'], ceiling.guard);
  serveOpenApi(app);
  const server = app.getHttpServer();
  server.headersTimeout = headersTimeoutMs;
  // The longest request is an upload; what arrives too slowly for it is cut.
  server.requestTimeout = settings.maxUploadSeconds * 1000;
  return app;
}
