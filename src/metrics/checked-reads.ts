import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { inLimitedTurns } from '../common/turns/pace.js';
import { Settings } from '../config/settings.js';
import { type SqlStatement } from '../sql/sql-parameters.js';
import { sqlstates } from '../sql/sqlstate.js';
import { type SnapshotQuery } from '../warehouse/clients/postgres/postgres-reads.js';
import { type QueryResult } from '../warehouse/clients/warehouse.client.js';
import { type DataVersion, dataVersions } from '../warehouse/mirror/mirror-versions.js';
import { requirePostgresSql } from '../warehouse/require-postgres-sql.js';
import { WarehouseQueryError } from '../warehouse/warehouse.errors.js';
import { type UsableConnection } from '../warehouse/warehouse.service.js';
import { changesOf, columnsGone } from './binding/column-changes.js';
import { type CostEstimate, estimateCost } from './estimate-cost.js';
import { fanOut } from './fan-out.js';
import { BindingOutdatedError } from './metrics.errors.js';
import { placesOf } from './plan/bound-sql.js';
import { compileProof } from './plan/compile-proof.js';
import { compileUntimed } from './plan/compile-untimed.js';
import { bindingKey, type BoundJoin, type BoundTable, type MetricBinding, type TableRead } from './plan/metric-binding.js';
import { statementTellsTime } from '../sql-guard/tells-time.js';

/** The zone, tables, joins and columns that a metric reads, as its compiler found them. */
export interface MetricReads {
  timezone: string;
  tables: readonly BoundTable[];
  joins: readonly BoundJoin[];
  reads: readonly TableRead[];
}

export interface CheckedStatement extends SqlStatement {
  maxRows: number;
}

export interface CheckedResult {
  /** The result of each statement, then the number of rows without a time as one row of one value. */
  results: QueryResult[];
  /** The data versions of the mirror's tables in the snapshot that was read. Null for another database. */
  versions: ReadonlyMap<string, number> | null;
}

const mostProofs = 2_000;
/** Maximum time in ms of counting the rows without a time: the count serves a warning, and the rows of the answer wait for it. */
const untimedMs = 1_000;
/** Maximum number of joins, and of tables, that one statement checks. */
const mostInProof = 20;
/** Maximum data versions that are read; no metric reads so many tables. */
const mostVersions = 1_000;

/**
 * Runs the statements of a metric. First it checks that the tables are still as they were when the binding was checked: the keys of joins
 * are unique, and columns have the same types. The checks run in the snapshot that the statements read.
 */
@Injectable()
export class CheckedReads {
  /** For each proof, by its key: the data versions of the mirror's tables at which the proof succeeded. */
  private readonly provedAt = new LRUCache<string, string>({ max: mostProofs });

  /** Numbers of rows without a time, by a hash of the bindings, the zone and the data versions. 0 also after a count that failed. */
  private readonly untimed = new LRUCache<string, number>({ max: mostProofs });

  constructor(private readonly settings: Settings) {}

  /**
   * Runs the statements in one snapshot, then counts the rows of `timed` without a time.
   * @throws FanOutJoinError, BindingOutdatedError, and the errors of `WarehouseClient.query`
   */
  run(
    connection: UsableConnection,
    metric: MetricReads,
    statements: readonly CheckedStatement[],
    timed: readonly MetricBinding[],
  ): Promise<CheckedResult> {
    return this.snapshot(connection, metric, async query => {
      const versions = await this.check(query, connection, metric);
      const results: QueryResult[] = [];
      for (const statement of statements) results.push(await query(statement));
      const untimed = await this.countUntimed(query, connection, metric, versions, timed);
      results.push({ columns: [], rows: [[untimed]], truncated: false, bytes: 0 });
      return { results, versions: versions && new Map([...versions].map(([table, { version }]) => [table, version])) };
    });
  }

