import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { type Claim } from '../common/turns/fair-share.js';
import { type TableCatalog, type WarehouseClient } from './clients/warehouse.client.js';
import { ConnectionsRepository } from './connections/connections.repository.js';
import { WarehouseClients } from './connections/warehouse-clients.js';
import { type MirrorClient } from './mirror/mirror.client.js';
import { ConnectionAccessLostError, ConnectionForbiddenError, ConnectionNotFoundError, type SavedRecord } from './warehouse.errors.js';

/** An opened connection, with everything that is needed to describe and read its tables. */
export interface UsableConnection {
  id: number;
  name: string;
  /** Differs after each change of the connection's type, DSN or options. */
  version: string;
  client: WarehouseClient;
  /** Catalogue of the connection's tables. Reads of the catalogue count against the share of `claim`. */
  catalog: TableCatalog;
  /** The caller in whose share of database connections the queries run. */
  claim: Claim;
}

/** The user in whose name the warehouse is read: the caller, or the user who saved a job, a binding or a copy. */
export type WarehouseReader = Pick<Principal, 'userId'> | SavedRecord;

/** The only way to the tables of a connection. Each access names the user in whose name the tables are read. */
@Injectable()
export class WarehouseService implements OnApplicationBootstrap {
  constructor(
    private readonly connections: ConnectionsRepository,
    private readonly clients: WarehouseClients,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.connections.ensureDefault();
  }

  /**
   * Opens a connection by id or name. A text of digits is an id if no connection has that name; null is the default connection.
   * @param claim the caller whose share the queries count against. Pass it if the caller is not the reader, which is the default
   * @throws ConnectionNotFoundError; ConnectionForbiddenError for a caller, ConnectionAccessLostError for a record;
   *   ConnectionTypeNotBuiltError, SecretUnreadableError, DriverNotInstalledError
   */
  async open(reader: WarehouseReader, nameOrId: string | number | null, claim: Claim = claimOf(reader)): Promise<UsableConnection> {
    const userId = 'savedBy' in reader ? (reader.savedBy?.id ?? null) : reader.userId;
    const connection = await this.connections.find(userId, nameOrId);
    if (!connection) throw new ConnectionNotFoundError();
    if (connection.right === null) {
      throw 'savedBy' in reader ? new ConnectionAccessLostError(reader, connection) : new ConnectionForbiddenError('read');
    }
    const client = await this.clients.of(connection);
    const version = JSON.stringify([connection.type, connection.dsnSealed, connection.options]);
    return { id: connection.id, name: connection.name, version, client, catalog: client.catalog(claim), claim };
  }

  /** Returns whether the caller may see the rows of a connection's tables. API keys may not, even if their user may. */
  async mayRead({ userId, apiKey }: Principal, connectionId: number): Promise<boolean> {
    if (apiKey) return false;
    return (await this.connections.find(userId, connectionId))?.right != null;
  }

  /** The client for the mirror in the service's own database, with the role that may only read its tables. */
  get mirror(): MirrorClient {
    return this.clients.mirror;
  }

  /** Returns whether the user may load and drop the tables of the mirror, through any connection. */
  mayWriteMirror(userId: number): Promise<boolean> {
    return this.connections.mayWriteMirror(userId);
  }
}

/**
 * The default claim of a reader. A run of a job or copy, or a metric, waits in a queue of its own, so that other work of its user does not
 * delay it.
 */
function claimOf(reader: WarehouseReader): Claim {
  return { caller: 'savedBy' in reader ? `${reader.kind} ${reader.id}` : reader.userId };
}
