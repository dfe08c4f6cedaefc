import { type ExecutionContext, Injectable } from '@nestjs/common';
import { AuditService } from '../audit/audit.service.js';
import { Pace } from '../common/turns/pace.js';
import { Settings } from '../config/settings.js';
import { AccessRecheck } from '../graphs/access-recheck.service.js';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { lineContentType, type LineFormat } from '../http/line-formats.js';
import { StreamedAnswer, type WriteAnswer } from '../http/server/large-answers.js';
import { type QueryResult } from '../warehouse/clients/warehouse.client.js';
import { type MetricCall, MetricPlanner } from './metric-planner.service.js';
import { warningsOf } from './metric-warnings.js';
import { ExportStalledError } from './metrics.errors.js';
import { headLine, toLine } from './result-lines.js';
import { describeColumns, toWireRow } from './result-rows.js';
import { MetricReader } from './results/metric-reader.service.js';

const recheckEveryMs = 2_000;
/** Characters after which a piece of an answer is sent. Larger pieces would take more memory until they are read. */
const pieceCharacters = 65_536;

/** Sends all rows of a result. The rows come from one snapshot, and are read only as fast as the client takes the answer. */
@Injectable()
export class MetricExports {
  constructor(
    private readonly planner: MetricPlanner,
    private readonly reader: MetricReader,
    private readonly access: GraphAccessService,
    private readonly recheck: AccessRecheck,
    private readonly audit: AuditService,
    private readonly settings: Settings,
  ) {}

  /**
   * The answer to an export. Nothing is sent before the first rows are read. If the export fails later, the response must be cut, because a
   * clean end would look complete.
   * @param context the context of the request, whose guards run again while rows are sent
   * @returns an answer that fails with the errors of `MetricRunsService.execute` and ExportStalledError
   */
  answer(call: MetricCall, format: LineFormat, context: ExecutionContext): StreamedAnswer {
    return new StreamedAnswer({ 'Content-Type': lineContentType[format] }, write => this.send(call, format, write, context));
  }

  private async send(call: MetricCall, format: LineFormat, write: WriteAnswer, context: ExecutionContext): Promise<void> {
    const wholeMs = this.settings.exportMaxSeconds * 1000;
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new ExportStalledError()), wholeMs).unref();
    const signal = AbortSignal.any([late.signal, ...(call.signal ? [call.signal] : [])]);
    try {
      const planned = await this.planner.plan({ ...call, signal, allRows: true });
      const { asked, compiled, bindings, connection } = planned;
      const send = (piece: string): Promise<void> => {
        signal.throwIfAborted();
        return write([Buffer.from(piece)]);
      };
      let checkedAt = performance.now();
      let isFirst = true;
      const take = async ({ columns: types, rows }: QueryResult): Promise<void> => {
        const columns = describeColumns(compiled, types, asked);
        const warnings = warningsOf(compiled, rows);
        if (performance.now() - checkedAt > recheckEveryMs) {
          await this.requireStill(call, context);
          checkedAt = performance.now();
        }
        if (isFirst) {
          // The audit entry is written before the first byte, so that no data leave the service unrecorded.
          await this.recordStart(call, format);
          await send(headLine(columns, format));
        }
        isFirst = false;
        const pace = new Pace(signal);
        let piece = '';
        for (const row of rows) {
          if (pace.isOverdue) await pace.turn();
          piece += toLine(columns, toWireRow(row, columns, warnings), format);
          if (piece.length < pieceCharacters) continue;
          await send(piece);
          piece = '';
        }
        if (piece !== '') await send(piece);
      };
      await this.reader.export(connection, bindings, compiled, wholeMs, take).catch(async (error: unknown) => {
        throw await this.planner.explain(error, planned);
      });
    } finally {
      clearTimeout(timer);
    }
  }

  private recordStart({ principal, graphId, ids }: MetricCall, format: LineFormat): Promise<void> {
    const context = { metrics: ids, format };
    return this.audit.record({ action: 'metric.exported', actor: principal, target: 'graph', targetId: graphId, context });
  }

  /** Checks that the caller still may export. @throws the error with which the same request would be refused now */
  private async requireStill({ principal, graphId }: MetricCall, context: ExecutionContext): Promise<void> {
    const refusal = await this.recheck.findRefusal(context);
    if (refusal) throw refusal;
    await this.access.require(principal, graphId, 'editor');
  }
}
