import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { afterId, page, type Page } from '../http/paging/page.js';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { RecordNotFoundError } from '../graphs/graphs.errors.js';
import { type BindingRequest } from './binding/binding.dto.js';
import { Pace } from '../common/turns/pace.js';
import { describeMetric } from './describe-metric.js';
import { type GraphMetrics } from './graph-metrics.js';
import { parseFormula } from './formula/parse-formula.js';
import { MetricBinder } from './binding/metric-binder.js';
import {
  type CreateMetricRequest,
  type ListMetricsQuery,
  type MetricResponse,
  type SaveMetricQuery,
  toMetricResponse,
  type UpdateMetricRequest,
} from './metrics.dto.js';
import { type MetricRow, type StoredBinding } from './metric-rows.js';
import { MetricsRepository } from './metrics.repository.js';

/** Metrics as records: the named formulas of a graph, and the tables they are bound to. */
@Injectable()
export class MetricDefinitionsService {
  constructor(
    private readonly metrics: MetricsRepository,
    private readonly binder: MetricBinder,
    private readonly access: GraphAccessService,
  ) {}

  async list(principal: Principal, { graph_id, limit, cursor }: ListMetricsQuery): Promise<Page<MetricResponse>> {
    if (graph_id !== undefined) await this.access.require(principal, graph_id, 'viewer');
    const visible = await this.access.listVisible(principal);
    const rows = page(await this.metrics.list(visible, graph_id ?? null, afterId(cursor), limit + 1), limit, row => row.id);
    const graphs = new Map<number, GraphMetrics>();
    const items: MetricResponse[] = [];
    const pace = new Pace();
    for (const row of rows.items) {
      const graph = graphs.get(row.graphId) ?? (await this.metrics.openGraph(row.graphId));
      graphs.set(row.graphId, graph);
      items.push(await this.describe(row, graph));
      if (pace.isOverdue) await pace.turn();
    }
    return { ...rows, items };
  }

  /**
   * Saves the metric even if it has no binding, and a draft even if its formula matches no pattern. The answer reports that, and
   * execution fails.
   * @throws FormulaParseError, MetricNameTakenError, and the errors of `MetricBinder.bind`
   */
  async create(principal: Principal, body: CreateMetricRequest, { draft }: SaveMetricQuery): Promise<MetricResponse> {
    if (draft !== 'true') parseFormula(body.formula);
    const binding = body.binding ? await this.store(principal, body.binding, ['body', 'binding']) : null;
    const { name, formula, unit = null, format = null, description = null } = body;
    const fields = { name, formula, unit, format, description, aliases: body.aliases ?? [] };
    const id = await this.metrics.create(body.graph_id, principal, fields, binding);
    return this.get(id);
  }

  /** @throws RecordNotFoundError */
  async get(id: number): Promise<MetricResponse> {
    const row = await this.metrics.find(id);
    if (!row) throw new RecordNotFoundError('metric');
    return this.describe(row, await this.metrics.openGraph(row.graphId));
  }

  /** @throws FormulaParseError for a new formula that matches no pattern, unless it is a draft; MetricNameTakenError */
  async update(
    id: number,
    { name, aliases, formula, unit, format, description }: UpdateMetricRequest,
    { draft }: SaveMetricQuery,
  ): Promise<MetricResponse> {
    if (formula != null && draft !== 'true') parseFormula(formula);
    // Only unit, format and description may be cleared. A null elsewhere means no change.
    const changes = {
      ...(name != null && { name }),
      ...(aliases != null && { aliases }),
      ...(formula != null && { formula }),
      ...(unit !== undefined && { unit }),
      ...(format !== undefined && { format }),
      ...(description !== undefined && { description }),
    };
    if (Object.keys(changes).length > 0) await this.metrics.update(id, changes);
    return this.get(id);
  }

  async delete(id: number): Promise<void> {
    await this.metrics.delete(id);
  }

  /** Lets the metric read the warehouse in the caller's name from now on. @throws the errors of `MetricBinder.bind` */
  async bind(principal: Principal, id: number, body: BindingRequest): Promise<MetricResponse> {
    await this.metrics.putBinding(id, principal.userId, await this.store(principal, body, ['body']));
    return this.get(id);
  }

  private async describe(row: MetricRow, graph: GraphMetrics): Promise<MetricResponse> {
    await graph.reach([row]);
    return toMetricResponse(row, describeMetric(row, graph));
  }

  private async store(principal: Principal, body: BindingRequest, loc: (string | number)[]): Promise<StoredBinding> {
    return { source: { ...body }, bound: await this.binder.bind(principal, body, loc) };
  }
}
