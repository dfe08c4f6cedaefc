import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { ServicePool } from '../database/service-pool.js';
import { TooManyWebhooksError, WebhookNotFoundError } from './webhooks.errors.js';

export const maxWebhooks = 10;

/** The thing that webhooks tell of, such as an ingestion job. */
export interface Target {
  kind: string;
  targetId: number;
}

export interface WebhookRow {
  id: number;
  url: string;
  events: string[];
  enabled: boolean;
  /** Until then the secret before the last change signs too. */
  former_secret_until: Date | null;
  created_at: Date;
}

/** The time for which a former secret signs beside the new one, so that a receiver can take the new one up. */
const formerSecretHours = 24;

const webhookRow = `
  SELECT id, url, events, enabled, CASE WHEN former_secret_until > now() THEN former_secret_until END AS former_secret_until, created_at
  FROM webhooks`;

/** Webhooks, with their sealed secrets. */
@Injectable()
export class WebhooksRepository {
  constructor(private readonly pool: ServicePool) {}

  async nextId(): Promise<number> {
    const { rows } = await this.pool.query<{ id: number }>(`SELECT nextval(pg_get_serial_sequence('webhooks', 'id'))::int AS id`);
    return rows[0]!.id;
  }

  /** @throws TooManyWebhooksError */
  async create(
    client: PoolClient,
    { kind, targetId }: Target,
    webhook: { id: number; url: string; events: string[]; secretSealed: string; createdBy: number },
  ): Promise<void> {
    // Requests for one target run one after the other, so that each is counted in time.
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhooks of ' || $1::text || $2::int, 0))`, [kind, targetId]);
    const { id, url, events, secretSealed, createdBy } = webhook;
    const { rowCount } = await client.query(
      `INSERT INTO webhooks (id, kind, target_id, url, events, secret_sealed, created_by)
       SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM webhooks WHERE kind = $2 AND target_id = $3) < $8`,
      [id, kind, targetId, url, events, secretSealed, createdBy, maxWebhooks],
    );
    if (rowCount !== 1) throw new TooManyWebhooksError(maxWebhooks);
  }

  /** At most `maxWebhooks`. */
  async list({ kind, targetId }: Target): Promise<WebhookRow[]> {
    return (await this.pool.query<WebhookRow>(`${webhookRow} WHERE kind = $1 AND target_id = $2 ORDER BY id`, [kind, targetId])).rows;
  }

  /** @throws WebhookNotFoundError */
  async get({ kind, targetId }: Target, id: number): Promise<WebhookRow> {
    const { rows } = await this.pool.query<WebhookRow>(`${webhookRow} WHERE id = $1 AND kind = $2 AND target_id = $3`, [
      id,
      kind,
      targetId,
    ]);
    if (!rows[0]) throw new WebhookNotFoundError();
    return rows[0];
  }

  /** Lets nobody change the webhook until the transaction ends, if the user was the last to save it. @returns whether it is so */
  async lockIfSavedBy(client: PoolClient, id: number, userId: number): Promise<boolean> {
    return (await client.query('SELECT FROM webhooks WHERE id = $1 AND created_by = $2 FOR UPDATE', [id, userId])).rowCount === 1;
  }

  /**
   * Changes what is not null. A secret that is changed becomes the former one.
   * @throws WebhookNotFoundError
   */
  async change(client: PoolClient, { kind, targetId }: Target, id: number, changes: Changes): Promise<void> {
    const { url, events, enabled, secretSealed, userId } = changes;
    const { rowCount } = await client.query(
      `UPDATE webhooks SET url = coalesce($4, url), events = coalesce($5, events), enabled = coalesce($6, enabled),
         secret_sealed = coalesce($7, secret_sealed), created_by = coalesce($9, created_by),
         former_secret_sealed = CASE WHEN $7::text IS NULL THEN former_secret_sealed ELSE secret_sealed END,
         former_secret_until = CASE WHEN $7::text IS NULL THEN former_secret_until ELSE now() + make_interval(hours => $8) END
       WHERE id = $1 AND kind = $2 AND target_id = $3`,
      [id, kind, targetId, url, events, enabled, secretSealed, formerSecretHours, userId],
    );
    if (rowCount !== 1) throw new WebhookNotFoundError();
  }

  /** @throws WebhookNotFoundError */
  async delete(client: PoolClient, { kind, targetId }: Target, id: number): Promise<void> {
    const { rowCount } = await client.query('DELETE FROM webhooks WHERE id = $1 AND kind = $2 AND target_id = $3', [id, kind, targetId]);
    if (rowCount !== 1) throw new WebhookNotFoundError();
  }

  /** The secrets in use of webhooks of all targets, for a new seal. */
  async listSecrets(after: number, limit: number): Promise<{ id: number; sealed: string[] }[]> {
    const { rows } = await this.pool.query<{ id: number; sealed: string[] }>(
      `SELECT id, array_remove(ARRAY[secret_sealed, CASE WHEN former_secret_until > now() THEN former_secret_sealed END], NULL) AS sealed
       FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2`,
      [after, limit],
    );
    return rows;
  }

  /** @returns false if the secret was changed meanwhile */
  async reseal(id: number, former: string, sealed: string): Promise<boolean> {
    const { rowCount } = await this.pool.query(
      `UPDATE webhooks SET secret_sealed = CASE secret_sealed WHEN $2 THEN $3 ELSE secret_sealed END,
         former_secret_sealed = CASE former_secret_sealed WHEN $2 THEN $3 ELSE former_secret_sealed END
       WHERE id = $1 AND $2 IN (secret_sealed, former_secret_sealed)`,
      [id, former, sealed],
    );
    return rowCount === 1;
  }
}

interface Changes {
  url: string | null;
  events: string[] | null;
  enabled: boolean | null;
  secretSealed: string | null;
  /** The new owner of the webhook; null keeps the present one. */
  userId: number | null;
}
