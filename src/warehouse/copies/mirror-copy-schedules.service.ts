import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Principal } from '../../access/principal.js';
import { DiskReserve } from '../../database/disk-reserve.js';
import { type SaveScheduleRequest, type ScheduleResponse } from '../../schedules/schedule-body.js';
import { SchedulesService } from '../../schedules/schedules.service.js';
import { type Started, SchedulesWorker } from '../../schedules/schedules.worker.js';
import { MirrorCopier } from './mirror-copier.service.js';
import { MirrorCopyActiveError, TooManyCopiesWaitingError } from './mirror-copies.errors.js';
import { MirrorCopiesRepository } from './mirror-copies.repository.js';
import { copyKind, MirrorCopiesService } from './mirror-copies.service.js';

/** The schedules of copies into the mirror. */
@Injectable()
export class MirrorCopySchedulesService implements OnModuleInit {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly worker: SchedulesWorker,
    private readonly copies: MirrorCopiesService,
    private readonly repository: MirrorCopiesRepository,
    private readonly copier: MirrorCopier,
    private readonly disk: DiskReserve,
  ) {}

  onModuleInit(): void {
    this.worker.register(copyKind, (client, principal, id) => this.start(client, principal, id));
  }

  /** @throws MirrorCopyNotFoundError, MirrorCopyForbiddenError, SchemaError */
  async save(principal: Principal, id: number, request: SaveScheduleRequest): Promise<ScheduleResponse> {
    await this.copies.require(principal, id);
    return this.schedules.save(principal, copyKind, id, request, client => this.repository.hold(client, id));
  }

  /** @throws MirrorCopyNotFoundError, MirrorCopyForbiddenError, ScheduleNotFoundError */
  async get(principal: Principal, id: number): Promise<ScheduleResponse> {
    await this.copies.require(principal, id);
    return this.schedules.get(copyKind, id);
  }

  /** @throws MirrorCopyNotFoundError, MirrorCopyForbiddenError, ScheduleNotFoundError */
  async delete(principal: Principal, id: number): Promise<void> {
    await this.copies.require(principal, id);
    await this.schedules.delete(principal, copyKind, id);
  }

  /**
   * Queues a scheduled copy as if the user had started it now. The user who saved the copy must still be allowed to read its source and
   * write the mirror.
   */
  private async start(client: PoolClient, principal: Principal, id: number): Promise<Started> {
    await this.disk.require();
    await this.copier.open(await this.copies.require(principal, id));
    try {
      await this.repository.queue(client, id, principal.userId, 'schedule');
      return { runId: null };
    } catch (error) {
      if (error instanceof MirrorCopyActiveError) return { skipped: error };
      if (error instanceof TooManyCopiesWaitingError) return { later: error };
      throw error;
    }
  }
}
