import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { type Claim } from '../common/turns/fair-share.js';
import { type TableCatalog, type WarehouseClient } from './clients/warehouse.client.js';
import { ConnectionsRepository } from './connections/connections.repository.js';
import { WarehouseClients } from './connections/warehouse-clients.js';
import { type MirrorClient } from './mirror/mirror.client.js';
import { ConnectionAccessLostError, ConnectionForbiddenError, ConnectionNotFoundError, type SavedRecord } from './warehouse.errors.js';

/** An opened connection, with all that is needed to look at its tables and read them. */
export interface UsableConnection {
  id: number;
  name: string;
  /** Differs after each change of what the connection leads to. */
  version: string;
  client: WarehouseClient;
  /** Catalogue of its tables. Its reads count against the share of `claim`. */
  catalog: TableCatalog;
  /** The caller whose share of the connections its queries take. */
  claim: Claim;
}

/** The user in whose name the warehouse is read: the caller, or the one who saved a job or a binding. */
export type WarehouseReader = Pick<Principal, 'userId'> | SavedRecord;

/** The only way to the tables of a connection. It asks in whose name they are read. */
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
   * Opens the connection with that id or name. A text of digits is an id if no connection has that name; null is the default
   * connection. Queries count against the share of `claim`, by default the caller's or the record's. Give it when another user asks
   * than the reader.
   * @throws ConnectionNotFoundError; ConnectionForbiddenError for a caller, ConnectionAccessLostError for a record;
   * ConnectionTypeNotBuiltError, SecretUnreadableError, DriverNotInstalledError
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

  /** Tells whether the caller may see the rows of a connection's tables. No API key may, whatever its user's right. */
  async mayRead({ userId, apiKey }: Principal, connectionId: number): Promise<boolean> {
    if (apiKey) return false;
    return (await this.connections.find(userId, connectionId))?.right != null;
  }

  /** The tables of the service's own database, as the role that may only read them. */
  get mirror(): MirrorClient {
    return this.clients.mirror;
  }

  /** Tells whether the user may load and drop the tables of the mirror, by whatever connection. */
  mayWriteMirror(userId: number): Promise<boolean> {
    return this.connections.mayWriteMirror(userId);
  }
}

/** A run of a job waits in a line of its own, so that its user's other work does not hold it up. */
function claimOf(reader: WarehouseReader): Claim {
  return { caller: 'savedBy' in reader ? `${reader.kind} ${reader.id}` : reader.userId };
}
