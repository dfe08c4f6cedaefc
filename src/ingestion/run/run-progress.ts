import { setTimeout as sleep } from 'node:timers/promises';
import { type ExpectedRows, type PastRun, phaseText, type ProgressReport, type Step, type StepTime } from './progress-report.js';
import { Rate } from './rate.js';
import { remainingTime } from './remaining-time.js';
import { type RunReport } from './run-report.js';

const publishEveryMs = 1_000;

export interface ProgressPlaces {
  /** Stores the phase and the progress of the run for readers. */
  publish: (phase: string, progress: ProgressReport) => Promise<void>;
  /**
   * Reads the row count that a statement of the run's session publishes with `showingCount` under the name `counted`; null if there is
   * none.
   */
  lookAt: (counted: string) => Promise<number | null>;
  past: PastRun | null;
}

/** For work whose progress nobody watches. */
export const unwatched: ProgressPlaces = { publish: () => Promise.resolve(), lookAt: () => Promise.resolve(null), past: null };

/**
 * Follows a run step by step: what the run does, how many rows the step has gone through, and how long the run may still take. Each ended
 * step is added to `report.steps`.
 */
export class RunProgress {
  private step: Step = 'checking';
  private of: string | null = null;
  private beganAt = performance.now();
  private rows: number | null = null;
  private bytes: number | null = null;
  private expected: ExpectedRows | null = null;
  private isCounting = false;
  private readonly rowRate = new Rate();
  private readonly byteRate = new Rate();
  private readCopied: (() => { rows: number; bytes: number }) | null = null;
  /** The name under which the running statement shows its count; null while no statement shows a count. */
  private counted: string | null = null;
  private publishing: Promise<void> = Promise.resolve();
  private readonly ended = new AbortController();

  constructor(
    private readonly report: RunReport,
    private readonly places: ProgressPlaces,
  ) {}

  /** Publishes the progress now and then every second until `end`. @throws an error of the first `publish` */
  async watch(): Promise<void> {
    await this.publish();
    void this.tick();
  }

  /** Begins the next step and publishes it. @throws what `publish` and `findExpected` throw */
  async begin(step: Step, of: string | null = null, findExpected?: () => Promise<ExpectedRows | null>): Promise<void> {
    this.endStep();
    [this.step, this.of, this.beganAt] = [step, of, performance.now()];
    [this.rows, this.bytes, this.expected] = [null, null, null];
    if (findExpected) this.expected = await findExpected();
    await this.publish();
  }

  /** Ends the last step. After this call no progress is published. */
  end(): void {
    if (this.ended.signal.aborted) return;
    this.ended.abort();
    this.endStep();
  }

  /**
   * Sets how many rows the current step is expected to have, once `expected` is known. A promise that resolves after the step has ended is
   * ignored.
   */
  expect(expected: ExpectedRows | null | Promise<ExpectedRows | null>): void {
    const { beganAt } = this;
    void Promise.resolve(expected).then(
      known => beganAt === this.beganAt && (this.expected ??= known),
      () => undefined,
    );
  }

  /** The number of rows that this step had in the job's last success; null if it is not known. */
  get rowsOfLastRun(): ExpectedRows | null {
    const rows = this.places.past?.steps.find(({ step, of }) => step === this.step && of === this.of)?.rows;
    return rows == null ? null : { rows, from: 'last_run' };
  }

  get expectedRows(): ExpectedRows | null {
    return this.expected;
  }

  /** The number of rows of a step that has ended; null if the step counted none. */
  rowsOf(step: Step, of: string): number | null {
    return this.report.steps.find(each => each.step === step && each.of === of)?.rows ?? null;
  }

  /** Makes `read` the source of the counts of rows and bytes while the current step copies tables. */
  copies(read: () => { rows: number; bytes: number }): void {
    this.isCounting = true;
    this.readCopied = read;
  }

  /** Runs a statement that publishes its row count under the name `counted`. @returns the result of `statement`, the number of its rows */
  async counting(counted: string, statement: () => Promise<number>): Promise<number> {
    [this.counted, this.isCounting, this.rows] = [counted, true, 0];
    try {
      return await statement();
    } finally {
      [this.counted, this.isCounting] = [null, false];
    }
  }

  /** Sets the final number of rows of the current step, once its statement has ended. */
  counts(rows: number): void {
    this.rows = rows;
  }

  private endStep(): void {
    const { step, of } = this;
    this.readCopies();
    this.readCopied = null;
    const { rows } = this;
    this.report.steps.push({ step, of, ms: Math.round(performance.now() - this.beganAt), rows });
    this.isCounting = false;
    this.rowRate.forget();
    this.byteRate.forget();
  }

  private async tick(): Promise<void> {
    const { signal } = this.ended;
    while (!signal.aborted) {
      await sleep(publishEveryMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      // Errors are ignored here, because the run itself notices a lost lease or a lost database.
      await this.look().catch(() => undefined);
      await this.publish().catch(() => undefined);
    }
  }

  private readCopies(): void {
    if (this.readCopied) ({ rows: this.rows, bytes: this.bytes } = this.readCopied());
  }

  private async look(): Promise<void> {
    this.readCopies();
    const { counted, beganAt } = this;
    if (counted !== null) {
      const rows = await this.places.lookAt(counted);
      // The statement may have ended during the query, and its final number of rows is then known.
      if (rows !== null && this.counted === counted && this.beganAt === beganAt) this.rows = rows;
    }
    if (this.isCounting) this.rowRate.add(this.rows ?? 0);
    if (this.bytes !== null) this.byteRate.add(this.bytes);
  }

  /** Publishes the current state. Publications run one after the other, so that an earlier state never replaces a later state. */
  private publish(): Promise<void> {
    const published = this.publishing.then(() => {
      if (this.ended.signal.aborted) return;
      return this.places.publish(phaseText(this.step, this.of), this.state());
    });
    this.publishing = published.catch(() => undefined);
    return published;
  }

  private state(): ProgressReport {
    const { step, of, rows, bytes, expected, isCounting, report } = this;
    const { past } = this.places;
    const elapsedMs = performance.now() - this.beganAt;
    const rowsPerSecond = isCounting ? this.rowRate.perSecond : null;
    const state = { step, of, elapsedMs, isCounting, rows: rows ?? 0, rowsPerSecond, expected };
    return {
      step,
      of,
      stepMs: Math.round(elapsedMs),
      rows,
      rowsPerSecond,
      bytes: report.source?.copied?.bytes ?? null,
      bytesPerSecond: bytes === null ? null : this.byteRate.perSecond,
      expected,
      total: { copied: this.total('copying'), staged: this.total('staging'), written: this.total('writing') },
      remaining: remainingTime(state, past),
      lastRun: past && sharesOf(past, step, of),
    };
  }

  private total(kind: Step): number {
    const before = this.report.steps.reduce((sum, { step, rows }) => sum + (step === kind ? (rows ?? 0) : 0), 0);
    return before + (this.step === kind ? (this.rows ?? 0) : 0);
  }
}

function sharesOf(past: PastRun, step: Step, of: string | null): ProgressReport['lastRun'] {
  const index = past.steps.findIndex(each => each.step === step && each.of === of);
  const all = past.steps.reduce((sum, { ms }) => sum + ms, 0);
  if (index === -1 || all === 0) return null;
  const share = (steps: StepTime[]): number => Number((steps.reduce((sum, { ms }) => sum + ms, 0) / all).toFixed(3));
  return {
    id: past.id,
    durationMs: past.durationMs,
    shareBefore: share(past.steps.slice(0, index)),
    shareOfStep: share(past.steps.slice(index, index + 1)),
  };
}
