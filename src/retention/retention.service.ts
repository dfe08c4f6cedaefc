import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Logger } from 'pino';
import { AuditService } from '../audit/audit.service.js';
import { logToken } from '../common/logging/log.js';
import { Settings } from '../config/settings.js';
import { ServicePool } from '../database/service-pool.js';
import { IdempotencyService } from '../idempotency/idempotency.service.js';
import { RunsService } from '../ingestion/runs.service.js';
import { KeptResults } from '../metrics/results/kept-results.service.js';
import { AnswerStore } from '../queries/answer-store.js';
import { QueryRunsService } from '../queries/query-runs.service.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';

const sweepEveryMs = 5 * 60_000;
/** Maximum rows that one transaction removes, so few that a caller who waits for its locks does not notice the delay. */
const batchRows = 1_000;
const mostBatches = 200;
/** The key of the sweep's advisory lock in the database. */
const sweepLock = 7_301_002;

interface Kept {
  what: string;
  /** Removes at most `most` expired rows. @returns how many were removed */
  remove: (client: PoolClient, most: number) => Promise<number>;
}

/** Removes expired rows in small batches every few minutes. Only one process at a time removes a batch. */
@Injectable()
export class RetentionService implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly kept: Kept[];
  private timer: NodeJS.Timeout | undefined;
  private sweeping: Promise<unknown> = Promise.resolve();
  private isStopping = false;

  constructor(
    private readonly pool: ServicePool,
    @Inject(logToken) private readonly log: Logger,
    settings: Settings,
    audit: AuditService,
    runs: RunsService,
    answers: AnswerStore,
    queries: QueryRunsService,
    results: KeptResults,
    idempotency: IdempotencyService,
    webhooks: WebhooksService,
  ) {
    this.kept = [
      { what: 'old stored answers', remove: (client, most) => answers.removeOld(client, most) },
      { what: 'stored answers beyond the share of their graph', remove: (client, most) => answers.removeBeyondShare(client, most) },
      { what: 'queries that ended long ago', remove: (client, most) => queries.removeOld(client, most) },
      { what: 'claims of processes that have ended', remove: (client, most) => answers.removeOldClaims(client, most) },
      { what: 'results of metrics out of date', remove: (client, most) => results.removeOutdated(client, most) },
      { what: 'results of metrics beyond the share of their caller', remove: (client, most) => results.removeBeyondShare(client, most) },
      { what: 'rejected rows', remove: (client, most) => runs.removeOldRejected(client, settings.rejectedKeptDays, most) },
      { what: 'runs', remove: (client, most) => runs.removeOld(client, settings.runsKeptDays, most) },
      { what: 'deliveries of webhooks', remove: (client, most) => webhooks.removeOld(client, settings.runsKeptDays, most) },
      { what: 'deliveries of webhooks beyond the share of their user', remove: (client, most) => webhooks.removeBeyondShare(client, most) },
      { what: 'idempotency keys', remove: (client, most) => idempotency.removeExpired(client, most) },
      { what: 'audit events', remove: (client, most) => audit.removeOld(client, settings.auditKeptDays, most) },
    ];
  }

  onApplicationBootstrap(): void {
    this.planNext();
  }

  /**
   * Removes all kinds of expired rows.
   * @returns the number of removed rows by kind; 0 for a kind whose batch another process is removing
   */
  async sweep(): Promise<Record<string, number>> {
    const removed: Record<string, number> = {};
    for (const { what, remove } of this.kept) {
      try {
        removed[what] = await this.sweepOne(remove);
      } catch (cause) {
        this.log.warn({ cause, what }, 'Expired records could not be removed; the next sweep tries again');
      }
    }
    return removed;
  }

  /** Stops the sweep after its current batch, and waits for it. Must run before the pools close. */
  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearTimeout(this.timer);
    await this.sweeping;
  }

  private planNext(): void {
    // The pause has a random part, so that processes that start together do not sweep together.
    const pauseMs = sweepEveryMs * (0.75 + Math.random() / 2);
    this.timer = setTimeout(() => {
      this.sweeping = this.sweep().then(() => {
        if (!this.isStopping) this.planNext();
      });
    }, pauseMs).unref();
  }

  private async sweepOne(remove: Kept['remove']): Promise<number> {
    let removed = 0;
    for (let batch = 0; batch < mostBatches && !this.isStopping; batch++) {
      const rows = await this.pool.transaction(async client => {
        const { rows } = await client.query<{ mine: boolean }>('SELECT pg_try_advisory_xact_lock($1) AS mine', [sweepLock]);
        return rows[0]!.mine ? remove(client, batchRows) : 0;
      });
      removed += rows;
      if (rows < batchRows) break;
    }
    return removed;
  }
}
