import { type Bilingual } from '../../text/bilingual.js';
import { type ExpectedRows, type PastRun, type RemainingTime, type Step, type StepTime } from './progress-report.js';

const unknown = {
  waiting: { zh: '正在等待另一次运行结束', en: 'it waits for another run to end' },
  exceeded: { zh: '行数已超过预期', en: 'there are more rows than expected' },
  slower: { zh: '这一步已比上次成功的运行更久', en: 'this step already takes longer than in the last successful run' },
  stalled: { zh: '最近几秒没有进展', en: 'nothing went on in the last seconds' },
  measuring: { zh: '正在测量速度', en: 'the rate is not known yet' },
  noBase: {
    zh: '这一版映射还没有成功的运行可供比较，这一步也没有可用的预期行数',
    en: 'no run of this revision has succeeded yet, and there is no number of rows to expect in this step',
  },
} satisfies Record<string, Bilingual>;

/** The progress of the current step. */
export interface StepState {
  step: Step;
  of: string | null;
  elapsedMs: number;
  /** True while rows are being counted. Other work of the step, such as its checks, shows no count. */
  isCounting: boolean;
  rows: number;
  rowsPerSecond: number | null;
  expected: ExpectedRows | null;
}

/**
 * Estimates the time that is left: for the whole run if this revision has succeeded before, otherwise for the current step. A step that
 * counts rows is estimated by its rate. Other steps, and all later steps, are estimated by their time in the last success. If no estimate
 * is possible, `seconds` is null and `reason` explains why.
 */
export function remainingTime(state: StepState, past: PastRun | null): RemainingTime {
  const index = past?.steps.findIndex(({ step, of }) => step === state.step && of === state.of) ?? -1;
  const before = past?.steps[index];
  const ofStep = remainingOfStep(state, before);
  if ('reason' in ofStep) return { seconds: null, of: null, from: null, reason: ofStep.reason };
  if (!past || !before) return { seconds: seconds(ofStep.ms), of: 'step', from: ofStep.from, reason: null };
  const later = past.steps.slice(index + 1).filter(({ step }) => step !== 'waiting');
  const ms = ofStep.ms + later.reduce((sum, each) => sum + each.ms, 0);
  const from = ofStep.from === 'rate' && later.length > 0 ? 'rate_and_last_run' : ofStep.from;
  return { seconds: seconds(ms), of: 'run', from, reason: null };
}

function remainingOfStep(
  { step, elapsedMs, isCounting, rows, rowsPerSecond, expected }: StepState,
  before: StepTime | undefined,
): { ms: number; from: 'rate' | 'last_run' } | { reason: Bilingual } {
  if (step === 'waiting') return { reason: unknown.waiting };
  if (isCounting && expected) {
    if (rows > expected.rows) return { reason: unknown.exceeded };
    if (rowsPerSecond === null) return { reason: unknown.measuring };
    if (rowsPerSecond === 0) return { reason: unknown.stalled };
    return { ms: ((expected.rows - rows) / rowsPerSecond) * 1000, from: 'rate' };
  }
  if (!before) return { reason: unknown.noBase };
  return before.ms > elapsedMs ? { ms: before.ms - elapsedMs, from: 'last_run' } : { reason: unknown.slower };
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}
