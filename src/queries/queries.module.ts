import { Module } from '@nestjs/common';
import { GraphsModule } from '../graphs/graphs.module.js';
import { IngestionModule } from '../ingestion/ingestion.module.js';
import { LanguageModelModule } from '../language-model/language-model.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { UsersModule } from '../users/users.module.js';
import { WarehouseModule } from '../warehouse/warehouse.module.js';
import { AnswerStore } from './answer-store.js';
import { GraphWarming } from './graph-warming.service.js';
import { CitedRowsReader } from './cited-rows.reader.js';
import { EarlierQuestions } from './earlier-questions.js';
import { KeptLexicons } from './kept-lexicons.js';
import { LexiconController } from './lexicon.controller.js';
import { LexiconRepository } from './lexicon.repository.js';
import { LexiconService } from './lexicon.service.js';
import { MetricAnswers } from './metric-answers.js';
import { ModelAnswers } from './model-answers.js';
import { QueriesController } from './queries.controller.js';
import { QueriesRepository } from './queries.repository.js';
import { QueriesService } from './queries.service.js';
import { QueryExecutor } from './query-executor.service.js';
import { QueryRunsRepository } from './query-runs.repository.js';
import { QueryRunsService } from './query-runs.service.js';
import { QueryTurns } from './query-turns.js';
import { SavedQueriesController } from './saved-queries.controller.js';
import { SavedQueriesRepository } from './saved-queries.repository.js';
import { SavedQueriesService } from './saved-queries.service.js';
import { SourceRowsReader } from './source-rows.reader.js';

@Module({
  imports: [GraphsModule, WarehouseModule, IngestionModule, LanguageModelModule, MetricsModule, UsersModule],
  controllers: [QueriesController, SavedQueriesController, LexiconController],
  exports: [AnswerStore, QueryRunsService],
  providers: [
    EarlierQuestions,
    QueriesService,
    QueriesRepository,
    QueryExecutor,
    QueryRunsService,
    QueryRunsRepository,
    SavedQueriesService,
    SavedQueriesRepository,
    LexiconService,
    LexiconRepository,
    KeptLexicons,
    QueryTurns,
    AnswerStore,
    GraphWarming,
    MetricAnswers,
    ModelAnswers,
    CitedRowsReader,
    SourceRowsReader,
  ],
})
export class QueriesModule {}
