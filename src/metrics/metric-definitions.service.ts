import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { type AuditEvent, AuditService } from '../audit/audit.service.js';
import { afterId, pageOfRows, type Page } from '../http/paging/page.js';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { GraphAccessError, GraphNotFoundError, RecordNotFoundError } from '../graphs/graphs.errors.js';
import { type BindingRequest } from './binding/binding.dto.js';
import { inOneTurn } from '../common/turns/one-turn.js';
import { inLimitedTurns, Pace } from '../common/turns/pace.js';
import { describeInSteps, isLongToDescribe, type MetricDescription } from './describe-metric.js';
import { type GraphMetrics } from './graph-metrics.js';
import { parseFormula } from './formula/parse-formula.js';
import { MetricBinder } from './binding/metric-binder.js';
import { mayChangeMetrics } from './metric-planner.service.js';
import { MetricTurns } from './metric-turns.js';
import {
  type CreateMetricRequest,
  type ListMetricsQuery,
  type MetricResponse,
  type SaveMetricQuery,
  toMetricResponse,
  type UpdateMetricRequest,
} from './metrics.dto.js';
import { type MetricName, type MetricRow, type StoredBinding } from './metric-rows.js';
import { type MetricWarning } from './execute.dto.js';
import { joined } from '../text/bilingual.js';
import { MetricsRepository } from './metrics.repository.js';

const mostCallers = 10;

/** The metrics of a graph that a caller has opened. */
interface OpenGraph {
  metrics: GraphMetrics;
  /** Whether the caller sees bindings, which hold SQL and the names of tables and columns. */
  seesBindings: boolean;
}

function lostCallers(callers: readonly MetricName[]): MetricWarning[] {
  if (callers.length === 0) return [];
  const shown = callers.slice(0, mostCallers).map(({ name, id }) => `${name} (id ${id})`);
  const list = [...shown, ...(callers.length > mostCallers ? ['…'] : [])].join(', ');
  const zh = `这些指标的公式仍用从前的名称，不能再执行：${list}；请保留为别名，或修改公式`;
  const en = `formulas still use a former name and can no longer be executed: ${list}; keep it as an alias, or change them`;
  return [{ code: 'former_name_in_use', message: joined({ zh, en }) }];
}

function event(action: AuditEvent['action'], actor: Principal, id: number): AuditEvent {
  return { action, actor, target: 'metric', targetId: id };
}

/** Manages the definitions of metrics: the named formulas of a graph, and their bindings to tables. */
@Injectable()
export class MetricDefinitionsService {
  constructor(
    private readonly metrics: MetricsRepository,
    private readonly binder: MetricBinder,
    private readonly access: GraphAccessService,
    private readonly audit: AuditService,
    private readonly turns: MetricTurns,
  ) {}

  async list(principal: Principal, { graph_id, limit, cursor }: ListMetricsQuery): Promise<Page<MetricResponse>> {
    if (graph_id !== undefined) await this.access.require(principal, graph_id, 'viewer');
    const visible = await this.access.listVisible(principal);
    const rows = await pageOfRows(
      await this.metrics.list(visible, graph_id ?? null, afterId(cursor), limit),
      row => row.id,
      row => row,
    );
    const graphs = new Map<number, OpenGraph | null>();
    const items: MetricResponse[] = [];
    const pace = new Pace();
    for (const row of rows.items) {
      if (!graphs.has(row.graphId)) graphs.set(row.graphId, await this.openIfStill(principal, row.graphId));
      const graph = graphs.get(row.graphId);
      if (graph) items.push(await this.describe(row, graph, pace, principal.userId));
    }
    return { ...rows, items };
  }

  /**
   * Saves a metric even if it has no binding, and with `draft` even if its formula matches no pattern. The response warns of both, and
   * executing the metric fails.
   * @throws FormulaParseError, MetricNameTakenError, and the errors of `MetricBinder.bind`
   */
  async create(principal: Principal, body: CreateMetricRequest, { draft }: SaveMetricQuery): Promise<MetricResponse> {
    if (draft !== 'true') inOneTurn(() => parseFormula(body.formula));
    const binding = body.binding ? await this.store(principal, body.binding, ['body', 'binding']) : null;
    const { name, formula, unit = null, format = null, description = null } = body;
    const fields = { name, formula, unit, format, description, aliases: body.aliases ?? [] };
    const id = await this.audit.recordWith(
      client => this.metrics.create(client, body.graph_id, principal, fields, binding),
      created => ({
        ...event('metric.created', principal, created),
        context: { name, graph_id: body.graph_id, ...(binding && { connection_id: binding.bound.connection_id }) },
      }),
    );
    return this.getSaved(principal, id);
  }

