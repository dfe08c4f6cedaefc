import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { type Principal } from '../access/principal.js';
import { type ApiError, type FieldProblem, SchemaError } from '../common/errors/api-error.js';
import { type Claim } from '../common/turns/fair-share.js';
import { inLimitedTurns, Pace } from '../common/turns/pace.js';
import { GraphAccessService, type HeldRole, includesRole } from '../graphs/graph-access.service.js';
import { type HeldGraph } from '../graphs/held-graph.js';
import { RecordNotFoundError } from '../graphs/graphs.errors.js';
import { sqlstates } from '../sql/sqlstate.js';
import { type Steps } from '../text/steps.js';
import { type TablePlace } from '../warehouse/clients/warehouse.client.js';
import { ConnectionNotFoundError, WarehouseQueryError } from '../warehouse/warehouse.errors.js';
import { type UsableConnection, WarehouseService } from '../warehouse/warehouse.service.js';
import { type ExecuteMetricRequest } from './execute.dto.js';
import { explainQueryError } from './explain-query-error.js';
import { type GraphMetrics, toDefinition } from './graph-metrics.js';
import { type MetricRow } from './metric-rows.js';
import { BindingOutdatedError, FanOutJoinError, HiddenBindingFaultError, MetricTableMissingError } from './metrics.errors.js';
import { MetricTurns } from './metric-turns.js';
import { MetricsRepository } from './metrics.repository.js';
import { placesOf } from './plan/bound-sql.js';
import { type CompiledMetrics, compileInSteps } from './plan/compile-metric.js';
import { type MetricBinding } from './plan/metric-binding.js';
import { type MetricRequest } from './plan/metric-request.js';
import { countParts, maxParts, resolveInSteps, type ResolvedMetric } from './plan/resolve-metric.js';
import { readRequest } from './read-request.js';

/** The connections that metrics read, by id. */
export type Connections = ReadonlyMap<number, UsableConnection>;

/** A request for values of one or more metrics of a graph. */
export interface MetricCall {
  principal: Principal;
  /** The caller's role in the graph: at least viewer. */
  role: HeldRole;
  graphId: number;
  ids: readonly number[];
  /** True if the column of the values is named `value`, false if each metric has a column of its own name. */
  isSingle: boolean;
  body: ExecuteMetricRequest;
  /** True to return all rows, without the limit in `body`. */
  allRows?: boolean;
  /** Cancels the statements of this call. */
  signal?: AbortSignal;
}

/** A metric that a request asks for. */
export interface AskedMetric {
  row: MetricRow;
  resolved: ResolvedMetric;
}

/** A compiled request. It depends only on the metric definitions and the request. Callers share it and must not change it. */
interface CompiledCall {
  asked: AskedMetric[];
  request: MetricRequest;
  compiled: CompiledMetrics;
  /** All metrics of the request: the asked metrics and the metrics in filters. */
  resolved: ResolvedMetric[];
  bindings: MetricBinding[];
  /** For each of `bindings`, the metric that has it. */
  owners: MetricRow[];
}

export interface PlannedMetrics extends CompiledCall {
  connections: Connections;
  /** The connection that the statements run on. */
  connection: UsableConnection;
  /** Whether the caller may see the names of tables and columns. */
  seesBindings: boolean;
  /**
   * Milliseconds of `performance.now()`: when parsing began, when compiling began, and when the call was compiled and its connections
   * open.
   */
  times: { parsing: number; compiling: number; compiled: number };
}

interface Compiled {
  plan: CompiledCall;
  /** Characters of the plan, its weight in the cache. */
  size: number;
  /** Milliseconds of `performance.now()`: when parsing began, and when compiling began. */
  parsing: number;
  compiling: number;
}

const mostCharacters = 10_000_000;

/** A call of one metric, with its values in the column `value`. */
export function callOne(principal: Principal, held: HeldGraph, id: number, body: ExecuteMetricRequest, signal?: AbortSignal): MetricCall {
  return { principal, ...held, ids: [id], isSingle: true, body, ...(signal && { signal }) };
}

/** A call of several metrics, each with its values in a column of its own name. */
export function callSeveral(
  principal: Principal,
  held: HeldGraph,
  { metrics: ids, ...body }: ExecuteMetricRequest & { metrics: number[] },
  signal?: AbortSignal,
): MetricCall {
  return { principal, ...held, ids, isSingle: false, body, ...(signal && { signal }) };
}

/** Only users who may change a metric see its compiled SQL, and only they get its rows without a limit. */
export function mayChangeMetrics({ role }: Pick<MetricCall, 'role'>): boolean {
  return includesRole(role, 'editor');
}

