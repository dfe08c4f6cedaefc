import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { type Claim } from '../common/turns/fair-share.js';
import { Pace } from '../common/turns/pace.js';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { RecordNotFoundError } from '../graphs/graphs.errors.js';
import { guardSelect, tablesBehind } from '../sql-guard/guard-select.js';
import { loadSqlParser } from '../sql-guard/sql-parser.js';
import { ConnectionNotFoundError, WarehouseQueryError } from '../warehouse/warehouse.errors.js';
import { type TablePlace } from '../warehouse/clients/warehouse.client.js';
import { type UsableConnection, WarehouseService } from '../warehouse/warehouse.service.js';
import { checkFormulaSql } from './plan/guard-formula.js';
import { type CompiledMetric, compileMetric } from './plan/compile-metric.js';
import { type ResolvedMetric, resolveMetric } from './plan/resolve-metric.js';
import { CheckedReads } from './checked-reads.js';
import { describeMetric } from './describe-metric.js';
import { type GraphMetrics, toDefinition } from './graph-metrics.js';
import {
  type ExecuteMetricRequest,
  type ExecuteMetricResponse,
  type MetricSourceResponse,
  type ResultColumnResponse,
  toMetricRequest,
} from './execute.dto.js';
import { explainQueryError } from './explain-query-error.js';
import { metricNames } from './formula/formula-tree.js';
import { parseFormula } from './formula/parse-formula.js';
import { type ParseFormulaResponse } from './metrics.dto.js';
import { MetricTableMissingError, TooManyMetricNamesError } from './metrics.errors.js';
import { type MetricRow } from './metric-rows.js';
import { isBuilt } from './patterns/registry.js';
import { MetricsRepository } from './metrics.repository.js';
import { warningsOf } from './metric-warnings.js';
import { toWireValue, wireTypeOf } from './wire-values.js';
import { sqlstates } from '../sql/sqlstate.js';

/** The connections that a metric reads, by id. */
type Connections = ReadonlyMap<number, UsableConnection>;

/** A metric as question answering sees it. */
export interface CatalogEntry {
  id: number;
  name: string;
  aliases: string[];
  unit: string | null;
  dimensions: { name: string; aliases: string[] }[];
  has_time: boolean;
  /** Whether a request needs a grain or a range. */
  needs_periods: boolean;
}

/** The number of catalogs kept, and the characters of names that one may have: a catalog goes with every question. */
const mostCatalogs = 100;
const mostCharacters = 500_000;
const describedAtOnce = 50;

/** Runs metrics, and tells other features about them. */
@Injectable()
export class MetricsService implements OnModuleInit {
  constructor(
    private readonly metrics: MetricsRepository,
    private readonly warehouse: WarehouseService,
    private readonly reads: CheckedReads,
    private readonly access: GraphAccessService,
  ) {}

  private readonly catalogs = new Map<number, { version: string; entries: Promise<CatalogEntry[]> }>();

  async onModuleInit(): Promise<void> {
    await loadSqlParser();
  }

