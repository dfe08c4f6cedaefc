import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Logger } from 'pino';
import { type Principal } from '../access/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { ApiError } from '../common/errors/api-error.js';
import { logToken } from '../common/logging/log.js';
import { Settings } from '../config/settings.js';
import { ServicePool } from '../database/service-pool.js';
import { UsersService } from '../users/users.service.js';
import { nextTime } from './cron-times.js';
import { type DueSchedule, type Reason, SchedulesRepository, type StartOutcome } from './schedules.repository.js';

const lookEveryMs = 1_000;
/** A time is started at most this late; later it counts as missed. */
export const maxLateMs = 6 * 60 * 60_000;
/** After so many refusals in a row a schedule pauses. */
export const maxRefusals = 5;
/** The time until a start is tried again that found no place, or failed without an answer. */
const againAfterS = 10;

/** Who asked for something to start. */
export const startedBy = ['user', 'schedule'] as const;
export type StartedBy = (typeof startedBy)[number];

/** What became of an attempt: a start, with its run where there are records of runs, or the reason why there is none now (`later` is tried again, `skipped` is not). */
export type Started = { runId: number | null } | { skipped: ApiError } | { later: ApiError };

/**
 * Starts a target in the name of a user, within the transaction that also moves the schedule on: both are kept or neither. What it
 * writes is undone unless it started something. @throws ApiError when the start is refused
 */
export type Starter = (client: PoolClient, principal: Principal, targetId: number) => Promise<Started>;

/** Starts what is due. In any number of processes each time is started once, because the schedule is locked meanwhile. */
@Injectable()
export class SchedulesWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly starters = new Map<string, Starter>();
  private timer: NodeJS.Timeout | undefined;
  private working: Promise<void> | null = null;
  private isStopping = false;

  constructor(
    private readonly pool: ServicePool,
    private readonly schedules: SchedulesRepository,
    private readonly users: UsersService,
    private readonly audit: AuditService,
    private readonly settings: Settings,
    @Inject(logToken) private readonly log: Logger,
  ) {}

  /** Names what starts targets of a kind. Call it before the application has started. */
  register(kind: string, starter: Starter): void {
    this.starters.set(kind, starter);
  }

  onApplicationBootstrap(): void {
    if (this.settings.worker === 'off') return;
    this.timer = setInterval(() => {
      this.working ??= this.startAll().finally(() => (this.working = null));
    }, lookEveryMs).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    this.isStopping = true;
    clearInterval(this.timer);
    await this.working;
  }

  /** Never rejects. */
  private async startAll(): Promise<void> {
    for (let found = true; found && !this.isStopping;) {
      let due = null as DueSchedule | null;
      try {
        await this.pool.transaction(async client => {
          // Waiting for longer than the server's deadlock check could undo the work of a user who deletes the target just now.
          await client.query(`SET LOCAL lock_timeout = '500ms'`);
          due = await this.schedules.claim(client, [...this.starters.keys()]);
          if (due) await this.attend(client, due);
        });
        found = due !== null;
      } catch (cause) {
        found = await this.putOff(due, cause);
      }
    }
  }

  /** @returns whether it is worth looking for another one now */
  private async putOff(due: DueSchedule | null, cause: unknown): Promise<boolean> {
    this.log.warn({ cause, schedule: due?.id }, 'A schedule could not be attended to; it is tried again');
    if (due === null) return false;
    return this.schedules.postpone(this.pool, due.id, againAfterS).then(
      () => true,
      () => false,
    );
  }

  private async attend(client: PoolClient, schedule: DueSchedule): Promise<void> {
    const { id, nextAt, now, refusals } = schedule;
    const due = lastDue(schedule);
    const passed = { due_at: due ?? nextAt, missed_since: due && due > nextAt ? nextAt : null };
    const result = due === null ? { outcome: 'missed' as const, runId: null, reason: tooLate } : await this.start(client, schedule);
    await this.schedules.record(client, id, { ...passed, outcome: result.outcome, run_id: result.runId, reason: result.reason });
    if (result.outcome === 'waiting') return this.schedules.postpone(client, id, againAfterS);
    const refused = result.outcome === 'refused' ? refusals + 1 : 0;
    if (refused >= maxRefusals) return this.pause(client, schedule, result.reason!);
    await this.schedules.advance(client, id, { nextAt: nextTime(schedule, now), refusals: refused, paused: null });
  }

  private async start(client: PoolClient, { kind, targetId, savedBy }: DueSchedule): Promise<Attempt> {
    await client.query('SAVEPOINT start');
    const { outcome, reason, runId } = await this.try(client, kind, targetId, savedBy);
    await client.query(outcome === 'started' ? 'RELEASE SAVEPOINT start' : 'ROLLBACK TO SAVEPOINT start');
    return { outcome, runId, reason };
  }

  private async try(client: PoolClient, kind: string, targetId: number, savedBy: number | null): Promise<Attempt> {
    const owner = await this.owner(savedBy);
    if ('code' in owner) return { outcome: 'refused', runId: null, reason: owner };
    try {
      const started = await this.starters.get(kind)!(client, owner, targetId);
      if ('runId' in started) return { outcome: 'started', runId: started.runId, reason: null };
      if ('later' in started) return { outcome: 'waiting', runId: null, reason: reasonOf(started.later) };
      return { outcome: 'skipped', runId: null, reason: reasonOf(started.skipped) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { outcome: error.status === 503 ? 'waiting' : 'refused', runId: null, reason: reasonOf(error) };
    }
  }

  /** The user in whose name a schedule starts, or the reason why that user could not start anything by hand either. */
  private async owner(savedBy: number | null): Promise<Principal | Reason> {
    const account = savedBy === null ? null : await this.users.findAccountState(savedBy);
    if (!account) return ownerGone;
    if (account.disabled) return ownerDisabled;
    if (account.must_change_password) return ownerPasswordPending;
    const { id: userId, username, is_admin: isAdmin, token_version: tokenVersion } = account;
    return { userId, username, isAdmin, mustChangePassword: false, tokenVersion };
  }

  private async pause(client: PoolClient, { id, kind, targetId }: DueSchedule, last: Reason): Promise<void> {
    const paused = {
      code: 'paused_after_refusals',
      zh: `连续 ${maxRefusals} 次启动被拒绝，计划已暂停；最后一次的原因：${last.zh}。解决后请重新保存计划`,
      en: `${maxRefusals} starts in a row were refused, so the schedule pauses; the last reason: ${last.en}. Save the schedule again once that is settled`,
    };
    await this.schedules.advance(client, id, { nextAt: null, refusals: maxRefusals, paused });
    await this.audit.record({ action: 'schedule.paused', target: kind, targetId, context: { reason: last.code } }, client);
  }
}

