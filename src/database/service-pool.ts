import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type DatabaseLink } from './database-link.js';
import { WatchedPool } from './watched-pool.js';

/**
 * Connections to the service's own database, with the service's own role. Every wait has a bound: 5 s for a connection,
 * 60 s for a statement unless a caller sets its own, 10 s for a lock, and 5 s for a server that no longer answers at all.
 */
@Injectable()
export class ServicePool extends WatchedPool implements OnApplicationShutdown {
  constructor(link: DatabaseLink, { size }: { size: number }) {
    super(
      link.poolConfig('service', {
        max: size,
        statement_timeout: 60_000,
        lock_timeout: 10_000,
        idle_in_transaction_session_timeout: 120_000,
      }),
      link,
    );
    link.adopt('service', this);
  }

  /** Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await client.query('COMMIT');
      return result;
    } catch (error) {
      await client.query('ROLLBACK').catch((failure: Error) => (broken = failure));
      throw error;
    } finally {
      client.release(broken);
    }
  }

  async onApplicationShutdown(): Promise<void> {
    if (!this.ending) await this.end();
  }
}
