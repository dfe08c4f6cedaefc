import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { accessOf } from '../access/access.decorator.js';
import { PasswordChangeRequiredError } from './auth.errors.js';
import { principalOf } from '../access/principal.js';

/** Refuses a user who still has to change the password, on all routes except `me` and the route that changes the password. */
@Injectable()
export class PasswordChangeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const access = accessOf(context);
    if (access.kind === 'public' || access.kind === 'password_pending') return true;
    if (principalOf(context).mustChangePassword) throw new PasswordChangeRequiredError();
    return true;
  }
}
