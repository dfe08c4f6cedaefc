import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Logger } from 'pino';
import { type Principal } from '../access/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { ApiError } from '../common/errors/api-error.js';
import { logToken } from '../common/logging/log.js';
import { Settings } from '../config/settings.js';
import { ServicePool } from '../database/service-pool.js';
import { findCharge, toCaller } from '../limits/charge.js';
import { LimiterService } from '../limits/limiter.service.js';
import { TooManyRequestsError } from '../limits/limits.errors.js';
import { Telemetry } from '../telemetry/telemetry.service.js';
import { joined } from '../text/bilingual.js';
import { UsersService } from '../users/users.service.js';
import { nextTime, timesAfter } from './cron-times.js';
import { type DueSchedule, type Line, type Reason, SchedulesRepository, type StartOutcome } from './schedules.repository.js';

const lookEveryMs = 1_000;
/** A start that is due may happen at most this many milliseconds late; later the time counts as missed. */
export const maxLateMs = 6 * 60 * 60_000;
/** The number of refused starts in a row after which a schedule pauses. */
export const maxRefusals = 5;
/** Seconds until the next attempt after a start that found no place, or that failed with an unexpected error. */
const againAfterS = 10;
/** The number of users who get one turn each before the order of the users is determined again. */
const turnsAtOnce = 20;

/** The originators of a start: a user by hand, or a schedule. */
export const startedBy = ['user', 'schedule'] as const;
export type StartedBy = (typeof startedBy)[number];

/**
 * The outcome of an attempt: a start, with its run if targets of this kind record runs, or the reason why nothing was started. A `skipped`
 * time is not tried again. After `later` the same time is tried again, because the user lacks a place for any target of this kind.
 */
export type Started = { runId: number | null } | { skipped: ApiError } | { later: ApiError };

/**
 * Starts a target in the name of a user, within the transaction that also moves the schedule on, so that both are kept or neither. The
 * starter's writes are undone unless it started something. @throws ApiError when the start is refused
 */
export type Starter = (client: PoolClient, principal: Principal, targetId: number) => Promise<Started>;

