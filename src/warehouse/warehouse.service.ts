import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Connection } from './connection.entity.js';
import { ConnectionsRepository } from './connections.repository.js';
import { tableNameProblem } from './csv/csv-header.js';
import { MirrorCatalog } from './mirror-catalog.js';
import { type ReadResult } from './capped-query.js';
import { MirrorReader, type ReadRequest } from './mirror-reader.js';
import { ConnectionNotFoundError } from './warehouse.errors.js';

export interface ResolvedConnection {
  id: number;
  name: string;
  type: string;
}

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
   * @throws ConnectionNotFoundError
   */
  async resolve(nameOrId: string | number | null): Promise<ResolvedConnection> {
    const connection = await this.find(nameOrId);
    if (!connection) throw new ConnectionNotFoundError();
    return { id: connection.id, name: connection.name, type: connection.type };
  }

  /** Why no mirror table may have this name, although an earlier release may have taken one; null for nothing. */
  tableNameProblem(name: string): { type: string; zh: string; en: string } | null {
    return tableNameProblem(name);
  }

  /** @throws ConnectionNotFoundError */
  async describeTable(connectionId: number, table: string): Promise<TableDescription | null> {
    await this.connections.getById(connectionId);
    const columns = await this.catalog.findColumns(table);
    return columns && { name: table, columns: columns.map(({ name, type }) => ({ name, type })) };
  }

  /** Names of all tables, in order. @throws ConnectionNotFoundError */
  async listTables(connectionId: number): Promise<string[]> {
    await this.connections.getById(connectionId);
    return this.catalog.listNames();
  }

  /**
   * Runs one guarded statement, read-only, as a role that sees nothing but the tables of the connection.
   * @throws ConnectionNotFoundError, WarehouseQueryError, WarehouseTimeoutError, WarehouseUnavailableError
   */
  async read(connectionId: number, request: ReadRequest): Promise<ReadResult> {
    await this.connections.getById(connectionId);
    return this.reader.read(request);
  }

  private async find(nameOrId: string | number | null): Promise<Connection | null> {
    if (nameOrId === null) return this.connections.findDefault();
    if (typeof nameOrId === 'number') return this.connections.findById(nameOrId);
    const named = await this.connections.findByName(nameOrId);
    if (named || !/^[1-9]\d{0,8}$/.test(nameOrId)) return named;
    return this.connections.findById(Number(nameOrId));
  }
}
