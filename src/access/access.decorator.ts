import { applyDecorators, type ExecutionContext, SetMetadata } from '@nestjs/common';
import { ApiBearerAuth, ApiExtension, ApiResponse, ApiSecurity } from '@nestjs/swagger';

export type GraphRole = 'viewer' | 'editor' | 'manager';

/** The rights of a user on a warehouse connection. `write` also lets the user load and drop tables. */
export const connectionRights = ['read', 'write'] as const;
export type ConnectionRight = (typeof connectionRights)[number];

/** The permissions that an API key may have in addition to acting on its graphs. */
export const keyPermissions = ['tables:write'] as const;
export type KeyPermission = (typeof keyPermissions)[number];

/**
 * The place where a request names its graph. `param` is the path parameter with the id of the graph, job, run or metric; for a job, run or
 * metric, its graph is meant. `body` means the body's `graph_id`.
 */
export type GraphSource = { of: 'graph' | 'job' | 'run' | 'metric'; param: string } | { of: 'body' };

/**
 * The callers that a route admits. `password_pending` also admits a user who still has to change the password. `keys`: whether an API key
 * may call the route, or the permission that the key needs. API keys cannot be used for accounts, keys, permissions or connections.
 */
export type Access =
  | { kind: 'public' }
  | { kind: 'authenticated' | 'password_pending' | 'admin'; keys: boolean }
  | { kind: 'connection'; right: ConnectionRight; keys: KeyPermission | false }
  | { kind: 'graph'; role: GraphRole | 'owner'; source: GraphSource; keys: boolean };

const accessKey = 'access';
const closed = { kind: 'closed', keys: false } as const;

/** The access that the route or its controller declares. A route without a declaration is closed. */
export function accessOf(context: ExecutionContext): Access | typeof closed {
  return find(context.getHandler()) ?? find(context.getClass()) ?? closed;
}

const find = (target: object) => Reflect.getMetadata(accessKey, target) as Access | undefined;

/** Declares the access to a route, both for the guards and for OpenAPI. `words` is its description there. */
export function declareAccess(access: Access, words: string): MethodDecorator & ClassDecorator {
  const documented = [SetMetadata(accessKey, access), ApiExtension('x-access', words)];
  if (access.kind === 'public') return applyDecorators(...documented);
  return applyDecorators(
    ...documented,
    ApiBearerAuth(),
    ...(access.keys ? [ApiSecurity('api_key')] : []),
    ApiResponse({ status: 401, description: '凭证缺失、无效或过期 / No valid credential' }),
    ApiResponse({ status: 403, description: '没有权限 / Not permitted' }),
  );
}

export const Public = () => declareAccess({ kind: 'public' }, 'anyone');
export const Authenticated = ({ keys = false } = {}) =>
  declareAccess({ kind: 'authenticated', keys }, keys ? 'any user or key' : 'any user');
export const DuringPasswordChange = ({ keys = false } = {}) =>
  declareAccess({ kind: 'password_pending', keys }, 'any user, also while the password must be changed');
export const AdminOnly = () => declareAccess({ kind: 'admin', keys: false }, 'admins');
