import { ApiProperty, ApiPropertyOptional, PickType } from '@nestjs/swagger';
import { IsBoolean, IsIn, IsOptional, IsString } from 'class-validator';
import { Length } from '../../http/validation/length.decorator.js';
import { Nested } from '../../http/validation/nested.decorator.js';
import { maxCronLength } from '../../schedules/cron-times.js';
import { SaveScheduleRequest, ScheduleResponse } from '../../schedules/schedule-body.js';
import { joined } from '../../text/bilingual.js';
import { type WebhookResponse } from '../../webhooks/webhook-body.js';
import { ExecuteHaving, SelectMetricRows } from '../select-rows.dto.js';
import { watchEvents } from './watch-message.js';
import { type CheckFound, notifyModes, type NotifyMode, type WatchRow } from './watches.repository.js';

const request = {
  type: SelectMetricRows,
  example: { time: { range: 'today' } },
  description: '与执行指标的请求相同，没有排序与分页 / as a request to execute the metric, without order and pages',
};
const condition = {
  type: ExecuteHaving,
  example: { op: '>', value: '100' },
  description:
    '任何一行的值符合即成立；按精确的十进制比较舍入之前的值，NULL 不符合任何条件。by 缺省为 value / holds when the value of any row fits, compared as exact decimals before they are rounded; NULL fits nothing. by is `value` unless given',
};
const notify = {
  enum: notifyModes,
  description:
    'change：条件开始成立（watch.fired）、不再成立（watch.recovered）、检查开始失败（watch.failed）时通知；always：每次成立、每次失败都通知 / change tells when it begins to hold (watch.fired), when it ceases (watch.recovered) and when checks begin to fail (watch.failed); always tells each time it holds and each failure',
};
const url = {
  example: 'https://hooks.example/graph',
  maxLength: 2_000,
  description: '消息发往此处，按 Standard Webhooks 签名 / where messages go, signed as Standard Webhooks has it',
};
const secret = {
  maxLength: 100,
  description:
    '签名密钥：whsec_ 与 24 至 64 字节的 base64；缺省时由服务生成 / the secret: whsec_ and the base64 of 24 to 64 bytes; made by the service unless given',
};

export class CreateWatchRequest extends SaveScheduleRequest {
  @ApiPropertyOptional(request)
  @IsOptional()
  @Nested(SelectMetricRows)
  request?: SelectMetricRows;

  @ApiProperty(condition)
  @Nested(ExecuteHaving)
  condition: ExecuteHaving;

  @ApiPropertyOptional({ ...notify, default: 'change' })
  @IsOptional()
  @IsIn(notifyModes)
  notify?: NotifyMode;

  @ApiProperty(url)
  @IsString()
  @Length(1, url.maxLength)
  url: string;

  @ApiPropertyOptional(secret)
  @IsOptional()
  @IsString()
  @Length(1, secret.maxLength)
  secret?: string;
}

export class ChangeWatchRequest {
  @ApiPropertyOptional({ example: '*/15 * * * *', maxLength: maxCronLength })
  @IsOptional()
  @IsString()
  @Length(1, maxCronLength)
  cron?: string;

  @ApiPropertyOptional({ example: 'Asia/Shanghai', maxLength: 64, description: 'IANA 时区 / an IANA time zone' })
  @IsOptional()
  @IsString()
  @Length(1, 64)
  timezone?: string;

  @ApiPropertyOptional({ example: true, description: 'false 则保留而不检查 / false keeps it without checking' })
  @IsOptional()
  @IsBoolean()
  enabled?: boolean;

  @ApiPropertyOptional(request)
  @IsOptional()
  @Nested(SelectMetricRows)
  request?: SelectMetricRows;

  @ApiPropertyOptional(condition)
  @IsOptional()
  @Nested(ExecuteHaving)
  condition?: ExecuteHaving;

  @ApiPropertyOptional(notify)
  @IsOptional()
  @IsIn(notifyModes)
  notify?: NotifyMode;

  @ApiPropertyOptional(url)
  @IsOptional()
  @IsString()
  @Length(1, url.maxLength)
  url?: string;

