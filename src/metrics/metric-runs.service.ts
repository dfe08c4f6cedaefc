import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { type FieldProblem, SchemaError } from '../common/errors/api-error.js';
import { type Claim } from '../common/turns/fair-share.js';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { RecordNotFoundError } from '../graphs/graphs.errors.js';
import { guardSelect, tablesBehind } from '../sql-guard/guard-select.js';
import { sqlstates } from '../sql/sqlstate.js';
import { type TablePlace } from '../warehouse/clients/warehouse.client.js';
import { ConnectionNotFoundError, WarehouseQueryError } from '../warehouse/warehouse.errors.js';
import { type UsableConnection, WarehouseService } from '../warehouse/warehouse.service.js';
import {
  type ExecuteMetricRequest,
  type ExecuteMetricResponse,
  type MetricResultResponse,
  type MetricSourceResponse,
  type QueryMetricsRequest,
  type QueryMetricsResponse,
  type ResultColumnResponse,
} from './execute.dto.js';
import { explainQueryError } from './explain-query-error.js';
import { type GraphMetrics, toDefinition } from './graph-metrics.js';
import { type MetricRow } from './metric-rows.js';
import { warningsOf } from './metric-warnings.js';
import { MetricTableMissingError } from './metrics.errors.js';
import { MetricsRepository } from './metrics.repository.js';
import { type CompiledMetrics, compileMetrics } from './plan/compile-metric.js';
import { type MetricBinding } from './plan/metric-binding.js';
import { countParts, maxParts, type ResolvedMetric, resolveMetric } from './plan/resolve-metric.js';
import { readRequest } from './read-request.js';
import { MetricReader } from './results/metric-reader.service.js';
import { roundTo } from './round-decimal.js';
import { suggestChart } from './suggest-chart.js';
import { toWireValue, wireTypeOf } from './wire-values.js';

/** The connections that a metric reads, by id. */
type Connections = ReadonlyMap<number, UsableConnection>;

/** A metric of a request, and those in its filters. */
interface Asked {
  row: MetricRow;
  resolved: ResolvedMetric;
}

/** Runs metrics in the warehouse, read-only. */
@Injectable()
export class MetricRunsService {
  constructor(
    private readonly metrics: MetricsRepository,
    private readonly warehouse: WarehouseService,
    private readonly reader: MetricReader,
    private readonly access: GraphAccessService,
  ) {}

  /**
   * Runs one metric. Its values are the column `value`.
   * @param signal cancels its statement
   * @param rounds whether values are rounded as the metric's format shows them
   * @throws in this order: RecordNotFoundError, GraphAccessError; SchemaError for filters that do not hold together;
   * FormulaParseError; MissingBindingError; PatternNotBuiltError; UnsafeFilterClauseError; SchemaError (names and options that do
   * not fit); ConnectionAccessLostError; MetricTableMissingError; BindingOutdatedError; FanOutJoinError; errors of the warehouse
   */
  async execute(
    principal: Principal,
    id: number,
    body: ExecuteMetricRequest,
    signal?: AbortSignal,
    rounds = true,
  ): Promise<ExecuteMetricResponse> {
    const metric = await this.metrics.find(id);
    if (!metric) throw new RecordNotFoundError('metric');
    // The route's guard has checked this already, but questions also come in here.
    await this.access.require(principal, metric.graphId, 'viewer');
    const { asked, ...result } = await this.run(principal, metric.graphId, [id], body, () => 'value', signal, rounds);
    const { row, resolved } = asked[0]!;
    return { metric: { id: row.id, name: row.name }, pattern: resolved.pattern, ...result };
  }

  /** Runs several metrics of a graph by one statement, each as a column of its name. @throws as `execute` */
  async query(
    principal: Principal,
    { graph_id, metrics, ...body }: QueryMetricsRequest,
    signal?: AbortSignal,
  ): Promise<QueryMetricsResponse> {
    const { asked, ...result } = await this.run(principal, graph_id, metrics, body, ({ name }) => name, signal);
    return { metrics: asked.map(({ row: { id, name }, resolved: { pattern } }) => ({ id, name, pattern })), ...result };
  }

