import { setTimeout as sleep } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Logger } from 'pino';
import { isDatabaseAway, LeaseLostError, RunCancelledError, RunFailure, tooManyAttempts } from '../../common/errors/run-failure.js';
import { logToken } from '../../common/logging/log.js';
import { Settings } from '../../config/settings.js';
import { ServicePool } from '../../database/service-pool.js';
import { joined } from '../../text/bilingual.js';
import { toCopyEnd } from './copy-end.js';
import { type CopyReport, emptyCopyReport, withoutWrites } from './copy-report.js';
import { MirrorCopier } from './mirror-copier.service.js';
import { type ClaimedCopy, leaseSeconds, MirrorCopiesRepository } from './mirror-copies.repository.js';

const pollEveryMs = 1_000;
const heartbeatEveryMs = 2_000;
const maxAttempts = 3;
const maxAtOnce = 2;
const interruptEveryMs = 100;
const repeatWriteEveryMs = 200;

interface ActiveCopy {
  claimed: ClaimedCopy;
  backendPid: number | null;
  stop: AbortController;
  isCancelled: boolean;
  ended: Promise<void>;
}

/** Takes waiting copies and those whose worker has died, users in turn, and keeps the lease on them while it works. */
@Injectable()
export class MirrorCopiesWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly active = new Set<ActiveCopy>();
  private timers: NodeJS.Timeout[] = [];
  private isStopping = false;
  private isClaiming = false;

  constructor(
    private readonly pool: ServicePool,
    private readonly copies: MirrorCopiesRepository,
    private readonly copier: MirrorCopier,
    private readonly settings: Settings,
    @Inject(logToken) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.worker === 'off') return;
    this.timers = [setInterval(() => void this.wake(), pollEveryMs), setInterval(() => void this.beat(), heartbeatEveryMs)];
    for (const timer of this.timers) timer.unref();
    void this.wake();
  }

  /** Puts running copies back into the queue, for another worker or for this one after a restart. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    for (const timer of this.timers) clearInterval(timer);
    const ended = Promise.all([...this.active].map(copy => copy.ended)).then(() => true);
    // A cancellation that arrives between two statements is lost, so it is sent until the copies have ended.
    for (let isOver = false; !isOver;) {
      await Promise.all([...this.active].map(copy => this.interrupt(copy)));
      isOver = await Promise.race([ended, sleep(interruptEveryMs, false)]);
    }
  }

  /** Looks for work now instead of at the next poll. Never rejects. */
  async wake(): Promise<void> {
    if (this.isStopping || this.isClaiming || this.settings.worker === 'off') return;
    this.isClaiming = true;
    try {
      while (this.active.size < maxAtOnce && !this.isStopping) {
        const claimed = await this.claim();
        if (!claimed) break;
        this.start(claimed);
      }
    } catch (error) {
      this.log.warn({ cause: error }, 'Looking for copies into the mirror failed');
    } finally {
      this.isClaiming = false;
    }
  }

  /** Renews the leases and reads cancellations. It is public so that a cancellation need not wait for the timer. */
  async beat(): Promise<void> {
    for (const copy of this.active) {
      try {
        const lease = await this.copies.renewLease(copy.claimed);
        if (lease?.isCancelled) copy.isCancelled = true;
        if (!lease) await this.interrupt(copy, new LeaseLostError());
        else if (lease.isCancelled) await this.interrupt(copy);
      } catch (error) {
        this.log.warn({ cause: error, copy: copy.claimed.id }, 'The lease of a copy into the mirror could not be renewed');
      }
    }
  }

  private async claim(): Promise<ClaimedCopy | null> {
    const claim = await this.copies.claim();
    if (!claim) return null;
    if (claim.isCancelled) await this.end(claim.copy, 'cancelled', null, null);
    else if (claim.attempt > maxAttempts) await this.end(claim.copy, 'failed', null, tooManyAttempts(maxAttempts));
    else return claim.copy;
    return this.claim();
  }

  private start(claimed: ClaimedCopy): void {
    const copy: ActiveCopy = {
      claimed,
      backendPid: null,
      stop: new AbortController(),
      isCancelled: false,
      ended: Promise.resolve(),
    };
    this.active.add(copy);
    copy.ended = this.work(copy)
      .catch((error: unknown) => this.log.error({ cause: error, copy: claimed.id }, 'A copy into the mirror could not be ended'))
      .finally(() => {
        this.active.delete(copy);
        void this.wake();
      });
  }

  private async work(copy: ActiveCopy): Promise<void> {
    const { claimed } = copy;
    const report = emptyCopyReport(0);
    try {
      await this.copier.copy(claimed, report, { onBackend: pid => (copy.backendPid = pid), signal: copy.stop.signal });
    } catch (error) {
      copy.backendPid = null;
      if (error instanceof LeaseLostError) return;
      if (copy.isCancelled) return this.end(claimed, 'cancelled', report, null);
      if (this.isStopping) return this.write(() => this.copies.release(claimed, 1));
      // The copy did not cause this, so it is tried again, as often as one that lost its worker.
      if (isDatabaseAway(error)) return this.write(() => this.copies.release(claimed, 0));
      if (!(error instanceof RunFailure)) this.log.warn({ cause: error, copy: claimed.id }, 'A copy into the mirror failed');
      await this.end(claimed, 'failed', report, toCopyEnd(error));
    } finally {
      copy.backendPid = null;
    }
  }

  /** Stops the current statement of a copy, here and at its source. The copy then ends with that error. */
  private async interrupt({ backendPid, claimed, stop }: ActiveCopy, reason: Error = new RunCancelledError()): Promise<void> {
    stop.abort(reason);
    if (backendPid === null) return;
    await this.pool.query('SELECT pg_cancel_backend($1)', [backendPid]).catch((cause: unknown) => {
      this.log.warn({ cause, copy: claimed.id }, 'The statement of a copy into the mirror could not be cancelled');
    });
  }

  private async end(
    claimed: ClaimedCopy,
    status: 'failed' | 'cancelled',
    report: CopyReport | null,
    failure: RunFailure | null,
  ): Promise<void> {
    const problem = failure && { code: failure.code, detail: joined(failure.text), context: failure.context };
    await this.write(() => this.copies.end(claimed, status, report && withoutWrites(report, problem), problem));
  }

  /** Writes the end of a copy as soon as the database is back. It gives up only once the lease has ended by itself. */
  private async write(statement: () => Promise<void>): Promise<void> {
    for (const leaseEnds = performance.now() + leaseSeconds * 1000; ;) {
      try {
        return await statement();
      } catch (error) {
        if (!isDatabaseAway(error) || this.isStopping || performance.now() > leaseEnds) throw error;
        await sleep(repeatWriteEveryMs);
      }
    }
  }
}
