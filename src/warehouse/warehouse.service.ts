import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { type Claim } from '../common/turns/fair-share.js';
import { type WarehouseClient } from './clients/warehouse.client.js';
import { ConnectionsRepository } from './connections/connections.repository.js';
import { WarehouseClients } from './connections/warehouse-clients.js';
import { ConnectionAccessLostError, ConnectionForbiddenError, ConnectionNotFoundError, type SavedRecord } from './warehouse.errors.js';

/** A connection that was found usable, with all that its tables are looked at and read with. */
export interface UsableConnection {
  id: number;
  name: string;
  client: WarehouseClient;
  /** Whose share of the connections its queries take. */
  claim: Claim;
}

/** In whose name the warehouse is read: the caller's, or that of whoever saved a job or a binding, whoever asks for it. */
export type WarehouseReader = Pick<Principal, 'userId'> | SavedRecord;

/** The one way to the tables of a connection, which asks in whose name they are read. */
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
   * The connection of that id or name; a text of digits is an id where no connection is named so. Null is the default one.
   * Queries count against the share of `claim`: of whoever asks, where that is another than the reader; by default the caller or the record.
   * @throws ConnectionNotFoundError; ConnectionForbiddenError for a caller, ConnectionAccessLostError for a record; ConnectionTypeNotBuiltError
   */
  async open(reader: WarehouseReader, nameOrId: string | number | null, claim: Claim = claimOf(reader)): Promise<UsableConnection> {
    const userId = 'savedBy' in reader ? (reader.savedBy?.id ?? null) : reader.userId;
    const connection = await this.connections.find(userId, nameOrId);
    if (!connection) throw new ConnectionNotFoundError();
    if (connection.right === null) {
      throw 'savedBy' in reader ? new ConnectionAccessLostError(reader, connection) : new ConnectionForbiddenError('read');
    }
    return { id: connection.id, name: connection.name, client: this.clients.of(connection), claim };
  }
}

/** A run of a job waits in a line of its own: its user's other work does not hold it up. */
function claimOf(reader: WarehouseReader): Claim {
  return { caller: 'savedBy' in reader ? `${reader.kind} ${reader.id}` : reader.userId };
}
