import { type ExecutionContext, Injectable } from '@nestjs/common';
import { type Response } from 'express';
import { type FieldProblem, SchemaError } from '../common/errors/api-error.js';
import { lineContentType, type LineFormat } from '../http/line-formats.js';
import { type ExecuteMetricRequest, type MetricResultResponse } from './execute.dto.js';
import { MetricExports } from './metric-exports.service.js';
import { mayChangeMetrics, type MetricCall } from './metric-planner.service.js';
import { MetricRunsService } from './metric-runs.service.js';
import { toLines, withAllRows } from './result-lines.js';

/** Answers with results as files. */
@Injectable()
export class ResultReplies {
  constructor(
    private readonly runs: MetricRunsService,
    private readonly exports: MetricExports,
  ) {}

  /**
   * Sends the rows as lines: all of them to those who may change the metrics, otherwise at most as many as an answer may have.
   * @throws the errors of `MetricRunsService.execute`; SchemaError for options that a file has no place for, or too many rows
   */
  async sendLines(call: MetricCall, format: LineFormat, response: Response, context: ExecutionContext): Promise<void> {
    const { body } = call;
    const all = body.limit == null && mayChangeMetrics(call);
    requireEffect(body, ['totals', 'dry_run', 'explain', ...(all ? (['cache'] as const) : [])]);
    if (all) return this.exports.send(call, format, response, context);
    const result: MetricResultResponse = await this.runs.run({ ...call, body: withAllRows(body) });
    const lines = toLines(result, format, body.limit);
    response.type(lineContentType[format]).send(lines);
  }
}

function requireEffect(body: ExecuteMetricRequest, idle: readonly (keyof ExecuteMetricRequest)[]): void {
  const text = { zh: '对文件形式的结果无效', en: 'has no effect on a result as a file' };
  const problems = idle.filter(name => body[name]).map((name): FieldProblem => ({ loc: ['body', name], text, type: 'no_effect' }));
  if (problems.length > 0) throw new SchemaError(problems);
}
