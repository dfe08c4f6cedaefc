import { ApiError } from '../errors/api-error.js';

interface Running<T> {
  callerId: number;
  work: Promise<T>;
  stop: AbortController;
  followers: number;
}

/** Lets all callers in this process who ask for the same work at once wait for one execution of it. */
export class SharedWork<T> {
  private readonly running = new Map<string, Running<T>>();

  /**
   * Joins the work of this name, or begins it. The work is stopped when the last caller who waits for it leaves.
   * @param begin begins the work; its signal stops the work
   * @param signal makes this caller leave the work
   * @throws what the work throws; the reason of the signal. The work counts against the share of the caller who began it. If that share is
   * used up (an error code that ends in `_busy`), another caller begins the work anew.
   */
  async join(name: string, callerId: number, begin: (signal: AbortSignal) => Promise<T>, signal: AbortSignal): Promise<T> {
    signal.throwIfAborted();
    const joined = this.running.get(name);
    if (!joined) return this.follow(name, this.begin(name, callerId, begin), signal);
    try {
      return await this.follow(name, joined, signal);
    } catch (error) {
      if (joined.callerId === callerId || !(error instanceof ApiError) || !error.code.endsWith('_busy')) throw error;
      return this.join(name, callerId, begin, signal);
    }
  }

  private begin(name: string, callerId: number, begin: (signal: AbortSignal) => Promise<T>): Running<T> {
    const stop = new AbortController();
    const running: Running<T> = {
      callerId,
      stop,
      followers: 0,
      work: begin(stop.signal).finally(() => this.forget(name, running)),
    };
    // The work may fail after all callers have left. Without this, Node would report an unhandled rejection.
    running.work.catch(() => undefined);
    this.running.set(name, running);
    return running;
  }

  private async follow(name: string, running: Running<T>, signal: AbortSignal): Promise<T> {
    running.followers++;
    let leave = (): void => undefined;
    const left = new Promise<never>((_, reject) => {
      leave = () => reject(signal.reason as Error);
      signal.addEventListener('abort', leave, { once: true });
    });
    try {
      return await Promise.race([running.work, left]);
    } finally {
      signal.removeEventListener('abort', leave);
      if (--running.followers === 0) {
        this.forget(name, running);
        running.stop.abort(signal.reason);
      }
    }
  }

  private forget(name: string, running: Running<T>): void {
    if (this.running.get(name) === running) this.running.delete(name);
  }
}
