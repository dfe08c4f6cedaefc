import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Principal } from '../access/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { type FieldProblem, SchemaError } from '../common/errors/api-error.js';
import { Quotas } from '../database/quotas.js';
import { isTimeZone } from '../text/time-zone.js';
import { findCronProblem, nextTime } from './cron-times.js';
import { type SaveScheduleRequest, type ScheduleResponse, toScheduleResponse } from './schedule-body.js';
import { ScheduleNotFoundError } from './schedules.errors.js';
import { SchedulesRepository } from './schedules.repository.js';

const shownTimes = 5;

/**
 * Manages the schedules of targets that can be started, at most one for each target. A target is identified by its kind and id. The feature
 * that owns a kind checks access, and registers with `SchedulesWorker` the function that starts its targets.
 */
@Injectable()
export class SchedulesService {
  constructor(
    private readonly schedules: SchedulesRepository,
    private readonly audit: AuditService,
    private readonly quotas: Quotas,
  ) {}

  /**
   * Sets the schedule of a target, in the caller's name.
   * @param check makes sure, in the same transaction, that the target can still be started
   * @throws SchemaError for a wrong expression or zone; QuotaReachedError if the user has as many enabled schedules as allowed; what
   * `check` throws
   */
  async save(
    principal: Principal,
    kind: string,
    targetId: number,
    { cron, timezone = 'UTC', enabled = true }: SaveScheduleRequest,
    check: (client: PoolClient) => Promise<void>,
  ): Promise<ScheduleResponse> {
    requireTimes(cron, timezone);
    await this.audit.recordWith(
      async client => {
        await check(client);
        if (enabled && !(await this.schedules.isEnabledFor(client, kind, targetId, principal.userId)))
          await this.quotas.ask(client, 'schedules', principal.userId, principal);
        const nextAt = enabled ? nextTime({ cron, timezone }, await this.schedules.now(client)) : null;
        await this.schedules.save(client, { kind, targetId, cron, timezone, nextAt, userId: principal.userId });
      },
      () => ({ action: 'schedule.saved', actor: principal, target: kind, targetId, context: { cron, timezone, enabled } }),
    );
    return this.get(kind, targetId);
  }

  /** @throws ScheduleNotFoundError */
  async get(kind: string, targetId: number): Promise<ScheduleResponse> {
    // The starts are read before the schedule. In the other order, a time that starts between the two reads would be shown both as due and
    // as started.
    const starts = await this.schedules.listStarts(kind, targetId);
    const schedule = await this.schedules.find(kind, targetId);
    if (!schedule) throw new ScheduleNotFoundError();
    const times: Date[] = [];
    // A time that is already due and waits is shown first.
    for (let time = schedule.next_at; time !== null && times.length < shownTimes; time = nextTime(schedule, time)) times.push(time);
    return toScheduleResponse(schedule, starts, times);
  }

  /** @throws ScheduleNotFoundError */
  async delete(principal: Principal, kind: string, targetId: number): Promise<void> {
    await this.audit.recordWith(
      async client => {
        if (!(await this.schedules.remove(client, kind, targetId))) throw new ScheduleNotFoundError();
      },
      () => ({ action: 'schedule.deleted', actor: principal, target: kind, targetId }),
    );
  }

  /** Removes the schedule of a target, if there is one, in the transaction that deletes or retires the target. */
  async removeWith(client: PoolClient, kind: string, targetId: number): Promise<void> {
    await this.schedules.remove(client, kind, targetId);
  }
}

/** Checks the expression and the time zone of a schedule. @throws SchemaError */
function requireTimes(cron: string, timezone: string): void {
  const problems: FieldProblem[] = [];
  const wrong = findCronProblem(cron);
  if (wrong) problems.push({ loc: ['body', 'cron'], text: wrong, type: 'cron' });
  if (!isTimeZone(timezone)) {
    const text = {
      zh: `未知时区 '${timezone}'；例如 "Asia/Shanghai"`,
      en: `'${timezone}' is not a known time zone; for example "Asia/Shanghai"`,
    };
    problems.push({ loc: ['body', 'timezone'], text, type: 'timezone' });
  }
  if (problems.length > 0) throw new SchemaError(problems);
}