  /** Reads all rows of a statement from one snapshot, and passes them to `take` batch by batch. @throws as `run`, and what `take` throws */
  export(
    connection: UsableConnection,
    metric: MetricReads,
    statement: SqlStatement,
    wholeMs: number,
    take: (batch: QueryResult) => Promise<void>,
  ): Promise<void> {
    const { client, request } = this.snapshotOf(connection, metric);
    return this.explained(connection, metric, () =>
      client.export({ ...request, wholeMs }, async (query, rows) => {
        await this.check(query, connection, metric);
        for await (const batch of rows(statement)) await take(batch);
      }),
    );
  }

  /**
   * Asks the database for the plans and costs of the statements. No rows are read.
   * @throws as `run`, except errors that only reading rows can cause
   */
  estimate(connection: UsableConnection, metric: MetricReads, statements: readonly SqlStatement[]): Promise<CostEstimate> {
    const tables = new Set(metric.tables.flatMap(placesOf).map(({ table }) => table));
    return this.snapshot(connection, metric, query => estimateCost(query, statements, tables));
  }

  private snapshot<T>(connection: UsableConnection, metric: MetricReads, work: (query: SnapshotQuery) => Promise<T>): Promise<T> {
    const { client, request } = this.snapshotOf(connection, metric);
    return this.explained(connection, metric, () => client.snapshot(request, work));
  }

  private snapshotOf({ client, claim }: UsableConnection, metric: MetricReads) {
    requirePostgresSql(client);
    const request = {
      claim,
      tables: metric.tables.flatMap(placesOf),
      timeZone: metric.timezone,
      timeoutMs: this.settings.warehouseTimeoutMs,
      source: 'metric' as const,
    };
    return { client, request };
  }

  private async explained<T>(connection: UsableConnection, metric: MetricReads, read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (!isUndefinedColumn(error)) throw error;
      const gone = await columnsGone(metric.reads, connection);
      throw gone.length > 0 ? new BindingOutdatedError(gone) : error;
    }
  }

  /**
   * The number of rows without a time in the tables of the bindings, counted once for each data version of the tables. 0 if a table has no
   * version, and if the count fails or takes too long, which must not fail the request. `run` counts last, because a failed statement ends
   * the transaction.
   */
  private async countUntimed(
    query: SnapshotQuery,
    { claim }: UsableConnection,
    { tables, timezone }: MetricReads,
    versions: ReadonlyMap<string, DataVersion> | null,
    bindings: readonly MetricBinding[],
  ): Promise<number> {
    const at = tables.map(table => versionOf(table, versions));
    if (bindings.length === 0 || at.includes(null)) return 0;
    const hash = createHash('sha256').update(JSON.stringify([timezone, at]));
    for (const binding of bindings) hash.update(bindingKey(binding));
    const key = hash.digest('base64');
    const known = this.untimed.get(key);
    if (known !== undefined) return known;
    let count = 0;
    try {
      const statement = await inLimitedTurns(compileUntimed(bindings));
      if (statement) count = Number((await query({ ...statement, maxRows: 1, timeoutMs: untimedMs })).rows[0]?.[0] ?? 0);
    } catch {
      claim.signal?.throwIfAborted();
    }
    this.untimed.set(key, count);
    return count;
  }

  /**
   * Checks join keys and column types in the snapshot.
   * @returns the data versions of the tables; null for another database than the mirror
   */
  private async check(query: SnapshotQuery, connection: UsableConnection, metric: MetricReads) {
    const tables = mirrorTables(connection, metric);
    const versions = tables && (await dataVersions(tables, byName(query)));
    await this.prove(query, metric, versions);
    return versions;
  }

  /** Proves the join keys and column types that were not proved at these data versions yet. */
  private async prove(query: SnapshotQuery, metric: MetricReads, versions: ReadonlyMap<string, DataVersion> | null): Promise<void> {
    const isOpen = ({ key, at }: Proof): boolean => at === null || this.provedAt.get(key) !== at;
    const keys = eachOnce(metric.joins, join => proofOfKey(join, metric.timezone, versions)).filter(([, proof]) => isOpen(proof));
    const types = eachOnce(metric.reads, read => proofOfTypes(read, versions)).filter(([, proof]) => isOpen(proof));
    const repeated: BoundJoin[] = [];
    const changes: ReturnType<typeof changesOf> = [];
    for (let at = 0; at < Math.max(keys.length, types.length); at += mostInProof) {
      const [ofKeys, ofTypes] = [keys.slice(at, at + mostInProof), types.slice(at, at + mostInProof)];
      const faults = await this.findFaults(
        query,
        ofKeys.map(([join]) => join),
        ofTypes.map(([read]) => read),
      );
      repeated.push(...faults.repeated);
      changes.push(...faults.changes);
    }
    if (repeated[0]) throw fanOut(repeated[0]);
    if (changes.length > 0) throw new BindingOutdatedError(changes);
    for (const [, { key, at }] of [...keys, ...types]) if (at !== null) this.provedAt.set(key, at);
  }

  private async findFaults(query: SnapshotQuery, joins: readonly BoundJoin[], reads: readonly TableRead[]) {
    const proof = await inLimitedTurns(compileProof(joins, reads));
    const { columns, rows } = await query({ ...proof, maxRows: 1 });
    const changes = changesOf(
      reads,
      columns.slice(joins.length).map(column => column.type),
    );
    return { repeated: joins.filter((_, index) => rows[0]?.[index] === true), changes };
  }
}

