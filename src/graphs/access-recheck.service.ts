import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ApiKeyPowersGuard } from '../auth/api-key-powers.guard.js';
import { CredentialsGuard } from '../auth/credentials.guard.js';
import { PasswordChangeGuard } from '../auth/password-change.guard.js';
import { ApiError } from '../common/errors/api-error.js';
import { GraphAccessGuard } from './graph-access.guard.js';

const recheckAccessEveryMs = 2_000;

/**
 * Checks again, during a long answer, whether the caller still has the rights that the request needed. An event stream needs this check
 * because rights may change while it is open. The route's own guards run again, so an ended token, a revoked key or a lost role is refused
 * as for any request.
 */
@Injectable()
export class AccessRecheck {
  private readonly guards: readonly CanActivate[];

  constructor(credentials: CredentialsGuard, passwordChange: PasswordChangeGuard, keyPowers: ApiKeyPowersGuard, graph: GraphAccessGuard) {
    this.guards = [credentials, passwordChange, keyPowers, graph];
  }

  /** The refusal that the same request would get now; null if it would be allowed. */
  async findRefusal(call: ExecutionContext): Promise<ApiError | null> {
    try {
      for (const guard of this.guards) await guard.canActivate(call);
      return null;
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return error;
      throw error;
    }
  }

  /**
   * Makes a function that finds the refusal of a call, at most every 2 s. The function gives null until 2 s after the call began, and until
   * 2 s after each check.
   */
  later(call: ExecutionContext): () => Promise<ApiError | null> {
    let checkedAt = performance.now();
    return async () => {
      if (performance.now() - checkedAt < recheckAccessEveryMs) return null;
      const refusal = await this.findRefusal(call);
      checkedAt = performance.now();
      return refusal;
    };
  }
}
