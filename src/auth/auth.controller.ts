import { Body, Controller, Get, HttpCode, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Bucket } from '../limits/bucket.decorator.js';
import { Authenticated, DuringPasswordChange, Public } from '../access/access.decorator.js';
import {
  AccountResponse,
  ChangePasswordRequest,
  LoginRequest,
  LoginResponse,
  MeRequest,
  MeResponse,
  RegisterRequest,
  toAccountResponse,
} from './auth.dto.js';
import { AuthService } from './auth.service.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';

/** Example bodies of the login, for Swagger UI. */
const loginExamples = {
  first: { summary: '首次登录 / The first login', value: { username: 'admin', password: 'admin@Graph123' } },
  demo: { summary: 'npm run demo 之后 / After npm run demo', value: { username: 'admin', password: 'demo-Graph-2026' } },
};

@ApiTags('auth')
@Controller('auth')
export class AuthController {
  constructor(private readonly auth: AuthService) {}

  @Post('login')
  @Bucket('login')
  @HttpCode(200)
  @Public()
  @ApiOperation({
    summary: '登录 / Log in',
    description:
      '返回令牌，之后以 Authorization: Bearer <token> 发送；must_change_password 为 true 时须先修改密码。 / Gives the token to send as Authorization: Bearer <token>; while must_change_password is true, change the password first.',
  })
  @ApiBody({ type: LoginRequest, examples: loginExamples })
  @ApiOkResponse({ type: LoginResponse })
  login(@Body() { username, password }: LoginRequest): Promise<LoginResponse> {
    return this.auth.login(username, password);
  }

  @Post('register')
  @Bucket('register')
  @Public()
  @ApiOperation({
    summary: '注册账号 / Register an account',
    description:
      '注册可能被管理员关闭（GET /api/settings）；注册后仍须登录。 / An operator may have closed it (GET /api/settings); log in afterwards.',
  })
  @ApiCreatedResponse({ type: AccountResponse })
  register(@Body() { username, password }: RegisterRequest): Promise<AccountResponse> {
    return this.auth.register(username, password);
  }

  @Put('password')
  @Bucket('password')
  @DuringPasswordChange()
  @ApiOperation({
    summary: '修改自己的密码，旧令牌全部失效 / Change your password; earlier tokens end',
    description: '返回新令牌；首次登录后须先做这一步。 / Gives a new token; after a first login nothing else is allowed before.',
  })
  @ApiOkResponse({ type: LoginResponse })
  changePassword(@CurrentPrincipal() principal: Principal, @Body() body: ChangePasswordRequest): Promise<LoginResponse> {
    return this.auth.changePassword(principal, body.old_password, body.new_password);
  }

  @Get('me')
  @DuringPasswordChange({ keys: true })
  @ApiOperation({ summary: '当前用户 / Who am I', description: '令牌或密钥所属的用户。 / The user of the token or of the key.' })
  @ApiOkResponse({ type: MeResponse })
  me(@CurrentPrincipal() principal: Principal, @Query() { include }: MeRequest): MeResponse | Promise<MeResponse> {
    return include === 'limits' ? this.auth.describeWithLimits(principal) : toAccountResponse(principal);
  }

  @Post('logout')
  @HttpCode(204)
  @Authenticated()
  @ApiOperation({
    summary: '退出登录，所有令牌失效 / Log out: all your tokens end',
    description: '此用户的所有令牌立即失效，密钥不受影响。 / All tokens of this user end at once; keys stay in force.',
  })
  @ApiNoContentResponse()
  logout(@CurrentPrincipal() principal: Principal): Promise<void> {
    return this.auth.logout(principal);
  }
}