/** The distinct tables of the mirror that a metric reads. Null for another database. */
export function mirrorTables({ client }: UsableConnection, { tables }: Pick<MetricReads, 'tables'>): string[] | null {
  return client.local && [...new Set(tables.flatMap(placesOf).map(({ table }) => table))];
}

/** The data versions of the tables that a table of a binding is read from, as one text. Null if any of them is not known. */
function versionOf(table: BoundTable, versions: ReadonlyMap<string, DataVersion> | null): string | null {
  const all = placesOf(table).map(place => versions?.get(place.table)?.version);
  return all.length === 0 || all.includes(undefined) ? null : all.join(' ');
}

interface Proof {
  key: string;
  /** The data versions at which the proof holds. Null if the fact may change without a new data version, or if a version is not known. */
  at: string | null;
}

/** The distinct proofs of the elements of `all`, each with the first element that needs the proof. */
function eachOnce<T>(all: readonly T[], proofOf: (one: T) => Proof): [T, Proof][] {
  const found = new Map<string, [T, Proof]>();
  for (const one of all) {
    const proof = proofOf(one);
    if (!found.has(proof.key)) found.set(proof.key, [one, proof]);
  }
  return [...found.values()];
}

/**
 * The proof that the key of a join is unique. The proof's own key contains the time zone, because a join key may be the day of a moment. A
 * join key that depends on the current time is checked in every snapshot.
 */
function proofOfKey(join: BoundJoin, timezone: string, versions: ReadonlyMap<string, DataVersion> | null): Proof {
  const keys = join.on.map(([, key]) => key);
  const at = statementTellsTime(`SELECT ${[...keys, join.filter ?? 'TRUE'].join(', ')}`) ? null : versionOf(join, versions);
  return { key: JSON.stringify([join.source, join.alias, keys, join.filter, timezone]), at };
}

function proofOfTypes({ table, columns }: TableRead, versions: ReadonlyMap<string, DataVersion> | null): Proof {
  const types = columns.map(column => table.columns.find(({ name }) => name === column)?.type);
  return { key: JSON.stringify([table.source, columns, types]), at: versionOf(table, versions) };
}

function byName(query: SnapshotQuery) {
  return async (sql: string, parameters: unknown[]): Promise<Record<string, unknown>[]> => {
    const { columns, rows } = await query({ sql, parameters, maxRows: mostVersions });
    return rows.map(row => Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])));
  };
}

function isUndefinedColumn(error: unknown): boolean {
  return error instanceof WarehouseQueryError && error.sqlstate === sqlstates.undefinedColumn;
}
