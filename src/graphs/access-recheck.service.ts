import { type CanActivate, createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { ApiKeyPowersGuard } from '../auth/api-key-powers.guard.js';
import { CredentialsGuard } from '../auth/credentials.guard.js';
import { PasswordChangeGuard } from '../auth/password-change.guard.js';
import { ApiError } from '../common/errors/api-error.js';
import { GraphAccessGuard } from './graph-access.guard.js';

/** What `AccessRecheck` asks about: the call that a handler serves. */
export const CurrentCall = createParamDecorator((_: unknown, context: ExecutionContext): ExecutionContext => context);

/**
 * Whether a caller may still do what was allowed when the request came: for what outlives that moment, such as an event stream.
 * The route's own guards are asked again, so that a token that ended, a revoked key and a lost role count as they do elsewhere.
 */
@Injectable()
export class AccessRecheck {
  private readonly guards: readonly CanActivate[];

  constructor(credentials: CredentialsGuard, passwordChange: PasswordChangeGuard, keyPowers: ApiKeyPowersGuard, graph: GraphAccessGuard) {
    this.guards = [credentials, passwordChange, keyPowers, graph];
  }

  /** The refusal that the same request would meet now; null while it would be served. */
  async findRefusal(call: ExecutionContext): Promise<ApiError | null> {
    try {
      for (const guard of this.guards) await guard.canActivate(call);
      return null;
    } catch (error) {
      if (error instanceof ApiError && error.status < 500) return error;
      throw error;
    }
  }
}
