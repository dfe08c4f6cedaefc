import { outsideRequest } from '../common/logging/request-context.js';

/** Reads each thing at most once in a while, for all who ask meanwhile. Only what was asked for lately is kept. */
export class SharedReads<T> {
  private readonly recent = new Map<number, Promise<T>>();

  constructor(
    private readonly read: (id: number) => Promise<T>,
    private readonly everyMs: number,
  ) {}

  get(id: number): Promise<T> {
    const known = this.recent.get(id);
    if (known) return known;
    const reading = outsideRequest(() => this.read(id));
    this.recent.set(id, reading);
    setTimeout(() => this.recent.delete(id), this.everyMs).unref();
    return reading;
  }
}
