import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { Pace } from '../common/turns/pace.js';
import { type CostEstimate } from './estimate-cost.js';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { mostTablesBehind } from '../sql-guard/guard-select.js';
import {
  type ExecuteMetricRequest,
  type ExecuteMetricResponse,
  type MetricResultResponse,
  type MetricSourceResponse,
  type QueryMetricsResponse,
} from './execute.dto.js';
import { type AskedMetric, type Connections, mayChangeMetrics, type MetricCall, MetricPlanner, openOf } from './metric-planner.service.js';
import { warningsOf } from './metric-warnings.js';
import { tablesIn } from './plan/bound-sql.js';
import { type MetricBinding } from './plan/metric-binding.js';
import { type CompiledMetrics } from './plan/compile-metric.js';
import { RowsOf } from './plan/sql-assembly.js';
import { MetricReader } from './results/metric-reader.service.js';
import { describeColumns, toWireRow, toWireRows } from './result-rows.js';
import { suggestChart } from './suggest-chart.js';

/** Runs metrics in the warehouse, read-only. */
@Injectable()
export class MetricRunsService {
  constructor(
    private readonly planner: MetricPlanner,
    private readonly reader: MetricReader,
    private readonly access: GraphAccessService,
  ) {}

  /**
   * Runs one metric for a caller whose access no guard has checked. The values are in the column `value`.
   * @param signal cancels the statement
   * @param rounds whether values are rounded as the metric's format shows them
   * @throws in this order: RecordNotFoundError, GraphAccessError; the errors of `MetricPlanner.plan`; MetricTableMissingError;
   * BindingOutdatedError; FanOutJoinError; errors of the warehouse
   */
  async execute(
    principal: Principal,
    id: number,
    body: ExecuteMetricRequest,
    signal?: AbortSignal,
    rounds = true,
  ): Promise<ExecuteMetricResponse> {
    return this.runOne(await this.planner.askToCall(principal, id, body, signal), rounds);
  }

  /** Runs a call of one metric. @throws as `execute` */
  async runOne(call: MetricCall, rounds = true): Promise<ExecuteMetricResponse> {
    const { asked, ...result } = await this.run(call, rounds);
    const { row, resolved } = asked[0]!;
    return { metric: { id: row.id, name: row.name }, pattern: resolved.pattern, ...result };
  }

  /** Runs several metrics of a graph by one statement. Each is a column of its own name. @throws as `execute` */
  async runSeveral(call: MetricCall): Promise<QueryMetricsResponse> {
    const { asked, ...result } = await this.run(call);
    return { metrics: asked.map(({ row: { id, name }, resolved: { pattern } }) => ({ id, name, pattern })), ...result };
  }

  /** Whether answers for this caller contain the compiled SQL. */
  async seesSql(principal: Principal, graphId: number): Promise<boolean> {
    return mayChangeMetrics({ role: await this.access.require(principal, graphId, 'viewer') });
  }

  /** Runs the metrics of a call. @throws as `execute` */
  async run(call: MetricCall, rounds = true): Promise<MetricResultResponse & { asked: AskedMetric[] }> {
    const started = performance.now();
    const { principal, graphId, body, signal } = call;
    const planned = await this.planner.plan(call);
    const { asked, request, compiled, bindings, connections, connection, times } = planned;
    const explained = async (error: unknown) => {
      throw await this.planner.explain(error, planned);
    };
    const isRead = !body.dry_run && !body.explain;
    const asker = { callerId: principal.userId, graphId, maxAgeS: body.cache?.max_age_s ?? null };
    const read = isRead ? await this.reader.read(asker, connection, bindings, compiled, request.limit, signal).catch(explained) : null;
    const { rows: result = null, totals: sums = null, untimed = 0 } = read ?? {};
    const estimate = body.explain ? await this.reader.estimate(connection, bindings, compiled).catch(explained) : null;
    const ended = performance.now();
    // Many requests may get the same rows at the same moment, so the rest is done in turns.
    if (result) await new Pace().turn();
    const warnings = warningsOf(compiled, result?.rows ?? [], untimed);
    const columns = describeColumns(compiled, result?.columns ?? [], asked);
    const rows = await toWireRows((result?.rows ?? []).slice(0, request.limit), columns, warnings, rounds);
    const values = columns.filter(({ role }) => role === 'value');
    const totals = sums && toWireRow(sums.rows[0] ?? values.map(() => null), values, warnings, rounds);
    const { from, to, grain, timezone } = compiled.time;
    const seesSql = mayChangeMetrics(call);
    return {
      asked,
      columns,
      rows,
      row_count: rows.length,
      truncated: (result?.rows.length ?? 0) > request.limit,
      totals: totals && Object.fromEntries(values.map(({ name }, index) => [name, totals[index]])),
      time: from === null && to === null && grain === null ? null : { from, to, grain, timezone },
      chart: suggestChart(
        columns,
        asked.map(each => each.resolved.pattern),
        result && result.rows.slice(0, request.limit),
      ),
      ...(seesSql ? shownSql(compiled) : { sql: null, params: null }),
      timing_ms: {
        parse: elapsed(times.parsing, times.compiling),
        compile: elapsed(times.compiling, times.compiled),
        execute: elapsed(times.compiled, ended),
        total: elapsed(started, ended),
      },
      as_of: read?.asOf ?? null,
      cache: read && { hit: read.hit, age_s: read.hit ? Math.round(read.ageS * 1000) / 1000 : null },
      estimate: estimate && (seesSql ? estimate : withoutPlans(estimate, compiled)),
      sources: listSources(bindings, connections),
      warnings,
    };
  }
}

/**
 * The estimate without its plans. `rows` is null for another database, because its number counts all rows that are read, including rows
 * that a row filter hides from the caller.
 */
function withoutPlans(estimate: CostEstimate, { elsewhere }: CompiledMetrics): MetricResultResponse['estimate'] {
  return { ...estimate, rows: elsewhere.length > 0 ? null : estimate.rows, plans: null };
}

/** The text of all statements in the order in which they run, and the parameters of the last one. */
function shownSql({ sql, parameters, elsewhere }: CompiledMetrics): Pick<MetricResultResponse, 'sql' | 'params'> {
  const params = parameters.map(value => (value instanceof RowsOf ? `the rows of statement ${value.position}` : value));
  return { sql: [...elsewhere.map(scan => scan.sql), sql].join(';\n\n'), params };
}

/** The distinct tables that the metrics read. */
function listSources(bindings: readonly MetricBinding[], connections: Connections): MetricSourceResponse[] {
  const sources = new Map<string, MetricSourceResponse>();
  for (const { connection_id, fact, joins } of bindings) {
    const { name: connection } = openOf(connections, connection_id);
    for (const { source } of [fact, ...joins]) {
      const read =
        'sql' in source ? { table: 'query', query_tables: tablesIn(source).slice(0, mostTablesBehind) } : { table: source.table };
      sources.set(JSON.stringify([connection_id, read]), { connection, connection_id, ...read });
    }
  }
  return [...sources.values()];
}

function elapsed(from: number, to: number): number {
  return Math.round((to - from) * 100) / 100;
}
