/** The time that is left for a piece of work. */
export class TimeLeft {
  private readonly end: number;

  constructor(ms: number) {
    this.end = performance.now() + ms;
  }

  /** Milliseconds that are left, at least 1, because limits of statements must be at least 1. */
  get ms(): number {
    return Math.max(1, Math.ceil(this.end - performance.now()));
  }

  get isOver(): boolean {
    return performance.now() >= this.end;
  }
}
