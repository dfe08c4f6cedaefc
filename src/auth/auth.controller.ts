import { Body, Controller, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Bucket } from '../limits/bucket.decorator.js';
import { Authenticated, DuringPasswordChange, Public } from '../access/access.decorator.js';
import { AccountResponse, ChangePasswordRequest, LoginRequest, LoginResponse, RegisterRequest, toAccountResponse } from './auth.dto.js';
import { AuthService } from './auth.service.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';

@ApiTags('auth')
@Controller('auth')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Post('login')
  @Bucket('login')
  @HttpCode(200)
  @Public()
  @ApiOperation({ summary: '登录 / Log in' })
  @ApiOkResponse({ type: LoginResponse })
  login(@Body() { username, password }: LoginRequest): Promise<LoginResponse> {
    return this.auth.login(username, password);
  }

  @Post('register')
  @Bucket('register')
  @Public()
  @ApiOperation({ summary: '注册账号 / Register an account' })
  @ApiCreatedResponse({ type: AccountResponse })
  register(@Body() { username, password }: RegisterRequest): Promise<AccountResponse> {
    return this.auth.register(username, password);
  }

  @Put('password')
  @Bucket('password')
  @DuringPasswordChange()
  @ApiOperation({ summary: '修改自己的密码，旧令牌全部失效 / Change your password; earlier tokens end' })
  @ApiOkResponse({ type: LoginResponse })
  changePassword(@CurrentPrincipal() principal: Principal, @Body() body: ChangePasswordRequest): Promise<LoginResponse> {
    return this.auth.changePassword(principal, body.old_password, body.new_password);
  }

  @Get('me')
  @DuringPasswordChange({ keys: true })
  @ApiOperation({ summary: '当前用户 / Who am I' })
  @ApiOkResponse({ type: AccountResponse })
  me(@CurrentPrincipal() principal: Principal): AccountResponse {
    return toAccountResponse(principal);
  }

  @Post('logout')
  @HttpCode(204)
  @Authenticated()
  @ApiOperation({ summary: '退出登录，所有令牌失效 / Log out: all your tokens end' })
  @ApiNoContentResponse()
  logout(@CurrentPrincipal() principal: Principal): Promise<void> {
    return this.auth.logout(principal);
  }
}
