import { type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { AuthGuard } from '@nestjs/passport';
import { ACCESS, type Access } from './access.decorator.js';
import { ClosedRouteError, NotAuthenticatedError } from './auth.errors.js';
import { type Principal } from './principal.js';

/** Loads the caller, on every route but the public ones. */
@Injectable()
export class CredentialsGuard extends AuthGuard('jwt') {
  constructor(private readonly reflector: Reflector) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = this.reflector.getAllAndOverride<Access | undefined>(ACCESS, [context.getHandler(), context.getClass()]);
    if (!access) throw new ClosedRouteError();
    if (access.kind === 'public') return true;
    return (await super.canActivate(context)) as boolean;
  }

  /** passport hands over what its strategy found: an error of ours or of the database is no reason to log anyone out. */
  override handleRequest<T = Principal>(error: unknown, principal: T | false): T {
    if (error) throw error instanceof Error ? error : new NotAuthenticatedError();
    if (!principal) throw new NotAuthenticatedError();
    return principal;
  }
}
