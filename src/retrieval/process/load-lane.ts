/** Lets a fixed number of loads run at once. The others wait in order. */
export class LoadLane {
  private going = 0;
  private readonly waiting: (() => void)[] = [];

  constructor(private readonly atOnce: number) {}

  async run<T>(work: () => Promise<T>): Promise<T> {
    if (this.going < this.atOnce) this.going++;
    else await new Promise<void>(resolve => this.waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.going--;
    }
  }
}
