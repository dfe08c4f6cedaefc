import { setTimeout as sleep } from 'node:timers/promises';
import pg, { type PoolClient } from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { type Logger } from 'pino';
import { checkDetail } from '../../common/json/check-detail.js';
import { parseExactJson, toExactNumber } from '../../common/json/parse-exact-json.js';
import { Pace } from '../../common/turns/pace.js';
import { withinBytes } from '../../database/byte-budget.js';
import { type GraphTables, graphTables } from '../../database/graph-tables.js';
import { type WatchedPool } from '../../database/watched-pool.js';
import { GraphGoneError, QueryTimeoutError, ReplicaBehindError } from '../retrieval.errors.js';
import { type GraphRead, GraphServers, type GraphServerUrls } from './graph-servers.js';
import { sqlstates, sqlstateOf } from '../../sql/sqlstate.js';

const cancelAgainMs = 100;
/**
 * The server's own limit on a statement outside of a transaction. The process cancels a statement earlier, at the query's time-out, unless
 * the process hangs.
 */
const aloneMs = 600_000;
/**
 * The number of graphs for which one connection prepares statements. The server keeps prepared statements in the memory of the connection.
 */
const mostPrepared = 16;
const preparedFor = new WeakMap<PoolClient, Set<number>>();

const oids = { int8: 20, numeric: 1700, json: 114, jsonb: 3802, timestamp: 1114, timestamptz: 1184, date: 1082 };

/** Parses column values into the form that the answer's JSON needs: numbers exact, dates as text. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format?: 'text' | 'binary') => {
    switch (oid) {
      case oids.json:
      case oids.jsonb:
        return (text: string) => {
          checkDetail(text);
          return parseExactJson(text);
        };
      case oids.int8:
      case oids.numeric:
        return toExactNumber;
      case oids.timestamptz:
        return (text: string) => new Date(text).toISOString();
      case oids.date:
      case oids.timestamp:
        return (text: string) => text;
      default:
        return pg.types.getTypeParser(oid, format) as unknown;
    }
  }) as pg.CustomTypesConfig['getTypeParser'],
};

export interface GraphReader {
  graphId: number;
  /** The graph's tables, as statements name them. */
  tables: GraphTables;
  /** The most bytes that an answer may take. */
  answerMaxBytes: number;
  /** The version of the graph that all rows of this reader belong to. */
  version: number;
  /** @param name if given, the statement is prepared under this name; its text must always be the same for a graph */
  query<R extends object>(sql: string, parameters?: unknown[], name?: string): Promise<R[]>;
  /** Reads rows as arrays, for columns whose names are unknown or occur twice. */
  rows(sql: string, parameters?: unknown[]): Promise<unknown[][]>;
  /**
   * Streams the rows of a query in the text format of COPY … TO STDOUT. Their bytes do not count towards the limit on answers.
   * @param take is called with one chunk after the other. If it throws, the rest is not read.
   */
  copy(sql: string, take: (chunk: Buffer) => void): Promise<void>;
}

/** A reader whose statements may each have a snapshot of their own. Every statement checks that it finds the same version. */
export interface VersionReader extends GraphReader {
  /**
   * Uses one snapshot from now on, for work that takes long, so that ingestion runs may make new versions meanwhile.
   * @throws VersionMovedError
   */
  hold(): Promise<void>;
}

/** The graph no longer has the version that the work is about. */
export class VersionMovedError extends Error {}

/** Columns that `withVersion` adds to a statement that runs outside of a transaction. */
interface Alone {
  graph_version: number;
  /** True in a row of the statement. Null if the statement has no rows: a single row then carries only the version. */
  is_row: true | null;
}

/** A version of a graph that stays readable while ingestion runs write newer ones. It occupies a connection. */
export interface HeldSnapshot {
  version: number;
  /** Reads only this version. */
  database: RetrievalDatabase;
  release(): void;
}

/** The retrieval process's own small pool, with short waits and read-only transactions. */
export class RetrievalDatabase {
  private constructor(
    private readonly servers: GraphServers,
    private readonly answerMaxBytes: number,
    readonly leastVersion = 0,
    private readonly snapshot: { id: string; pool: WatchedPool } | null = null,
  ) {}

  /**
   * @param size the most connections to each server
   * @param answerMaxBytes the most bytes with which one statement may answer
   */
  static open(urls: GraphServerUrls, size: number, answerMaxBytes: number, log: Logger): RetrievalDatabase {
    return new RetrievalDatabase(new GraphServers(urls, { max: size, types, statement_timeout: aloneMs }, log), answerMaxBytes);
  }

  /** The same database, but no graph is read in a version older than `version`. */
  atLeast(version: number): RetrievalDatabase {
    return new RetrievalDatabase(this.servers, this.answerMaxBytes, Math.max(version, this.leastVersion));
  }

