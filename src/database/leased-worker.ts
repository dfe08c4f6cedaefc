import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { type Logger } from 'pino';
import { ApiError } from '../common/errors/api-error.js';
import { outsideRequest } from '../common/logging/request-context.js';
import { TurnEndedError } from '../common/errors/common-errors.js';
import { isDatabaseAway, LeaseLostError, RunCancelledError, RunFailure, tooManyAttempts } from '../common/errors/run-failure.js';
import { type Settings } from '../config/settings.js';
import { joined } from '../text/bilingual.js';
import { cut } from '../text/cut.js';
import { type DiskReserve } from './disk-reserve.js';
import { type ServicePool } from './service-pool.js';

/** Seconds without a renewal of the lease after which another worker may claim the work. */
export const leaseSeconds = 30;
/** The most pieces of work under way in one process. */
export const maxAtOnce = 2;
const pollEveryMs = 1_000;
const heartbeatEveryMs = 2_000;
const maxAttempts = 3;
const interruptEveryMs = 100;
const repeatWriteEveryMs = 200;
/** The most characters of a failure's sentence in the log. A sentence may contain names from a mapping, which may be long. */
const mostOfSentence = 1_000;

/** The ways in which a process is done with a piece of work. `released`: the work is back in the queue. */
export type WorkEnd = 'succeeded' | 'failed' | 'cancelled' | 'released';

/** The means to stop a piece of work in the middle. */
export interface Interruption {
  /** Receives the id of the server process that runs the work's statements. */
  onBackend: (pid: number) => void;
  /** Stops work outside of this database, such as the reading of another database. */
  signal: AbortSignal;
}

interface ActiveWork<Claimed> {
  claimed: Claimed;
  backendPid: number | null;
  stop: AbortController;
  isCancelled: boolean;
  /** True once the work and its lease have ended, while the steps that follow the work still run. */
  hasSucceeded: boolean;
  ended: Promise<void>;
}

