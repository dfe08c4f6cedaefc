import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { GraphsModule } from '../graphs/graphs.module.js';
import { WarehouseModule } from '../warehouse/warehouse.module.js';
import { CheckedReads } from './checked-reads.js';
import { BindingSuggestionsController } from './binding/binding-suggestions.controller.js';
import { BindingSuggestionsService } from './binding/binding-suggestions.service.js';
import { MetricBinder } from './binding/metric-binder.js';
import { MetricDefinitionsService } from './metric-definitions.service.js';
import { MetricRunsService } from './metric-runs.service.js';
import { Metric } from './metric.entity.js';
import { MetricsController } from './metrics.controller.js';
import { MetricsRepository } from './metrics.repository.js';
import { MetricsService } from './metrics.service.js';

@Module({
  imports: [TypeOrmModule.forFeature([Metric]), GraphsModule, WarehouseModule],
  controllers: [BindingSuggestionsController, MetricsController],
  providers: [
    BindingSuggestionsService,
    CheckedReads,
    MetricBinder,
    MetricDefinitionsService,
    MetricRunsService,
    MetricsRepository,
    MetricsService,
  ],
  exports: [MetricRunsService, MetricsService],
})
export class MetricsModule {}
