import { type Mapping } from '../mapping/mapping.js';
import { RunFailure } from '../../common/errors/run-failure.js';
import { type RunReport, type TargetReport } from './run-report.js';

const rateLookedAtAfterRows = 1_000;

/**
 * Checks the rejected rows against the mapping's `defaults`. With `on_error: fail`, `current` must not have any. The number of all rejected
 * rows is checked each time. Their share is checked once enough rows have been read, and at the end, when `current` is null.
 * @param rejectedAt the address at which the rejected rows are shown
 * @throws RunFailure when too many rows were rejected
 */
export function requireFewErrors({ defaults }: Mapping, { totals }: RunReport, current: TargetReport | null, rejectedAt: string): void {
  if (defaults.onError === 'fail' && current && current.rejected > 0) {
    throw new RunFailure(
      'rows_rejected',
      {
        zh: `「${current.target}」有 ${current.rejected} 行不符合规则，而 on_error 为 fail；这些行与原因见 ${rejectedAt}；defaults.on_error 为 quarantine 时，运行会略过它们继续`,
        en: `${current.rejected} ${current.rejected === 1 ? 'row' : 'rows'} of '${current.target}' ${current.rejected === 1 ? 'breaks' : 'break'} a rule, and on_error is fail; ${rejectedAt} lists them with their reasons; with defaults.on_error: quarantine a run goes on without such rows`,
      },
      { target: current.target, rejected: current.rejected },
    );
  }
  const isRateDue = current === null || totals.read >= rateLookedAtAfterRows;
  const rate = totals.read === 0 ? 0 : totals.rejected / totals.read;
  if (totals.rejected <= defaults.maxErrorRows && (!isRateDue || rate <= defaults.maxErrorRate)) return;
  const limit = { rows: defaults.maxErrorRows, percent: Number((defaults.maxErrorRate * 100).toPrecision(6)) };
  throw new RunFailure(
    'too_many_errors',
    {
      zh: `${totals.read} 行中有 ${totals.rejected} 行被拒绝，超过上限（${limit.rows} 行或 ${limit.percent}%）；被拒绝的行与原因见 ${rejectedAt}；上限由映射的 defaults.max_error_rows 与 defaults.max_error_rate 设定`,
      en: `${totals.rejected} of ${totals.read} rows were rejected, more than allowed (${limit.rows} rows or ${limit.percent} %); ${rejectedAt} lists them with their reasons; the mapping sets the limits with defaults.max_error_rows and defaults.max_error_rate`,
    },
    { rejected: totals.rejected, read: totals.read },
  );
}
