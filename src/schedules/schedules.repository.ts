import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { ServicePool } from '../database/service-pool.js';
import { type Bilingual } from '../text/bilingual.js';

/** The number of starts of one schedule that are kept and shown. */
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
  /** The user in whose name the schedule starts; null once that user is deleted. */
  saved_by: { id: number; username: string } | null;
  saved_at: Date;
  /** The time of the database when the schedule was read. */
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

/** A line: the due schedules of one user and one kind. `userId` is 0 for all users who have been deleted. */
export interface Line {
  userId: number;
  kind: string;
}

/** A schedule whose time has come, locked so that no other process claims it until the transaction ends. */
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

  /**
   * The starts of a schedule, the newest first. A due time that waits because its whole line (user and kind) pauses (`rest`) has no record.
   * The row of `schedule_rests` is shown in place of the record.
   */
  async listStarts(kind: string, targetId: number): Promise<StartRow[]> {
    const { rows } = await this.pool.query<StartRow>(
      `WITH schedule AS (SELECT * FROM schedules WHERE kind = $1 AND target_id = $2)
       SELECT due_at, missed_since, at, outcome, run_id, reason FROM (
         SELECT id, due_at, missed_since, at, outcome, run_id, reason FROM schedule_starts WHERE schedule_id = (SELECT id FROM schedule)
         UNION ALL
         SELECT NULL, s.next_at, NULL, greatest(r.since, s.next_at), 'waiting', NULL, r.reason
         FROM schedule s JOIN schedule_rests r ON r.user_id = s.saved_by AND r.kind = s.kind
         WHERE s.enabled AND s.look_at <= now() AND r.until > now() AND NOT EXISTS (
           SELECT FROM schedule_starts w WHERE w.schedule_id = s.id AND w.outcome = 'waiting' AND w.due_at >= date_trunc('milliseconds', s.next_at))) starts
       ORDER BY id DESC NULLS FIRST LIMIT $3`,
      [kind, targetId, keptStarts],
    );
    return rows;
  }

  /**
   * Whether the target has an enabled schedule that this user saved. If so, the schedule is locked and stays enabled until the transaction
   * ends.
   */
  async isEnabledFor(client: PoolClient, kind: string, targetId: number, userId: number): Promise<boolean> {
    const { rowCount } = await client.query(
      'SELECT FROM schedules WHERE kind = $1 AND target_id = $2 AND saved_by = $3 AND enabled FOR UPDATE',
      [kind, targetId, userId],
    );
    return rowCount === 1;
  }

  /** Sets the only schedule of the target. Times that were due under the former schedule are forgotten. */
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

  /** Removes the schedule of a target. @returns whether there was a schedule */
  async remove(client: PoolClient, kind: string, targetId: number): Promise<boolean> {
    return (await client.query('DELETE FROM schedules WHERE kind = $1 AND target_id = $2', [kind, targetId])).rowCount === 1;
  }

  /**
   * The users whose turn comes next, each with the line (user and kind) whose schedule has been due for longest. Users for whom the fewest
   * starts were attempted in the last minute come first. A paused line has no turn.
   *
   * Each line is found by one step in the index, however many schedules of one user are due.
   */
  async nextTurns(kinds: string[], most: number): Promise<Line[]> {
    const { rows } = await this.pool.query<Line>(
      `WITH RECURSIVE lines (user_id, kind) AS (
         (SELECT coalesce(saved_by, 0), kind FROM schedules
          WHERE enabled AND (SELECT min(look_at) FROM schedules WHERE enabled) <= now() ORDER BY 1, 2 LIMIT 1)
         UNION ALL
         SELECT next.* FROM lines CROSS JOIN LATERAL (
           SELECT coalesce(s.saved_by, 0), s.kind FROM schedules s
           WHERE s.enabled AND (coalesce(s.saved_by, 0), s.kind) > (lines.user_id, lines.kind) ORDER BY 1, 2 LIMIT 1) next)
       SELECT user_id AS "userId", kind
       FROM (SELECT DISTINCT ON (user_id) user_id, kind, oldest.look_at FROM lines CROSS JOIN LATERAL (
               SELECT s.look_at FROM schedules s
               WHERE s.enabled AND coalesce(s.saved_by, 0) = lines.user_id AND s.kind = lines.kind AND s.look_at <= now()
               ORDER BY s.look_at LIMIT 1) oldest
             WHERE kind = ANY ($1) AND NOT EXISTS (
               SELECT FROM schedule_rests r WHERE r.user_id = lines.user_id AND r.kind = lines.kind AND r.until > now())
             ORDER BY user_id, oldest.look_at) due
       ORDER BY (SELECT count(*) FROM schedule_starts past WHERE past.user_id = due.user_id AND past.at > now() - interval '1 minute'),
                look_at, user_id
       LIMIT $2`,
      [kinds, most],
    );
    return rows;
  }

  /** Locks the schedule of a line that has been due for longest; null if none is due. */
  async claim(client: PoolClient, { userId, kind }: Line): Promise<DueSchedule | null> {
    const { rows } = await client.query<DueSchedule>(
      `SELECT id, kind, target_id AS "targetId", cron, timezone, next_at AS "nextAt", refusals, saved_by AS "savedBy",
              clock_timestamp() AS now
       FROM schedules WHERE enabled AND coalesce(saved_by, 0) = $1 AND kind = $2 AND look_at <= now()
       ORDER BY look_at LIMIT 1 FOR UPDATE SKIP LOCKED`,
      [userId, kind],
    );
    return rows[0] ?? null;
  }

  /**
   * Adds a start to the record of a schedule, of which only the newest starts are kept. A due time that waits has one record, whose `at` is
   * updated at each attempt.
   */
  async record(
    client: PoolClient,
    { id, savedBy }: Pick<DueSchedule, 'id' | 'savedBy'>,
    { due_at, missed_since, outcome, run_id, reason }: Omit<StartRow, 'at'>,
  ): Promise<void> {
    await client.query(
      `WITH again AS (
         UPDATE schedule_starts SET at = clock_timestamp(), reason = $6
         WHERE $4 = 'waiting' AND schedule_id = $1 AND due_at = $2 AND outcome = 'waiting' RETURNING id)
       INSERT INTO schedule_starts (schedule_id, due_at, missed_since, outcome, run_id, reason, user_id)
       SELECT $1, $2, $3, $4, $5, $6, $7 WHERE NOT EXISTS (SELECT FROM again)`,
      [id, due_at, missed_since, outcome, run_id, reason && JSON.stringify(reason), savedBy ?? 0],
    );
    await client.query(
      `DELETE FROM schedule_starts WHERE schedule_id = $1
       AND id <= (SELECT id FROM schedule_starts WHERE schedule_id = $1 ORDER BY id DESC OFFSET $2 LIMIT 1)`,
      [id, keptStarts],
    );
  }

  /** Moves a claimed schedule on: sets its next time, or pauses it with a reason when there is no next time. */
  async advance(client: PoolClient, id: number, { nextAt, refusals, paused }: Advance): Promise<void> {
    await client.query(
      `UPDATE schedules SET enabled = $2::timestamptz IS NOT NULL, next_at = $2, look_at = $2, refusals = $3, paused = $4 WHERE id = $1`,
      [id, nextAt, refusals, paused && JSON.stringify(paused)],
    );
  }

  /**
   * Delays the next attempt of a due schedule by some seconds; its time stays due. A schedule that another process has moved on meanwhile
   * stays as it is.
   * @returns whether the schedule was still due
   */
  async postpone(on: Pick<PoolClient, 'query'>, id: number, seconds: number): Promise<boolean> {
    const { rowCount } = await on.query(
      'UPDATE schedules SET look_at = now() + make_interval(secs => $2) WHERE id = $1 AND enabled AND next_at <= now()',
      [id, seconds],
    );
    return rowCount === 1;
  }

  /** Pauses all schedules of a user and a kind for some seconds. Their times stay due. */
  async rest(client: PoolClient, { userId, kind }: Line, seconds: number, reason: Reason): Promise<void> {
    await client.query(
      `INSERT INTO schedule_rests (user_id, kind, since, until, reason)
       VALUES ($1, $2, clock_timestamp(), clock_timestamp() + make_interval(secs => $3), $4)
       ON CONFLICT (user_id, kind) DO UPDATE SET since = excluded.since, until = excluded.until, reason = excluded.reason`,
      [userId, kind, seconds, JSON.stringify(reason)],
    );
  }
}

interface Advance {
  nextAt: Date | null;
  refusals: number;
  paused: Reason | null;
}
