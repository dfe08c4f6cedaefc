import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.js';
import { IdempotencyModule } from '../idempotency/idempotency.module.js';
import { IngestionModule } from '../ingestion/ingestion.module.js';
import { MetricsModule } from '../metrics/metrics.module.js';
import { QueriesModule } from '../queries/queries.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { RetentionService } from './retention.service.js';

@Module({
  imports: [AuditModule, IdempotencyModule, IngestionModule, MetricsModule, QueriesModule, WebhooksModule],
  providers: [RetentionService],
})
export class RetentionModule {}
