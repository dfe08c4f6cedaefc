import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsObject, IsOptional, IsString } from 'class-validator';
import { type ConnectionRight, connectionRights } from '../../access/access.decorator.js';
import { MaxLength } from '../../http/validation/length.decorator.js';
import { IsName } from '../../http/validation/is-name.decorator.js';
import { type ConnectionType, connectionTypes } from './connection.entity.js';
import { type HeldConnection } from './connections.repository.js';

export class CreateConnectionRequest {
  @ApiProperty({ example: 'mirror-2', minLength: 1, maxLength: 100 })
  @IsName(100)
  name: string;

  @ApiProperty({ enum: connectionTypes, example: 'pg_mirror', description: '目前只支持 pg_mirror / only pg_mirror is built so far' })
  @IsIn(connectionTypes)
  type: ConnectionType;

  @ApiPropertyOptional({
    type: String,
    nullable: true,
    writeOnly: true,
    example: null,
    description: 'pg_mirror 必须为 null / must be null for pg_mirror; never sent back',
  })
  @IsOptional()
  @IsString()
  @MaxLength(4000)
  dsn?: string | null;

  @ApiPropertyOptional({ type: Object, example: {} })
  @IsOptional()
  @IsObject()
  options?: Record<string, unknown>;
}

export class ConnectionResponse {
  @ApiProperty({ example: 1 })
  id: number;

  @ApiProperty({ example: 'pg_mirror' })
  name: string;

  @ApiProperty({ enum: connectionTypes, example: 'pg_mirror' })
  type: ConnectionType;

  @ApiProperty({ type: String, nullable: true, example: null, description: 'The DSN without its password; null for pg_mirror' })
  dsn_masked: string | null;

  @ApiProperty({ type: Object, example: {} })
  options: Record<string, unknown>;

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
    dsn_masked: null,
    options: connection.options,
    is_default: connection.isDefault,
    right: connection.right,
    created_at: connection.createdAt.toISOString(),
  };
}

export class ConnectionTestResponse {
  @ApiProperty({ example: true })
  ok: boolean;

  @ApiProperty({ example: 1.8, description: 'Milliseconds of one read, connection included' })
  latency_ms: number;

  @ApiProperty({ example: '18.4' })
  server_version: string;

  @ApiProperty({ example: 'graph_graph_service_mirror', description: 'The role that user SQL runs as' })
  current_user: string;

  @ApiProperty({ example: true, description: 'Whether reads run in a read-only transaction' })
  read_only_enforced: boolean;

  @ApiProperty({ example: false, description: 'Whether that role could create tables in the mirror' })
  can_write: boolean;
}
