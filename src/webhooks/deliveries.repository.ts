import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type RowPage, ServicePool } from '../database/service-pool.js';
import { type SendFailure } from './send-message.js';
import { DeliveryNotFoundError, DeliveryPendingError, TooManyDeliveriesError } from './webhooks.errors.js';
import { type Target } from './webhooks.repository.js';

/** Maximum number of waiting deliveries of a webhook when a user requests another delivery. Beyond it the request is refused. */
const maxPending = 100;
/**
 * Maximum number of waiting deliveries of a webhook. When an event happens beyond it, the delivery is recorded as failed and never sent.
 */
const maxTold = 1_000;
/** Maximum number of deliveries that one statement of `giveUpLost` ends. */
const givenUpAtOnce = 1_000;
/**
 * The bounds on the deliveries kept for all webhooks of one user: their number, and the bytes of their messages. Users with at most `few`
 * deliveries keep all of them, because these take little space.
 */
const keptOfUser = { count: 20_000, bytes: 64 * 1024 * 1024, few: 500 };
/** Seconds after which an unfinished attempt counts as lost, because its sender must have died. Another sender then takes the delivery. */
const lostAfterS = 60;
/** The pauses after each failed attempt, in seconds. When an attempt fails after the last pause, the delivery has failed. */
const pauses = [10, 60, 300, 1_800, 7_200, 21_600];
/** Maximum number of attempts of one delivery. The index of lost deliveries contains the same number (migration 0042). */
const maxAttempts = pauses.length + 1;

export interface DeliveryRow {
  id: number;
  message_id: string;
  event: string;
  payload: string;
  status: 'pending' | 'delivered' | 'failed';
  attempts: number;
  next_at: Date;
  answered: number | null;
  error: SendFailure | null;
  created_at: Date;
  ended_at: Date | null;
}

/** A claimed delivery. Its claimer now makes one attempt. */
export interface ClaimedDelivery {
  id: number;
  attempts: number;
  webhookId: number;
  kind: string;
  targetId: number;
  /** The user who saved the webhook, whose place the delivery takes; 0 for all deleted users together. */
  userId: number;
  url: string;
  secretSealed: string;
  /** The sealed secret before the last change, while messages are signed with both; null afterwards. */
  formerSecretSealed: string | null;
  messageId: string;
  payload: string;
  /** The database's time of the claim, in whole seconds since 1970. */
  seconds: number;
}

const deliveryRow = `
  SELECT id, message_id, event, payload, status, attempts, next_at, answered, error, created_at, ended_at FROM webhook_deliveries`;

/**
 * SQL for the ids of the webhooks that have pending deliveries. It finds each webhook by one step in the index, regardless of the number of
 * its deliveries.
 */
const waiting = `waiting AS (
  (SELECT webhook_id FROM webhook_deliveries WHERE status = 'pending' ORDER BY webhook_id LIMIT 1)
  UNION ALL
  SELECT (SELECT more.webhook_id FROM webhook_deliveries more
          WHERE more.status = 'pending' AND more.webhook_id > waiting.webhook_id ORDER BY more.webhook_id LIMIT 1)
  FROM waiting WHERE waiting.webhook_id IS NOT NULL)`;

/** The outbox. Messages are written in the transaction of the event that they report, and stay until they are delivered or given up. */
@Injectable()
export class DeliveriesRepository {
  constructor(private readonly pool: ServicePool) {}

  /**
   * Writes a message to all webhooks of the target that want the event. The delivery is recorded as failed at once for a webhook with
   * `maxTold` waiting deliveries, and for a user whose waiting messages would exceed `keptOfUser.bytes`.
   * @returns the ids of the deliveries
   */
  async record(client: PoolClient, { kind, targetId }: Target, event: string, payload: string): Promise<number[]> {
    const { rows } = await client.query<{ id: number }>(
      `INSERT INTO webhook_deliveries (webhook_id, event, payload, status, error, ended_at)
       SELECT h.id, $3, $4, CASE WHEN is_full THEN 'failed' ELSE 'pending' END, CASE WHEN is_full THEN 'too_many_pending' END,
              CASE WHEN is_full THEN now() END
       FROM webhooks h, LATERAL (
         SELECT count(*) >= $5 OR octet_length($4::text) + (
             SELECT coalesce(sum(octet_length(payload)), 0) FROM webhooks own JOIN webhook_deliveries d ON d.webhook_id = own.id
             WHERE own.created_by IS NOT DISTINCT FROM h.created_by AND d.status = 'pending') > $6 AS is_full
         FROM (SELECT FROM webhook_deliveries d WHERE d.webhook_id = h.id AND d.status = 'pending' LIMIT $5) waiting) room
       WHERE kind = $1 AND target_id = $2 AND enabled AND $3 = ANY (events)
       RETURNING id`,
      [kind, targetId, event, payload, maxTold, keptOfUser.bytes],
    );
    return rows.map(({ id }) => id);
  }

