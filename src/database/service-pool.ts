import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import pg, { type PoolClient } from 'pg';

export interface ServicePoolOptions {
  url: string;
  size: number;
}

/**
 * Connections to the service's own database, with the service's own role. Every wait has a bound: 5 s for a connection,
 * 60 s for a statement unless a caller sets its own, 10 s for a lock.
 */
@Injectable()
export class ServicePool extends pg.Pool implements OnApplicationShutdown {
  constructor({ url, size }: ServicePoolOptions) {
    super({
      connectionString: url,
      max: size,
      connectionTimeoutMillis: 5_000,
      statement_timeout: 60_000,
      lock_timeout: 10_000,
      idle_in_transaction_session_timeout: 120_000,
      keepAlive: true,
    });
    // A connection that dies while idle is replaced by the pool; without a listener it would end the process.
    this.on('error', () => undefined);
    this.on('connect', client => client.on('error', () => undefined));
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
