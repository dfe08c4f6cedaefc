import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { type FieldProblem, SchemaError } from '../common/errors/api-error.js';
import { type Claim } from '../common/turns/fair-share.js';
import { GraphAccessService, type HeldRole, includesRole } from '../graphs/graph-access.service.js';
import { RecordNotFoundError } from '../graphs/graphs.errors.js';
import { guardSelect } from '../sql-guard/guard-select.js';
import { sqlstates } from '../sql/sqlstate.js';
import { type TablePlace } from '../warehouse/clients/warehouse.client.js';
import { ConnectionNotFoundError, WarehouseQueryError } from '../warehouse/warehouse.errors.js';
import { type UsableConnection, WarehouseService } from '../warehouse/warehouse.service.js';
import { type ExecuteMetricRequest } from './execute.dto.js';
import { explainQueryError } from './explain-query-error.js';
import { type GraphMetrics, toDefinition } from './graph-metrics.js';
import { type MetricRow } from './metric-rows.js';
import { MetricTableMissingError } from './metrics.errors.js';
import { MetricsRepository } from './metrics.repository.js';
import { type CompiledMetrics, compileMetrics } from './plan/compile-metric.js';
import { type MetricBinding } from './plan/metric-binding.js';
import { type MetricRequest } from './plan/metric-request.js';
import { countParts, maxParts, type ResolvedMetric, resolveMetric } from './plan/resolve-metric.js';
import { readRequest } from './read-request.js';

/** The connections that metrics read, by id. */
export type Connections = ReadonlyMap<number, UsableConnection>;

/** What somebody asks of metrics of one graph. */
export interface MetricCall {
  principal: Principal;
  /** What the caller is to the graph: a viewer at least. */
  role: HeldRole;
  graphId: number;
  ids: readonly number[];
  /** The name of a metric's column. */
  nameOf: (metric: MetricRow) => string;
  body: ExecuteMetricRequest;
  /** Leaves the limit of the body out. */
  allRows?: boolean;
  /** Cancels the statements. */
  signal?: AbortSignal;
}

/** A metric of a request. */
export interface AskedMetric {
  row: MetricRow;
  resolved: ResolvedMetric;
}

export interface PlannedMetrics {
  asked: AskedMetric[];
  request: MetricRequest;
  compiled: CompiledMetrics;
  /** All metrics of the request: those asked for, and those in filters. */
  resolved: ResolvedMetric[];
  bindings: MetricBinding[];
  connections: Connections;
  /** The one that the statements are for. */
  connection: UsableConnection;
  /** Moments of `performance.now()`. */
  times: { parsing: number; compiling: number; compiled: number };
}

/** Only those who may change a metric see the SQL that it becomes, or get its rows without a bound. */
export function mayChangeMetrics({ role }: Pick<MetricCall, 'role'>): boolean {
  return includesRole(role, 'editor');
}

/** Prepares metrics for execution: looks them up, compiles them, and opens what they read. */
@Injectable()
export class MetricPlanner {
  constructor(
    private readonly metrics: MetricsRepository,
    private readonly warehouse: WarehouseService,
    private readonly access: GraphAccessService,
  ) {}

  /** A call of one metric, whose values are the column `value`. @throws RecordNotFoundError, GraphAccessError */
  async callOne(principal: Principal, id: number, body: ExecuteMetricRequest, signal?: AbortSignal): Promise<MetricCall> {
    const metric = await this.metrics.find(id);
    if (!metric) throw new RecordNotFoundError('metric');
    // The route's guard has checked this already, but questions also come in here.
    const role = await this.access.require(principal, metric.graphId, 'viewer');
    return { principal, role, graphId: metric.graphId, ids: [id], nameOf: () => 'value', body, ...(signal && { signal }) };
  }

  /** A call of several metrics, each of them a column of its name. @throws GraphAccessError */
  async callSeveral(
    principal: Principal,
    { graph_id: graphId, metrics: ids, ...body }: ExecuteMetricRequest & { graph_id: number; metrics: number[] },
    signal?: AbortSignal,
  ): Promise<MetricCall> {
    const role = await this.access.require(principal, graphId, 'viewer');
    return { principal, role, graphId, ids, nameOf: ({ name }) => name, body, ...(signal && { signal }) };
  }

  /**
   * @throws in this order: SchemaError for filters that do not hold together; FormulaParseError; MissingBindingError;
   * PatternNotBuiltError; UnsafeFilterClauseError; SchemaError (names and options that do not fit); ConnectionAccessLostError
   */
  async plan({ principal, graphId, ids, nameOf, body, signal, allRows }: MetricCall): Promise<PlannedMetrics> {
    const graph = await this.metrics.openGraph(graphId);
    const filterIds = (body.filters ?? []).map(({ metric }) => metric ?? null);
    await this.reach(graph, ids, filterIds);

    const parsing = performance.now();
    const resolve = (id: number): AskedMetric => {
      const row = graph.row(id);
      if (!row) throw new RecordNotFoundError('metric');
      return { row, resolved: resolveMetric(toDefinition(row, row), graph.find) };
    };
    const asked = ids.map(resolve);
    const inFilters = new Map(filterIds.filter(id => id !== null).map(id => [id, resolve(id).resolved]));
    const resolved = [...asked.map(each => each.resolved), ...inFilters.values()];
    checkSize(resolved);

    const compiling = performance.now();
    const request = { ...readRequest(body, inFilters), ...(allRows && { limit: Infinity }) };
    const named = asked.map(each => ({ name: nameOf(each.row), metric: each.resolved }));
    const compiled = compileMetrics(named, request);
    const bindings = [...new Set(resolved.flatMap(each => each.bindings))];
    const connections = await this.open(bindings, graph, { caller: principal.userId, group: graphId, ...(signal && { signal }) });
    const connection = openOf(connections, compiled.connectionId);
    const times = { parsing, compiling, compiled: performance.now() };
    return { asked, request, compiled, resolved, bindings, connections, connection, times };
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
  async explain(error: unknown, { compiled, resolved, bindings, connections, request }: PlannedMetrics): Promise<unknown> {
    if (!(error instanceof WarehouseQueryError)) return error;
    if (error.sqlstate !== sqlstates.undefinedTable)
      return explainQueryError(error, compiled.sql, resolved, request.filter_clause) ?? error;
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

export function openOf(connections: Connections, id: number): UsableConnection {
  const connection = connections.get(id);
  if (!connection) throw new ConnectionNotFoundError();
  return connection;
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
