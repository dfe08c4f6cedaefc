import { Module } from '@nestjs/common';
import { IngestionModule } from '../ingestion/ingestion.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { WarehouseModule } from '../warehouse/warehouse.module.js';
import { AnswerStore } from './answer-store.js';
import { MetricAnswers } from './metric-answers.js';
import { QueriesController } from './queries.controller.js';
import { QueriesRepository } from './queries.repository.js';
import { QueriesService } from './queries.service.js';
import { SourceRowsReader } from './source-rows.reader.js';

@Module({
  imports: [WarehouseModule, IngestionModule, MetricsModule],
  controllers: [QueriesController],
  exports: [AnswerStore],
  providers: [QueriesService, QueriesRepository, AnswerStore, MetricAnswers, SourceRowsReader],
})
export class QueriesModule {}
