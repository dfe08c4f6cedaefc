/** Judgement of an error: the called service has `failed`, or the error says nothing about it. */
export type Verdict = 'failed' | 'undecided';

/**
 * Leaves a failing service alone: after so many failures in a row nothing is tried for a while, then one call at a time, until one
 * succeeds. A call that says nothing of the service, such as one that its caller cancels, leaves everything as it was. (The breakers of
 * libraries count such a call as success, and let further calls wait for the one that tries.)
 */
export class FailureGate {
  private failures = 0;
  private pausedUntil = 0;
  private isTrying = false;

  constructor(
    private readonly failuresInRow: number,
    private readonly pauseMs: number,
    private readonly now: () => number = () => performance.now(),
  ) {}

  /** Whether a call would be refused now. */
  get isPaused(): boolean {
    return this.isFailing && (this.isTrying || this.now() < this.pausedUntil);
  }

  /** @throws what `refuse` gives while nothing is tried, and what the work throws */
  async run<T>(work: () => Promise<T>, { judge, refuse }: { judge: (error: unknown) => Verdict; refuse: () => Error }): Promise<T> {
    if (this.isPaused) throw refuse();
    const isTrial = this.isFailing;
    if (isTrial) this.isTrying = true;
    try {
      const result = await work();
      this.failures = 0;
      return result;
    } catch (error) {
      if (judge(error) === 'failed') {
        this.failures += 1;
        if (this.isFailing) this.pausedUntil = this.now() + this.pauseMs;
      }
      throw error;
    } finally {
      if (isTrial) this.isTrying = false;
    }
  }

  private get isFailing(): boolean {
    return this.failures >= this.failuresInRow;
  }
}
