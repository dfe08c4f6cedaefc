import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Principal } from '../access/principal.js';
import { afterId, page, type Page, type PageQuery } from '../http/paging/page.js';
import { currentRequest } from '../common/logging/request-context.js';
import { ServicePool } from '../database/service-pool.js';
import { type AuditEventResponse, type AuditEventRow, toAuditEventResponse } from './audit.dto.js';
import { TooManyChangesError } from './audit.errors.js';

/**
 * The kinds of events that the audit records: changes to what people may do, changes to jobs and bindings (which act in the name of the
 * user who saved them), and actions that load or remove data or export all rows.
 */
export type AuditAction =
  | 'auth.login'
  | 'auth.login_failed'
  | 'auth.logout'
  | 'auth.password_changed'
  | 'user.registered'
  | 'user.created'
  | 'user.changed'
  | 'user.password_reset'
  | 'user.deleted'
  | 'api_key.created'
  | 'api_key.rotated'
  | 'api_key.revoked'
  | 'member.granted'
  | 'member.changed'
  | 'member.revoked'
  | 'graph.created'
  | 'graph.changed'
  | 'graph.deleted'
  | 'connection.created'
  | 'connection.changed'
  | 'connection.resealed'
  | 'connection.deleted'
  | 'connection.granted'
  | 'connection.grant_changed'
  | 'connection.revoked'
  | 'mirror_copy.created'
  | 'mirror_copy.started'
  | 'mirror_copy.deleted'
  | 'table.loaded'
  | 'table.dropped'
  | 'job.created'
  | 'job.revised'
  | 'job.retired'
  | 'metric.created'
  | 'metric.changed'
  | 'metric.bound'
  | 'metric.deleted'
  | 'metric.exported'
  | 'lexicon.added'
  | 'lexicon.removed'
  | 'schedule.saved'
  | 'schedule.deleted'
  | 'schedule.paused'
  | 'webhook.created'
  | 'webhook.changed'
  | 'webhook.deleted';

export interface AuditEvent {
  action: AuditAction;
  actor?: (Pick<Principal, 'userId' | 'username'> & Partial<Pick<Principal, 'isAdmin'>>) | undefined;
  /** The kind of the thing that was changed or read, such as `user`, `api_key`, `graph` or `connection`. */
  target: string;
  targetId?: number | undefined;
  /** Facts about the event that contain no secrets: a role, a name, the fields that changed. */
  context?: Record<string, unknown>;
}

/** The most events that one user may cause within a day. */
const mostOfUser = 50_000;
/**
 * Actions that are never refused for too many events. Most of them end or narrow powers, and a user may have to lock out somebody who made
 * the many events. Rotating a key is not among them, because revoking it locks out as well. Logins and registrations are limited by
 * address instead.
 */
const neverRefused: readonly AuditAction[] = [
  'auth.login',
  'auth.logout',
  'auth.password_changed',
  'user.registered',
  'api_key.revoked',
  'member.revoked',
  'connection.revoked',
  'webhook.deleted',
  'schedule.deleted',
  'schedule.paused',
];

@Injectable()
export class AuditService {
  constructor(private readonly pool: ServicePool) {}

  /**
   * Makes a change and records it in one transaction, so that both are kept or neither. `eventOf` gets the result of the change; null
   * records nothing.
   * @throws TooManyChangesError
   */
  recordWith<T>(change: (client: PoolClient) => Promise<T>, eventOf: (result: T) => AuditEvent | null): Promise<T> {
    return this.pool.transaction(async client => {
      const result = await change(client);
      const event = eventOf(result);
      if (event) await this.record(event, client);
      return result;
    });
  }

  /** Records an event. @throws TooManyChangesError: events are never removed early, so the change is refused together with its event */
  async record({ action, actor, target, targetId, context = {} }: AuditEvent, on: Pick<PoolClient, 'query'> = this.pool): Promise<void> {
    if (actor && !actor.isAdmin && !neverRefused.includes(action)) await this.requireRoom(actor.userId, on);
    await on.query(
      'INSERT INTO audit_events (action, actor_id, actor, target, target_id, context, request_id) VALUES ($1, $2, $3, $4, $5, $6, $7)',
      [action, actor?.userId ?? null, actor?.username ?? null, target, targetId ?? null, context, currentRequest()?.requestId ?? null],
    );
  }

  /** @throws TooManyChangesError */
  private async requireRoom(userId: number, on: Pick<PoolClient, 'query'>): Promise<void> {
    const { rows } = await on.query<{ seconds: number }>(
      `SELECT ceil(extract(epoch FROM at + interval '1 day' - now()))::int AS seconds
       FROM audit_events WHERE actor_id = $1 AND at > now() - interval '1 day' ORDER BY at DESC OFFSET $2 LIMIT 1`,
      [userId, mostOfUser - 1],
    );
    if (rows[0]) throw new TooManyChangesError(mostOfUser, rows[0].seconds);
  }

  /** Removes at most `most` events that are older than `keptDays`, the oldest first. @returns how many were removed */
  async removeOld(client: PoolClient, keptDays: number, most: number): Promise<number> {
    // Ids grow with time, so the batch of the smallest ids has few events to keep. FOR UPDATE is left out: it needs the right to change
    // events.
    const { rowCount } = await client.query(
      `DELETE FROM audit_events WHERE id IN (
         SELECT id FROM (SELECT id, at FROM audit_events ORDER BY id LIMIT $2) oldest
         WHERE at < now() - make_interval(days => $1))`,
      [keptDays, most],
    );
    return rowCount ?? 0;
  }

  /** A page of the events, the newest first. */
  async list({ limit, cursor }: PageQuery): Promise<Page<AuditEventResponse>> {
    const before = afterId(cursor, Number.MAX_SAFE_INTEGER) || Number.MAX_SAFE_INTEGER;
    const { rows } = await this.pool.query<AuditEventRow>(
      `SELECT id, at, action, actor_id, actor, target, target_id, context, request_id
       FROM audit_events WHERE id < $1 ORDER BY id DESC LIMIT $2`,
      [before, limit + 1],
    );
    return page(rows.map(toAuditEventResponse), limit, event => event.id);
  }
}
