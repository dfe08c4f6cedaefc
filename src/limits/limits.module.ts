import { type DynamicModule, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { type Settings } from '../config/settings.js';
import { AnonymousCeiling } from './anonymous-ceiling.service.js';
import { sharedByUser, windowMs } from './buckets.js';
import { KnownCallersService } from './known-callers.service.js';
import { LimiterService } from './limiter.service.js';
import { openStorage } from './storage/open-storage.js';
import { VisitsService } from './visits.service.js';

const services = [LimiterService, VisitsService, KnownCallersService, AnonymousCeiling];

/** Rate limits; their guards stand in the list of `app.module.ts`, their middleware in `create-app.ts`. */
@Module({})
export class LimitsModule {
  static with(options: { settings: Settings; databaseUrl: string }): DynamicModule {
    return {
      module: LimitsModule,
      // The guards of the list are made in the application's module.
      global: true,
      imports: [
        ThrottlerModule.forRootAsync({
          useFactory: async () => ({
            throttlers: [{ limit: sharedByUser.limit, ttl: windowMs, blockDuration: 0 }],
            storage: await openStorage(options),
          }),
        }),
      ],
      providers: services,
      exports: services,
    };
  }
}
