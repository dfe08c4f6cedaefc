import { Injectable } from '@nestjs/common';
import { type WarehouseClient } from '../clients/warehouse.client.js';
import { MirrorClient } from '../mirror/mirror.client.js';
import { ConnectionTypeNotBuiltError } from '../warehouse.errors.js';
import { type Connection } from './connection.entity.js';

/** Chooses the client of a connection. Every connection of type pg_mirror names the one mirror. */
@Injectable()
export class WarehouseClients {
  constructor(private readonly mirror: MirrorClient) {}

  /** @throws ConnectionTypeNotBuiltError */
  of({ type }: Pick<Connection, 'type'>): WarehouseClient {
    if (type !== 'pg_mirror') throw new ConnectionTypeNotBuiltError(type);
    return this.mirror;
  }
}
