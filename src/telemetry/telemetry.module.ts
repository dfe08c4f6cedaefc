import { Global, Module } from '@nestjs/common';
import { MetricsEndpoint } from './metrics-endpoint.service.js';
import { Telemetry } from './telemetry.service.js';

/** Counts for Prometheus: features tell `Telemetry`, the endpoint shows it. */
@Global()
@Module({ providers: [Telemetry, MetricsEndpoint], exports: [Telemetry] })
export class TelemetryModule {}
