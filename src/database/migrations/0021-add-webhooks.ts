// The previous release keeps working; ends of runs that it writes are not told to webhooks.
import { type MigrationInterface, type QueryRunner } from 'typeorm';

/**
 * Adds webhooks and the outbox of their deliveries. As with schedules, a generated column for each kind lets a webhook go with its
 * target.
 */
export class AddWebhooks1700000000021 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // The payload is text, because its exact bytes are signed at every attempt.
    await runner.query(`
      CREATE TABLE webhooks (
        id            serial PRIMARY KEY,
        kind          text NOT NULL,
        target_id     int NOT NULL,
        job_id        int GENERATED ALWAYS AS (CASE WHEN kind = 'ingestion_job' THEN target_id END) STORED
                      REFERENCES ingestion_jobs (id) ON DELETE CASCADE,
        url           text NOT NULL,
        events        text[] NOT NULL,
        enabled       boolean NOT NULL DEFAULT true,
        secret_sealed text NOT NULL,
        created_by    int REFERENCES users (id) ON DELETE SET NULL,
        created_at    timestamptz NOT NULL DEFAULT now()
      );
      CREATE INDEX webhooks_target ON webhooks (kind, target_id);
      CREATE INDEX webhooks_job ON webhooks (job_id);
      CREATE INDEX webhooks_created_by ON webhooks (created_by);

      CREATE TABLE webhook_deliveries (
        id         serial PRIMARY KEY,
        webhook_id int NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
        message_id text NOT NULL DEFAULT 'msg_' || replace(gen_random_uuid()::text, '-', ''),
        event      text NOT NULL,
        payload    text NOT NULL,
        status     text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed')),
        attempts   int NOT NULL DEFAULT 0,
        -- The next attempt; while one goes on, the time after which it counts as lost.
        next_at    timestamptz NOT NULL DEFAULT now(),
        answered   int,
        error      text,
        created_at timestamptz NOT NULL DEFAULT now(),
        ended_at   timestamptz
      );
      CREATE INDEX webhook_deliveries_next ON webhook_deliveries (next_at) WHERE status = 'pending';
      CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);
      CREATE INDEX webhook_deliveries_ended ON webhook_deliveries (ended_at);
    `);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE webhook_deliveries; DROP TABLE webhooks');
  }
}