  /** @throws RecordNotFoundError, GraphAccessError, MetricsBusyError */
  get(principal: Principal, id: number): Promise<MetricResponse> {
    return this.find(principal, id, principal.userId);
  }

  /** @throws FormulaParseError for a new formula that matches no pattern, unless `draft` is set; MetricNameTakenError */
  async update(
    principal: Principal,
    id: number,
    { name, aliases, formula, unit, format, description }: UpdateMetricRequest,
    { draft }: SaveMetricQuery,
  ): Promise<MetricResponse> {
    if (formula != null && draft !== 'true') inOneTurn(() => parseFormula(formula));
    // Null clears unit, format and description. Null for any other field means no change.
    const changes = {
      ...(name != null && { name }),
      ...(aliases != null && { aliases }),
      ...(formula != null && { formula }),
      ...(unit !== undefined && { unit }),
      ...(format !== undefined && { format }),
      ...(description !== undefined && { description }),
    };
    const before = name != null || aliases != null ? await this.metrics.find(id) : null;
    const changed = Object.keys(changes);
    if (changed.length > 0)
      await this.audit.recordWith(
        client => this.metrics.update(client, id, changes),
        () => ({ ...event('metric.changed', principal, id), context: { changed } }),
      );
    const response = await this.getSaved(principal, id);
    if (!before) return response;
    const graph = await this.metrics.openGraph(before.graphId);
    const callers = await graph.callersOf([before.name, ...before.aliases]);
    return { ...response, warnings: [...response.warnings, ...lostCallers(callers)] };
  }

  async delete(principal: Principal, id: number): Promise<void> {
    await this.audit.recordWith(
      client => this.metrics.delete(client, id),
      () => event('metric.deleted', principal, id),
    );
  }

  /** Binds the metric. From now on the metric reads the warehouse in the caller's name. @throws the errors of `MetricBinder.bind` */
  async bind(principal: Principal, id: number, body: BindingRequest): Promise<MetricResponse> {
    const binding = await this.store(principal, body, ['body']);
    await this.audit.recordWith(
      client => this.metrics.putBinding(client, id, principal, binding),
      () => ({ ...event('metric.bound', principal, id), context: { connection_id: binding.bound.connection_id } }),
    );
    return this.getSaved(principal, id);
  }

  private async open(principal: Principal, graphId: number): Promise<OpenGraph> {
    const role = await this.access.require(principal, graphId, 'viewer');
    return { metrics: await this.metrics.openGraph(graphId), seesBindings: mayChangeMetrics({ role }) };
  }

  /** Null if the graph was deleted, or the caller lost access to it, after its metrics were listed. */
  private async openIfStill(principal: Principal, graphId: number): Promise<OpenGraph | null> {
    try {
      return await this.open(principal, graphId);
    } catch (error) {
      if (error instanceof GraphNotFoundError || error instanceof GraphAccessError) return null;
      throw error;
    }
  }

  /** Reads a metric that was just saved. It does not wait for a turn: a refusal as busy would look as if the metric was not saved. */
  private getSaved(principal: Principal, id: number): Promise<MetricResponse> {
    return this.find(principal, id, null);
  }

  private async find(principal: Principal, id: number, caller: number | null): Promise<MetricResponse> {
    const row = await this.metrics.find(id);
    if (!row) throw new RecordNotFoundError('metric');
    return this.describe(row, await this.open(principal, row.graphId), new Pace(), caller);
  }

  /** @param caller id of the user who waits for a turn where describing the metric may take long; null to describe it without a turn */
  private async describe(row: MetricRow, { metrics, seesBindings }: OpenGraph, pace: Pace, caller: number | null): Promise<MetricResponse> {
    metrics.keep(row);
    await metrics.reach([row]);
    const describing = (): Promise<MetricDescription> => inLimitedTurns(describeInSteps(row, metrics, seesBindings), pace);
    const response = toMetricResponse(
      row,
      await (caller !== null && isLongToDescribe(row) ? this.turns.run({ caller }, describing) : describing()),
    );
    return seesBindings ? response : { ...response, binding: null };
  }

  private async store(principal: Principal, body: BindingRequest, loc: (string | number)[]): Promise<StoredBinding> {
    return { source: { ...body }, bound: await this.binder.bind(principal, body, loc) };
  }
}
