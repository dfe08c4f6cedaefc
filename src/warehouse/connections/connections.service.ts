import { Injectable } from '@nestjs/common';
import { type Principal } from '../../access/principal.js';
import { AuditService } from '../../audit/audit.service.js';
import { SchemaError } from '../../common/errors/api-error.js';
import { afterId, type PageQuery } from '../../http/paging/page.js';
import { ConnectionAccessService } from './connection-access.service.js';
import { ConnectionsRepository, type HeldConnection } from './connections.repository.js';
import { WarehouseClients } from './warehouse-clients.js';
import { type ConnectionTestResponse, type CreateConnectionRequest } from './connections.dto.js';
import { ConnectionTypeNotBuiltError, DefaultConnectionError, MirrorCopyNotBuiltError, MirrorDsnError } from '../warehouse.errors.js';

@Injectable()
export class ConnectionsService {
  constructor(
    private readonly connections: ConnectionsRepository,
    private readonly access: ConnectionAccessService,
    private readonly clients: WarehouseClients,
    private readonly audit: AuditService,
  ) {}

  /**
   * Lists the connections that the caller may use. It reads one more than the page holds, so that `page` can tell whether there is
   * another.
   */
  list({ userId }: Principal, { limit, cursor }: PageQuery): Promise<HeldConnection[]> {
    return this.connections.listUsable(userId, afterId(cursor), limit + 1);
  }

  /** @throws ConnectionNotFoundError, ConnectionForbiddenError */
  get(principal: Principal, id: number): Promise<HeldConnection> {
    return this.access.require(principal, id, 'read');
  }

  /** @throws MirrorDsnError, ConnectionTypeNotBuiltError, ConnectionNameTakenError, SchemaError */
  async create(actor: Principal, { name, type, dsn, options }: CreateConnectionRequest): Promise<HeldConnection> {
    if (type !== 'pg_mirror') throw new ConnectionTypeNotBuiltError(type);
    if (dsn != null) throw new MirrorDsnError();
    const unused = Object.keys(options ?? {});
    if (unused.length > 0) {
      const text = { zh: 'pg_mirror 连接没有选项', en: 'pg_mirror connections take no options' };
      throw new SchemaError(unused.map(option => ({ loc: ['body', 'options', option], text, type: 'no_effect' })));
    }
    const id = await this.audit.recordWith(
      client => this.connections.create(client, { name, type }),
      id => ({ action: 'connection.created', actor, target: 'connection', targetId: id, context: { name, type } }),
    );
    return this.get(actor, id);
  }

  /** @throws DefaultConnectionError, ConnectionInUseError */
  async delete(actor: Principal, id: number): Promise<void> {
    const connection = await this.connections.getById(id);
    if (connection.isDefault) throw new DefaultConnectionError();
    await this.audit.recordWith(
      client => this.connections.delete(client, id),
      () => ({ action: 'connection.deleted', actor, target: 'connection', targetId: id, context: { name: connection.name } }),
    );
  }

  /** Reads once in the way of every query of a user. @throws ConnectionTypeNotBuiltError, WarehouseUnavailableError */
  async test({ userId: caller }: Principal, id: number): Promise<ConnectionTestResponse> {
    const client = this.clients.of(await this.connections.getById(id));
    const started = performance.now();
    const { serverVersion, user, isReadOnly, canWrite } = await client.test({ caller });
    return {
      ok: true,
      latency_ms: Math.round((performance.now() - started) * 10) / 10,
      server_version: serverVersion,
      current_user: user,
      read_only_enforced: isReadOnly,
      can_write: canWrite,
    };
  }

  /** @throws MirrorCopyNotBuiltError always, for a connection that exists */
  async copyIntoMirror(id: number): Promise<never> {
    await this.connections.getById(id);
    throw new MirrorCopyNotBuiltError();
  }
}
