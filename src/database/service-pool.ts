import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { type PoolClient } from 'pg';
import { AnswerTooLargeError, type AnswerSource } from '../common/errors/answer-too-large.error.js';
import { withinBytes } from './byte-budget.js';
import { type DatabaseLink } from './database-link.js';
import { WatchedPool } from './watched-pool.js';

const lastStatement = new AsyncLocalStorage<(client: PoolClient) => Promise<void>>();

/**
 * Runs `work`, and `statement` at the end of every transaction that `work` begins: what it writes is committed with the transaction or
 * not at all. A transaction whose `statement` rejects is rolled back.
 */
export function withEachTransaction<T>(statement: (client: PoolClient) => Promise<void>, work: () => Promise<T>): Promise<T> {
  return lastStatement.run(statement, work);
}

/**
 * Connections to the service's own database, with the service's own role. Every wait has a limit: 5 s for a connection, 60 s for a
 * statement unless a caller sets its own, 10 s for a lock, and 5 s for a server that no longer answers at all.
 */
@Injectable()
export class ServicePool extends WatchedPool implements OnApplicationShutdown {
  private readonly answerMaxBytes: number;

  constructor(link: DatabaseLink, { size, answerMaxBytes }: { size: number; answerMaxBytes: number }) {
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
    this.answerMaxBytes = answerMaxBytes;
  }

  /** Cancels what another connection runs just now, if anything. It may come late, and then reach the next statement. Never rejects. */
  async cancel(backendPid: number): Promise<void> {
    await this.query('SELECT pg_cancel_backend($1)', [backendPid]).catch(() => undefined);
  }

  /**
   * Runs one statement that reads stored user data, which may be of any size.
   * @throws AnswerTooLargeError
   */
  async readBounded<R extends object>(source: AnswerSource, text: string, values: unknown[]): Promise<R[]> {
    const client = await this.connect();
    let broken: Error | undefined;
    try {
      const budget = { limitBytes: this.answerMaxBytes, source };
      const { result } = await withinBytes(client, budget, () => client.query<R & pg.QueryResultRow>(text, values));
      return result.rows;
    } catch (error) {
      if (error instanceof AnswerTooLargeError) broken = error;
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await work(client);
      await lastStatement.getStore()?.(client);
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
