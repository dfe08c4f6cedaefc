import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { MetricRunsService } from '../metrics/metric-runs.service.js';
import { type CatalogEntry, MetricsService } from '../metrics/metrics.service.js';
import { type RetrievalAnswer } from '../retrieval/protocol.js';
import { wordMetricAnswer } from '../questions/wording/word-answer.js';

/** Runs the metric that a question asks for, as its caller, and puts the result into words. */
@Injectable()
export class MetricAnswers {
  constructor(
    private readonly metrics: MetricsService,
    private readonly runs: MetricRunsService,
  ) {}

  /** Lists the metrics of a graph that a question may ask for. */
  catalog(graphId: number): Promise<CatalogEntry[]> {
    return this.metrics.catalog(graphId);
  }

  /** Tells whether the caller sees the SQL of metrics in answers. Callers who differ in this must not get each other's answers. */
  seesSql(principal: Principal, graphId: number): Promise<boolean> {
    return this.runs.seesSql(principal, graphId);
  }

  /**
   * @param timezone the zone of whoever asks, where it is another than the metric's and makes a difference
   * @throws the errors of the metric's execution
   */
  async answer(principal: Principal, understood: RetrievalAnswer, timezone: string | null): Promise<RetrievalAnswer> {
    const call = understood.metric_call;
    if (!call) return understood;
    const { dimensions, filters, order, limit } = call;
    const time = call.time && timezone !== null ? { ...call.time, timezone } : call.time;
    const result = await this.runs.execute(principal, call.metric_id, { dimensions, time, filters, order, limit });
    return {
      ...understood,
      text: wordMetricAnswer(call, result.rows, understood.language, understood.plan.linked ?? []),
      columns: result.columns.map(({ name, type }) => ({ name, type })),
      rows: result.rows,
      citations: result.sources.map(source => ({ ...source, key: {}, label: null, job_id: null, loaded_at: null })),
      plan: { ...understood.plan, ...(result.sql !== null && { sql: result.sql }) },
      warnings: [...understood.warnings, ...result.warnings.map(warning => warning.message)],
      timing_ms: { ...understood.timing_ms, metric: result.timing_ms.total },
    };
  }
}
