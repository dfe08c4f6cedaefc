import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { accessOf } from '../access/access.decorator.js';
import { KeyNotAllowedError, KeyPermissionError } from './auth.errors.js';
import { principalOf } from '../access/principal.js';

/** Refuses API keys on routes that need a person, and on routes that need a permission which the key lacks. */
@Injectable()
export class ApiKeyPowersGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const access = accessOf(context);
    if (access.kind === 'public') return true;
    const { apiKey } = principalOf(context);
    if (!apiKey || access.keys === true) return true;
    if (access.keys === false) throw new KeyNotAllowedError();
    if (!apiKey.permissions.includes(access.keys)) throw new KeyPermissionError(access.keys);
    return true;
  }
}
