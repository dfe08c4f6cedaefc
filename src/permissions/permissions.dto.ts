import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsInt, IsOptional, IsString, Max, Min } from 'class-validator';
import { MaxLength } from '../http/validation/length.decorator.js';
import { type GraphRole } from '../access/access.decorator.js';

export const roles: GraphRole[] = ['viewer', 'editor', 'manager'];
const roleWords = 'viewer：查询 / query; editor：另可管理指标与任务 / also metrics and jobs; manager：另可管理成员 / also members';

export class GrantRequest {
  @ApiPropertyOptional({ example: 2, description: '仅限管理员；与 username 二选一 / for admins; exactly one of user_id and username' })
  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(2_147_483_647)
  user_id?: number;

  @ApiPropertyOptional({ example: 'li.lei' })
  @IsOptional()
  @IsString()
  @MaxLength(256)
  username?: string;

  @ApiPropertyOptional({ enum: roles, default: 'editor', description: roleWords })
  @IsOptional()
  @IsIn(roles)
  role: GraphRole = 'editor';
}

export class ChangeRoleRequest {
  @ApiProperty({ enum: roles, example: 'viewer', description: roleWords })
  @IsIn(roles)
  role: GraphRole;
}

export interface MemberRow {
  user_id: number;
  username: string;
  role: GraphRole;
  created_at: Date;
}

export class MemberResponse {
  @ApiProperty({ example: 2 })
  user_id: number;

  @ApiProperty({ example: 'li.lei' })
  username: string;

  @ApiProperty({ enum: roles })
  role: GraphRole;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

export function toMemberResponse(row: MemberRow): MemberResponse {
  return { ...row, created_at: row.created_at.toISOString() };
}
