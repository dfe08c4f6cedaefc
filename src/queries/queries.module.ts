import { Module } from '@nestjs/common';
import { GraphsModule } from '../graphs/graphs.module.js';
import { IngestionModule } from '../ingestion/ingestion.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { UsersModule } from '../users/users.module.js';
import { WarehouseModule } from '../warehouse/warehouse.module.js';
import { AnswerStore } from './answer-store.js';
import { MetricAnswers } from './metric-answers.js';
import { QueriesController } from './queries.controller.js';
import { QueriesRepository } from './queries.repository.js';
import { QueriesService } from './queries.service.js';
import { QueryExecutor } from './query-executor.service.js';
import { QueryRunsRepository } from './query-runs.repository.js';
import { QueryRunsService } from './query-runs.service.js';
import { SourceRowsReader } from './source-rows.reader.js';

@Module({
  imports: [GraphsModule, WarehouseModule, IngestionModule, MetricsModule, UsersModule],
  controllers: [QueriesController],
  exports: [AnswerStore, QueryRunsService],
  providers: [
    QueriesService,
    QueriesRepository,
    QueryExecutor,
    QueryRunsService,
    QueryRunsRepository,
    AnswerStore,
    MetricAnswers,
    SourceRowsReader,
  ],
})
export class QueriesModule {}
