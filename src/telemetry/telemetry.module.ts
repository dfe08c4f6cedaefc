import { Global, Module } from '@nestjs/common';
import { MetricsEndpoint } from './metrics-endpoint.service.js';
import { Telemetry } from './telemetry.service.js';

/** Provides the counters for Prometheus: features write to `Telemetry`, and the endpoint shows it. */
@Global()
@Module({ providers: [Telemetry, MetricsEndpoint], exports: [Telemetry] })
export class TelemetryModule {}
