import { ApiProperty } from '@nestjs/swagger';
import { IsString } from 'class-validator';
import { MaxLength } from '../http/validation/length.decorator.js';
import { NewUsername } from '../users/username.js';
import { type Account } from '../users/users.service.js';
import { type Principal } from '../access/principal.js';

/** Longer than any password may be, so that the password rules refuse a long one and say why. */
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
    description: '2–64 个字母（任何语言）、数字、点、下划线或连字符 / letters of any language, digits, . _ -',
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
