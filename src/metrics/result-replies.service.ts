import { type ExecutionContext, Injectable } from '@nestjs/common';
import { type FieldProblem, SchemaError } from '../common/errors/api-error.js';
import { Settings } from '../config/settings.js';
import { lineContentType, type LineFormat, lineFormatOf } from '../http/line-formats.js';
import { AnswerInPieces, type StreamedAnswer } from '../http/server/large-answers.js';
import { drawChart } from './charts/draw-chart.js';
import { maxPoints, planChart, tooManyPoints } from './charts/plan-chart.js';
import { type ExecuteMetricRequest, type MetricResultResponse, type ResultColumnResponse } from './execute.dto.js';
import { MetricExports } from './metric-exports.service.js';
import { mayChangeMetrics, type MetricCall } from './metric-planner.service.js';
import { MetricRunsService } from './metric-runs.service.js';
import { MetricTurns } from './metric-turns.js';
import { toLines, withAllRows } from './result-lines.js';
import { NotChartableError } from './metrics.errors.js';

export type FileFormat = LineFormat | 'svg';

/** The format of a file answer: `?format=` decides, else the `Accept` header. Null for a JSON answer. */
export function fileFormatOf(format: string | undefined, accept: string | undefined): FileFormat | null {
  if (format === 'svg') return 'svg';
  return lineFormatOf(format, accept) ?? (format === undefined && accept?.includes('image/svg+xml') ? 'svg' : null);
}

/** Answers requests for results as files: CSV, NDJSON or an SVG chart. */
@Injectable()
export class ResultReplies {
  constructor(
    private readonly runs: MetricRunsService,
    private readonly exports: MetricExports,
    private readonly turns: MetricTurns,
    private readonly settings: Settings,
  ) {}

  /**
   * Prepares a file answer.
   * @returns an answer that is not sent yet
   * @throws as `sendLines` and `sendChart`; an export of all rows fails only while it is sent
   */
  send(call: MetricCall, format: FileFormat, context: ExecutionContext): Promise<AnswerInPieces | StreamedAnswer> {
    return format === 'svg' ? this.sendChart(call) : this.sendLines(call, format, context);
  }

  /**
   * Sends the rows as lines. Users who may change the metrics get all rows if they give no limit. Others get at most as many rows as a
   * JSON answer may have.
   * @throws the errors of `MetricRunsService.execute`; SchemaError for options that have no effect on a file, or too many rows;
   * AnswerTooLargeError
   */
  private async sendLines(call: MetricCall, format: LineFormat, context: ExecutionContext): Promise<AnswerInPieces | StreamedAnswer> {
    const { body } = call;
    const all = body.limit == null && mayChangeMetrics(call);
    requireEffect(body, ['totals', 'dry_run', 'explain', ...(all ? (['cache'] as const) : [])]);
    if (all) return this.exports.answer(call, format, context);
    const result: MetricResultResponse = await this.runs.run({ ...call, body: withAllRows(body) });
    const lines = await toLines(result, format, body.limit, this.settings.answerMaxBytes);
    return new AnswerInPieces(lineContentType[format], lines);
  }

  /** Sends the result as an SVG chart. @throws the errors of `MetricRunsService.execute`; NotChartableError */
  private async sendChart(call: MetricCall): Promise<AnswerInPieces> {
    const { body } = call;
    requireEffect(body, ['totals', 'dry_run', 'explain']);
    const { asked, columns, rows, truncated, chart } = await this.runs.run({ ...call, body: inPoints(body) });
    if (truncated && body.limit == null) throw tooManyPoints();
    const names = new Map(asked.map(({ row }) => [row.id, row.name]));
    const labelled = columns.map(column => ({ ...column, label: labelOf(column, names) }));
    const suggested = chart.kind === 'number' ? null : chart.kind;
    const plan = planChart(body.chart ?? suggested, labelled, rows);
    if (plan.kind === 'share' && chart.kind !== 'share' && asked[0]?.resolved.pattern === 'share_of_total') throw notOneWhole();
    const { principal, signal } = call;
    const picture = await this.turns.run({ caller: principal.userId, ...(signal && { signal }) }, () => drawChart(plan));
    return new AnswerInPieces('image/svg+xml', [Buffer.from(picture)]);
  }
}

/**
 * The error for shares that do not add up to 1. The sectors of a pie would be parts of their sum, but its labels parts of another whole.
 */
function notOneWhole(): NotChartableError {
  return new NotChartableError('not_one_whole', {
    zh: '各占比之和不是 1，不能画成占比图；请用 chart: bar，或去掉 having 与 limit',
    en: 'these shares do not add up to 1, so they are not the parts of one whole; use chart: bar, or leave out having and limit',
  });
}

/** The body of a request for a chart: without a limit it reads at most `maxPoints` rows, because a chart cannot draw more. */
function inPoints({ chart: _, ...body }: ExecuteMetricRequest): ExecuteMetricRequest {
  return { ...body, limit: body.limit ?? maxPoints };
}

function requireEffect(body: ExecuteMetricRequest, idle: readonly (keyof ExecuteMetricRequest)[]): void {
  const text = { zh: '对文件形式的结果无效', en: 'has no effect on a result as a file' };
  const problems = idle.filter(name => body[name]).map((name): FieldProblem => ({ loc: ['body', name], text, type: 'no_effect' }));
  if (problems.length > 0) throw new SchemaError(problems);
}

/** The label of a column. A value column gets the name of its metric, because the column of a single metric is named `value`. */
function labelOf({ name, role, metric_id, compare }: ResultColumnResponse, names: ReadonlyMap<number, string>): string {
  return role === 'value' && compare === undefined ? (names.get(metric_id ?? 0) ?? name) : name;
}
