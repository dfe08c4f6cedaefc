/** Judgement of an error. `failed`: the called service is at fault. `undecided`: the error does not show whether the service works. */
export type Verdict = 'failed' | 'undecided';

/**
 * Circuit breaker for a failing service: after `failuresInRow` failures in a row all calls are refused for `pauseMs` milliseconds. Then one
 * call at a time is made, until one succeeds. An undecided error changes nothing, for instance when the caller cancels a call. (The circuit
 * breakers of libraries count a cancelled call as a success, and let further calls wait for the trial call.)
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

  /** Whether the next call would be refused at this moment. */
  get isPaused(): boolean {
    return this.isFailing && (this.isTrying || this.now() < this.pausedUntil);
  }

  /** @throws the error of `refuse` while calls are refused, and any error of `work` */
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