  @ApiPropertyOptional(secret)
  @IsOptional()
  @IsString()
  @Length(1, secret.maxLength)
  secret?: string;

  @ApiPropertyOptional({
    example: false,
    description:
      'true 则生成新密钥并在应答中给出一次；旧密钥同时签名 24 小时 / true makes a new secret, which the answer shows once; the former one signs too for 24 hours',
  })
  @IsOptional()
  @IsBoolean()
  rotate_secret?: boolean;
}

class WatchConditionResponse {
  @ApiProperty({ example: 'value' })
  by: string;

  @ApiProperty({ example: '>' })
  op: string;

  @ApiProperty({ example: '100' })
  value: string;
}

class WatchErrorResponse {
  @ApiProperty({ example: 'binding_outdated' })
  code: string;

  @ApiProperty({ example: '指标绑定之后，数据列的类型有变 / Columns changed after the metric was bound to them' })
  detail: string;
}

export class WatchResponse extends ScheduleResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 1 })
  metric_id: number;

  @ApiProperty({ type: SelectMetricRows, example: request.example })
  request: SelectMetricRows;

  @ApiProperty({ type: WatchConditionResponse })
  condition: WatchConditionResponse;

  @ApiProperty({ enum: notifyModes })
  notify: string;

  @ApiProperty({ example: url.example })
  url: string;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: '更换密钥之后，旧密钥同时签名至此时 / after a change of the secret, the former one signs too until then',
  })
  former_secret_until: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: '上一次检查 / the last check' })
  checked_at: string | null;

  @ApiProperty({
    type: Boolean,
    nullable: true,
    example: true,
    description: '上一次成功的检查中条件是否成立 / whether it held at the last check that succeeded',
  })
  held: boolean | null;

  @ApiProperty({ type: [String], nullable: true, example: ['地区', 'value'] })
  columns: string[] | null;

  @ApiProperty({
    type: 'array',
    items: { type: 'array', items: {} },
    nullable: true,
    example: [['华东', '120.5']],
    description:
      '当时符合条件的行，没有则为其余的行；至多 5 行，文本至多 200 字符 / rows that met it then, others if none did; 5 at most, with texts of 200 characters at most',
  })
  rows: unknown[][] | null;

  @ApiProperty({ type: WatchErrorResponse, nullable: true, description: '上一次检查失败的原因 / why the last check failed' })
  error: WatchErrorResponse | null;

  @ApiProperty({ example: 0, description: '连续失败的次数 / how often it has failed in a row' })
  failures: number;
}

/** A watch, with the secret of its webhook if the service has just generated the secret. */
export class NewWatchResponse extends WatchResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw4MfKQ9r8GKY=',
    description: '仅在生成时显示这一次 / shown this once, when it was made',
  })
  secret: string | null;
}

/** The result of a check that the caller started. */
export class WatchCheckResponse extends PickType(WatchResponse, ['checked_at', 'held', 'columns', 'rows', 'error', 'failures'] as const) {
  @ApiProperty({
    type: String,
    enum: watchEvents,
    nullable: true,
    description: '由此发出的事件；没有则为 null / the event that it told of, if any',
  })
  event: string | null;

  @ApiProperty({ type: Number, nullable: true, example: 1, description: '…/deliveries 中的投递 / the delivery, see …/deliveries' })
  delivery_id: number | null;
}

export function toWatchCheckResponse({ watch, event, deliveryId }: CheckFound): WatchCheckResponse {
  return { ...stateOf(watch), event, delivery_id: deliveryId };
}

function stateOf({ checked_at, held, result, error, failures }: WatchRow) {
  return {
    checked_at: checked_at?.toISOString() ?? null,
    held,
    columns: result?.columns ?? null,
    rows: result?.rows ?? null,
    error: error && { code: error.code, detail: joined(error) },
    failures,
  };
}

export function toWatchResponse(watch: WatchRow, schedule: ScheduleResponse, webhook: WebhookResponse): WatchResponse {
  const { id, metric_id, request, condition, notify } = watch;
  return {
    id,
    metric_id,
    request,
    condition,
    notify,
    url: webhook.url,
    former_secret_until: webhook.former_secret_until,
    ...schedule,
    ...stateOf(watch),
  };
}
