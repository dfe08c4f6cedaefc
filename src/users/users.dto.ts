import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional } from 'class-validator';
import { type User } from './user.entity.js';
import { NewUsername } from './username.js';

export class CreateUserRequest {
  @ApiProperty({
    example: 'han.meimei',
    description: '得到默认密码，首次登录须修改 / gets the default password, to be changed at the first login',
  })
  @NewUsername()
  username: string;

  @ApiPropertyOptional({ default: false })
  @IsOptional()
  @IsBoolean()
  is_admin: boolean = false;
}

export class UpdateUserRequest {
  @ApiPropertyOptional({ example: false })
  @IsOptional()
  @IsBoolean()
  is_admin?: boolean;

  @ApiPropertyOptional({ example: true, description: '禁用后其令牌与密钥立即失效 / tokens and keys of a disabled user fail at once' })
  @IsOptional()
  @IsBoolean()
  disabled?: boolean;
}

export class UserResponse {
  @ApiProperty({ example: 2 })
  id: number;

  @ApiProperty({ example: 'han.meimei' })
  username: string;

  @ApiProperty({ example: false })
  is_admin: boolean;

  @ApiProperty({ example: true })
  must_change_password: boolean;

  @ApiProperty({ example: false })
  disabled: boolean;

  @ApiProperty({ format: 'date-time' })
  created_at: string;
}

export function toUserResponse(user: User): UserResponse {
  return {
    id: user.id,
    username: user.username,
    is_admin: user.isAdmin,
    must_change_password: user.mustChangePassword,
    disabled: user.disabledAt !== null,
    created_at: user.createdAt.toISOString(),
  };
}
