import { Module } from '@nestjs/common';
import { GraphsModule } from '../graphs/graphs.module.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { WarehouseModule } from '../warehouse/warehouse.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { IngestionRunner } from './ingestion-runner.service.js';
import { IngestionWorker } from './ingestion.worker.js';
import { JobSchedulesController } from './job-schedules.controller.js';
import { JobSchedulesService } from './job-schedules.service.js';
import { JobWebhooksController } from './job-webhooks.controller.js';
import { JobWebhooksService } from './job-webhooks.service.js';
import { JobsController } from './jobs.controller.js';
import { JobsOfTable } from './jobs-of-table.service.js';
import { JobsRepository } from './jobs.repository.js';
import { JobsService } from './jobs.service.js';
import { LoadedElements } from './loaded-elements.service.js';
import { RejectedRowsRepository } from './rejected-rows.repository.js';
import { MappingTurns } from './mapping-turns.js';
import { RevisionsController } from './revisions.controller.js';
import { RevisionsService } from './revisions.service.js';
import { RunsController } from './runs.controller.js';
import { RunsRepository } from './runs.repository.js';
import { RunsService } from './runs.service.js';
import { SourcesService } from './sources.service.js';
import { SuggestionsController } from './suggestions.controller.js';
import { SuggestionsService } from './suggestions.service.js';
import { TrialService } from './trial.service.js';
import { UnchangedRunsService } from './unchanged-runs.service.js';

@Module({
  imports: [GraphsModule, SchedulesModule, WarehouseModule, WebhooksModule],
  controllers: [JobsController, JobSchedulesController, JobWebhooksController, RevisionsController, RunsController, SuggestionsController],
  providers: [
    JobsRepository,
    RunsRepository,
    RejectedRowsRepository,
    IngestionRunner,
    IngestionWorker,
    JobsOfTable,
    JobsService,
    JobSchedulesService,
    JobWebhooksService,
    LoadedElements,
    MappingTurns,
    RevisionsService,
    RunsService,
    SourcesService,
    SuggestionsService,
    TrialService,
    UnchangedRunsService,
  ],
  exports: [JobsService, LoadedElements, RunsService],
})
export class IngestionModule {}