/** Claims waiting work, and work whose worker has died, and renews the lease on the work while it runs. */
export abstract class LeasedWorker<Claimed extends { id: number }, Report> implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly active = new Set<ActiveWork<Claimed>>();
  private timers: NodeJS.Timeout[] = [];
  private isStopping = false;
  private claiming: Promise<void> | null = null;
  /** Emits the id of a piece of work once this process has recorded its end. */
  private readonly ends = new EventEmitter().setMaxListeners(0);

  /**
   * @param kind names the work in the log
   * @param disk given for work that writes much: while the disk lacks room, work under way is ended and no work begins
   */
  protected constructor(
    private readonly kind: string,
    private readonly pool: ServicePool,
    private readonly settings: Settings,
    protected readonly log: Logger,
    private readonly disk?: DiskReserve,
  ) {}

  /** Claims the next piece of work; null if there is none. @param going the pieces that this worker has under way */
  protected abstract claimNext(going: Claimed[]): Promise<{ claimed: Claimed; attempt: number; isCancelled: boolean } | null>;

  /** Renews the lease. Returns whether the work was cancelled; null if the lease is lost. */
  protected abstract renewLease(claimed: Claimed): Promise<{ isCancelled: boolean } | null>;

  /**
   * Does the work and marks it as succeeded.
   * @param report an empty report that the work fills as it goes; `end` gets it if the work fails
   * @returns a function for the steps that follow the success, if any; it never rejects
   */
  protected abstract carryOut(claimed: Claimed, report: Report, interruption: Interruption): Promise<(() => Promise<void>) | void>;

  /** Records the end of a piece of work, through `write`. @param report null if the work has not begun */
  protected abstract end(
    claimed: Claimed,
    status: 'failed' | 'cancelled',
    report: Report | null,
    failure: RunFailure | null,
  ): Promise<void>;

  /**
   * Puts a piece of work back into the queue, through `write`.
   * @param returned the number of attempts that do not count
   * @returns `succeeded` if the work turns out to have succeeded before, and stays so
   */
  protected abstract release(claimed: Claimed, returned: 0 | 1): Promise<'succeeded' | 'released'>;

  /** Counts the end of a piece of work for the metrics of the process. */
  protected abstract count(end: WorkEnd): void;

  /** The ids that name a piece of work in the log. */
  protected idsOf({ id }: Claimed): Record<string, number> {
    return { id };
  }

  protected abstract toFailure(error: unknown): RunFailure;

  onApplicationBootstrap(): void {
    // Renewing leases is needed even in a process that looks for no work: a request may still start work here.
    this.timers = [setInterval(() => void this.wake(), pollEveryMs), setInterval(() => void this.beat(), heartbeatEveryMs)];
    for (const timer of this.timers) timer.unref();
    void this.wake();
  }

  /** Puts the work under way back into the queue, for another worker or for this one after a restart. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const timer of this.timers) clearInterval(timer);
    await this.claiming;
    const ended = Promise.all([...this.active].map(work => work.ended)).then(() => true);
    // A cancellation that arrives between two statements is lost, so cancellations are sent until all work has ended.
    for (let isOver = false; !isOver;) {
      await Promise.all([...this.active].map(work => this.interrupt(work)));
      isOver = await Promise.race([ended, sleep(interruptEveryMs, false)]);
    }
  }

  /** Looks for work now instead of at the next poll. Never rejects. */
  async wake(): Promise<void> {
    if (this.isStopping || this.claiming || this.settings.worker === 'off' || this.disk?.lack) return;
    this.claiming = outsideRequest(() => this.claimAll()).finally(() => (this.claiming = null));
    await this.claiming;
  }

  /** Waits until this process has recorded the end of a piece of work, but at most `longestMs`, because another process may do the work. */
  async untilEnd(id: number, longestMs: number): Promise<void> {
    await once(this.ends, String(id), { signal: AbortSignal.timeout(Math.ceil(longestMs)) }).catch(() => undefined);
  }

  /** Renews the leases and reads cancellations. It is public so that a cancellation need not wait for the timer. */
  async beat(): Promise<void> {
    for (const work of this.active) {
      if (work.hasSucceeded) continue;
      try {
        const lease = await this.renewLease(work.claimed);
        if (lease?.isCancelled) work.isCancelled = true;
        if (!lease) await this.interrupt(work, new LeaseLostError());
        else if (lease.isCancelled) await this.interrupt(work);
      } catch (error) {
        this.log.warn(this.about(work.claimed, error), 'A lease could not be renewed');
      }
    }
  }

  /** Repeats a statement until the database is reachable again, but not beyond the time at which the work's lease has certainly expired. */
  protected async write<T>(statement: () => Promise<T>): Promise<T> {
    for (const leaseEnds = performance.now() + leaseSeconds * 1000; ;) {
      try {
        return await statement();
      } catch (error) {
        if (!isDatabaseAway(error) || this.isStopping || performance.now() > leaseEnds) throw error;
        await sleep(repeatWriteEveryMs);
      }
    }
  }

  /** Claims and starts work until no place is free or no work waits. Never rejects. */
  private async claimAll(): Promise<void> {
    try {
      while (this.active.size < maxAtOnce && !this.isStopping) {
        const claimed = await this.claim();
        if (!claimed) return;
        // Work that started during a stop would not be interrupted, and the stop would not wait for it, so it is released.
        if (this.isStopping) return await this.giveBack(claimed, 1);
        void this.start(claimed);
      }
    } catch (error) {
      this.log.warn({ cause: error }, `Looking for work failed: ${this.kind}`);
    }
  }

  private async claim(): Promise<Claimed | null> {
    for (;;) {
      const claim = await this.claimNext([...this.active].map(({ claimed }) => claimed));
      if (!claim) return null;
      if (claim.isCancelled) await this.cancel(claim.claimed, null);
      else if (claim.attempt > maxAttempts) await this.fail(claim.claimed, null, tooManyAttempts(maxAttempts));
      else return claim.claimed;
    }
  }

  /** Whether this process has a free place for work that a request starts. */
  protected get hasPlace(): boolean {
    return this.active.size < maxAtOnce && !this.isStopping;
  }

  /** Starts a piece of work. @returns a promise that resolves once the work has ended; never rejects */
  protected start(claimed: Claimed): Promise<void> {
    const work: ActiveWork<Claimed> = {
      claimed,
      backendPid: null,
      stop: new AbortController(),
      isCancelled: false,
      hasSucceeded: false,
      ended: Promise.resolve(),
    };
    this.active.add(work);
    work.ended = this.attend(work)
      .catch((error: unknown) => this.log.error(this.about(claimed, error), 'The end of work could not be recorded'))
      .finally(() => {
        this.active.delete(work);
        void this.wake();
      });
    return work.ended;
  }

  private async attend(work: ActiveWork<Claimed>): Promise<void> {
    const { claimed, stop } = work;
    const report = {} as Report;
    try {
      const carryOut = () => this.carryOut(claimed, report, { onBackend: pid => (work.backendPid = pid), signal: stop.signal });
      const next = await (this.disk ? this.disk.guard(() => void this.interrupt(work), carryOut) : carryOut());
      work.hasSucceeded = true;
      work.backendPid = null;
      this.count('succeeded');
      this.ends.emit(String(claimed.id));
      if (next && !this.isStopping) await next();
    } catch (error) {
      work.backendPid = null;
      // A statement that was cancelled because the lease is lost fails with a database error, so the reason of the signal is checked too.
      if (error instanceof LeaseLostError || stop.signal.reason instanceof LeaseLostError) return;
      if (work.isCancelled) return this.cancel(claimed, report);
      if (this.isStopping) return this.giveBack(claimed, 1);
      // The work did not cause the error, so it is tried again, as often as work whose worker has died.
      if (isDatabaseAway(error) || error instanceof TurnEndedError) return this.giveBack(claimed, 0);
      await this.fail(claimed, report, error);
    } finally {
      work.backendPid = null;
      this.ends.emit(String(claimed.id));
    }
  }

  private async cancel(claimed: Claimed, report: Report | null): Promise<void> {
    this.count('cancelled');
    await this.end(claimed, 'cancelled', report, null);
  }

  /**
   * Ends the work as failed, with one line in the log. The sentence of the line contains no values of rows: for an ApiError it is the
   * error's own text, without the problems of a request, which may quote values. For an unexpected error, the line includes the error
   * itself.
   */
  private async fail(claimed: Claimed, report: Report | null, error: unknown): Promise<void> {
    const failure = this.toFailure(error);
    const isForeseen = error instanceof RunFailure || (error instanceof ApiError && error.status < 500);
    const text = error instanceof ApiError ? error.text : failure.text;
    const facts = { kind: this.kind, ...this.idsOf(claimed), code: failure.code, sentence: cut(joined(text), mostOfSentence) };
    this.log.warn(isForeseen ? facts : { ...facts, cause: error }, 'Work failed');
    this.count('failed');
    await this.end(claimed, 'failed', report, failure);
  }

  private async giveBack(claimed: Claimed, returned: 0 | 1): Promise<void> {
    let end: WorkEnd = 'released';
    try {
      end = await this.release(claimed, returned);
    } finally {
      this.count(end);
    }
  }

  /**
   * Stops the work's current statement: in this database by a cancellation, at another source by the signal. The work then ends with
   * `reason`.
   */
  private async interrupt({ backendPid, claimed, stop }: ActiveWork<Claimed>, reason: Error = new RunCancelledError()): Promise<void> {
    stop.abort(reason);
    if (backendPid === null) return;
    await this.pool.query('SELECT pg_cancel_backend($1)', [backendPid]).catch((cause: unknown) => {
      // If the database is unreachable, the statement is lost as well, and the lease runs out.
      this.log.warn(this.about(claimed, cause), 'A statement could not be cancelled');
    });
  }

  private about(claimed: Claimed, cause: unknown): object {
    return { cause, kind: this.kind, ...this.idsOf(claimed) };
  }
}
