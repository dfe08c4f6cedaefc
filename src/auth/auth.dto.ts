import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { IsIn, IsOptional, IsString } from 'class-validator';
import { MaxLength } from '../http/validation/length.decorator.js';
import { NewUsername } from '../users/username.js';
import { type Account } from '../users/users.service.js';
import { type Principal } from '../access/principal.js';

/**
 * The most characters of a password in a request. This is more than any password may have, so that the password rules refuse a long
 * password and give the reason.
 */
const maxPasswordField = 1024;

export class LoginRequest {
  @ApiProperty({ example: 'admin' })
  @IsString()
  @MaxLength(256)
  username: string;

  @ApiProperty({ example: 'admin@Graph123' })
  @IsString()
  @MaxLength(maxPasswordField)
  password: string;
}

export class RegisterRequest {
  @ApiProperty({
    example: 'li.lei',
    description:
      '2–64 个字母（任何语言，但不混用相似文字）、数字、点、下划线或连字符 / letters of any language, but not of scripts that look alike, digits, . _ -',
  })
  @NewUsername()
  username: string;

  @ApiProperty({ example: 'correct-horse-7', minLength: 8, maxLength: 128 })
  @IsString()
  @MaxLength(maxPasswordField)
  password: string;
}

export class ChangePasswordRequest {
  @ApiProperty({ example: 'admin@Graph123' })
  @IsString()
  @MaxLength(maxPasswordField)
  old_password: string;

  @ApiProperty({ example: 'correct-horse-7', minLength: 8, maxLength: 128 })
  @IsString()
  @MaxLength(maxPasswordField)
  new_password: string;
}

export class AccountResponse {
  @ApiProperty({ example: 1 })
  user_id: number;

  @ApiProperty({ example: 'admin' })
  username: string;

  @ApiProperty({ example: true })
  is_admin: boolean;

  @ApiProperty({ example: false, description: '为 true 时须先修改密码 / when true, change the password before anything else' })
  must_change_password: boolean;
}

export class LimitResponse {
  @ApiProperty({
    example: 'query',
    description:
      '限流名，或 graphs、api_keys、api_key_requests（各密钥的 rate_limit 之和）、tables、schedules、webhooks / a rate limit by its name, or graphs, api_keys, api_key_requests (the sum of their rate_limit), tables, schedules and webhooks',
  })
  name: string;

  @ApiProperty({ example: 30 })
  limit: number;

  @ApiProperty({ example: 29, description: '此刻还剩多少 / what is left of it now' })
  left: number;

  @ApiProperty({
    type: Number,
    nullable: true,
    example: 60,
    description: '限流的窗口（秒）；数量上限为 null / window in seconds; null for a number of records',
  })
  window_seconds: number | null;
}

export class MeRequest {
  @ApiPropertyOptional({ enum: ['limits'], description: 'limits：另返回上限与余量 / limits: also what the caller may have, and has left' })
  @IsOptional()
  @IsIn(['limits'])
  include?: 'limits';
}

export class MeResponse extends AccountResponse {
  @ApiPropertyOptional({ type: [LimitResponse], description: '仅在 include=limits 时 / with include=limits only' })
  limits?: LimitResponse[];
}

export class LoginResponse extends AccountResponse {
  @ApiProperty({ description: 'Authorization: Bearer <token>', example: 'eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.…' })
  token: string;
}

export function toAccountResponse(account: Principal | Account): AccountResponse {
  return {
    user_id: 'userId' in account ? account.userId : account.id,
    username: account.username,
    is_admin: account.isAdmin,
    must_change_password: account.mustChangePassword,
  };
}
