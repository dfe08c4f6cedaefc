import { Module } from '@nestjs/common';
import { GraphsModule } from '../graphs/graphs.module.js';
import { SchedulesModule } from '../schedules/schedules.module.js';
import { UsersModule } from '../users/users.module.js';
import { WarehouseModule } from '../warehouse/warehouse.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { CheckedReads } from './checked-reads.js';
import { BindingSuggestionsController } from './binding/binding-suggestions.controller.js';
import { BindingSuggestionsService } from './binding/binding-suggestions.service.js';
import { MetricBinder } from './binding/metric-binder.js';
import { MetricDefinitionsService } from './metric-definitions.service.js';
import { MetricExports } from './metric-exports.service.js';
import { MetricPlanner } from './metric-planner.service.js';
import { MetricRunsService } from './metric-runs.service.js';
import { MetricsController } from './metrics.controller.js';
import { MetricTurns } from './metric-turns.js';
import { MetricsOfTable } from './metrics-of-table.service.js';
import { MetricsRepository } from './metrics.repository.js';
import { MetricsService } from './metrics.service.js';
import { KeptResults } from './results/kept-results.service.js';
import { MetricReader } from './results/metric-reader.service.js';
import { ResultReplies } from './result-replies.service.js';
import { ResultsRepository } from './results/results.repository.js';
import { TranslatedReads } from './translated-reads.js';
import { WatchesController } from './watches/watches.controller.js';
import { WatchesRepository } from './watches/watches.repository.js';
import { WatchesService } from './watches/watches.service.js';
import { WatchesWorker } from './watches/watches.worker.js';

@Module({
  imports: [GraphsModule, SchedulesModule, UsersModule, WarehouseModule, WebhooksModule],
  controllers: [BindingSuggestionsController, MetricsController, WatchesController],
  providers: [
    BindingSuggestionsService,
    CheckedReads,
    KeptResults,
    MetricBinder,
    MetricDefinitionsService,
    MetricExports,
    MetricPlanner,
    MetricRunsService,
    MetricReader,
    MetricsOfTable,
    MetricsRepository,
    MetricsService,
    MetricTurns,
    ResultReplies,
    ResultsRepository,
    TranslatedReads,
    WatchesRepository,
    WatchesService,
    WatchesWorker,
  ],
  exports: [KeptResults, MetricRunsService, MetricsService],
})
export class MetricsModule {}
