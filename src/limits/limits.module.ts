import { Global, Module } from '@nestjs/common';
import { ThrottlerModule } from '@nestjs/throttler';
import { TokenKeyModule } from '../access/token-key.js';
import { Settings } from '../config/settings.js';
import { RestingCallers } from '../common/turns/resting-callers.js';
import { DatabaseLink } from '../database/database-link.js';
import { windowMs } from './charge.js';
import { AdmissionService } from './admission.service.js';
import { ClientAddressService } from './client-address.service.js';
import { CountingErrorFilter } from './counting-error.filter.js';
import { KnownCallersService } from './known-callers.service.js';
import { LimiterService } from './limiter.service.js';
import { RequestsRestError } from './limits.errors.js';
import { openStorage } from './storage/open-storage.js';

const services = [
  AdmissionService,
  LimiterService,
  ClientAddressService,
  KnownCallersService,
  CountingErrorFilter,
  // `RestingCallers` refuses only callers whose requests were ended because they took too long.
  { provide: RestingCallers, useFactory: () => new RestingCallers(leftS => new RequestsRestError(leftS)) },
];

/** Rate limits. `app.module.ts` lists their guard and their filter. */
@Global()
@Module({
  imports: [
    TokenKeyModule,
    ThrottlerModule.forRootAsync({
      inject: [Settings, DatabaseLink],
      useFactory: async (settings: Settings, link: DatabaseLink) => ({
        throttlers: [{ limit: settings.rateLimits.user, ttl: windowMs, blockDuration: 0 }],
        storage: await openStorage(settings, link),
      }),
    }),
  ],
  providers: services,
  exports: services,
})
export class LimitsModule {}
