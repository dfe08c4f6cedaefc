import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminOnly } from '../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { type Page, PageOf, PageQuery } from '../http/paging/page.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { UserAdministrationService } from './user-administration.service.js';
import { CreateUserRequest, UpdateUserRequest, UserResponse } from './users.dto.js';

@ApiTags('admin')
@Controller('users')
@AdminOnly()
export class UsersController {
  constructor(private readonly users: UserAdministrationService) {}

  @Get()
  @ApiOperation({ summary: '全部用户 / All users' })
  @ApiOkResponse({ type: PageOf(UserResponse) })
  list(@Query() query: PageQuery): Promise<Page<UserResponse>> {
    return this.users.list(query);
  }

  @Post()
  @ApiOperation({ summary: '创建用户（默认密码，首次登录须修改） / Create a user with the default password' })
  @ApiCreatedResponse({ type: UserResponse })
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateUserRequest): Promise<UserResponse> {
    return this.users.create(principal, body);
  }

  @Get(':id')
  @ApiOperation({ summary: '一个用户 / One user' })
  @ApiOkResponse({ type: UserResponse })
  get(@IdParam() id: number): Promise<UserResponse> {
    return this.users.get(id);
  }

  @Patch(':id')
  @ApiOperation({ summary: '设为管理员、禁用或启用 / Make admin, disable or enable' })
  @ApiOkResponse({ type: UserResponse })
  change(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Body() body: UpdateUserRequest): Promise<UserResponse> {
    return this.users.change(principal, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({ summary: '删除用户 / Delete a user' })
  @ApiNoContentResponse()
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<void> {
    return this.users.delete(principal, id);
  }

  @Post(':id/reset-password')
  @HttpCode(200)
  @ApiOperation({ summary: '重置为默认密码 / Reset to the default password' })
  @ApiOkResponse({ type: UserResponse })
  resetPassword(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<UserResponse> {
    return this.users.resetPassword(principal, id);
  }
}
