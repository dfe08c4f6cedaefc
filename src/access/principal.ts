import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type KeyPermission } from './access.decorator.js';

/** The caller of a request. The guard loads it once per request; service methods take it as their first argument. */
export interface Principal {
  userId: number;
  username: string;
  isAdmin: boolean;
  mustChangePassword: boolean;
  tokenVersion: number;
  /** Set when the request carries an API key. The caller then acts as the key's user, on the key's graphs only. */
  apiKey?: ApiKeyGrant;
}

export interface ApiKeyGrant {
  id: number;
  /** Requests per minute over all endpoints. */
  rateLimit: number;
  graphIds: number[];
  permissions: KeyPermission[];
}

/** Injects the caller of the request into a handler. Public routes have none. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => principalOf(context));

export function principalOf(context: ExecutionContext): Principal {
  return (context.switchToHttp().getRequest<Request>() as Request & { user: Principal }).user;
}

/**
 * Names the one who sent a request: a user with all keys, or the network of somebody unknown.
 * @param addresses the networks that requests come from
 */
export function callerOf(request: Request, addresses: { networkOf(request: Request): string }): string {
  const user = request.user as Principal | undefined;
  return user ? `user ${user.userId}` : `network ${addresses.networkOf(request)}`;
}
