import { Injectable } from '@nestjs/common';
import { type Principal } from '../../access/principal.js';
import { AuditService } from '../../audit/audit.service.js';
import { afterId, page, type Page, type PageQuery } from '../../http/paging/page.js';
import { OneUserExpectedError } from '../../users/users.errors.js';
import { UsersService } from '../../users/users.service.js';
import { ConnectionsService } from '../connections/connections.service.js';
import {
  type ConnectionGrantResponse,
  type ConnectionGrantRow,
  type GrantConnectionRequest,
  toConnectionGrantResponse,
} from './connection-grants.dto.js';
import { ConnectionGrantsRepository } from './connection-grants.repository.js';
import { everyone, type Grantee } from './grantee.js';

/**
 * Grants the use of a warehouse connection to users who are not admins. Jobs and bindings on the connection lose the right together with
 * the user who saved them.
 */
@Injectable()
export class ConnectionGrantsService {
  constructor(
    private readonly grants: ConnectionGrantsRepository,
    private readonly connections: ConnectionsService,
    private readonly users: UsersService,
    private readonly audit: AuditService,
  ) {}

  /** @throws ConnectionNotFoundError */
  async list(actor: Principal, connectionId: number, { limit, cursor }: PageQuery): Promise<Page<ConnectionGrantResponse>> {
    await this.connections.get(actor, connectionId);
    const rows = await this.grants.list(connectionId, afterId(cursor), limit + 1);
    return page(rows.map(toConnectionGrantResponse), limit, grant => grant.user_id);
  }

  /**
   * Grants a right on a connection. Granting again changes the right; `created` is false if the grantee had a right before.
   * @throws ConnectionNotFoundError, UserNotFoundError
   */
  async grant(
    actor: Principal,
    connectionId: number,
    { user_id, username, right }: GrantConnectionRequest,
  ): Promise<{ created: boolean; grant: ConnectionGrantResponse }> {
    if ((user_id === undefined) === (username === undefined)) throw new OneUserExpectedError();
    await this.connections.get(actor, connectionId);
    const user = user_id === everyone ? null : await this.users.getAccount(user_id ?? username!);
    const userId = user?.id ?? null;
    const context = { user: user?.username ?? everyone, right };
    const created = await this.audit.recordWith(
      client => this.grants.grant(client, { connectionId, userId, canWrite: right === 'write', grantedBy: actor.userId }),
      created => ({
        action: created ? 'connection.granted' : 'connection.grant_changed',
        actor,
        target: 'connection',
        targetId: connectionId,
        context,
      }),
    );
    return { created, grant: toConnectionGrantResponse(await this.grants.get(connectionId, userId)) };
  }

  /** @throws ConnectionNotFoundError, ConnectionGrantNotFoundError */
  async revoke(actor: Principal, connectionId: number, grantee: Grantee): Promise<void> {
    await this.connections.get(actor, connectionId);
    const userId = grantee === everyone ? null : grantee;
    const { username }: ConnectionGrantRow = await this.grants.get(connectionId, userId);
    await this.audit.recordWith(
      client => this.grants.revoke(client, connectionId, userId),
      () => ({
        action: 'connection.revoked',
        actor,
        target: 'connection',
        targetId: connectionId,
        context: { user: username ?? everyone },
      }),
    );
  }
}
