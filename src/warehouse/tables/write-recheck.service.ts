import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ApiKeyPowersGuard } from '../../auth/api-key-powers.guard.js';
import { CredentialsGuard } from '../../auth/credentials.guard.js';
import { PasswordChangeGuard } from '../../auth/password-change.guard.js';
import { ConnectionAccessGuard } from '../connections/connection-access.guard.js';

/**
 * Runs the guards of a route again at the end of an upload, which may take an hour. An expired token, a revoked key or a lost grant then
 * refuses the upload.
 */
@Injectable()
export class WriteRecheck {
  private readonly guards: readonly CanActivate[];

  constructor(
    credentials: CredentialsGuard,
    passwordChange: PasswordChangeGuard,
    keyPowers: ApiKeyPowersGuard,
    connection: ConnectionAccessGuard,
  ) {
    this.guards = [credentials, passwordChange, keyPowers, connection];
  }

  /** @throws the refusal that the same request would get at this moment */
  async require(call: ExecutionContext): Promise<void> {
    for (const guard of this.guards) await guard.canActivate(call);
  }
}
