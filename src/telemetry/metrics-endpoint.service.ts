import { randomUUID } from 'node:crypto';
import http from 'node:http';
import { type AddressInfo } from 'node:net';
import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from 'pino';
import { answerProtocolErrors } from '../http/server/answer-protocol-errors.js';
import { logToken } from '../common/logging/log.js';
import { Settings } from '../config/settings.js';
import { Telemetry } from './telemetry.service.js';

/**
 * Serves the Prometheus metrics on a separate port, which is closed by default. That port needs no credentials, and the API's port does not
 * serve the metrics.
 */
@Injectable()
export class MetricsEndpoint implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly server = http.createServer((request, response) => {
    this.answer(request, response).catch(() => response.destroy());
  });

  constructor(
    private readonly telemetry: Telemetry,
    private readonly settings: Settings,
    @Inject(logToken) private readonly log: Logger,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    const { metricsPort, metricsHost } = this.settings;
    if (metricsPort === 0) return;
    this.telemetry.collectProcess();
    this.server.requestTimeout = 5_000;
    answerProtocolErrors(this.server, this.log);
    await new Promise<void>((resolve, reject) => {
      const refuse = (error: NodeJS.ErrnoException) =>
        reject(new Error(`METRICS_PORT: ${metricsHost}:${metricsPort} 无法监听 / cannot be listened on (${error.code})`));
      this.server.once('error', refuse);
      this.server.listen(metricsPort, metricsHost, () => {
        this.server.off('error', refuse);
        resolve();
      });
    });
  }

  /** The port on which metrics are served; null while it is closed. */
  get port(): number | null {
    return (this.server.address() as AddressInfo | null)?.port ?? null;
  }

  onApplicationShutdown(): void {
    this.server.close();
    this.server.closeAllConnections();
  }

  private async answer(request: http.IncomingMessage, response: http.ServerResponse): Promise<void> {
    response.setHeader('X-Request-ID', randomUUID());
    const isAsked = request.method === 'GET' && request.url?.split('?', 1)[0] === '/metrics';
    if (!isAsked) {
      response.writeHead(404, { 'Content-Type': 'text/plain; charset=utf-8' }).end('GET /metrics\n');
      return;
    }
    try {
      const { contentType, text } = await this.telemetry.expose();
      response.writeHead(200, { 'Content-Type': contentType, 'Cache-Control': 'no-store' }).end(text);
    } catch {
      response.writeHead(500).end();
    }
  }
}
