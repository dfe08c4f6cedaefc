import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { ServicePool } from '../database/service-pool.js';
import { type Bilingual } from '../text/bilingual.js';

/** The starts of a schedule that are kept and shown. */
const keptStarts = 20;

export type StartOutcome = 'started' | 'skipped' | 'waiting' | 'refused' | 'missed';

export type Reason = Bilingual & { code: string };

export interface ScheduleRow {
  id: number;
  cron: string;
  timezone: string;
  enabled: boolean;
  next_at: Date | null;
  paused: Reason | null;
  /** Null once that user is deleted. */
  saved_by: { id: number; username: string } | null;
  saved_at: Date;
  /** The time of the database. */
  now: Date;
}

export interface StartRow {
  due_at: Date;
  missed_since: Date | null;
  at: Date;
  outcome: StartOutcome;
  run_id: number | null;
  reason: Reason | null;
}

/** A schedule whose time has come. No other runner sees it until the transaction ends. */
export interface DueSchedule {
  id: number;
  kind: string;
  targetId: number;
  cron: string;
  timezone: string;
  nextAt: Date;
  refusals: number;
  savedBy: number | null;
  now: Date;
}

/** Schedules and the record of their starts. */
@Injectable()
export class SchedulesRepository {
  constructor(private readonly pool: ServicePool) {}

  async now(on: Pick<PoolClient, 'query'>): Promise<Date> {
    return (await on.query<{ now: Date }>('SELECT clock_timestamp() AS now')).rows[0]!.now;
  }

  async find(kind: string, targetId: number): Promise<ScheduleRow | null> {
    const { rows } = await this.pool.query<ScheduleRow>(
      `SELECT s.id, s.cron, s.timezone, s.enabled, s.next_at, s.paused, s.saved_at, clock_timestamp() AS now,
              CASE WHEN u.id IS NOT NULL THEN jsonb_build_object('id', u.id, 'username', u.username) END AS saved_by
       FROM schedules s LEFT JOIN users u ON u.id = s.saved_by WHERE s.kind = $1 AND s.target_id = $2`,
      [kind, targetId],
    );
    return rows[0] ?? null;
  }

  /** The newest first. */
  async listStarts(kind: string, targetId: number): Promise<StartRow[]> {
    const { rows } = await this.pool.query<StartRow>(
      `SELECT due_at, missed_since, at, outcome, run_id, reason FROM schedule_starts
       WHERE schedule_id = (SELECT id FROM schedules WHERE kind = $1 AND target_id = $2) ORDER BY id DESC LIMIT $3`,
      [kind, targetId, keptStarts],
    );
    return rows;
  }

  /** Sets the only schedule of the target. Times that were due under the former one are forgotten. */
  async save(
    client: PoolClient,
    schedule: { kind: string; targetId: number; cron: string; timezone: string; nextAt: Date | null; userId: number },
  ): Promise<void> {
    const { kind, targetId, cron, timezone, nextAt, userId } = schedule;
    await client.query(
      `INSERT INTO schedules (kind, target_id, cron, timezone, enabled, next_at, look_at, saved_by)
       VALUES ($1, $2, $3, $4, $5::timestamptz IS NOT NULL, $5, $5, $6)
       ON CONFLICT (kind, target_id) DO UPDATE
       SET cron = excluded.cron, timezone = excluded.timezone, enabled = excluded.enabled, next_at = excluded.next_at,
           look_at = excluded.look_at, saved_by = excluded.saved_by, saved_at = now(), refusals = 0, paused = NULL`,
      [kind, targetId, cron, timezone, nextAt, userId],
    );
  }

  /** @returns whether there was one */
  async remove(client: PoolClient, kind: string, targetId: number): Promise<boolean> {
    return (await client.query('DELETE FROM schedules WHERE kind = $1 AND target_id = $2', [kind, targetId])).rowCount === 1;
  }

  /** Locks one schedule whose time has come, the longest due first. */
  async claim(client: PoolClient, kinds: string[]): Promise<DueSchedule | null> {
    const { rows } = await client.query<DueSchedule>(
      `SELECT id, kind, target_id AS "targetId", cron, timezone, next_at AS "nextAt", refusals, saved_by AS "savedBy",
              clock_timestamp() AS now
       FROM schedules WHERE enabled AND look_at <= now() AND kind = ANY ($1) ORDER BY look_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [kinds],
    );
    return rows[0] ?? null;
  }

  /** Adds to the record, of which the newest are kept. A time that waits is recorded once. */
  async record(client: PoolClient, id: number, start: Omit<StartRow, 'at'>): Promise<void> {
    const { due_at, missed_since, outcome, run_id, reason } = start;
    await client.query(
      `INSERT INTO schedule_starts (schedule_id, due_at, missed_since, outcome, run_id, reason)
       SELECT $1, $2, $3, $4, $5, $6
       WHERE $4 <> 'waiting' OR NOT EXISTS (SELECT FROM schedule_starts WHERE schedule_id = $1 AND due_at = $2 AND outcome = 'waiting')`,
      [id, due_at, missed_since, outcome, run_id, reason && JSON.stringify(reason)],
    );
    await client.query(
      `DELETE FROM schedule_starts WHERE schedule_id = $1
       AND id <= (SELECT id FROM schedule_starts WHERE schedule_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)`,
      [id, keptStarts],
    );
  }

  /** Ends what a claim began: sets the next time, or none, with the reason why the schedule pauses. */
  async advance(client: PoolClient, id: number, { nextAt, refusals, paused }: Advance): Promise<void> {
    await client.query(
      `UPDATE schedules SET enabled = $2::timestamptz IS NOT NULL, next_at = $2, look_at = $2, refusals = $3, paused = $4 WHERE id = $1`,
      [id, nextAt, refusals, paused && JSON.stringify(paused)],
    );
  }

  /** Lets a schedule, whose time stays due, rest for some seconds. One that another runner has moved on meanwhile stays as it is. */
  async postpone(on: Pick<PoolClient, 'query'>, id: number, seconds: number): Promise<void> {
    await on.query(`UPDATE schedules SET look_at = now() + make_interval(secs => $2) WHERE id = $1 AND enabled AND next_at <= now()`, [
      id,
      seconds,
    ]);
  }
}

interface Advance {
  nextAt: Date | null;
  refusals: number;
  paused: Reason | null;
}
