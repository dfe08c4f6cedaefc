import { Global, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { TokenKeyModule } from '../access/token-key.js';
import { Settings } from '../config/settings.js';
import { DatabaseLink } from '../database/database-link.js';
import { AnonymousCeiling } from './anonymous-ceiling.service.js';
import { sharedByUser, windowMs } from './buckets.js';
import { KnownCallersService } from './known-callers.service.js';
import { LimiterService } from './limiter.service.js';
import { openStorage } from './storage/open-storage.js';
import { VisitsService } from './visits.service.js';

const services = [LimiterService, VisitsService, KnownCallersService, AnonymousCeiling];

/** Rate limits; their guards stand in the list of `app.module.ts`, where they are made too, their middleware in `create-app.ts`. */
@Global()
@Module({
  imports: [
    TokenKeyModule,
    ThrottlerModule.forRootAsync({
      inject: [Settings, DatabaseLink],
      useFactory: async (settings: Settings, link: DatabaseLink) => ({
        throttlers: [{ limit: sharedByUser.limit, ttl: windowMs, blockDuration: 0 }],
        storage: await openStorage(settings, link),
      }),
    }),
  ],
  providers: services,
  exports: services,
})
export class LimitsModule {}
