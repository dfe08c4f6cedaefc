import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Principal } from '../../access/principal.js';
import { AuditService } from '../../audit/audit.service.js';
import { SchemaError } from '../../common/errors/api-error.js';
import { afterId, type PageQuery } from '../../http/paging/page.js';
import { Settings } from '../../config/settings.js';
import { ServicePool } from '../../database/service-pool.js';
import { SecretBox } from '../../secrets/secret-box.js';
import { SecretUnreadableError } from '../../secrets/secrets.errors.js';
import { WebhooksService } from '../../webhooks/webhooks.service.js';
import { type ConnectionOptions } from '../clients/warehouse-kind.js';
import { ConnectionNotFoundError, DefaultConnectionError, DsnMissingError, MirrorDsnError } from '../warehouse.errors.js';
import { ConnectionAccessService } from './connection-access.service.js';
import { type Connection, type ConnectionType } from './connection.entity.js';
import {
  type ChangeConnectionRequest,
  type ConnectionOptionsRequest,
  type ConnectionTestResponse,
  type CreateConnectionRequest,
  type ResealResponse,
} from './connections.dto.js';
import { ConnectionsRepository, type HeldConnection } from './connections.repository.js';
import { testConnection } from './test-connection.js';
import { secretOwner, WarehouseClients } from './warehouse-clients.js';
import { kindOf } from './warehouse-kinds.js';

const resealedAtOnce = 100;

@Injectable()
export class ConnectionsService {
  constructor(
    private readonly connections: ConnectionsRepository,
    private readonly access: ConnectionAccessService,
    private readonly clients: WarehouseClients,
    private readonly secrets: SecretBox,
    private readonly webhooks: WebhooksService,
    private readonly audit: AuditService,
    private readonly pool: ServicePool,
    private readonly settings: Settings,
  ) {}

  /**
   * Lists the connections that the caller may use. The list has one connection more than the page, which shows `page` that there is a next
   * page.
   */
  list({ userId }: Principal, { limit, cursor }: PageQuery): Promise<HeldConnection[]> {
    return this.connections.listUsable(userId, afterId(cursor), limit + 1);
  }

  /** @throws ConnectionNotFoundError, ConnectionForbiddenError */
  get(principal: Principal, id: number): Promise<HeldConnection> {
    return this.access.require(principal, id, 'read');
  }

  /**
   * Saves a connection without connecting: a server that is down must not keep anybody from saving its connection.
   * @throws MirrorDsnError, DsnMissingError, ConnectionTypeNotBuiltError, ConnectionNameTakenError, SchemaError
   */
  async create(actor: Principal, { name, type, dsn, options }: CreateConnectionRequest): Promise<HeldConnection> {
    const kept = checkedOptions(type, options ?? {});
    const id = await this.connections.nextId();
    const source = await this.seal(id, type, dsn ?? null);
    const context = { name, type, ...placeOf(type, dsn ?? null) };
    await this.audit.recordWith(
      client => this.connections.create(client, { id, name, type, options: kept, ...source }),
      () => ({ action: 'connection.created', actor, target: 'connection', targetId: id, context }),
    );
    return this.get(actor, id);
  }

  /**
   * Changes only the given fields of a connection. Options are changed one by one, and an option of null is removed. Running work continues
   * on the connections that it has already opened.
   * @throws ConnectionNotFoundError, ConnectionNameTakenError, MirrorDsnError, DsnMissingError, ConnectionTypeNotBuiltError, SchemaError
   */
  async change(actor: Principal, id: number, { name, dsn, options }: ChangeConnectionRequest): Promise<HeldConnection> {
    const changed = Object.entries({ name, dsn, options }).flatMap(([field, value]) => (value === undefined ? [] : [field]));
    let former: Connection | undefined;
    const change = (client: PoolClient) =>
      this.connections.change(client, id, async connection => {
        former = connection;
        return {
          ...(name === undefined ? {} : { name }),
          ...(options === undefined ? {} : { options: checkedOptions(connection.type, { ...connection.options, ...given(options) }) }),
          ...(dsn === undefined ? {} : await this.seal(id, connection.type, dsn)),
        };
      });
    await this.audit.recordWith(change, after => ({
      action: 'connection.changed',
      actor,
      target: 'connection',
      targetId: id,
      context: {
        name: former!.name,
        ...(name === undefined ? {} : { new_name: name }),
        changed,
        ...(after.dsnMasked == null
          ? {}
          : { ...placeOf(former!.type, after.dsnMasked), former_place: placeOf(former!.type, former!.dsnMasked).place }),
      },
    }));
    this.clients.forget(id);
    return this.get(actor, id);
  }

