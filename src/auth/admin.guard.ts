import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { accessOf } from '../access/access.decorator.js';
import { AdminOnlyError } from './auth.errors.js';
import { principalOf } from '../access/principal.js';

@Injectable()
export class AdminGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const access = accessOf(context);
    if (access.kind === 'admin' && !principalOf(context).isAdmin) throw new AdminOnlyError();
    return true;
  }
}
