import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import { Egress } from '../../egress/egress.js';
import { SecretBox } from '../../secrets/secret-box.js';
import { type WarehouseClient } from '../clients/warehouse.client.js';
import { MirrorClient } from '../mirror/mirror.client.js';
import { type Connection } from './connection.entity.js';
import { kindOf } from './warehouse-kinds.js';

export type OpenedConnection = Pick<Connection, 'id' | 'type' | 'dsnSealed' | 'options'>;

interface Held {
  /**
   * Type, encrypted DSN and options with which the client was opened, as JSON. If they differ from those of the connection, the connection
   * was changed, here or by another process, and the client is replaced.
   */
  openedWith: string;
  client: Promise<WarehouseClient>;
}

/** The owner name under which the DSN of a connection is encrypted. */
export function secretOwner(connectionId: number): string {
  return `connection ${connectionId}`;
}

/** Holds one client for each connection. All connections of the type pg_mirror share the client of the mirror. */
@Injectable()
export class WarehouseClients implements OnApplicationShutdown {
  private readonly held = new Map<number, Held>();

  constructor(
    readonly mirror: MirrorClient,
    private readonly secrets: SecretBox,
    private readonly egress: Egress,
    private readonly settings: Settings,
  ) {}

  /** @throws ConnectionTypeNotBuiltError, SecretUnreadableError, DriverNotInstalledError */
  async of(connection: OpenedConnection): Promise<WarehouseClient> {
    if (connection.type === 'pg_mirror') return this.mirror;
    const openedWith = JSON.stringify([connection.type, connection.dsnSealed, connection.options]);
    const held = this.held.get(connection.id);
    if (held?.openedWith === openedWith) return held.client;
    const client = this.open(connection);
    const entry = { openedWith, client };
    this.held.set(connection.id, entry);
    void this.end(held);
    // A client that failed to open is forgotten, so the next caller tries again.
    client.catch(() => this.held.get(connection.id) === entry && this.held.delete(connection.id));
    return client;
  }

  /** Opens a new client, which only the caller uses and must close. @throws the errors of `of` */
  async open({ id, type, dsnSealed, options }: OpenedConnection): Promise<WarehouseClient> {
    const kind = kindOf(type);
    const dsn = await this.secrets.open(dsnSealed ?? '', secretOwner(id));
    const { answerMaxBytes, duckdbDirectory } = this.settings;
    return kind.open({ dsn, options, egress: this.egress, answerMaxBytes, duckdbDirectory });
  }

  /** Closes the client of a connection that was changed or deleted. Running work still completes. */
  forget(connectionId: number): void {
    void this.end(this.held.get(connectionId));
    this.held.delete(connectionId);
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all([...this.held.values()].map(held => this.end(held)));
  }

  private async end(held: Held | undefined): Promise<void> {
    await held?.client.then(client => client.close()).catch(() => undefined);
  }
}