  private async run(
    principal: Principal,
    graphId: number,
    ids: readonly number[],
    body: ExecuteMetricRequest,
    nameOf: (metric: MetricRow) => string,
    signal?: AbortSignal,
    rounds = true,
  ): Promise<MetricResultResponse & { asked: Asked[] }> {
    const started = performance.now();
    const graph = await this.metrics.openGraph(graphId);
    const filterIds = (body.filters ?? []).map(({ metric }) => metric ?? null);
    await this.reach(graph, ids, filterIds);

    const parsing = performance.now();
    const resolve = (id: number): Asked => {
      const row = graph.row(id);
      if (!row) throw new RecordNotFoundError('metric');
      return { row, resolved: resolveMetric(toDefinition(row, row), graph.find) };
    };
    const asked = ids.map(resolve);
    const inFilters = new Map(filterIds.filter(id => id !== null).map(id => [id, resolve(id).resolved]));
    const resolved = [...asked.map(each => each.resolved), ...inFilters.values()];
    checkSize(resolved);

    const compiling = performance.now();
    const request = readRequest(body, inFilters);
    const named = asked.map(each => ({ name: nameOf(each.row), metric: each.resolved }));
    const compiled = compileMetrics(named, request);
    const bindings = [...new Set(resolved.flatMap(each => each.bindings))];
    const connections = await this.open(bindings, graph, { caller: principal.userId, group: graphId, ...(signal && { signal }) });

    const executing = performance.now();
    const explained = async (error: unknown) => {
      throw await this.explain(error, compiled, resolved, bindings, connections, request.filter_clause);
    };
    const isRead = !body.dry_run && !body.explain;
    const connection = openOf(connections, compiled.connectionId);
    const asker = { callerId: principal.userId, graphId, maxAgeS: body.cache?.max_age_s ?? null };
    const read = isRead ? await this.reader.read(asker, connection, bindings, compiled, request.limit, signal).catch(explained) : null;
    const [result = null, sums = null] = read?.results ?? [];
    const estimate = body.explain ? await this.reader.estimate(connection, bindings, compiled).catch(explained) : null;
    const ended = performance.now();
    const warnings = warningsOf(compiled, result?.rows ?? []);
    const columns = describeColumns(compiled, result?.columns ?? [], asked);
    const wire = (value: unknown, column: ResultColumnResponse | undefined): unknown =>
      roundTo(toWireValue(value, warnings), (rounds && column?.format) || null);
    const rows = (result?.rows ?? [])
      .slice(0, request.limit)
      .map(row => row.slice(0, columns.length).map((value, index) => wire(value, columns[index])));
    const values = columns.filter(({ role }) => role === 'value');
    const { from, to, grain, timezone } = compiled.time;
    return {
      asked,
      columns,
      rows,
      row_count: rows.length,
      truncated: (result?.rows.length ?? 0) > request.limit,
      totals: sums && Object.fromEntries(values.map((column, index) => [column.name, wire(sums.rows[0]?.[index] ?? null, column)])),
      time: from === null && to === null && grain === null ? null : { from, to, grain, timezone },
      chart: suggestChart(
        columns,
        asked.map(each => each.resolved.pattern),
      ),
      sql: compiled.sql,
      params: compiled.parameters,
      timing_ms: {
        parse: elapsed(parsing, compiling),
        compile: elapsed(compiling, executing),
        execute: elapsed(executing, ended),
        total: elapsed(started, ended),
      },
      as_of: read?.asOf ?? null,
      cache: read && { hit: read.hit, age_s: read.hit ? Math.round(read.ageS * 1000) / 1000 : null },
      estimate,
      sources: listSources(bindings, connections),
      warnings,
    };
  }

  /** Reads all metrics that are asked for, and those that their formulas lead to. @throws SchemaError for ids that the graph lacks */
  private async reach(graph: GraphMetrics, ids: readonly number[], filterIds: readonly (number | null)[]): Promise<void> {
    const known = new Map(graph.all.map(metric => [metric.id, metric]));
    const problems: FieldProblem[] = [];
    const look = (id: number, loc: FieldProblem['loc']) => {
      const metric = known.get(id);
      const text = { zh: `此图没有指标 ${id}`, en: `the graph has no metric ${id}` };
      if (!metric) problems.push({ loc, text, type: 'unknown_metric' });
      return metric ?? [];
    };
    const metrics = [
      ...ids.flatMap((id, index) => look(id, ['body', 'metrics', index])),
      ...filterIds.flatMap((id, index) => (id === null ? [] : look(id, ['body', 'filters', index, 'metric']))),
    ];
    if (problems.length > 0) throw new SchemaError(problems);
    await graph.reach(metrics);
  }

  /**
   * Opens the connections that the metrics read, by id, each in the name of the user who saved the binding. The caller needs no
   * right of their own.
   * @throws ConnectionAccessLostError
   */
  private async open(bindings: readonly MetricBinding[], graph: GraphMetrics, claim: Claim): Promise<Connections> {
    const opened = new Map<string, UsableConnection>();
    for (const binding of bindings) {
      const row = graph.ownerOf(binding);
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
    { sql }: CompiledMetrics,
    metrics: readonly ResolvedMetric[],
    bindings: readonly MetricBinding[],
    connections: Connections,
    clause: string | null,
  ): Promise<unknown> {
    if (!(error instanceof WarehouseQueryError)) return error;
    if (error.sqlstate !== sqlstates.undefinedTable) return explainQueryError(error, sql, metrics, clause) ?? error;
    const missing = new Set<string>();
    for (const { connection_id, fact, joins } of bindings) {
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
}

/** Every table that the metrics read, once. */
function listSources(bindings: readonly MetricBinding[], connections: Connections): MetricSourceResponse[] {
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

/** Types are known once something was read. */
function describeColumns(compiled: CompiledMetrics, types: { type: string }[], asked: readonly Asked[]): ResultColumnResponse[] {
  return compiled.columns.map(({ metric, ...column }, index) => {
    const type = column.role === 'time' ? 'date' : wireTypeOf(types[index]?.type);
    if (metric === undefined) return { ...column, type };
    const { id, unit, format } = asked[metric]!.row;
    // A rate is a number of its own kind.
    return { ...column, type, metric_id: id, ...(column.compare === 'rate' ? { unit: null } : { unit, format }) };
  });
}

/** One statement holds all metrics, so that they share the bound of one. */
function checkSize(metrics: readonly ResolvedMetric[]): void {
  const parts = metrics.reduce((sum, { root }) => sum + countParts(root), 0);
  if (metrics.length === 1 || parts <= maxParts) return;
  const text = {
    zh: `这些公式展开后共 ${parts} 项，超过 ${maxParts} 项；请分几次查询`,
    en: `the formulas come to ${parts} parts together, and ${maxParts} are allowed: ask for fewer metrics at a time`,
  };
  throw new SchemaError([{ loc: ['body', 'metrics'], text, type: 'too_many_parts' }]);
}

function elapsed(from: number, to: number): number {
  return Math.round((to - from) * 100) / 100;
}
