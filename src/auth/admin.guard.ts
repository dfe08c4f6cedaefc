import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS, type Access } from '../access/access.decorator.js';
import { AdminOnlyError } from './auth.errors.js';
import { principalOf } from '../access/principal.js';

@Injectable()
export class AdminGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const access = this.reflector.getAllAndOverride<Access>(ACCESS, [context.getHandler(), context.getClass()]);
    if (access.kind === 'admin' && !principalOf(context).isAdmin) throw new AdminOnlyError();
    return true;
  }
}
