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

/** Milliseconds for which a request waits for a turn or a connection. */
const patienceMs = 5_000;
/** The most requests of one user that may wait. */
const waitingPerUser = 200;
/** A page is full once its rows have taken this share of the bytes that an answer may take. */
const pageShare = 1 / 4;

export interface PageStatement {
  /** SQL that selects the rows in their order, without a LIMIT. */
  text: string;
  values: unknown[];
  limit: number;
  /**
   * SQL expression for the bytes of a row's long texts. `octet_length` of a text column does not read the text; a JSON column has to be
   * read and printed for it.
   */
  sizeOf: string;
}

/** The rows of a page, and whether further rows follow them. */
export interface RowPage<R> {
  rows: R[];
  hasMore: boolean;
}

const lastStatement = new AsyncLocalStorage<(client: PoolClient) => Promise<void>>();

/**
 * Runs `work`, and runs `statement` at the end of every transaction that `work` begins. The writes of `statement` are committed together
 * with the transaction or not at all. A transaction whose `statement` rejects is rolled back.
 */
export function withEachTransaction<T>(statement: (client: PoolClient) => Promise<void>, work: () => Promise<T>): Promise<T> {
  return lastStatement.run(statement, work);
}

/**
 * Connections to the service's own database, with the service's own role. Every wait has a limit: 5 s for a user's turn, 5 s for a
 * connection, 60 s for a statement unless a caller sets another limit, 10 s for a lock, and 5 s for a server that does not answer at all.
 * The requests of one user get at most half of the connections, so that other users find a free one even if the statements of that user
 * wait or take long.
 */
@Injectable()
export class ServicePool extends WatchedPool implements OnApplicationShutdown {
  private readonly answerMaxBytes: number;
  private readonly share: FairShare;
  /** Set while work holds a connection. If such work asks for another connection, it does not wait for a turn again. */
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

  /**
   * Cancels the statement that another connection currently runs, if any. The cancellation may arrive late and then hit the next statement.
   * Never rejects.
   */
  async cancel(backendPid: number): Promise<void> {
    // The user whose statement is cancelled may have used up their share of connections, so the cancellation takes a connection without a
    // turn.
    await this.holding.run(true, () => this.query('SELECT pg_cancel_backend($1)', [backendPid])).catch(() => undefined);
  }

  /**
   * Runs one statement that reads stored user data, whose size is not known.
   * @throws AnswerTooLargeError if its result takes more bytes than an answer may
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
   * Reads a page of rows that hold stored user data. The page ends after `limit` rows, or earlier with the row that fills it.
   * @throws AnswerTooLargeError for a single row that takes more bytes than an answer may
   */
  async readPage<R extends object>(source: AnswerSource, { text, values, limit, sizeOf }: PageStatement): Promise<RowPage<R>> {
    // A window without ORDER BY reads the rows in the order of the inner statement. OFFSET 0 keeps PostgreSQL from computing the sizes a
    // second time for the sum.
    const rows = await this.readBounded<R & { page_found: string; page_own: string; page_before: string }>(
      source,
      `SELECT * FROM (
         SELECT sized.*, count(*) OVER () AS page_found,
                coalesce(sum(page_own) OVER (ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS page_before
         FROM (SELECT found.*, ${sizeOf} AS page_own FROM (${text} LIMIT ${limit + 1}) AS found OFFSET 0) AS sized) AS page
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