  /**
   * Keeps the present version readable until `release`, for `mostMs` at most. Rows that are deleted or changed meanwhile cannot be
   * cleaned away, so a hold must be short.
   * @throws GraphGoneError
   */
  async hold(graphId: number, mostMs: number): Promise<HeldSnapshot> {
    const what = { graphId, leastVersion: this.leastVersion, signal: new AbortController().signal, untilMs: performance.now() + mostMs };
    return this.servers.read(what, async pool => {
      const client = await this.servers.connect(pool);
      try {
        // If the process hangs, the server ends a snapshot that outlasts its time.
        const begun = (await client.query(
          `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; SET LOCAL idle_in_transaction_session_timeout = ${Math.trunc(mostMs)};
           SELECT version, pg_export_snapshot() AS id FROM graphs WHERE id = ${Math.trunc(graphId)}`,
        )) as unknown as pg.QueryResult<{ version: number; id: string }>[];
        const row = begun[2]?.rows[0];
        if (!row) throw new GraphGoneError(graphId);
        const database = new RetrievalDatabase(this.servers, this.answerMaxBytes, 0, { id: row.id, pool });
        const release = (): void => void client.query('ROLLBACK').then(() => client.release(), (error: Error) => client.release(error)); // prettier-ignore
        return { version: row.version, database, release };
      } catch (error) {
        client.release(error as Error);
        throw error;
      }
    });
  }

  /** How often the primary and the replica were read. */
  get reads(): GraphServers['reads'] {
    return this.servers.reads;
  }

  /**
   * Runs `work` in one snapshot of the database, so that a version and the rows read with it belong together.
   * @param timeoutMs limit of each statement, and of `work` as a whole. After it the running statement is cancelled.
   * @param limitBytes limit on the bytes with which one statement may answer
   * @throws AnswerTooLargeError when a statement answers with more than `limitBytes`; GraphGoneError when the graph does not exist;
   *   QueryTimeoutError when the time is over; ReplicaBehindError when no server has the version.
   */
  async readGraph<T>(
    graphId: number,
    timeoutMs: number,
    signal: AbortSignal,
    work: (reader: GraphReader) => Promise<T>,
    limitBytes = this.answerMaxBytes,
  ): Promise<T> {
    signal.throwIfAborted();
    const untilMs = performance.now() + timeoutMs;
    const what = { graphId, leastVersion: this.leastVersion, signal, untilMs };
    if (this.snapshot) return this.readFrom(this.snapshot.pool, what, timeoutMs, work, limitBytes);
    return this.servers.read(what, pool => this.readFrom(pool, what, timeoutMs, work, limitBytes));
  }

  /**
   * Runs `work` like `readGraph`, but for a version that is already known, when most of the work happens in memory. Each statement then
   * takes one round trip and no transaction, since it also reads the graph's version.
   * @throws VersionMovedError when the graph has another version; otherwise what `readGraph` throws
   */
  async readVersion<T>(
    { graphId, version }: { graphId: number; version: number },
    timeoutMs: number,
    signal: AbortSignal,
    work: (reader: VersionReader) => Promise<T>,
  ): Promise<T> {
    signal.throwIfAborted();
    const what = { graphId, leastVersion: version, signal, untilMs: performance.now() + timeoutMs };
    return this.servers.read(what, pool => this.readFrom(pool, what, timeoutMs, work, this.answerMaxBytes, version));
  }

