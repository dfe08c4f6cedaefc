import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Principal } from '../access/principal.js';
import { DiskReserve } from '../database/disk-reserve.js';
import { GraphAccessService } from '../graphs/graph-access.service.js';
import { type SaveScheduleRequest, type ScheduleResponse } from '../schedules/schedule-body.js';
import { SchedulesService } from '../schedules/schedules.service.js';
import { type Started, SchedulesWorker } from '../schedules/schedules.worker.js';
import { WarehouseService } from '../warehouse/warehouse.service.js';
import { RunActiveError, TooManyRunsWaitingError } from './ingestion.errors.js';
import { JobsRepository } from './jobs.repository.js';
import { jobKind } from './run-message.js';
import { RunsRepository } from './runs.repository.js';

/** The schedules of jobs. */
@Injectable()
export class JobSchedulesService implements OnModuleInit {
  constructor(
    private readonly schedules: SchedulesService,
    private readonly worker: SchedulesWorker,
    private readonly jobs: JobsRepository,
    private readonly runs: RunsRepository,
    private readonly access: GraphAccessService,
    private readonly warehouse: WarehouseService,
    private readonly disk: DiskReserve,
  ) {}

  onModuleInit(): void {
    this.worker.register(jobKind, (client, principal, jobId) => this.start(client, principal, jobId));
  }

  /** @throws SchemaError, JobRetiredError */
  save(principal: Principal, jobId: number, request: SaveScheduleRequest): Promise<ScheduleResponse> {
    return this.schedules.save(principal, jobKind, jobId, request, client => this.jobs.requireActive(client, jobId));
  }

  /** @throws ScheduleNotFoundError */
  get(jobId: number): Promise<ScheduleResponse> {
    return this.schedules.get(jobKind, jobId);
  }

  /** @throws ScheduleNotFoundError */
  delete(principal: Principal, jobId: number): Promise<void> {
    return this.schedules.delete(principal, jobKind, jobId);
  }

  /** Queues a run as if the user had asked for it now. The run starts only if the user who saved the job may still read the connection. */
  private async start(client: PoolClient, principal: Principal, jobId: number): Promise<Started> {
    await this.disk.require();
    const { id, name, graph_id: graphId, connection_id: connectionId, saved_by: savedBy } = await this.jobs.get(jobId);
    await this.access.require(principal, graphId, 'editor');
    if (connectionId !== null) await this.warehouse.open({ kind: 'job', id, name, savedBy }, connectionId);
    try {
      return {
        runId: await this.runs.queue(client, jobId, principal.userId, {
          allowsDeletes: false,
          retires: false,
          isFull: false,
          startedBy: 'schedule',
        }),
      };
    } catch (error) {
      if (error instanceof RunActiveError) return { skipped: error };
      if (error instanceof TooManyRunsWaitingError) return { later: error };
      throw error;
    }
  }
}