/** Prepares metrics for execution: reads their definitions, compiles them, and opens the connections that they read. */
@Injectable()
export class MetricPlanner {
  private readonly compiled = new LRUCache<string, CompiledCall>({ maxSize: mostCharacters });

  constructor(
    private readonly metrics: MetricsRepository,
    private readonly warehouse: WarehouseService,
    private readonly access: GraphAccessService,
    private readonly turns: MetricTurns,
  ) {}

  /** A call of one metric for a caller whose access no guard has checked. @throws RecordNotFoundError, GraphAccessError */
  async askToCall(principal: Principal, id: number, body: ExecuteMetricRequest, signal?: AbortSignal): Promise<MetricCall> {
    return callOne(principal, await this.access.requireOf(principal, 'metric', id, 'viewer'), id, body, signal);
  }

  /**
   * Compiles a call, or finds it compiled, and opens the connections that it reads.
   * @throws in this order: SchemaError for filters whose fields contradict each other; FormulaParseError; MissingBindingError;
   * UnsafeFilterClauseError; SchemaError (names and options that do not fit); ConnectionAccessLostError
   */
  async plan(call: MetricCall): Promise<PlannedMetrics> {
    const key = keyOf(call, await this.metrics.versionOf(call.graphId));
    const { plan, parsing, compiling } = this.findCompiled(key) ?? (await this.compile(call, key));
    const { principal, graphId, signal } = call;
    const connections = await this.open(plan, { caller: principal.userId, group: graphId, ...(signal && { signal }) });
    const connection = openOf(connections, plan.compiled.connectionId);
    const times = { parsing, compiling, compiled: performance.now() };
    return { ...plan, connections, connection, seesBindings: mayChangeMetrics(call), times };
  }

  private findCompiled(key: string): Omit<Compiled, 'size'> | undefined {
    const plan = this.compiled.get(key);
    const now = performance.now();
    return plan && { plan, parsing: now, compiling: now };
  }

  private async compile(call: MetricCall, key: string): Promise<Omit<Compiled, 'size'>> {
    const { principal, graphId, ids, body, signal } = call;
    // Definitions may be large. They are read within the turn, so that waiting callers hold none in memory.
    return this.turns.run({ caller: principal.userId, ...(signal && { signal }) }, async () => {
      // Another caller may have compiled an equal request while this one waited.
      const known = this.findCompiled(key);
      if (known) return known;
      const graph = await this.metrics.openGraph(graphId);
      const filterIds = (body.filters ?? []).map(({ metric }) => metric ?? null);
      await this.reach(graph, ids, filterIds);
      const compiled = await inLimitedTurns(compileCall(call, graph, filterIds), new Pace(signal));
      this.compiled.set(key, compiled.plan, { size: key.length + compiled.size });
      return compiled;
    });
  }

  /**
   * Reads all metrics that the request or its filters name, and the metrics that their formulas reach.
   * @throws SchemaError for ids that the graph lacks
   */
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
   * Opens the connections that the metrics read, by connection id. Each is opened in the name of the user who saved the binding; the
   * caller needs no right to the connection.
   * @throws ConnectionAccessLostError
   */
  private async open({ bindings, owners }: CompiledCall, claim: Claim): Promise<Connections> {
    const opened = new Map<string, UsableConnection>();
    for (const [index, binding] of bindings.entries()) {
      const { id, name, savedBy } = owners[index]!;
      const key = `${binding.connection_id} ${savedBy?.id}`;
      if (!opened.has(key)) opened.set(key, await this.warehouse.open({ kind: 'metric', id, name, savedBy }, binding.connection_id, claim));
    }
    return new Map([...opened.values()].map(connection => [connection.id, connection]));
  }

  /** Turns a failed query into an error about something that the client knows: the missing table, the filter clause or the formula. */
  async explain(error: unknown, planned: PlannedMetrics): Promise<unknown> {
    const explained = await this.reasonOf(error, planned);
    return planned.seesBindings ? explained : withoutBinding(explained);
  }

  private async reasonOf(
    error: unknown,
    { compiled, resolved, bindings, connections, connection, request }: PlannedMetrics,
  ): Promise<unknown> {
    if (!(error instanceof WarehouseQueryError)) return error;
    if (error.sqlstate !== sqlstates.undefinedTable)
      return explainQueryError(error, compiled.sql, resolved, request.filter_clause) ?? error;
    const missing = new Set<string>();
    for (const { connection_id, fact, joins } of bindings) {
      const { client, catalog } = openOf(connections, connection_id);
      const keyOf = ({ schema, table }: TablePlace): string => `${schema}.${table}`;
      const present = new Set((await catalog.listNames()).map(name => keyOf(client.place(name))));
      for (const place of [fact, ...joins].flatMap(placesOf)) if (!present.has(keyOf(place))) missing.add(place.table);
    }
    return missing.size > 0 ? new MetricTableMissingError([...missing], connection.client.local !== null) : error;
  }
}