  /**
   * Compiles a metric and runs it in the warehouse, read-only.
   * @throws in this order: RecordNotFoundError, GraphAccessError; FormulaParseError; MissingBindingError; PatternNotBuiltError;
   * UnsafeFilterClauseError; SchemaError (names and options that do not fit); ConnectionAccessLostError; MetricTableMissingError;
   * BindingOutdatedError; FanOutJoinError;
   * errors of the warehouse
   */
  async execute(principal: Principal, id: number, body: ExecuteMetricRequest): Promise<ExecuteMetricResponse> {
    const started = performance.now();
    const metric = await this.metrics.find(id);
    if (!metric) throw new RecordNotFoundError('metric');
    // The route's guard has checked this already, but questions also come in here.
    await this.access.require(principal, metric.graphId, 'viewer');
    const graph = await this.metrics.openGraph(metric.graphId);
    await graph.reach([metric]);

    const parsing = performance.now();
    const resolved = resolveMetric(toDefinition(metric, metric), graph.find);
    const compiling = performance.now();
    const request = toMetricRequest(body);
    const compiled = compileMetric(resolved, request);
    const connections = await this.open(resolved, metric, graph, { caller: principal.userId, group: metric.graphId });
    const executing = performance.now();

    const asOf = new Date().toISOString();
    const [result = null, sums = null] = body.dry_run
      ? []
      : await this.run(resolved, connections, compiled, request.limit).catch(async (error: unknown) => {
          throw await this.explain(error, compiled, resolved, connections, request.filter_clause);
        });
    const ended = performance.now();
    const warnings = warningsOf(compiled, result?.rows ?? []);
    const rows = (result?.rows ?? [])
      .slice(0, request.limit)
      .map(row => row.slice(0, compiled.columns.length).map(value => toWireValue(value, warnings)));
    return {
      metric: { id: metric.id, name: metric.name },
      pattern: resolved.pattern,
      columns: describeColumns(compiled, result?.columns ?? [], metric.unit),
      rows,
      row_count: rows.length,
      truncated: (result?.rows.length ?? 0) > request.limit,
      totals: sums ? { value: toWireValue(sums.rows[0]?.at(-1) ?? null, warnings) } : null,
      sql: compiled.sql,
      params: compiled.parameters,
      timing_ms: {
        parse: elapsed(parsing, compiling),
        compile: elapsed(compiling, executing),
        execute: elapsed(executing, ended),
        total: elapsed(started, ended),
      },
      as_of: body.dry_run ? null : asOf,
      sources: listSources(resolved, connections),
      warnings,
    };
  }

  /** @throws FormulaParseError; UnsafeFilterClauseError for SQL that no binding could make admissible */
  parse(formula: string): ParseFormulaResponse {
    const { pattern, root } = parseFormula(formula);
    checkFormulaSql(root, formula);
    return { pattern, metrics: metricNames(root), executable: isBuilt(root), tree: root };
  }

  /**
   * The metrics of a graph that can be executed, computed once after each change of one.
   * @throws TooManyMetricNamesError
   */
  async catalog(graphId: number): Promise<CatalogEntry[]> {
    const version = await this.metrics.versionOf(graphId);
    let catalog = this.catalogs.get(graphId);
    if (catalog?.version !== version) {
      const entries = this.readCatalog(graphId);
      entries.catch((error: unknown) => {
        // A temporary failure must not be kept.
        const isOfMoment = !(error instanceof TooManyMetricNamesError);
        if (isOfMoment && this.catalogs.get(graphId)?.entries === entries) this.catalogs.delete(graphId);
      });
      catalog = { version, entries };
    }
    // The graph that was used last stands last.
    this.catalogs.delete(graphId);
    this.catalogs.set(graphId, catalog);
    for (const oldest of this.catalogs.keys()) if (this.catalogs.size > mostCatalogs) this.catalogs.delete(oldest);
    return catalog.entries;
  }

  private async readCatalog(graphId: number): Promise<CatalogEntry[]> {
    const graph = await this.metrics.openGraph(graphId);
    const pace = new Pace();
    const entries: CatalogEntry[] = [];
    let characters = 0;
    for (let from = 0; from < graph.all.length; from += describedAtOnce) {
      const some = graph.all.slice(from, from + describedAtOnce);
      await graph.reach(some);
      for (const { id, name, aliases, unit } of some) {
        if (pace.isOverdue) await pace.turn();
        const row = graph.row(id);
        if (!row) continue;
        const { executable, dimensions, hasTime, needsPeriods } = describeMetric(row, graph);
        if (!executable) continue;
        const named = dimensions.map(each => ({ name: each.name, aliases: each.aliases }));
        entries.push({ id, name, aliases, unit, dimensions: named, has_time: hasTime, needs_periods: needsPeriods });
        for (const each of [{ name, aliases }, ...named]) characters += each.name.length + each.aliases.join('').length;
        if (characters > mostCharacters) throw new TooManyMetricNamesError();
      }
    }
    return entries;
  }

