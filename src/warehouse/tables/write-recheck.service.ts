import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ApiKeyPowersGuard } from '../../auth/api-key-powers.guard.js';
import { CredentialsGuard } from '../../auth/credentials.guard.js';
import { PasswordChangeGuard } from '../../auth/password-change.guard.js';
import { ConnectionAccessGuard } from '../connections/connection-access.guard.js';

/** An upload may go on for an hour. The guards of its route run again at its end, so that an ended token, a revoked key and a lost grant count. */
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

  /** @throws the refusal that the same request would get now */
  async require(call: ExecutionContext): Promise<void> {
    for (const guard of this.guards) await guard.canActivate(call);
  }
}
