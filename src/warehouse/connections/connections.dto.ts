import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { ArrayMaxSize, ArrayMinSize, IsArray, IsIn, IsInt, IsOptional, IsString, Matches, Max, Min } from 'class-validator';
import { type ConnectionRight, connectionRights } from '../../access/access.decorator.js';
import { MaxLength } from '../../http/validation/length.decorator.js';
import { ArrayUnique } from '../../http/validation/array-unique.decorator.js';
import { IsName } from '../../http/validation/is-name.decorator.js';
import { Nested } from '../../http/validation/nested.decorator.js';
import {
  type ConnectionFailureCode,
  connectionFailureCodes,
  type ConnectionStage,
  connectionStages,
} from '../clients/connection-failure.js';
import { type ConnectionOptions, sslModes } from '../clients/warehouse-kind.js';
import { type ConnectionType, connectionTypes } from './connection.entity.js';
import { type HeldConnection } from './connections.repository.js';

/** Every option may be null, which means the same as leaving the option out. */
type Nullable<T> = { [K in keyof T]: T[K] | null };

const milliseconds = (least: number, most: number) => ({ type: 'integer', nullable: true, minimum: least, maximum: most }) as const;

/** The options of a connection. An option that has no effect for the type of the connection is refused. */
export class ConnectionOptionsRequest implements Nullable<ConnectionOptions> {
  @ApiPropertyOptional({
    enum: sslModes,
    nullable: true,
    example: 'verify-full',
    description:
      '默认 verify-full；require 只加密，prefer 在服务器支持时加密 / verify-full when left out; require encrypts without checking the certificate, prefer encrypts if the server can',
  })
  @IsOptional()
  @IsIn(sslModes)
  ssl_mode?: ConnectionOptions['ssl_mode'] | null;

  @ApiPropertyOptional({
    type: [String],
    nullable: true,
    example: ['public', 'sales'],
    description:
      '可读取的模式；第一个模式的表用裸名，其余用 schema.table / the schemas that can be read; tables go by bare names in the first and as schema.table in the others',
  })
  @IsOptional()
  @IsArray()
  @ArrayMinSize(1)
  @ArrayMaxSize(50)
  @ArrayUnique()
  @IsString({ each: true })
  @Matches(/^[^\p{Cc}\p{Cs}".]{1,63}$/u, { each: true, message: 'schema_allowlist must hold names of schemas without dots' })
  schema_allowlist?: string[] | null;

  @ApiPropertyOptional({
    type: 'integer',
    nullable: true,
    minimum: 4,
    maximum: 50,
    example: 6,
    description: '本进程的连接数 / Connections of this process',
  })
  @IsOptional()
  @IsInt()
  @Min(4)
  @Max(50)
  pool_max?: number | null;

  @ApiPropertyOptional({ ...milliseconds(100, 86_400_000), example: 30_000, description: '最长语句 / Longest statement, in milliseconds' })
  @IsOptional()
  @IsInt()
  @Min(100)
  @Max(86_400_000)
  statement_timeout_ms?: number | null;

  @ApiPropertyOptional({ ...milliseconds(100, 60_000), example: 5_000, description: '连接时限 / Longest time to connect, in milliseconds' })
  @IsOptional()
  @IsInt()
  @Min(100)
  @Max(60_000)
  connect_timeout_ms?: number | null;
}

export class CreateConnectionRequest {
  @ApiProperty({ example: 'mirror-2', minLength: 1, maxLength: 100 })
  @IsName(100)
  name: string;

  @ApiProperty({ enum: connectionTypes, example: 'pg_mirror', description: '后三种尚未提供 / the last three are not built yet' })
  @IsIn(connectionTypes)
  type: ConnectionType;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    writeOnly: true,
    example: 'postgres://reader:secret@db.example.com:5432/sales',
    description:
      'pg_mirror 必须为 null，其他类型必填；mysql://、clickhouse:// 同形，duckdb:///sales.duckdb 是 DUCKDB_DIR 下的文件或目录；加密保存，不再返回 / null for pg_mirror, needed by all other types: mysql:// and clickhouse:// have the same form, duckdb:///sales.duckdb is a file or folder below DUCKDB_DIR; it is sealed and never sent back',
  })
  @IsOptional()
  @IsString()
  @MaxLength(4000)
  dsn?: string | null;