  /**
   * Opens the connections that the metric reads, by id, each in the name of the user who saved the binding. The caller needs no
   * right of their own.
   * @throws ConnectionAccessLostError
   */
  private async open({ bindings }: ResolvedMetric, metric: MetricRow, graph: GraphMetrics, claim: Claim): Promise<Connections> {
    const opened = new Map<string, UsableConnection>();
    for (const binding of bindings) {
      const row = metric.binding?.bound === binding ? metric : graph.ownerOf(binding);
      if (!row) throw new Error('The binding belongs to no metric that was read');
      const { id, name, savedBy } = row;
      const key = `${binding.connection_id} ${savedBy?.id}`;
      if (!opened.has(key)) opened.set(key, await this.warehouse.open({ kind: 'metric', id, name, savedBy }, binding.connection_id, claim));
    }
    return new Map([...opened.values()].map(connection => [connection.id, connection]));
  }

  /** Turns a failed query into an error about things that the client knows: the missing table, the clause or the formula. */
  private async explain(
    error: unknown,
    { sql }: CompiledMetric,
    metric: ResolvedMetric,
    connections: Connections,
    clause: string | null,
  ): Promise<unknown> {
    if (!(error instanceof WarehouseQueryError)) return error;
    if (error.sqlstate !== sqlstates.undefinedTable) return explainQueryError(error, sql, metric, clause) ?? error;
    const missing = new Set<string>();
    for (const { connection_id, fact, joins } of metric.bindings) {
      const { client, catalog } = openOf(connections, connection_id);
      const keyOf = ({ schema, table }: TablePlace): string => `${schema}.${table}`;
      const present = new Set((await catalog.listNames()).map(name => keyOf(client.place(name))));
      const tables = [fact, ...joins].flatMap(({ source }) =>
        'sql' in source ? guardSelect(source.sql, source).tables.map(table => ({ schema: source.schema, table })) : [source],
      );
      for (const place of tables) if (!present.has(keyOf(place))) missing.add(place.table);
    }
    return missing.size > 0 ? new MetricTableMissingError([...missing]) : error;
  }

  private run({ bindings }: ResolvedMetric, connections: Connections, metric: CompiledMetric, limit: number) {
    const { totals } = metric;
    const statements = [{ ...metric, maxRows: limit + 1 }, ...(totals ? [{ ...totals, maxRows: 2 }] : [])];
    const tables = [...bindings.map(binding => binding.fact), ...metric.joins];
    return this.reads.run(openOf(connections, metric.connectionId), { ...metric, tables }, statements);
  }
}

/** Every table that the metric reads, once. */
function listSources({ bindings }: ResolvedMetric, connections: Connections): MetricSourceResponse[] {
  const sources = new Map<string, MetricSourceResponse>();
  for (const { connection_id, fact, joins } of bindings) {
    const { name: connection } = openOf(connections, connection_id);
    for (const { source } of [fact, ...joins]) {
      const read = 'sql' in source ? { table: 'query', query_tables: tablesBehind(source.sql, source) } : { table: source.table };
      sources.set(JSON.stringify([connection_id, read]), { connection, connection_id, ...read });
    }
  }
  return [...sources.values()];
}

function openOf(connections: Connections, id: number): UsableConnection {
  const connection = connections.get(id);
  if (!connection) throw new ConnectionNotFoundError();
  return connection;
}

function describeColumns(compiled: CompiledMetric, types: { type: string }[], unit: string | null): ResultColumnResponse[] {
  return compiled.columns.map((column, index) => ({
    ...column,
    type: column.role === 'time' ? 'date' : wireTypeOf(types[index]?.type),
    ...(column.role === 'value' && { unit }),
  }));
}

function elapsed(from: number, to: number): number {
  return Math.round((to - from) * 100) / 100;
}
