import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { MetricRunsService } from '../metrics/metric-runs.service.js';
import { type CatalogEntry, MetricsService } from '../metrics/metrics.service.js';
import { type LargeAnswer, type RetrievalAnswer } from '../retrieval/protocol.js';
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

  /**
   * @param timezone the zone of whoever asks, where it is another than the metric's and makes a difference
   * @param signal cancels its statement
   * @throws the errors of the metric's execution
   */
  async answer(principal: Principal, understood: RetrievalAnswer, timezone: string | null, signal?: AbortSignal): Promise<RetrievalAnswer> {
    const call = understood.metric_call;
    if (!call) return understood;
    const { dimensions, filters, order, limit } = call;
    const time = call.time && timezone !== null ? { ...call.time, timezone } : call.time;
    const result = await this.runs.execute(principal, call.metric_id, { dimensions, time, filters, order, limit }, signal);
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

  /**
   * Checks that the caller may still have a result that was kept: that the metric would be executed for them now, without reading
   * anything. The SQL is left out for those who no longer see it.
   * @throws the errors of the metric's execution
   */
  async recheck<A extends RetrievalAnswer | LargeAnswer>(principal: Principal, answer: A): Promise<A> {
    const call = answer.metric_call;
    if (!call) return answer;
    const { dimensions, time, filters, order, limit } = call;
    const allowed = await this.runs.execute(principal, call.metric_id, { dimensions, time, filters, order, limit, dry_run: true });
    const { sql, ...plan } = answer.plan;
    return { ...answer, plan: allowed.sql === null || sql === undefined ? plan : { ...plan, sql } };
  }
}
