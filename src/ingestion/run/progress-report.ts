import { type Bilingual } from '../../text/bilingual.js';

export type Step = 'checking' | 'copying' | 'staging' | 'waiting' | 'writing' | 'recording';

/** One step of a run: what it was of (a table or a target), how long it took, and how many rows it went through. */
export interface StepTime {
  step: Step;
  of: string | null;
  ms: number;
  /** Null where rows are not counted. */
  rows: number | null;
}

/** The last success of the same revision. */
export interface PastRun {
  id: number;
  durationMs: number;
  steps: StepTime[];
}

/** `exact`: they were counted. `last_run`: as many as then. `statistics`: as the database estimates its table. */
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

/** The progress that a run publishes while it goes on. */
export interface ProgressReport {
  step: Step;
  of: string | null;
  stepMs: number;
  rows: number | null;
  rowsPerSecond: number | null;
  /** Copied of the source so far; null for the mirror, which is not copied. */
  bytes: number | null;
  bytesPerSecond: number | null;
  expected: ExpectedRows | null;
  /** Rows of all steps of a kind so far. */
  total: { copied: number; staged: number; written: number };
  remaining: RemainingTime;
  /** Shares (0 to 1) of this step, and of the steps before it, in the time of the last success. Null if none had this step. */
  lastRun: { id: number; durationMs: number; shareBefore: number; shareOfStep: number } | null;
}

export function phaseText(step: Step, of: string | null): string {
  if (step === 'waiting') return 'waiting for the graph';
  return of === null ? step : `${step} ${of}`;
}
