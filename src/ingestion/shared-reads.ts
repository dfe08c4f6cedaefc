import { outsideRequest } from '../common/logging/request-context.js';

/**
 * Reads each record at most once in `everyMs`, for all callers that ask for it in this time. Only records that were asked for recently are
 * kept.
 */
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
