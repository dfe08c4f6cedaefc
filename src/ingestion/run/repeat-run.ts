import { isDeepStrictEqual } from 'node:util';
import { type Bilingual } from '../../text/bilingual.js';
import { type Target } from '../staging/target.js';
import { type RunInputs } from './run-inputs.js';
import { addTotals, goodCount, type RunReport } from './run-report.js';

export interface LastSuccess {
  id: number;
  revision: number;
  report: Partial<RunReport>;
}

/** Whether a run of this revision on this graph version would only repeat the work of the last success. */
export function isRepetition(last: LastSuccess, revision: number, graphVersion: number | null, inputs: RunInputs): boolean {
  const { report } = last;
  return (
    last.revision === revision &&
    graphVersion !== null &&
    report.graph_version === graphVersion &&
    report.totals?.rejected === 0 &&
    isDeepStrictEqual(report.inputs, inputs)
  );
}

/** Fills in the report of a run that has nothing to do: all rows of the last success count as unchanged. */
export function repeatReport(report: RunReport, last: LastSuccess, targets: Target[], inputs: RunInputs): void {
  for (const [index, { name }] of targets.entries()) {
    const before = last.report.targets!.find(({ target }) => target === name)!;
    const { read, skipped, marked_deleted } = before;
    Object.assign(report.targets[index]!, { state: 'done', read, skipped, marked_deleted, unchanged: goodCount(before) });
  }
  addTotals(report);
  report.cursors = last.report.cursors!;
  report.graph_version = last.report.graph_version!;
  report.warnings = last.report.warnings!.filter(({ code }) => code !== 'statistics_not_renewed');
  const runId = last.report.unchanged_source?.run_id ?? last.id;
  const { data_versions, digests } = inputs;
  const { zh, en } = unchangedMessage(runId, digests.length > 0);
  report.unchanged_source = { run_id: runId, data_versions, message: `${zh} / ${en}` };
}

function unchangedMessage(runId: number, isCopied: boolean): Bilingual {
  if (isCopied) {
    return {
      zh: `来源的行、映射与图自第 ${runId} 次运行以来都没有变化，因此只比较了行，没有写入；若要照常写入，请以 ?full=true 运行`,
      en: `the rows of the source, the mapping and the graph are as run ${runId} left them, so the rows were compared and nothing was written; run with ?full=true to write everything`,
    };
  }
  return {
    zh: `来源的表、映射与图自第 ${runId} 次运行以来都没有变化，因此没有重新读取；若要重新读取，请以 ?full=true 运行`,
    en: `the tables of the source, the mapping and the graph are as run ${runId} left them, so nothing was read again; run with ?full=true to read everything`,
  };
}
