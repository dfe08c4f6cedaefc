import { AsyncLocalStorage } from 'node:async_hooks';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type pg from 'pg';
import { type PoolClient } from 'pg';
import { AnswerTooLargeError, type AnswerSource } from '../common/errors/answer-too-large.error.js';
import { DatabaseBusyError } from '../common/errors/common-errors.js';
import { currentUserId } from '../common/logging/request-context.js';
import { FairShare } from '../common/turns/fair-share.js';
import { withinBytes } from './byte-budget.js';
import { type DatabaseLink } from './database-link.js';
import { type ConnectCallback, WatchedPool } from './watched-pool.js';

/** As long as anybody waits for a connection. */
const patienceMs = 5_000;
/** Requests of one user that may wait. */
const waitingPerUser = 200;
/** The share of the bytes of an answer with which a page is full. */
const pageShare = 1 / 4;

export interface PageStatement {
  /** Selects rows in their order, without a LIMIT. */
  text: string;
  values: unknown[];
  limit: number;
  /** The bytes of the long texts of a row, in SQL. `octet_length` of a text column reads none of it; JSON is read and printed for it. */
  sizeOf: string;
}

/** The rows of a page, and whether more come after them. */
export interface RowPage<R> {
  rows: R[];
  hasMore: boolean;
}

const lastStatement = new AsyncLocalStorage<(client: PoolClient) => Promise<void>>();

/**
 * Runs `work`, and `statement` at the end of every transaction that `work` begins: what it writes is committed with the transaction or
 * not at all. A transaction whose `statement` rejects is rolled back.
 */
export function withEachTransaction<T>(statement: (client: PoolClient) => Promise<void>, work: () => Promise<T>): Promise<T> {
  return lastStatement.run(statement, work);
}

/**
 * Connections to the service's own database, with the service's own role. Every wait has a limit: 5 s for a user's turn, 5 s for a
 * connection, 60 s for a statement unless a caller sets its own, 10 s for a lock, and 5 s for a server that no longer answers at all.
 * The requests of one user get half of the connections at most, so that others find one, whatever statement of a user waits or takes
 * long.
 */
@Injectable()
export class ServicePool extends WatchedPool implements OnApplicationShutdown {
  private readonly answerMaxBytes: number;
  private readonly share: FairShare;
  /** Work that has a connection and asks for another one has its place already. */
  private readonly holding = new AsyncLocalStorage<true>();

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
    this.share = new FairShare({ places: size, waitingPerCaller: waitingPerUser, patienceMs, refuse: () => new DatabaseBusyError() });
  }

  override connect(): Promise<PoolClient>;
  override connect(callback: ConnectCallback): void;
  override connect(callback?: ConnectCallback): Promise<PoolClient> | void {
    const userId = this.holding.getStore() ? null : currentUserId();
    if (userId === null) return callback ? super.connect(callback) : super.connect();
    const connected = this.connectFor(userId);
    if (!callback) return connected;
    connected.then(
      client => callback(undefined, client, client.release.bind(client) as (release?: unknown) => void),
      (error: Error) => callback(error, undefined, () => undefined),
    );
  }

  private async connectFor(userId: number): Promise<PoolClient> {
    const leave = await this.share.enter({ caller: userId });
    try {
      const client = await super.connect();
      const release = client.release.bind(client);
      client.release = error => {
        leave();
        release(error);
      };
      return client;
    } catch (error) {
      leave();
      throw error;
    }
  }

  /** Cancels what another connection runs just now, if anything. It may come late, and then reach the next statement. Never rejects. */
  async cancel(backendPid: number): Promise<void> {
    // It must not wait in the line of the user whose statement it ends.
    await this.holding.run(true, () => this.query('SELECT pg_cancel_backend($1)', [backendPid])).catch(() => undefined);
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

  /**
   * Reads a page of rows that hold stored user data. It ends after `limit` rows, or earlier with the row that fills it.
   * @throws AnswerTooLargeError for a row that is too large for any answer
   */
  async readPage<R extends object>(source: AnswerSource, { text, values, limit, sizeOf }: PageStatement): Promise<RowPage<R>> {
    // A window without an order takes the rows in theirs.
    const rows = await this.readBounded<R & { page_found: string; page_own: string; page_before: string }>(
      source,
      `SELECT * FROM (
         SELECT found.*, count(*) OVER () AS page_found, ${sizeOf} AS page_own,
                coalesce(sum(${sizeOf}) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS page_before
         FROM (${text} LIMIT ${limit + 1}) AS found) AS page
       WHERE page_before < ${this.answerMaxBytes * pageShare} AND (page_before = 0 OR page_before + page_own < ${this.answerMaxBytes * (1 - pageShare)})
       LIMIT ${limit}`,
      values,
    );
    const hasMore = rows.length < Number(rows[0]?.page_found ?? 0);
    return { rows: rows.map(({ page_found: _, page_own: __, page_before: ___, ...row }) => row as unknown as R), hasMore };
  }

  /** Runs `work` in one transaction: committed when it resolves, rolled back when it rejects. */
  async transaction<T>(work: (client: PoolClient) => Promise<T>): Promise<T> {
    const client = await this.connect();
    let broken: Error | undefined;
    try {
      await client.query('BEGIN');
      const result = await this.holding.run(true, () => work(client));
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
