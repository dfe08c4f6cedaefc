import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { ApiKeyPowersGuard } from '../auth/api-key-powers.guard.js';
import { CredentialsGuard } from '../auth/credentials.guard.js';
import { PasswordChangeGuard } from '../auth/password-change.guard.js';
import { ApiError } from '../common/errors/api-error.js';
import { GraphAccessGuard } from './graph-access.guard.js';

const recheckAccessEveryMs = 2_000;

/**
 * Checks later whether a caller may still do what was allowed when the request came. An event stream needs this: it outlives that
 * moment. The route's own guards run again, so that an ended token, a revoked key and a lost role count as elsewhere.
 */
@Injectable()
export class AccessRecheck {
  private readonly guards: readonly CanActivate[];

  constructor(credentials: CredentialsGuard, passwordChange: PasswordChangeGuard, keyPowers: ApiKeyPowersGuard, graph: GraphAccessGuard) {
    this.guards = [credentials, passwordChange, keyPowers, graph];
  }

  /** Returns the refusal that the same request would get now, or null. */
  async findRefusal(call: ExecutionContext): Promise<ApiError | null> {
    try {
      for (const guard of this.guards) await guard.canActivate(call);
      return null;
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return error;
      throw error;
    }
  }

  /** Returns a function that asks for the refusal, and does nothing while the last time, or the beginning, is less than 2 s ago. */
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
