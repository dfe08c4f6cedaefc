import { Injectable } from '@nestjs/common';
import { type Principal } from '../access/principal.js';
import { MetricRunsService } from '../metrics/metric-runs.service.js';
import { type CatalogEntry, MetricsService } from '../metrics/metrics.service.js';
import { type LargeAnswer, type RetrievalAnswer } from '../retrieval/protocol.js';
import { type MetricCall } from '../questions/vocabulary.js';
import { wordMetricAnswer } from '../questions/wording/word-answer.js';
import { maxLimit } from './queries.dto.js';
import { type Language } from '../text/language.js';

type Request = Parameters<MetricRunsService['execute']>[2];

/** Runs the metric that a question asks for, as the caller of the question, and puts the result into words. */
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
   * @param timezone the caller's time zone, if it is another one than the metric's and makes a difference; otherwise null
   * @param signal cancels the metric's statement
   * @throws the errors of the metric's execution
   */
  async answer(principal: Principal, understood: RetrievalAnswer, timezone: string | null, signal?: AbortSignal): Promise<RetrievalAnswer> {
    const call = understood.metric_call;
    if (!call) return understood;
    const request = toRequest(call, timezone);
    const result = await this.runs.execute(principal, call.metric_id, request, signal);
    const rows = await this.rowsOf(principal, call, request, result.rows, signal);
    const columns = call.share
      ? result.columns.map(each => (each.role === 'value' ? { ...each, name: 'share', type: 'float' } : each))
      : result.columns;
    const isCut = result.truncated && rows.length === result.rows.length;
    return {
      ...understood,
      text: wordMetricAnswer(call, rows, understood.language, understood.plan.linked ?? []),
      columns: columns.map(({ name, type }) => ({ name, type })),
      rows,
      citations: result.sources.map(source => ({ ...source, key: {}, label: null, job_id: null, loaded_at: null })),
      plan: { ...understood.plan, ...(result.sql !== null && { sql: result.sql }) },
      warnings: [
        ...understood.warnings,
        ...result.warnings.map(warning => warning.message),
        ...(isCut ? [cutNote(understood.language)] : []),
      ],
      timing_ms: { ...understood.timing_ms, metric: result.timing_ms.total },
    };
  }

  /** Extends the result rows by those that tie with the last one, and converts their values to shares, if the question asks for that. */
  private async rowsOf(
    principal: Principal,
    call: MetricCall,
    request: Request,
    rows: unknown[][],
    signal?: AbortSignal,
  ): Promise<unknown[][]> {
    const kept = call.ties ? withTies(rows, call.limit) : rows;
    if (!call.share) return kept;
    const { order: _, having: __, limit: ___, ...rest } = request;
    const whole = await this.runs.execute(principal, call.metric_id, { ...rest, dimensions: [], filters: call.share.of }, signal);
    const total = Number(whole.rows[0]?.at(-1) ?? NaN);
    return kept.map(row => [
      ...row.slice(0, -1),
      total === 0 || Number.isNaN(total) || row.at(-1) === null ? null : Number(row.at(-1)) / total,
    ]);
  }

  /**
   * Checks, without reading data, that the caller may still execute the metric, before the caller gets a stored result of it. The SQL is
   * left out for callers who may no longer see it.
   * @throws the errors of the metric's execution
   */
  async recheck<A extends RetrievalAnswer | LargeAnswer>(principal: Principal, answer: A): Promise<A> {
    const call = answer.metric_call;
    if (!call) return answer;
    const allowed = await this.runs.execute(principal, call.metric_id, { ...toRequest(call, null), dry_run: true });
    const { sql, ...plan } = answer.plan;
    return { ...answer, plan: allowed.sql === null || sql === undefined ? plan : { ...plan, sql } };
  }
}

/** The number of rows beyond the limit that are read, to find the rows that tie with the last one. */
const furtherRows = 50;

function toRequest({ dimensions, time, filters, having, compare, order, limit, ties }: MetricCall, timezone: string | null): Request {
  return {
    dimensions,
    time: time && timezone !== null ? { ...time, timezone } : time,
    filters,
    ...(having.length > 0 ? { having } : {}),
    ...(compare ? { compare } : {}),
    order,
    limit: ties ? Math.min(limit + furtherRows, maxLimit) : limit,
  };
}

/** The first `limit` rows, and the following rows with the same value as the last of them. */
function withTies(rows: unknown[][], limit: number): unknown[][] {
  // Equal decimals may differ in their trailing zeros, so values are compared as numbers.
  const valueOf = (row: unknown[] | undefined): number | null => (row?.at(-1) == null ? null : Number(row.at(-1)));
  const last = valueOf(rows[limit - 1]);
  const end = rows.findIndex((row, i) => i >= limit && valueOf(row) !== last);
  return end === -1 ? rows : rows.slice(0, end);
}

function cutNote(language: Language): string {
  return language === 'zh' ? '结果超过行数上限，只列出一部分' : 'There are more rows than are shown';
}