  @ApiPropertyOptional({ type: ConnectionOptionsRequest, example: { ssl_mode: 'verify-full', schema_allowlist: ['public'] } })
  @IsOptional()
  @Nested(ConnectionOptionsRequest)
  options?: ConnectionOptionsRequest;
}

export class ChangeConnectionRequest {
  @ApiPropertyOptional({ example: 'sales', minLength: 1, maxLength: 100 })
  @IsOptional()
  @IsName(100)
  name?: string;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    writeOnly: true,
    example: 'postgres://reader:new-secret@db.example.com:5432/sales',
    description: '整个 DSN，例如更换口令时 / the whole DSN, for instance with a new password',
  })
  @IsOptional()
  @IsString()
  @MaxLength(4000)
  dsn?: string | null;

  @ApiPropertyOptional({
    type: ConnectionOptionsRequest,
    example: { ssl_mode: 'require', pool_max: null },
    description: '只改给出的选项；null 恢复默认值 / Changes the options that are given; null brings the default back',
  })
  @IsOptional()
  @Nested(ConnectionOptionsRequest)
  options?: ConnectionOptionsRequest;
}

class ResealedWebhooksResponse {
  @ApiProperty({ example: 1 })
  resealed: number;

  @ApiProperty({ type: [Number], example: [] })
  unreadable: number[];
}

export class ResealResponse {
  @ApiProperty({ example: 3, description: '改用第一个密钥加密的连接数 / Connections that the first key now seals' })
  resealed: number;

  @ApiProperty({ type: [Number], example: [], description: '密钥缺失、无法解密的连接 / Connections whose key is missing' })
  unreadable: number[];

  @ApiProperty({ type: ResealedWebhooksResponse, description: 'Webhook 的签名密钥，同上 / the secrets of webhooks, likewise' })
  webhooks: ResealedWebhooksResponse;
}

export class ConnectionResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 'pg_mirror' })
  name: string;

  @ApiProperty({ enum: connectionTypes, example: 'pg_mirror' })
  type: ConnectionType;

  @ApiProperty({
    type: String,
    nullable: true,
    example: 'postgres://reader:***@db.example.com:5432/sales',
    description: '不含口令的 DSN；pg_mirror 为 null / The DSN without its password; null for pg_mirror',
  })
  dsn_masked: string | null;

  @ApiProperty({ type: Object, example: {} })
  options: ConnectionOptions;

  @ApiProperty({ example: true })
  is_default: boolean;

  @ApiProperty({ enum: connectionRights, example: 'read', description: '我的权限 / what the caller may do with it' })
  right: ConnectionRight;

  @ApiProperty({ example: '2026-11-20T08:00:00.000Z' })
  created_at: string;
}

export function toConnectionResponse(connection: HeldConnection): ConnectionResponse {
  return {
    id: connection.id,
    name: connection.name,
    type: connection.type,
    dsn_masked: connection.dsnMasked,
    options: connection.options,
    is_default: connection.isDefault,
    right: connection.right,
    created_at: connection.createdAt.toISOString(),
  };
}

/** The result of a connection test. A failed test has a stage, a code and a message; a successful test has the other fields. */
export class ConnectionTestResponse {
  @ApiProperty({ example: true })
  ok: boolean;

  @ApiProperty({ example: 1.8, description: '耗时（毫秒），含建立连接 / Milliseconds of the test, connection included' })
  latency_ms: number;

  @ApiPropertyOptional({ example: '18.4' })
  server_version?: string;

  @ApiPropertyOptional({ example: 'graph_graph_service_mirror', description: '运行用户 SQL 的角色 / The role that user SQL runs as' })
  current_user?: string;

  @ApiPropertyOptional({ example: true, description: '是否在只读事务中读取 / Whether reads run in a read-only transaction' })
  read_only_enforced?: boolean;

  @ApiPropertyOptional({ example: false, description: '该角色能否写入 / Whether that role could write' })
  can_write?: boolean;

  @ApiPropertyOptional({ type: [String], example: [], description: '应当知道或改进之处 / Facts that the owner should know or change' })
  warnings?: string[];

  @ApiPropertyOptional({ enum: connectionStages, example: 'tls', description: '失败的步骤 / The stage that failed' })
  stage?: ConnectionStage;

  @ApiPropertyOptional({ enum: connectionFailureCodes, example: 'TLS_FAILED' })
  code?: ConnectionFailureCode;

  @ApiPropertyOptional({ example: '服务器不提供 TLS / the server does not offer TLS', description: '失败的原因 / Why it failed' })
  message?: string;
}
