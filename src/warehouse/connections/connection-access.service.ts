import { Injectable } from '@nestjs/common';
import { type ConnectionRight } from '../../access/access.decorator.js';
import { type Principal } from '../../access/principal.js';
import { ConnectionsRepository, type HeldConnection } from './connections.repository.js';
import { ConnectionForbiddenError, ConnectionNotFoundError } from '../warehouse.errors.js';

/** Decides who may use a warehouse connection: admins, and users to whom an admin granted it. */
@Injectable()
export class ConnectionAccessService {
  constructor(private readonly connections: ConnectionsRepository) {}

  /** @throws ConnectionNotFoundError; ConnectionForbiddenError when the connection exists but the caller lacks the right */
  async require({ userId }: Principal, connectionId: number, right: ConnectionRight): Promise<HeldConnection> {
    const connection = await this.connections.find(userId, connectionId);
    if (!connection) throw new ConnectionNotFoundError();
    const { right: held } = connection;
    if (held === null || (right === 'write' && held !== 'write')) throw new ConnectionForbiddenError(right);
    return { ...connection, right: held };
  }

  /** Whether there is a connection that the caller may write. */
  mayWriteAny({ userId }: Principal): Promise<boolean> {
    return this.connections.mayWriteAny(userId);
  }
}
