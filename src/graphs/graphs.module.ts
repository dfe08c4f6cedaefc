import { Module } from '@nestjs/common';
import { ApiKeyPowersGuard } from '../auth/api-key-powers.guard.js';
import { AuthModule } from '../auth/auth.module.js';
import { CredentialsGuard } from '../auth/credentials.guard.js';
import { PasswordChangeGuard } from '../auth/password-change.guard.js';
import { AccessRecheck } from './access-recheck.service.js';
import { EventStreams } from './event-streams.service.js';
import { GraphAccessGuard } from './graph-access.guard.js';
import { GraphAccessService } from './graph-access.service.js';
import { GraphsController } from './graphs.controller.js';
import { GraphsRepository } from './graphs.repository.js';
import { GraphsService } from './graphs.service.js';

/** The guards that `AccessRecheck` runs again. `app.module.ts` makes the guards that check incoming requests. */
const guards = [CredentialsGuard, PasswordChangeGuard, ApiKeyPowersGuard, GraphAccessGuard];

@Module({
  imports: [AuthModule],
  controllers: [GraphsController],
  providers: [GraphsRepository, GraphsService, GraphAccessService, AccessRecheck, EventStreams, ...guards],
  exports: [GraphsService, GraphAccessService, AccessRecheck, EventStreams],
})
export class GraphsModule {}
