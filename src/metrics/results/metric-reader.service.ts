import { Injectable } from '@nestjs/common';
import { type QueryResult } from '../../warehouse/clients/warehouse.client.js';
import { type UsableConnection } from '../../warehouse/warehouse.service.js';
import { CheckedReads, mirrorTables } from '../checked-reads.js';
import { TranslatedReads } from '../translated-reads.js';
import { type CostEstimate } from '../estimate-cost.js';
import { type CompiledMetrics } from '../plan/compile-metric.js';
import { type MetricBinding } from '../plan/metric-binding.js';
import { type AnsweredRows, KeptResults, type ReadWork } from './kept-results.service.js';
import { resultKey } from './result-key.js';

/** The caller who asks for a result of a graph, and the greatest age in seconds that the caller accepts; null for any age. */
export interface Asker {
  callerId: number;
  graphId: number;
  maxAgeS: number | null;
}

/** The rows read for a request. `untimed` is the number of rows that are left out because they have no time. */
export interface MetricRead extends Omit<AnsweredRows, 'results'> {
  rows: AnsweredRows['results'][number];
  totals: AnsweredRows['results'][number] | null;
  untimed: number;
}

/** Maximum rows of an export from another database. The maximum bytes of its answer are reached first. */
const mostRowsOfGroups = 10_000_000;

/** Reads the rows of compiled metrics from the warehouse, or from kept results. */
@Injectable()
export class MetricReader {
  constructor(
    private readonly reads: CheckedReads,
    private readonly translated: TranslatedReads,
    private readonly kept: KeptResults,
  ) {}

  /**
   * Reads the rows of a request and of its totals. On the mirror it also counts the rows that have no time, see `CheckedReads`.
   * @param connection a connection opened for this request, which proves that its caller may see the rows
   * @throws as `CheckedReads.run`
   */
  async read(
    asker: Asker,
    connection: UsableConnection,
    bindings: readonly MetricBinding[],
    compiled: CompiledMetrics,
    limit: number,
    signal?: AbortSignal,
  ): Promise<MetricRead> {
    const { totals, leavesUntimed } = compiled;
    const statements = [{ ...compiled, maxRows: limit + 1 }, ...(totals ? [{ ...totals, maxRows: 2 }] : [])];
    const metric = readsOf(bindings, compiled);
    const tables = mirrorTables(connection, metric) ?? [];
    const request = {
      ...asker,
      key: resultKey(connection, bindings, compiled.timezone, statements),
      connectionId: connection.id,
      tables: tables.length > 0 && statements.some(({ tellsTime }) => tellsTime) ? [] : tables,
    };
    const dialect = bindings[0]?.dialect;
    const work: ReadWork = async shared => {
      const own = withSignal(connection, shared);
      if (!dialect) return this.reads.run(own, metric, statements, leavesUntimed);
      return { results: await this.translated.run(own, dialect, metric, statements), versions: null };
    };
    const { results, ...answered } = await this.kept.read(request, work, signal);
    const sums = totals ? results[1] : undefined;
    return { ...answered, rows: results[0]!, totals: sums ?? null, untimed: Number(results[statements.length]?.rows[0]?.[0] ?? 0) };
  }

  /**
   * Reads all rows from one snapshot and hands them to `take` batch by batch. The rows of another database are one batch.
   * @throws as `CheckedReads.run`, and the errors of `take`
   */
  async export(
    connection: UsableConnection,
    bindings: readonly MetricBinding[],
    compiled: CompiledMetrics,
    wholeMs: number,
    take: (batch: QueryResult) => Promise<void>,
  ): Promise<void> {
    const dialect = bindings[0]?.dialect;
    const metric = readsOf(bindings, compiled);
    if (!dialect) return this.reads.export(connection, metric, compiled, wholeMs, take);
    const [result] = await this.translated.run(connection, dialect, metric, [{ ...compiled, maxRows: mostRowsOfGroups }]);
    await take(result!);
  }

  /** @throws as `CheckedReads.estimate` */
  estimate(connection: UsableConnection, bindings: readonly MetricBinding[], compiled: CompiledMetrics): Promise<CostEstimate> {
    const metric = readsOf(bindings, compiled);
    const statements = [compiled, ...(compiled.totals ? [compiled.totals] : [])];
    const dialect = bindings[0]?.dialect;
    return dialect
      ? this.translated.estimate(connection, dialect, metric, statements)
      : this.reads.estimate(connection, metric, statements);
  }
}

/** The tables, joins and columns that the statements of compiled metrics read. */
function readsOf(bindings: readonly MetricBinding[], compiled: CompiledMetrics) {
  return { ...compiled, tables: [...bindings.map(binding => binding.fact), ...compiled.joins] };
}

/** The connection with another abort signal. A read that several callers wait for has its own signal, so that one caller cannot stop it. */
function withSignal({ claim, ...connection }: UsableConnection, signal: AbortSignal): UsableConnection {
  const shared = { ...claim, signal };
  return { ...connection, claim: shared, catalog: connection.client.catalog(shared) };
}
