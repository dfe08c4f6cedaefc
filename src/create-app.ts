import { NestFactory } from '@nestjs/core';
import { type NestExpressApplication } from '@nestjs/platform-express';
import { type NextFunction, type Request, type Response } from 'express';
import { callerOf } from './access/principal.js';
import { ClientAddressService } from './limits/client-address.service.js';
import { AppModule, type AppOptions } from './app.module.js';
import { answerProtocolErrors } from './http/server/answer-protocol-errors.js';
import { BoundedHttpAdapter } from './http/server/bounded-http.adapter.js';
import { LargeAnswers } from './http/server/large-answers.js';
import { checkRequestMiddleware } from './http/server/check-request.middleware.js';
import { corsFor } from './http/server/cors.js';
import { withoutPrefixes } from './http/server/path-prefix.js';
import { requestContextMiddleware } from './common/logging/request-context.js';
import { requestLogMiddleware } from './http/server/request-log.middleware.js';
import { securityHeadersMiddleware } from './http/server/security-headers.middleware.js';
import { FrameworkLog } from './common/logging/log.js';
import { CountingErrorFilter } from './limits/counting-error.filter.js';
import { serveOpenApi } from './openapi/openapi.js';
import { servePages } from './openapi/pages.js';
import { Telemetry } from './telemetry/telemetry.service.js';

const headersTimeoutMs = 10_000;
const maxHeaderBytes = 8_192;

/** Builds the whole API, ready to listen, for `main.ts` and for the tests. */
export async function createApp(options: AppOptions): Promise<NestExpressApplication> {
  const { settings, log } = options;
  const { basePath } = settings;
  const adapter = new BoundedHttpAdapter(
    {
      maxHeaderBytes,
      headersTimeoutMs,
      // An upload may take longest to arrive, so its limit holds for all requests. A request that takes longer is cut off.
      requestTimeoutMs: settings.maxUploadSeconds * 1000,
      maxConnections: settings.maxConnections,
    },
    new LargeAnswers(settings.uploadIdleSeconds * 1000, request => callerOf(request, app.get(ClientAddressService))),
  );
  const app: NestExpressApplication = await NestFactory.create<NestExpressApplication>(AppModule.with(options), adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new FrameworkLog(log),
  });
  app.disable('x-powered-by');
  app.set('etag', false);
  app.use(requestContextMiddleware, requestLogMiddleware(log, basePath));
  if (settings.metricsPort > 0) app.use(app.get(Telemetry).middleware);
  app.use((request: Request, _response: Response, next: NextFunction) => {
    request.url = withoutPrefixes(request.url, basePath);
    next();
  });
  app.use(securityHeadersMiddleware);
  if (settings.corsOrigins.length > 0) app.enableCors(corsFor(settings.corsOrigins));
  app.use(checkRequestMiddleware);
  const { countDocument } = app.get(CountingErrorFilter);
  app.use(servePages(basePath, countDocument));
  app.use(['/docs', '/openapi.json'], countDocument);
  serveOpenApi(app, { keepTokens: !settings.isProduction, basePath });
  answerProtocolErrors(app.getHttpServer(), log, basePath);
  return app;
}
