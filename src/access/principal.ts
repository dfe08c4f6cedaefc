import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type KeyPermission } from './access.decorator.js';

/** Who is calling; loaded once per request by the guard, and the first argument of service methods. */
export interface Principal {
  userId: number;
  username: string;
  isAdmin: boolean;
  mustChangePassword: boolean;
  tokenVersion: number;
  /** Set when an API key was shown: the caller acts as the key's user, on the key's graphs only. */
  apiKey?: ApiKeyGrant;
}

export interface ApiKeyGrant {
  id: number;
  /** Requests per minute over all endpoints. */
  rateLimit: number;
  graphIds: number[];
  permissions: KeyPermission[];
}

/** The caller of the request being served. Not on public routes. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => principalOf(context));

export function principalOf(context: ExecutionContext): Principal {
  return (context.switchToHttp().getRequest<Request>() as Request & { user: Principal }).user;
}
