import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { type Claim } from '../common/turns/fair-share.js';
import { ConnectionsRepository } from './connections/connections.repository.js';
import { tableNameProblem } from './mirror/csv/csv-header.js';
import { MirrorCatalog } from './mirror/mirror-catalog.js';
import { type ReadResult } from './mirror/capped-query.js';
import { MirrorReader, type ReadRequest } from './mirror/mirror-reader.js';
import { ConnectionAccessLostError, ConnectionForbiddenError, ConnectionNotFoundError, type SavedRecord } from './warehouse.errors.js';

/** A connection that was found usable: whoever looks at tables or reads them shows one. */
export interface UsableConnection {
  id: number;
  name: string;
  type: string;
  /** Whose share of its connections reads take. */
  claim: Claim;
}

/** In whose name the warehouse is read: the caller's, or that of whoever saved a job or a binding, whoever asks for it. */
export type WarehouseReader = Pick<Principal, 'userId'> | SavedRecord;

export interface TableDescription {
  name: string;
  /** PostgreSQL types in their short spelling: `integer`, `numeric(12,2)`, `timestamptz`. */
  columns: { name: string; type: string }[];
}

/** What other features see of the warehouse: which connections there are, what tables they hold, and reading from them. */
@Injectable()
export class WarehouseService implements OnApplicationBootstrap {
  constructor(
    private readonly connections: ConnectionsRepository,
    private readonly catalog: MirrorCatalog,
    private readonly reader: MirrorReader,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.connections.ensureDefault();
  }

  /**
   * The connection of that id or name; a text of digits is an id where no connection is named so. Null is the default one.
   * Reads count against the share of `claim`: of whoever asks, where that is another than the reader; by default the caller or the record.
   * @throws ConnectionNotFoundError; ConnectionForbiddenError for a caller, ConnectionAccessLostError for a record
   */
  async open(reader: WarehouseReader, nameOrId: string | number | null, claim: Claim = claimOf(reader)): Promise<UsableConnection> {
    const userId = 'savedBy' in reader ? (reader.savedBy?.id ?? null) : reader.userId;
    const connection = await this.connections.find(userId, nameOrId);
    if (!connection) throw new ConnectionNotFoundError();
    const { id, name, type, right } = connection;
    if (right !== null) return { id, name, type, claim };
    throw 'savedBy' in reader ? new ConnectionAccessLostError(reader, connection) : new ConnectionForbiddenError('read');
  }

  /** Why no mirror table may have this name, although an earlier release may have taken one; null for nothing. */
  tableNameProblem(name: string): { type: string; zh: string; en: string } | null {
    return tableNameProblem(name);
  }

  async describeTable(_connection: UsableConnection, table: string): Promise<TableDescription | null> {
    const columns = await this.catalog.findColumns(table);
    return columns && { name: table, columns: columns.map(({ name, type }) => ({ name, type })) };
  }

  /** Names of all tables, in order. */
  listTables(_connection: UsableConnection): Promise<string[]> {
    return this.catalog.listNames();
  }

  /**
   * Runs one guarded statement, read-only, as a role that sees nothing but the tables of the connection.
   * @throws WarehouseBusyError, WarehouseQueryError, WarehouseTimeoutError, WarehouseUnavailableError
   */
  read({ claim }: UsableConnection, request: Omit<ReadRequest, 'claim'>): Promise<ReadResult> {
    return this.reader.read({ ...request, claim });
  }
}

/** A run of a job waits in a line of its own: its user's other work does not hold it up. */
function claimOf(reader: WarehouseReader): Claim {
  return { caller: 'savedBy' in reader ? `${reader.kind} ${reader.id}` : reader.userId };
}