  /**
   * Claims one delivery: among the users with the fewest attempts under way in this process, the delivery that has been due for longest. No
   * other sender gets the delivery until its result is recorded, or until this sender counts as dead.
   * @param going the user of each attempt under way in this process; a user with two attempts is listed twice
   * @param full users and webhooks for which no more deliveries may be claimed
   */
  async claim(going: number[], full: { users: number[]; webhooks: number[] }): Promise<ClaimedDelivery | null> {
    const { rows } = await this.pool.query<ClaimedDelivery>(
      `UPDATE webhook_deliveries d SET attempts = attempts + 1, next_at = now() + make_interval(secs => $1), answered = NULL, error = NULL
       FROM webhooks w
       WHERE w.id = d.webhook_id AND d.id = (
         WITH RECURSIVE ${waiting}
         SELECT id FROM webhook_deliveries
         WHERE status = 'pending' AND next_at <= now() AND attempts < $5 AND webhook_id = (
           SELECT h.id FROM waiting JOIN webhooks h ON h.id = waiting.webhook_id CROSS JOIN LATERAL (
             SELECT next_at FROM webhook_deliveries
             WHERE webhook_id = h.id AND status = 'pending' AND next_at <= now() ORDER BY next_at LIMIT 1) oldest
           WHERE h.enabled AND coalesce(h.created_by, 0) <> ALL ($2::int[]) AND h.id <> ALL ($3::int[])
           ORDER BY cardinality(array_positions($4::int[], coalesce(h.created_by, 0))), oldest.next_at, h.id LIMIT 1)
         ORDER BY next_at, id LIMIT 1 FOR UPDATE SKIP LOCKED)
       RETURNING d.id, d.attempts, w.id AS "webhookId", w.kind, w.target_id AS "targetId", coalesce(w.created_by, 0) AS "userId", w.url, w.secret_sealed AS "secretSealed",
                 CASE WHEN w.former_secret_until > now() THEN w.former_secret_sealed END AS "formerSecretSealed",
                 d.message_id AS "messageId", d.payload, extract(epoch FROM now())::int AS seconds`,
      [lostAfterS, full.users, full.webhooks, going, maxAttempts],
    );
    return rows[0] ?? null;
  }

  /** Ends deliveries whose last attempt was lost. Otherwise a message that kills its sender would be sent for ever. */
  async giveUpLost(): Promise<Pick<ClaimedDelivery, 'id' | 'webhookId'>[]> {
    const { rows } = await this.pool.query<Pick<ClaimedDelivery, 'id' | 'webhookId'>>(
      `UPDATE webhook_deliveries SET status = 'failed', error = 'sender_lost', ended_at = now()
       WHERE id IN (SELECT id FROM webhook_deliveries WHERE status = 'pending' AND next_at <= now() AND attempts >= ${maxAttempts}
                    LIMIT $1 FOR UPDATE SKIP LOCKED)
       RETURNING id, webhook_id AS "webhookId"`,
      [givenUpAtOnce],
    );
    return rows;
  }

  /**
   * Records the result of an attempt, unless another attempt has begun since.
   * @returns the new status of the delivery; `pending`: another attempt follows; null: nothing was recorded
   */
  async end(
    { id, attempts }: Pick<ClaimedDelivery, 'id' | 'attempts'>,
    { answered, failure }: { answered: number | null; failure: SendFailure | null },
  ): Promise<'delivered' | 'failed' | 'pending' | null> {
    const pause = failure === 'access_lost' ? undefined : pauses[attempts - 1];
    const status = failure === null ? 'delivered' : pause === undefined ? 'failed' : 'pending';
    const { rowCount } = await this.pool.query(
      `UPDATE webhook_deliveries SET status = $3, answered = $4, error = $5, next_at = now() + make_interval(secs => $6),
         ended_at = CASE WHEN $3 <> 'pending' THEN now() END
       WHERE id = $1 AND attempts = $2 AND status = 'pending'`,
      [id, attempts, status, answered, failure, pause ?? 0],
    );
    return rowCount === 1 ? status : null;
  }

