import { Module } from '@nestjs/common';
import { GraphsModule } from '../graphs/graphs.module.js';
import { WarehouseModule } from '../warehouse/warehouse.module.js';
import { IngestionRepository } from './ingestion.repository.js';
import { IngestionRunner } from './ingestion-runner.service.js';
import { IngestionWorker } from './ingestion.worker.js';
import { JobsController } from './jobs.controller.js';
import { JobsService } from './jobs.service.js';
import { RunsController } from './runs.controller.js';
import { RunsService } from './runs.service.js';
import { SourcesService } from './sources.service.js';

@Module({
  imports: [GraphsModule, WarehouseModule],
  controllers: [JobsController, RunsController],
  providers: [IngestionRepository, IngestionRunner, IngestionWorker, JobsService, RunsService, SourcesService],
  exports: [JobsService, RunsService],
})
export class IngestionModule {}
