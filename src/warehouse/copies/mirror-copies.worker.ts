import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { type RunFailure } from '../../common/errors/run-failure.js';
import { logToken } from '../../common/logging/log.js';
import { Settings } from '../../config/settings.js';
import { DiskReserve } from '../../database/disk-reserve.js';
import { type Interruption, LeasedWorker, type WorkEnd } from '../../database/leased-worker.js';
import { ServicePool } from '../../database/service-pool.js';
import { Telemetry } from '../../telemetry/telemetry.service.js';
import { joined } from '../../text/bilingual.js';
import { toCopyEnd } from './copy-end.js';
import { type CopyReport, emptyCopyReport, withoutWrites } from './copy-report.js';
import { MirrorCopier } from './mirror-copier.service.js';
import { type ClaimedCopy, MirrorCopiesRepository } from './mirror-copies.repository.js';

/** Runs queued copies into the mirror. Users take turns. */
@Injectable()
export class MirrorCopiesWorker extends LeasedWorker<ClaimedCopy, CopyReport> {
  constructor(
    pool: ServicePool,
    private readonly copies: MirrorCopiesRepository,
    private readonly copier: MirrorCopier,
    settings: Settings,
    @Inject(logToken) log: Logger,
    disk: DiskReserve,
    private readonly telemetry: Telemetry,
  ) {
    super('copy into the mirror', pool, settings, log, disk);
  }

  protected claimNext(): ReturnType<MirrorCopiesRepository['claim']> {
    return this.copies.claim();
  }

  protected renewLease(claimed: ClaimedCopy): Promise<{ isCancelled: boolean } | null> {
    return this.copies.renewLease(claimed);
  }

  protected carryOut(claimed: ClaimedCopy, report: CopyReport, interruption: Interruption): Promise<void> {
    return this.copier.copy(claimed, Object.assign(report, emptyCopyReport(0)), interruption);
  }

  protected async end(
    claimed: ClaimedCopy,
    status: 'failed' | 'cancelled',
    report: CopyReport | null,
    failure: RunFailure | null,
  ): Promise<void> {
    const problem = failure && { code: failure.code, detail: joined(failure.text), context: failure.context };
    await this.write(() => this.copies.end(claimed, status, report && withoutWrites(report, problem), problem));
  }

  protected release(claimed: ClaimedCopy, returned: 0 | 1): Promise<'succeeded' | 'released'> {
    return this.write(() => this.copies.release(claimed, returned));
  }

  protected count(end: WorkEnd): void {
    this.telemetry.workEnded('copy', end);
  }

  protected toFailure(error: unknown): RunFailure {
    return toCopyEnd(error);
  }
}
