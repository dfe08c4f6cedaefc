import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_INTERCEPTOR, APP_PIPE } from '@nestjs/core';
import { type Logger } from 'pino';
import { callerOf } from './access/principal.js';
import { ApiKeysModule } from './api-keys/api-keys.module.js';
import { AuditModule } from './audit/audit.module.js';
import { AdminGuard } from './auth/admin.guard.js';
import { ApiKeyPowersGuard } from './auth/api-key-powers.guard.js';
import { AuthModule } from './auth/auth.module.js';
import { CredentialsGuard } from './auth/credentials.guard.js';
import { PasswordChangeGuard } from './auth/password-change.guard.js';
import { RequestBodyGuard } from './http/validation/request-body.guard.js';
import { RequestSchemaGuard } from './http/validation/request-schema.guard.js';
import { DtoPipe } from './http/validation/validation.pipe.js';
import { LogModule } from './common/logging/log.module.js';
import { StoppingModule } from './common/stopping/stopping.module.js';
import { ConfigModule } from './config/config.module.js';
import { Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { type DatabaseAccess } from './database/roles/database-access.js';
import { GraphAccessGuard } from './graphs/graph-access.guard.js';
import { GraphsModule } from './graphs/graphs.module.js';
import { HealthModule } from './health/health.module.js';
import { IdempotencyInterceptor } from './idempotency/idempotency.interceptor.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { IngestionModule } from './ingestion/ingestion.module.js';
import { LicensingModule } from './licensing/licensing.module.js';
import { ClientAddressService } from './limits/client-address.service.js';
import { CountingErrorFilter } from './limits/counting-error.filter.js';
import { LimitsGuard } from './limits/limits.guard.js';
import { LimitsModule } from './limits/limits.module.js';
import { MetricsModule } from './metrics/metrics.module.js';
import { PermissionsModule } from './permissions/permissions.module.js';
import { QueriesModule } from './queries/queries.module.js';
import { RetrievalModule, type RetrievalPlace } from './retrieval/retrieval.module.js';
import { RetentionModule } from './retention/retention.module.js';
import { SchedulesModule } from './schedules/schedules.module.js';
import { TelemetryModule } from './telemetry/telemetry.module.js';
import { UsersModule } from './users/users.module.js';
import { ConnectionAccessGuard } from './warehouse/connections/connection-access.guard.js';
import { WarehouseModule } from './warehouse/warehouse.module.js';
import { WebhooksModule } from './webhooks/webhooks.module.js';

export interface AppOptions {
  settings: Settings;
  database: DatabaseAccess;
  log: Logger;
  retrieval: RetrievalPlace;
}

@Module({})
export class AppModule {
  static with({ settings, database, log, retrieval }: AppOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(settings),
        LogModule.with(log),
        StoppingModule,
        LicensingModule,
        DatabaseModule.with({ access: database, size: settings.databasePoolSize, answerMaxBytes: settings.answerMaxBytes }),
        TelemetryModule,
        LimitsModule,
        HealthModule,
        AuditModule,
        IdempotencyModule,
        UsersModule,
        AuthModule,
        SchedulesModule,
        WebhooksModule,
        GraphsModule,
        PermissionsModule,
        ApiKeysModule,
        WarehouseModule,
        IngestionModule,
        MetricsModule,
        RetrievalModule.with(retrieval),
        QueriesModule,
        RetentionModule,
      ],
      providers: [
        { provide: APP_FILTER, useExisting: CountingErrorFilter },
        { provide: APP_PIPE, useClass: DtoPipe },
        // RequestBodyGuard is in http/, which must not import users or limits, so it gets the function that names the caller here.
        {
          provide: RequestBodyGuard,
          useFactory: (settings: Settings, addresses: ClientAddressService) =>
            new RequestBodyGuard(settings, request => callerOf(request, addresses)),
          inject: [Settings, ClientAddressService],
        },
        // Guards run in this order. Limits by address come before the credentials, limits by caller after them. RequestBodyGuard reads
        // the body only for a caller who passed the guards before it. GraphAccessGuard needs the body, which may name the graph.
        // RequestSchemaGuard comes last, so that only a caller with access learns what is wrong with a request.
        { provide: APP_GUARD, useClass: LimitsGuard },
        { provide: APP_GUARD, useClass: CredentialsGuard },
        { provide: APP_GUARD, useClass: LimitsGuard },
        { provide: APP_GUARD, useClass: PasswordChangeGuard },
        { provide: APP_GUARD, useClass: ApiKeyPowersGuard },
        { provide: APP_GUARD, useClass: AdminGuard },
        { provide: APP_GUARD, useClass: ConnectionAccessGuard },
        { provide: APP_GUARD, useExisting: RequestBodyGuard },
        { provide: APP_GUARD, useClass: GraphAccessGuard },
        { provide: APP_GUARD, useClass: RequestSchemaGuard },
        { provide: APP_INTERCEPTOR, useClass: IdempotencyInterceptor },
      ],
    };
  }
}
