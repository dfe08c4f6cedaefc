import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { type Request } from 'express';
import { accessOf } from '../../access/access.decorator.js';
import { principalOf } from '../../access/principal.js';
import { readId } from '../../http/validation/positive-int.pipe.js';
import { ConnectionAccessService } from './connection-access.service.js';

/** Refuses a request unless the caller has the right that the route requires on the connection `id` of the path. */
@Injectable()
export class ConnectionAccessGuard implements CanActivate {
  constructor(private readonly access: ConnectionAccessService) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const access = accessOf(context);
    if (access.kind !== 'connection') return true;
    const principal = principalOf(context);
    const id = readId(context.switchToHttp().getRequest<Request>().params.id, 'id');
    // API keys exist for loading tables, so a key sees only connections that its user may write.
    await this.access.require(principal, id, principal.apiKey ? 'write' : access.right);
    return true;
  }
}