interface Attempt {
  outcome: StartOutcome;
  runId: number | null;
  reason: Reason | null;
}

const ownerGone: Reason = {
  code: 'owner_gone',
  zh: '保存该计划的用户已被删除',
  en: 'the user who saved the schedule was deleted',
};
const ownerDisabled: Reason = {
  code: 'owner_disabled',
  zh: '保存该计划的用户已被停用',
  en: 'the user who saved the schedule is disabled',
};
const ownerPasswordPending: Reason = {
  code: 'owner_password_pending',
  zh: '保存该计划的用户须先修改密码',
  en: 'the user who saved the schedule must change the password first',
};
const tooLate: Reason = {
  code: 'too_late',
  zh: '服务未运行或队列一直已满，已逾期超过 6 小时',
  en: 'the service was down or the queue was full until more than 6 hours after the time',
};

/** The last time that has come, so that several missed ones are made up for by one start. Null when it is too late for all of them. */
function lastDue(schedule: DueSchedule): Date | null {
  const { nextAt, now } = schedule;
  const earliest = now.getTime() - maxLateMs;
  let last = nextAt.getTime() >= earliest ? nextAt : null;
  for (let time = nextTime(schedule, new Date(Math.max(nextAt.getTime(), earliest))); time !== null && time <= now;) {
    last = time;
    time = nextTime(schedule, time);
  }
  return last;
}

function reasonOf({ code, text: { zh, en } }: ApiError): Reason {
  return { code, zh, en };
}