  /** @param known the version that the work is about; if absent, the snapshot begins at once and its version is used */
  private async readFrom<T>(
    pool: WatchedPool,
    { graphId, leastVersion, signal, untilMs }: GraphRead,
    timeoutMs: number,
    work: (reader: VersionReader) => Promise<T>,
    limitBytes: number,
    known?: number,
  ): Promise<T> {
    const leftMs = Math.max(1, Math.ceil(untilMs - performance.now()));
    const client = await this.servers.connect(pool);
    let timedOut = false;
    let isAtEnd = false;
    let cancelling: Promise<unknown> | null = null;
    const cancel = (): void => {
      cancelling ??= this.cancelUntil(() => isAtEnd, client);
    };
    const timer = setTimeout(() => {
      timedOut = true;
      cancel();
    }, leftMs);
    signal.addEventListener('abort', cancel, { once: true });
    const check = (version: number | undefined): number => {
      // A new graph may not have reached the replica yet.
      if (version === undefined && this.servers.isReplica(pool)) throw new ReplicaBehindError();
      if (version === undefined) throw new GraphGoneError(graphId);
      if (version < leastVersion) throw new ReplicaBehindError();
      if (version !== (known ?? version)) throw new VersionMovedError();
      return version;
    };
    let held: Promise<number> | null = null;
    const begin = async (): Promise<number> => {
      // All statements take one round trip. `leftMs` and `graphId` are integers by their types and cannot carry SQL.
      const snapshot = this.snapshot ? `SET TRANSACTION SNAPSHOT ${pg.escapeLiteral(this.snapshot.id)};` : '';
      const begun = (await client.query(
        `BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${snapshot} SET LOCAL statement_timeout = ${leftMs}; SELECT version FROM graphs WHERE id = ${Math.trunc(graphId)}`,
      )) as unknown as pg.QueryResult<{ version: number }>[];
      return check(begun.at(-1)?.rows[0]?.version);
    };
    const hold = (): Promise<number> => (held ??= begin());
    try {
      const version = known ?? (await hold());
      const budget = { limitBytes, source: 'query' } as const;
      const run = async <R extends object>(config: pg.QueryConfig): Promise<R[]> => {
        signal.throwIfAborted();
        return (await withinBytes(client, budget, () => client.query(config))).result.rows as R[];
      };
      const runAlone = async <R extends object>(text: string, values: unknown[], name?: string): Promise<R[]> => {
        const rows = await run<Alone & R>({
          ...named(client, name && `${name} of version`, graphId),
          text: withVersion(text, graphId),
          values,
        });
        check(rows[0]?.graph_version);
        return rows.filter(row => row.is_row);
      };
      return await work({
        graphId,
        tables: graphTables(graphId),
        answerMaxBytes: this.answerMaxBytes,
        version,
        hold: async () => void (await hold()),
        query: async (text, values = [], name) => {
          if (!held) return runAlone(text, values, name);
          await held;
          return run({ ...named(client, name, graphId), text, values });
        },
        rows: async (text, values = []) => {
          await hold();
          return run<unknown[]>({ text, values, rowMode: 'array' } as pg.QueryArrayConfig);
        },
        copy: async (sql, take) => {
          await hold();
          return this.copy(client, sql, take);
        },
      });
    } catch (error) {
      signal.throwIfAborted();
      const sqlstate = sqlstateOf(error);
      if (timedOut || sqlstate === sqlstates.queryCanceled) throw new QueryTimeoutError(timeoutMs);
      // The snapshot still shows the graph's row, but a dropped table is gone from every snapshot at once.
      if (sqlstate === sqlstates.undefinedTable) throw new GraphGoneError(graphId);
      throw error;
    } finally {
      isAtEnd = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', cancel);
      // The caller gets its answer at once. The connection is returned only after the cancellation has ended, because a late cancellation
      // would end the next caller's query.
      Promise.resolve(cancelling)
        .then(() => (held ?? cancelling) && client.query('ROLLBACK'))
        .then(
          () => client.release(),
          (failure: Error) => client.release(failure),
        );
    }
  }

  async close(): Promise<void> {
    await this.servers.close();
  }

  private async copy(client: PoolClient, sql: string, take: (chunk: Buffer) => void): Promise<void> {
    let failed: { error: unknown } | null = null;
    const stream = client.query(copyTo(`COPY (${sql}) TO STDOUT`));
    const pace = new Pace();
    try {
      for await (const chunk of stream as AsyncIterable<Buffer>) {
        if (failed) continue;
        // Chunks that have already arrived follow each other without returning to the event loop.
        if (pace.isOverdue) await pace.turn();
        try {
          take(chunk);
        } catch (error) {
          failed = { error };
          // The connection can be used again once the server has ended the statement.
          await this.cancel(client);
        }
      }
    } catch (error) {
      failed ??= { error };
    }
    if (failed) throw failed.error;
  }

  /**
   * Cancels the connection's statement repeatedly until the work has ended: a cancellation that arrives before its statement has no effect.
   */
  private async cancelUntil(isAtEnd: () => boolean, client: PoolClient): Promise<void> {
    while (!isAtEnd()) {
      await this.cancel(client);
      if (!isAtEnd()) await sleep(cancelAgainMs);
    }
  }

  private async cancel(client: PoolClient): Promise<void> {
    await this.servers.cancel(client);
  }
}

/** Adds the graph's version to each row of a statement. If the statement has no rows, a single row carries the version. */
function withVersion(text: string, graphId: number): string {
  return `SELECT g.version AS graph_version, found.* FROM graphs g LEFT JOIN (SELECT true AS is_row, rows.* FROM (${text}) rows) found ON true WHERE g.id = ${Math.trunc(graphId)}`;
}

/**
 * The name under which a statement is prepared; absent if the connection prepares no statements for this graph. A prepared statement names
 * the tables of one graph and stays in the memory of the connection. So a connection prepares only for the first `mostPrepared` graphs that
 * it reads.
 */
function named(client: PoolClient, name: string | undefined, graphId: number): { name?: string } {
  if (name === undefined) return {};
  const graphs = preparedFor.get(client) ?? new Set<number>();
  preparedFor.set(client, graphs);
  if (graphs.size < mostPrepared) graphs.add(graphId);
  return graphs.has(graphId) ? { name: `${name} ${graphId}` } : {};
}