const faultsOfBindings = [BindingOutdatedError, FanOutJoinError, MetricTableMissingError];

function withoutBinding(error: unknown): unknown {
  return faultsOfBindings.some(fault => error instanceof fault) ? new HiddenBindingFaultError(error as ApiError) : error;
}

export function openOf(connections: Connections, id: number): UsableConnection {
  const connection = connections.get(id);
  if (!connection) throw new ConnectionNotFoundError();
  return connection;
}

/** Milliseconds of a quarter of an hour. In every time zone a day begins at a quarter of an hour of UTC. */
const quarterOfAnHourMs = 15 * 60_000;

/**
 * Cache key: calls with equal keys compile to the same statements. For a relative range the key holds the current quarter of an hour,
 * because the range moves when a day begins.
 */
function keyOf({ graphId, ids, isSingle, body, allRows }: MetricCall, version: string): string {
  const moment = body.time?.range == null ? null : Math.floor(Date.now() / quarterOfAnHourMs);
  return JSON.stringify([graphId, version, ids, isSingle, body, allRows ?? false, moment]);
}

/**
 * Characters of the statements of a call and of its bindings. The bindings of one call may have 16 MB together, so they are counted in
 * steps.
 */
function* sizeOf({ compiled, owners }: CompiledCall): Steps<number> {
  const statements = [compiled, ...compiled.elsewhere, ...(compiled.totals ? [compiled.totals] : [])];
  let size = statements.reduce((sum, { sql }) => sum + sql.length, 0);
  for (const owner of owners) {
    yield;
    size += JSON.stringify(owner).length;
  }
  return size;
}

/** Compiles a call after `reach` has read its metrics. One step may block the event loop for up to 0.1 s. */
function* compileCall(
  { role, ids, isSingle, body, allRows }: MetricCall,
  graph: GraphMetrics,
  filterIds: readonly (number | null)[],
): Steps<Compiled> {
  const parsing = performance.now();
  function* resolve(id: number): Steps<AskedMetric> {
    yield;
    const row = graph.row(id);
    if (!row) throw new RecordNotFoundError('metric');
    return { row, resolved: yield* resolveInSteps(toDefinition(row, row), graph.find) };
  }
  const asked: AskedMetric[] = [];
  for (const id of ids) asked.push(yield* resolve(id));
  const inFilters = new Map<number, ResolvedMetric>();
  for (const id of new Set(filterIds)) if (id !== null) inFilters.set(id, (yield* resolve(id)).resolved);
  const resolved = [...asked.map(each => each.resolved), ...inFilters.values()];
  checkSize(
    asked.map(each => each.resolved),
    filterIds.flatMap(id => inFilters.get(id ?? 0) ?? []),
  );

  const compiling = performance.now();
  const request = { ...readRequest(body, inFilters), seesBindings: mayChangeMetrics({ role }), ...(allRows && { limit: Infinity }) };
  const named = asked.map(each => ({ name: isSingle ? 'value' : each.row.name, metric: each.resolved }));
  const compiled = yield* compileInSteps(named, request);
  const bindings = [...new Set(resolved.flatMap(each => each.bindings))];
  const owners = bindings.map(binding => graph.ownerOf(binding));
  const plan = { asked, request, compiled, resolved, bindings, owners };
  return { plan, size: yield* sizeOf(plan), parsing, compiling };
}

/**
 * Limits the parts of all metrics of a request together to `maxParts`. One statement contains all of them, and repeats a metric for each
 * filter by that metric.
 */
function checkSize(asked: readonly ResolvedMetric[], inFilters: readonly ResolvedMetric[]): void {
  const metrics = [...asked, ...inFilters];
  const parts = metrics.reduce((sum, { root }) => sum + countParts(root), 0);
  if (metrics.length === 1 || parts <= maxParts) return;
  const text = {
    zh: `这些公式展开后共 ${parts} 项，超过 ${maxParts} 项；请分几次查询，或减少按指标的筛选`,
    en: `the formulas come to ${parts} parts together, and ${maxParts} are allowed: ask for fewer metrics at a time, or filter by fewer`,
  };
  throw new SchemaError([{ loc: ['body', asked.length > 1 ? 'metrics' : 'filters'], text, type: 'too_many_parts' }]);
}
