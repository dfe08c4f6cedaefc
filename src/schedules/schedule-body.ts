import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional, IsString } from 'class-validator';
import { Length } from '../http/validation/length.decorator.js';
import { joined } from '../text/bilingual.js';
import { maxCronLength } from './cron-times.js';
import { type ScheduleRow, type StartRow } from './schedules.repository.js';

/** The body of every route that sets a schedule, whatever it starts. */
export class SaveScheduleRequest {
  @ApiProperty({
    example: '0 3 * * *',
    maxLength: maxCronLength,
    description:
      '五个字段：分 时 日 月 星期；不支持秒、@daily、L、W、#。日与星期都给出时，满足其一即可 / five fields: minute, hour, day of the month, month, day of the week; no seconds, @daily, L, W or #. With both a day and a weekday, either will do',
  })
  @IsString()
  @Length(1, maxCronLength)
  cron: string;

  @ApiPropertyOptional({ example: 'Asia/Shanghai', default: 'UTC', maxLength: 64, description: 'IANA 时区 / an IANA time zone' })
  @IsOptional()
  @IsString()
  @Length(1, 64)
  timezone?: string;

  @ApiPropertyOptional({ example: true, default: true, description: 'false 则保留而不启动 / false keeps it without starting anything' })
  @IsOptional()
  @IsBoolean()
  enabled?: boolean;
}

class ScheduleUserResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 'admin' })
  username: string;
}

class ScheduleReasonResponse {
  @ApiProperty({ example: 'run_active' })
  code: string;

  @ApiProperty({ example: '该任务已有一次运行在排队或进行中 / A run of this job is waiting or going on already' })
  detail: string;
}

export class ScheduleStartResponse {
  @ApiProperty({ format: 'date-time', description: '应启动的时间 / when it was due' })
  due_at: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: '自此时间起错过的各次由这一次代替 / this one stands for all since then, which were missed',
  })
  missed_since: string | null;

  @ApiProperty({ format: 'date-time', description: '处理的时间 / when it was dealt with' })
  at: string;

  @ApiProperty({
    enum: ['started', 'skipped', 'waiting', 'refused', 'missed'],
    description:
      'started 已启动；skipped 上一次仍在进行；waiting 该用户的队列已满或已达每分钟上限，稍后再试；refused 被拒绝；missed 逾期过久 / started; skipped, the last one still goes on; waiting, the queue of its user is full or the limit of a minute reached, and it is tried again; refused; missed, too late',
  })
  outcome: string;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 1,
    description: '所启动的运行；复制没有运行记录 / the run that it started; copies have no records of runs',
  })
  run_id: number | null;

  @ApiProperty({ type: ScheduleReasonResponse, nullable: true })
  reason: ScheduleReasonResponse | null;
}

export class ScheduleResponse {
  @ApiProperty({ example: '0 3 * * *' })
  cron: string;

  @ApiProperty({ example: 'Asia/Shanghai' })
  timezone: string;

  @ApiProperty({ example: true })
  enabled: boolean;

  @ApiProperty({ type: ScheduleReasonResponse, nullable: true, description: '服务自行暂停的原因 / why the service paused it' })
  paused: ScheduleReasonResponse | null;

  @ApiProperty({ type: ScheduleUserResponse, nullable: true, description: '以此用户的名义启动 / it starts in the name of this user' })
  saved_by: ScheduleUserResponse | null;

  @ApiProperty({ format: 'date-time' })
  saved_at: string;

  @ApiProperty({ type: [String], example: ['2026-11-22T19:00:00.000Z'], description: '此后的五次 / the next five times' })
  next_times: string[];

  @ApiProperty({ type: [ScheduleStartResponse], description: '最近 20 次，新的在前 / the last 20, the newest first' })
  starts: ScheduleStartResponse[];
}

export function toScheduleResponse(row: ScheduleRow, starts: StartRow[], nextTimes: Date[]): ScheduleResponse {
  const { cron, timezone, enabled, paused, saved_by, saved_at } = row;
  return {
    cron,
    timezone,
    enabled,
    paused: paused && { code: paused.code, detail: joined(paused) },
    saved_by,
    saved_at: saved_at.toISOString(),
    next_times: nextTimes.map(time => time.toISOString()),
    starts: starts.map(({ due_at, missed_since, at, outcome, run_id, reason }) => ({
      due_at: due_at.toISOString(),
      missed_since: missed_since?.toISOString() ?? null,
      at: at.toISOString(),
      outcome,
      run_id,
      reason: reason && { code: reason.code, detail: joined(reason) },
    })),
  };
}
