import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { accessOf } from '../access/access.decorator.js';
import { KeyNotAllowedError } from './auth.errors.js';
import { principalOf } from '../access/principal.js';

/** Keeps API keys away from what needs a person. */
@Injectable()
export class ApiKeyPowersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const access = accessOf(context);
    if (access.kind !== 'public' && !access.keys && principalOf(context).apiKey) throw new KeyNotAllowedError();
    return true;
  }
}
