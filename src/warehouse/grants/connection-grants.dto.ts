import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { type ConnectionRight, connectionRights } from '../../access/access.decorator.js';
import { MaxLength } from '../../http/validation/length.decorator.js';
import { type Grantee, IsGrantee, granteeSchema, everyone } from './grantee.js';

const rightWords = 'read：查看、映射、绑定表 / sees, maps and binds tables; write：另可上传、删除表 / also loads and drops tables';

export class GrantConnectionRequest {
  @ApiPropertyOptional({
    ...granteeSchema,
    example: everyone,
    description:
      '用户 id，或 "everyone" 即所有用户；与 username 二选一 / an id, or "everyone" for all users; exactly one of user_id and username',
  })
  @IsOptional()
  @IsGrantee()
  user_id?: Grantee;

  @ApiPropertyOptional({ example: 'li.lei' })
  @IsOptional()
  @IsString()
  @MaxLength(256)
  username?: string;

  @ApiProperty({ enum: connectionRights, example: 'read', description: rightWords })
  @IsIn(connectionRights)
  right: ConnectionRight;
}

/** A grant of a connection. A `user_id` of null means everyone. */
export interface ConnectionGrantRow {
  user_id: number | null;
  username: string | null;
  can_write: boolean;
  granted_by: string | null;
  created_at: Date;
}

export class ConnectionGrantResponse {
  @ApiProperty({ ...granteeSchema, example: 2, description: '用户 id，或 "everyone" / an id, or "everyone"' })
  user_id: Grantee;

  @ApiProperty({ type: String, nullable: true, example: 'li.lei', description: '"everyone" 时为 null / null for everyone' })
  username: string | null;

  @ApiProperty({ enum: connectionRights, example: 'read', description: rightWords })
  right: ConnectionRight;

  @ApiProperty({ type: String, nullable: true, example: 'admin', description: '授权者 / who granted it last' })
  granted_by: string | null;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

export function toConnectionGrantResponse(row: ConnectionGrantRow): ConnectionGrantResponse {
  return {
    user_id: row.user_id ?? everyone,
    username: row.username,
    right: row.can_write ? 'write' : 'read',
    granted_by: row.granted_by,
    created_at: row.created_at.toISOString(),
  };
}
