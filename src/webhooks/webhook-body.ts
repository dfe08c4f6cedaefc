import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsBoolean, IsOptional, IsString } from 'class-validator';
import { ArrayUnique } from '../http/validation/array-unique.decorator.js';
import { Length } from '../http/validation/length.decorator.js';
import { joined } from '../text/bilingual.js';
import { type DeliveryRow } from './deliveries.repository.js';
import { sendFailures } from './send-message.js';
import { type WebhookRow } from './webhooks.repository.js';

const maxEvents = 10;
const url = {
  example: 'https://hooks.example/graph',
  maxLength: 2_000,
  description:
    'http 或 https，不含用户名与密码；每次发送时检查其地址 / http or https, without user and password; its addresses are checked at every attempt',
};
const secret = {
  maxLength: 100,
  description:
    '签名密钥：whsec_ 与 24 至 64 字节的 base64；缺省时由服务生成 / the secret: whsec_ and the base64 of 24 to 64 bytes; made by the service unless given',
};
const events = {
  type: String,
  isArray: true as const,
  example: ['run.succeeded', 'run.failed'],
  description: 'run.succeeded、run.failed、run.cancelled；缺省为全部 / all of them by default',
};

export class CreateWebhookRequest {
  @ApiProperty(url)
  @IsString()
  @Length(1, url.maxLength)
  url: string;

  @ApiPropertyOptional({ ...events, minItems: 1, maxItems: maxEvents, uniqueItems: true })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(maxEvents)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 50, { each: true })
  events?: string[];

  @ApiPropertyOptional(secret)
  @IsOptional()
  @IsString()
  @Length(1, secret.maxLength)
  secret?: string;
}

export class ChangeWebhookRequest {
  @ApiPropertyOptional(url)
  @IsOptional()
  @IsString()
  @Length(1, url.maxLength)
  url?: string;

  @ApiPropertyOptional({ ...events, minItems: 1, maxItems: maxEvents, uniqueItems: true })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(maxEvents)
  @ArrayUnique()
  @IsString({ each: true })
  @Length(1, 50, { each: true })
  events?: string[];

  @ApiPropertyOptional({
    example: true,
    description: 'false 则不再记录事件，等待中的投递暂停 / false records no events, and what waits is held',
  })
  @IsOptional()
  @IsBoolean()
  enabled?: boolean;

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

export class WebhookResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: url.example })
  url: string;

  @ApiProperty({ type: [String], example: events.example })
  events: string[];

  @ApiProperty({ example: true })
  enabled: boolean;

  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: '更换密钥之后，旧密钥同时签名至此时 / after a change of the secret, the former one signs too until then',
  })
  former_secret_until: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

/** A webhook. `secret` is the secret if the service has just generated it, otherwise null. */
export class NewWebhookResponse extends WebhookResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw4MfKQ9r8GKY=',
    description: '仅在生成时显示这一次 / shown this once, when it was made',
  })
  secret: string | null;
}

class DeliveryErrorResponse {
  @ApiProperty({ enum: Object.keys(sendFailures), example: 'timeout' })
  code: string;

  @ApiProperty({ example: joined(sendFailures.timeout) })
  detail: string;
}

export class DeliveryResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({
    example: 'msg_2f1c0d5c7a5e4f6f9f0c1d2e3f4a5b6c',
    description: '请求头 webhook-id，每次重试都相同 / the header webhook-id, the same at every attempt',
  })
  message_id: string;

  @ApiProperty({ example: 'run.succeeded' })
  event: string;

  @ApiProperty({ enum: ['pending', 'delivered', 'failed'] })
  status: string;

  @ApiProperty({ example: 1 })
  attempts: number;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: '下一次尝试 / the next attempt' })
  next_at: string | null;

  @ApiProperty({ type: Number, nullable: true, example: 200, description: '最近一次的应答状态 / the status that was answered last' })
  answered: number | null;

  @ApiProperty({ type: DeliveryErrorResponse, nullable: true })
  error: DeliveryErrorResponse | null;

  @ApiProperty({ type: Object, example: { type: 'run.succeeded', timestamp: '2026-11-22T19:00:04.000Z', data: { run_id: 1 } } })
  payload: Record<string, unknown>;

  @ApiProperty({ format: 'date-time' })
  created_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  ended_at: string | null;
}

export function toWebhookResponse({ former_secret_until, created_at, ...row }: WebhookRow): WebhookResponse {
  return { ...row, former_secret_until: former_secret_until?.toISOString() ?? null, created_at: created_at.toISOString() };
}

export function toDeliveryResponse(row: DeliveryRow): DeliveryResponse {
  const { id, message_id, event, payload, status, attempts, next_at, answered, error, created_at, ended_at } = row;
  return {
    id,
    message_id,
    event,
    status,
    attempts,
    next_at: status === 'pending' ? next_at.toISOString() : null,
    answered,
    error: error && { code: error, detail: joined(sendFailures[error]) },
    payload: JSON.parse(payload) as Record<string, unknown>,
    created_at: created_at.toISOString(),
    ended_at: ended_at?.toISOString() ?? null,
  };
}
