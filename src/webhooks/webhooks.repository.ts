import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { ServicePool } from '../database/service-pool.js';
import { TooManyWebhooksError, WebhookNotFoundError } from './webhooks.errors.js';

export const maxWebhooks = 10;

/** The object whose events webhooks report, such as an ingestion job. */
export interface Target {
  kind: string;
  targetId: number;
}

export interface WebhookRow {
  id: number;
  url: string;
  events: string[];
  enabled: boolean;
  /** The time until which messages are also signed with the secret before the last change; null if there is no such time. */
  former_secret_until: Date | null;
  created_at: Date;
}

/**
 * For so many hours after a change of the secret, messages are signed with the former secret too. Receivers change to the new one
 * meanwhile.
 */
const formerSecretHours = 24;

const webhookRow = `
  SELECT id, url, events, enabled, CASE WHEN former_secret_until > now() THEN former_secret_until END AS former_secret_until, created_at
  FROM webhooks`;

/** Stores webhooks with their sealed secrets. */
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
    // Transactions that add webhooks to one target wait for each other, so that each of them counts the webhooks of the others.
    await client.query(`SELECT pg_advisory_xact_lock(hashtextextended('webhooks of ' || $1::text || $2::int, 0))`, [kind, targetId]);
    const { id, url, events, secretSealed, createdBy } = webhook;
    const { rowCount } = await client.query(
      `INSERT INTO webhooks (id, kind, target_id, url, events, secret_sealed, created_by)
       SELECT $1, $2, $3, $4, $5, $6, $7 WHERE (SELECT count(*) FROM webhooks WHERE kind = $2 AND target_id = $3) < $8`,
      [id, kind, targetId, url, events, secretSealed, createdBy, maxWebhooks],
    );
    if (rowCount !== 1) throw new TooManyWebhooksError(maxWebhooks);
  }

  /** The webhooks of a target, at most `maxWebhooks`. */
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

  /**
   * Locks a webhook until the transaction ends, but only if this user was the last to save it.
   * @returns whether the webhook is locked
   */
  async lockIfSavedBy(client: PoolClient, id: number, userId: number): Promise<boolean> {
    return (await client.query('SELECT FROM webhooks WHERE id = $1 AND created_by = $2 FOR UPDATE', [id, userId])).rowCount === 1;
  }

  /**
   * Changes the fields that are not null. A changed secret becomes the former secret.
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

  /**
   * Lists the sealed secrets in use, current and former, of webhooks of all targets, by webhook id above `after`. `WebhooksService.reseal`
   * seals them with another key.
   */
  async listSecrets(after: number, limit: number): Promise<{ id: number; sealed: string[] }[]> {
    const { rows } = await this.pool.query<{ id: number; sealed: string[] }>(
      `SELECT id, array_remove(ARRAY[secret_sealed, CASE WHEN former_secret_until > now() THEN former_secret_sealed END], NULL) AS sealed
       FROM webhooks WHERE id > $1 ORDER BY id LIMIT $2`,
      [after, limit],
    );
    return rows;
  }

  /**
   * Replaces a sealed secret of a webhook.
   * @returns false if the secret was changed meanwhile
   */
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
  /** The user who becomes the owner of the webhook; null keeps the present owner. */
  userId: number | null;
}