/**
 * Starts the schedules that are due, users in turn. Each time is started once in any number of processes, because its schedule is locked
 * during the start.
 */
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
    private readonly limiter: LimiterService,
    private readonly settings: Settings,
    @Inject(logToken) private readonly log: Logger,
    private readonly telemetry: Telemetry,
  ) {}

  /** Registers the function that starts targets of a kind. Call it before the application has started. */
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

  /** Starts everything that is due. Never rejects. */
  private async startAll(): Promise<void> {
    try {
      for (let found = true; found;) {
        found = false;
        for (const line of await this.schedules.nextTurns([...this.starters.keys()], turnsAtOnce)) {
          if (this.isStopping) return;
          if (await this.attendTo(line)) found = true;
        }
      }
    } catch (cause) {
      this.log.warn({ cause }, 'Looking for due schedules failed');
    }
  }

  /** Attends to the schedule of a line that has been due for longest. @returns whether a schedule was due */
  private async attendTo(line: Line): Promise<boolean> {
    let due = null as DueSchedule | null;
    let attempt = null as Attempt | null;
    try {
      await this.transaction(async client => {
        due = await this.schedules.claim(client, line);
        if (due) attempt = await this.attend(client, due);
      });
      if (due && attempt) this.note(due, attempt);
    } catch (cause) {
      if (due === null) throw cause;
      await this.putOff(due, cause);
    }
    return due !== null;
  }

  /**
   * Runs a transaction with a lock timeout below the server's deadlock timeout. A longer wait could make PostgreSQL undo the transaction of
   * a user who deletes the target at the same moment.
   */
  private transaction(work: (client: PoolClient) => Promise<void>): Promise<void> {
    return this.pool.transaction(async client => {
      await client.query(`SET LOCAL lock_timeout = '500ms'`);
      await work(client);
    });
  }

  /** Delays a schedule whose attempt failed. The attempt is recorded, because the turn that it used counts for the schedule's user. */
  private async putOff(due: DueSchedule, cause: unknown): Promise<void> {
    this.log.warn({ cause, schedule: due.id }, 'A schedule could not be attended to; it is tried again');
    const reason = cause instanceof ApiError ? reasonOf(cause) : notAttended;
    await this.transaction(async client => {
      if (await this.schedules.postpone(client, due.id, againAfterS))
        await this.schedules.record(client, due, { ...timesOf(due, lastDue(due)), outcome: 'waiting', run_id: null, reason });
    });
  }

  /** Counts an attempt, and notes in the log that a time has passed without a start. */
  private note({ id, kind, targetId }: DueSchedule, { outcome, reason }: Attempt): void {
    this.telemetry.workEnded('start', outcome);
    if (reason === null || !['refused', 'missed'].includes(outcome)) return;
    const facts = { schedule: id, kind, target: targetId, outcome, code: reason.code, sentence: joined(reason) };
    this.log.warn(facts, 'A schedule did not start its work');
  }

  private async attend(client: PoolClient, schedule: DueSchedule): Promise<Attempt> {
    const due = lastDue(schedule);
    const attempt = due ? await this.start(client, schedule) : missed;
    const { outcome, runId, reason } = attempt;
    await this.schedules.record(client, schedule, { ...timesOf(schedule, due), outcome, run_id: runId, reason });
    await this.moveOn(client, schedule, attempt);
    return attempt;
  }

  private async moveOn(client: PoolClient, schedule: DueSchedule, { outcome, reason, restsS }: Attempt): Promise<void> {
    const { id, kind, savedBy, now, refusals } = schedule;
    if (restsS !== undefined) return this.schedules.rest(client, { userId: savedBy!, kind }, restsS, reason!);
    if (outcome === 'waiting') return void (await this.schedules.postpone(client, id, againAfterS));
    const refused = outcome === 'refused' ? refusals + 1 : 0;
    if (refused >= maxRefusals) return this.pause(client, schedule, reason!);
    await this.schedules.advance(client, id, { nextAt: nextTime(schedule, now), refusals: refused, paused: null });
  }

  private async start(client: PoolClient, { kind, targetId, savedBy }: DueSchedule): Promise<Attempt> {
    const owner = await this.owner(savedBy);
    if ('code' in owner) return { outcome: 'refused', runId: null, reason: owner };
    await client.query('SAVEPOINT start');
    const tried = await this.try(client, kind, targetId, owner);
    const attempt = tried.outcome === 'started' ? ((await this.findExcess(owner)) ?? tried) : tried;
    await client.query(attempt.outcome === 'started' ? 'RELEASE SAVEPOINT start' : 'ROLLBACK TO SAVEPOINT start');
    return attempt;
  }

  private async try(client: PoolClient, kind: string, targetId: number, owner: Principal): Promise<Attempt> {
    try {
      const started = await this.starters.get(kind)!(client, owner, targetId);
      if ('runId' in started) return { outcome: 'started', runId: started.runId, reason: null };
      if ('later' in started) return { outcome: 'waiting', runId: null, reason: reasonOf(started.later), restsS: againAfterS };
      return { outcome: 'skipped', runId: null, reason: reasonOf(started.skipped) };
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      return { outcome: error.status === 503 ? 'waiting' : 'refused', runId: null, reason: reasonOf(error) };
    }
  }

  /**
   * Counts a start towards the limit of the schedule's owner. It is the last check, so that only starts are counted. @returns the attempt
   * to record if the limit is exceeded, else null
   */
  private async findExcess(owner: Principal): Promise<Attempt | null> {
    try {
      await this.limiter.count(findCharge({ bucket: 'run', isPublic: false }, toCaller(owner), this.limiter.limits)!);
      return null;
    } catch (error) {
      if (!(error instanceof TooManyRequestsError)) throw error;
      return { outcome: 'waiting', runId: null, reason: tooManyStarts, restsS: error.retryAfterS ?? againAfterS };
    }
  }

  /** The user in whose name a schedule starts, or the reason why that user may not start anything, not even by hand. */
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
  /** Set when the user lacks a place for any target of this kind: the seconds until another start of this kind is tried. */
  restsS?: number;
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
const tooManyStarts: Reason = {
  code: 'too_many_starts',
  zh: '保存该计划的用户在一分钟内启动过多（RATE_LIMIT_RUN），稍后再试',
  en: 'the user who saved the schedule starts too much in a minute (RATE_LIMIT_RUN); it is tried again',
};
const notAttended: Reason = {
  code: 'not_attended',
  zh: '服务暂时未能处理，稍后再试',
  en: 'the service could not attend to it just now; it is tried again',
};
const tooLate: Reason = {
  code: 'too_late',
  zh: '服务未运行，或该用户没有空位，已逾期超过 6 小时',
  en: 'the service was down or its user had no place until more than 6 hours after the time',
};
const missed: Attempt = { outcome: 'missed', runId: null, reason: tooLate };

/** The time for which an attempt is recorded, with the first missed time that the attempt makes up for; null for none. */
function timesOf({ nextAt }: DueSchedule, due: Date | null): { due_at: Date; missed_since: Date | null } {
  return { due_at: due ?? nextAt, missed_since: due && due > nextAt ? nextAt : null };
}

/**
 * The last time of the schedule that has come, at most `maxLateMs` ago, so that one start makes up for several missed times. Null when all
 * times are too late. The last minutes are searched first, because an expression that names every minute has hundreds of times in six
 * hours.
 */
function lastDue(schedule: DueSchedule): Date | null {
  const { nextAt, now } = schedule;
  for (const lateMs of [5 * 60_000, 60 * 60_000, maxLateMs]) {
    const earliest = now.getTime() - lateMs;
    let last = nextAt.getTime() >= earliest ? nextAt : null;
    for (const time of timesAfter(schedule, new Date(Math.max(nextAt.getTime(), earliest)))) {
      if (time > now) break;
      last = time;
    }
    if (last) return last;
  }
  return null;
}

function reasonOf({ code, text: { zh, en } }: ApiError): Reason {
  return { code, zh, en };
}
