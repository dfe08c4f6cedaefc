import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { type Request } from 'express';
import { type KeyPermission } from './access.decorator.js';

/** The caller of a request. The guard loads the caller once for each request, and service methods take it as their first argument. */
export interface Principal {
  userId: number;
  username: string;
  isAdmin: boolean;
  mustChangePassword: boolean;
  tokenVersion: number;
  /** The API key of the request, if it carries one. The caller then acts as the key's user, but only on the key's graphs. */
  apiKey?: ApiKeyGrant;
}

export interface ApiKeyGrant {
  id: number;
  /** Requests per minute over all endpoints. */
  rateLimit: number;
  graphIds: number[];
  permissions: KeyPermission[];
}

/** Injects the caller of the request into a handler. Do not use it on public routes, which have no caller. */
export const CurrentPrincipal = createParamDecorator((_: unknown, context: ExecutionContext): Principal => principalOf(context));

export function principalOf(context: ExecutionContext): Principal {
  return (context.switchToHttp().getRequest<Request>() as Request & { user: Principal }).user;
}

/**
 * Returns the name under which fair shares count a caller: the user, with or without an API key, or the network of a caller without a
 * login.
 * @param addresses finds the network from which a request comes
 */
export function callerOf(request: Request, addresses: { networkOf(request: Request): string }): string {
  const user = request.user as Principal | undefined;
  return user ? `user ${user.userId}` : `network ${addresses.networkOf(request)}`;
}
