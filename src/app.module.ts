import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD, APP_PIPE } from '@nestjs/core';
import { type Logger } from 'pino';
import { AdminGuard } from './auth/admin.guard.js';
import { AuthModule } from './auth/auth.module.js';
import { CredentialsGuard } from './auth/credentials.guard.js';
import { PasswordChangeGuard } from './auth/password-change.guard.js';
import { ErrorFilter } from './common/http/error.filter.js';
import { DtoPipe } from './common/http/validation.pipe.js';
import { LogModule } from './common/logging/log.module.js';
import { ConfigModule } from './config/config.module.js';
import { type Settings } from './config/settings.js';
import { DatabaseModule } from './database/database.module.js';
import { GraphAccessGuard } from './graphs/graph-access.guard.js';
import { GraphsModule } from './graphs/graphs.module.js';
import { HealthModule } from './health/health.module.js';
import { UsersModule } from './users/users.module.js';
import { WarehouseModule } from './warehouse/warehouse.module.js';

export interface AppOptions {
  settings: Settings;
  databaseUrl: string;
  log: Logger;
}

@Module({})
export class AppModule {
  static with({ settings, databaseUrl, log }: AppOptions): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(settings),
        LogModule.with(log),
        DatabaseModule.with({ url: databaseUrl, size: settings.databasePoolSize }),
        HealthModule,
        UsersModule,
        AuthModule,
        GraphsModule,
        WarehouseModule,
      ],
      providers: [
        { provide: APP_FILTER, useClass: ErrorFilter },
        { provide: APP_PIPE, useClass: DtoPipe },
        // Guards run in this order: who calls, may they go on, may they do this, may they do it with this graph.
        { provide: APP_GUARD, useClass: CredentialsGuard },
        { provide: APP_GUARD, useClass: PasswordChangeGuard },
        { provide: APP_GUARD, useClass: AdminGuard },
        { provide: APP_GUARD, useClass: GraphAccessGuard },
      ],
    };
  }
}