  /**
   * Encrypts all DSNs and all secrets of webhooks anew with the first key. The other keys can then be removed. A secret whose key is
   * missing is left as it is.
   */
  async reseal(actor: Principal): Promise<ResealResponse> {
    const result: ResealResponse = { resealed: 0, unreadable: [], webhooks: await this.webhooks.reseal() };
    for (let ids = await this.connections.listSealed(0, resealedAtOnce); ids.length > 0;) {
      for (const id of ids) await this.resealOne(id, result);
      ids = await this.connections.listSealed(ids.at(-1)!, resealedAtOnce);
    }
    await this.audit.record({ action: 'connection.resealed', actor, target: 'connection', context: { ...result } });
    return result;
  }

  private async resealOne(id: number, result: ResealResponse): Promise<void> {
    try {
      await this.pool.transaction(client =>
        this.connections.change(client, id, async ({ dsnSealed }) => {
          const owner = secretOwner(id);
          if (dsnSealed === null || !(await this.secrets.isOld(dsnSealed))) return {};
          const sealed = await this.secrets.seal(await this.secrets.open(dsnSealed, owner), owner);
          result.resealed++;
          return { dsnSealed: sealed };
        }),
      );
    } catch (error) {
      if (error instanceof SecretUnreadableError) result.unreadable.push(id);
      // A connection that was deleted meanwhile needs no new seal.
      else if (!(error instanceof ConnectionNotFoundError)) throw error;
    }
  }

  /** @throws ConnectionNotFoundError, DefaultConnectionError, ConnectionInUseError */
  async delete(actor: Principal, id: number): Promise<void> {
    const connection = await this.connections.getById(id);
    if (connection.isDefault) throw new DefaultConnectionError();
    await this.audit.recordWith(
      client => this.connections.delete(client, id),
      () => ({ action: 'connection.deleted', actor, target: 'connection', targetId: id, context: { name: connection.name } }),
    );
    this.clients.forget(id);
  }

  /**
   * Tests a connection: connects, and reads once in the same way as every query.
   * @throws ConnectionTypeNotBuiltError, DriverNotInstalledError, SecretUnreadableError, WarehouseBusyError
   */
  async test({ userId: caller }: Principal, id: number): Promise<ConnectionTestResponse> {
    const client = await this.clients.of(await this.connections.getById(id));
    return testConnection(reached => client.test({ caller }, reached));
  }

  /**
   * Checks the DSN of a connection and encrypts it for that connection.
   * @throws MirrorDsnError, DsnMissingError, ConnectionTypeNotBuiltError, SchemaError
   */
  private async seal(id: number, type: ConnectionType, dsn: string | null): Promise<Pick<Connection, 'dsnSealed' | 'dsnMasked'>> {
    if (type === 'pg_mirror') {
      if (dsn !== null) throw new MirrorDsnError();
      return { dsnSealed: null, dsnMasked: null };
    }
    const kind = kindOf(type);
    if (dsn === null) throw new DsnMissingError(type);
    const problems = kind.check(dsn, this.settings);
    if (problems.length > 0) throw new SchemaError(problems);
    return { dsnSealed: await this.secrets.seal(dsn, secretOwner(id)), dsnMasked: kind.mask(dsn) };
  }
}

/** The options that are given and not null. @throws SchemaError for options that have no effect for the type of the connection */
function checkedOptions(type: ConnectionType, options: ConnectionOptionsRequest): ConnectionOptions {
  const known: readonly string[] = type === 'pg_mirror' ? [] : kindOf(type).options;
  const kept = Object.entries(options).filter(([, value]) => value !== null && value !== undefined);
  const unused = kept.filter(([name]) => !known.includes(name));
  if (unused.length === 0) return Object.fromEntries(kept);
  const text = { zh: `对 ${type} 类型的连接没有作用`, en: `has no effect on connections of type ${type}` };
  throw new SchemaError(unused.map(([name]) => ({ loc: ['body', 'options', name], text, type: 'no_effect' })));
}

/**
 * The options in the request body, also those that are null. The parsed body has a property for every option, undefined if the option was
 * left out.
 */
function given(options: ConnectionOptionsRequest): ConnectionOptionsRequest {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

/** Host, port and database of a DSN for the audit log, without secrets. Empty without a DSN and for pg_mirror. */
function placeOf(type: ConnectionType, dsn: string | null): { place?: string } {
  return dsn === null || type === 'pg_mirror' ? {} : { place: kindOf(type).place(dsn) };
}
