import { type Bilingual } from '../../text/bilingual.js';

export type Step = 'checking' | 'copying' | 'staging' | 'waiting' | 'writing' | 'recording';

/** One ended step of a run: the table or target it worked on (`of`), the milliseconds it took, and the rows it went through. */
export interface StepTime {
  step: Step;
  of: string | null;
  ms: number;
  /** The rows that the step went through; null if the step does not count rows. */
  rows: number | null;
}

/** The job's last success with the same revision of the mapping. */
export interface PastRun {
  id: number;
  durationMs: number;
  steps: StepTime[];
}

/**
 * The expected number of rows of a step, and its origin. `exact`: the rows were counted. `last_run`: the number in the last success.
 * `statistics`: the database's estimate for the table.
 */
export interface ExpectedRows {
  rows: number;
  from: 'exact' | 'last_run' | 'statistics';
}

export interface RemainingTime {
  seconds: number | null;
  of: 'run' | 'step' | null;
  from: 'rate' | 'last_run' | 'rate_and_last_run' | null;
  reason: Bilingual | null;
}

/** The progress that a run publishes while it is active. */
export interface ProgressReport {
  step: Step;
  of: string | null;
  stepMs: number;
  rows: number | null;
  rowsPerSecond: number | null;
  /** Bytes copied from the source so far; null for the mirror, whose tables are not copied. */
  bytes: number | null;
  bytesPerSecond: number | null;
  expected: ExpectedRows | null;
  /** The rows that all steps of one kind have gone through so far. */
  total: { copied: number; staged: number; written: number };
  remaining: RemainingTime;
  /**
   * Parts of the duration of the last success, from 0 to 1: `shareBefore` is that of all steps before this step, `shareOfStep` that of this
   * step. Null without a last success, or if it did not have this step.
   */
  lastRun: { id: number; durationMs: number; shareBefore: number; shareOfStep: number } | null;
}

export function phaseText(step: Step, of: string | null): string {
  if (step === 'waiting') return 'waiting for the graph';
  return of === null ? step : `${step} ${of}`;
}