  /** Makes a delivery due again after this process has aborted its attempt. The attempt does not count. */
  async release({ id, attempts }: Pick<ClaimedDelivery, 'id' | 'attempts'>): Promise<void> {
    await this.pool.query(
      `UPDATE webhook_deliveries SET attempts = attempts - 1, next_at = now() WHERE id = $1 AND attempts = $2 AND status = 'pending'`,
      [id, attempts],
    );
  }

  /**
   * Removes at most `most` deliveries that ended more than `keptDays` ago. Deliveries of disabled webhooks that are as old are removed even
   * while they wait.
   * @returns how many were removed
   */
  async removeOld(client: PoolClient, keptDays: number, most: number): Promise<number> {
    const { rowCount } = await client.query(
      `DELETE FROM webhook_deliveries WHERE id IN (
         SELECT id FROM webhook_deliveries
         WHERE ended_at < now() - make_interval(days => $1) OR (status = 'pending' AND created_at < now() - make_interval(days => $1)
           AND webhook_id IN (SELECT id FROM webhooks WHERE NOT enabled))
         LIMIT $2 FOR UPDATE SKIP LOCKED)`,
      [keptDays, most],
    );
    return rowCount ?? 0;
  }

  /**
   * Removes ended deliveries of users who have more deliveries than are kept for one user, each user's oldest first.
   * @returns how many were removed
   */
  async removeBeyondShare(client: PoolClient, most: number): Promise<number> {
    const { rowCount } = await client.query(
      `WITH many AS (
         SELECT created_by FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id GROUP BY created_by HAVING count(*) > $3),
       kept AS (
         SELECT d.id, ended_at, sum(octet_length(payload)) OVER newest_first AS bytes, row_number() OVER newest_first AS place
         FROM many JOIN webhooks w ON w.created_by IS NOT DISTINCT FROM many.created_by JOIN webhook_deliveries d ON d.webhook_id = w.id
         WINDOW newest_first AS (PARTITION BY w.created_by ORDER BY d.id DESC))
       DELETE FROM webhook_deliveries WHERE id IN (
         SELECT id FROM kept WHERE ended_at IS NOT NULL AND (place > $1 OR bytes > $2) ORDER BY id LIMIT $4)
       AND ended_at IS NOT NULL`,
      [keptOfUser.count, keptOfUser.bytes, keptOfUser.few, most],
    );
    return rowCount ?? 0;
  }

  /** A page of the deliveries of a webhook, the newest first. */
  async list(webhookId: number, before: number | null, limit: number): Promise<RowPage<DeliveryRow>> {
    return this.pool.readPage<DeliveryRow>('rows', {
      text: `${deliveryRow} WHERE webhook_id = $1 AND ($2::int IS NULL OR id < $2) ORDER BY id DESC`,
      values: [webhookId, before],
      limit,
      sizeOf: 'octet_length(payload::text)',
    });
  }

  /** @throws DeliveryNotFoundError */
  async get(webhookId: number, id: number): Promise<DeliveryRow> {
    const { rows } = await this.pool.query<DeliveryRow>(`${deliveryRow} WHERE webhook_id = $1 AND id = $2`, [webhookId, id]);
    if (!rows[0]) throw new DeliveryNotFoundError();
    return rows[0];
  }

  /** Queues a message for one webhook, even if the webhook does not want events of this type. @throws TooManyDeliveriesError */
  async request(webhookId: number, event: string, payload: string): Promise<number> {
    const { rows } = await this.pool.query<{ id: number }>(
      `INSERT INTO webhook_deliveries (webhook_id, event, payload)
       SELECT $1, $2, $3 WHERE (SELECT count(*) FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending') < $4 RETURNING id`,
      [webhookId, event, payload, maxPending],
    );
    if (!rows[0]) throw new TooManyDeliveriesError(maxPending);
    return rows[0].id;
  }

  /** Queues an ended delivery again, with the same id. @throws DeliveryPendingError, TooManyDeliveriesError */
  async repeat(webhookId: number, id: number): Promise<void> {
    const { rowCount } = await this.pool.query(
      `UPDATE webhook_deliveries SET status = 'pending', attempts = 0, next_at = now(), ended_at = NULL
       WHERE id = $1 AND status <> 'pending'
         AND (SELECT count(*) FROM webhook_deliveries WHERE webhook_id = $2 AND status = 'pending') < $3`,
      [id, webhookId, maxPending],
    );
    if (rowCount === 1) return;
    const { status } = await this.get(webhookId, id);
    throw status === 'pending' ? new DeliveryPendingError() : new TooManyDeliveriesError(maxPending);
  }
}
