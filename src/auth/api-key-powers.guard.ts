import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { ACCESS, type Access } from '../access/access.decorator.js';
import { KeyNotAllowedError } from './auth.errors.js';
import { principalOf } from '../access/principal.js';

/** Keeps API keys away from what needs a person. */
@Injectable()
export class ApiKeyPowersGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const access = this.reflector.getAllAndOverride<Access>(ACCESS, [context.getHandler(), context.getClass()]);
    if (access.kind !== 'public' && !access.keys && principalOf(context).apiKey) throw new KeyNotAllowedError();
    return true;
  }
}
