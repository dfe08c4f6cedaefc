import { Module } from '@nestjs/common';
import { GraphsModule } from '../graphs/graphs.module.js';
import { WarehouseModule } from '../warehouse/warehouse.module.js';
import { IngestionRunner } from './ingestion-runner.service.js';
import { IngestionWorker } from './ingestion.worker.js';
import { JobsController } from './jobs.controller.js';
import { JobsRepository } from './jobs.repository.js';
import { JobsService } from './jobs.service.js';
import { RejectedRowsRepository } from './rejected-rows.repository.js';
import { RunsController } from './runs.controller.js';
import { RunsRepository } from './runs.repository.js';
import { RunsService } from './runs.service.js';
import { SourcesService } from './sources.service.js';

@Module({
  imports: [GraphsModule, WarehouseModule],
  controllers: [JobsController, RunsController],
  providers: [
    JobsRepository,
    RunsRepository,
    RejectedRowsRepository,
    IngestionRunner,
    IngestionWorker,
    JobsService,
    RunsService,
    SourcesService,
  ],
  exports: [JobsService, RunsService],
})
export class IngestionModule {}
