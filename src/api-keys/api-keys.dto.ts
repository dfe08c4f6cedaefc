import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsISO8601, IsOptional, Matches, Max, Min } from 'class-validator';
import { type KeyPermission, keyPermissions } from '../access/access.decorator.js';
import { ArrayUnique } from '../http/validation/array-unique.decorator.js';
import { IsName } from '../http/validation/is-name.decorator.js';
import { maxId } from '../http/validation/positive-int.pipe.js';
import { sentence } from '../http/validation/sentence.js';
import { type ApiKeyRow } from './api-keys.repository.js';

/** The form of ISO 8601 that clients must write. `Date` cannot read other forms, such as `20300101T000000Z` and week dates. */
const timeWithZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

export class CreateApiKeyRequest {
  @ApiProperty({ example: '报表服务 / reporting', maxLength: 128 })
  @IsName()
  name: string;

  @ApiProperty({ type: [Number], example: [1], description: '密钥可以使用的图 / the graphs the key opens' })
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(1000)
  @ArrayUnique()
  @IsInt({ each: true })
  @Min(1, { each: true })
  @Max(maxId, { each: true })
  graph_ids: number[];

  @ApiPropertyOptional({
    type: [String],
    enum: keyPermissions,
    default: [],
    example: [],
    description: 'tables:write：另可上传、删除其用户可写的镜像表 / also loads and drops the mirror tables that its user may write',
  })
  @IsOptional()
  @IsArray()
  @ArrayUnique()
  @IsIn(keyPermissions, { each: true })
  permissions: KeyPermission[] = [];

  @ApiPropertyOptional({ example: 60, default: 60, description: '每分钟请求数，全部接口合计 / requests per minute over all endpoints' })
  @IsOptional()
  @IsInt()
  @Min(1)
  rate_limit: number = 60;

  @ApiPropertyOptional({ format: 'date-time', example: '2030-01-01T00:00:00Z', description: '默认 90 天后 / 90 days from now by default' })
  @IsOptional()
  @IsISO8601({ strict: true, strictSeparator: true })
  @Matches(
    timeWithZone,
    sentence({
      zh: '应为带时区的时间，例如 2030-01-01T00:00:00Z',
      en: 'expires_at must be a time with its zone, such as 2030-01-01T00:00:00Z',
    }),
  )
  expires_at?: string;
}

export class ApiKeyResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: '报表服务 / reporting' })
  name: string;

  @ApiProperty({ example: 'gsk_4fT9aQ2z', description: '可识别密钥的前缀 / what tells keys apart' })
  prefix: string;

  @ApiProperty({ type: [Number], example: [1] })
  graph_ids: number[];

  @ApiProperty({ type: [String], enum: keyPermissions, example: [] })
  permissions: KeyPermission[];

  @ApiProperty({ example: 60 })
  rate_limit: number;

  @ApiProperty({ format: 'date-time' })
  expires_at: string;

  @ApiProperty({ type: String, format: 'date-time', nullable: true })
  revoked_at: string | null;

  @ApiProperty({ type: String, format: 'date-time', nullable: true, description: '精确到一分钟 / to the minute' })
  last_used_at: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

export class NewApiKeyResponse extends ApiKeyResponse {
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      '仅显示这一次；以 Idempotency-Key 重发时为 null，可用 rotate 换新 / shown this once; null in a repeat under an Idempotency-Key: rotate the key',
    example: 'gsk_4fT9aQ2z_…',
  })
  raw_key: string;
}

export function toApiKeyResponse(row: ApiKeyRow): ApiKeyResponse {
  return {
    id: row.id,
    name: row.name,
    prefix: `gsk_${row.public_id}`,
    graph_ids: row.graph_ids,
    permissions: row.permissions,
    rate_limit: row.rate_limit,
    expires_at: row.expires_at.toISOString(),
    revoked_at: row.revoked_at?.toISOString() ?? null,
    last_used_at: row.last_used_at?.toISOString() ?? null,
    created_at: row.created_at.toISOString(),
  };
}
