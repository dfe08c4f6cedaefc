import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { AdminOnly } from '../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { type Page, PageOf, PageQuery } from '../http/paging/page.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { UserAdministrationService } from './user-administration.service.js';
import { CreateUserRequest, UpdateUserRequest, UserResponse } from './users.dto.js';

/** The id of a user. User 1 is the first admin, whose password and rights an example must not take away. */
const OtherUser = () => IdParam('id', 2);

@ApiTags('admin')
@Controller('users')
@AdminOnly()
export class UsersController {
  constructor(private readonly users: UserAdministrationService) {}

  @Get()
  @ApiOperation({ summary: '全部用户 / All users', description: '按 id 排列，一页一页地读。 / In the order of their ids, page by page.' })
  @ApiOkResponse({ type: PageOf(UserResponse) })
  list(@Query() query: PageQuery): Promise<Page<UserResponse>> {
    return this.users.list(query);
  }

  @Post()
  @Idempotent()
  @ApiOperation({
    summary: '创建用户（默认密码，首次登录须修改） / Create a user with the default password',
    description: '用户得到默认密码，首次登录须修改。 / The user gets the default password and has to change it at the first login.',
  })
  @ApiCreatedResponse({ type: UserResponse })
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateUserRequest): Promise<UserResponse> {
    return this.users.create(principal, body);
  }

  @Get(':id')
  @ApiOperation({
    summary: '一个用户 / One user',
    description: '包括是否为管理员、是否被禁用。 / With whether the user is an admin and whether disabled.',
  })
  @ApiOkResponse({ type: UserResponse })
  get(@OtherUser() id: number): Promise<UserResponse> {
    return this.users.get(id);
  }

  @Patch(':id')
  @ApiOperation({
    summary: '设为管理员、禁用或启用 / Make admin, disable or enable',
    description:
      '禁用后其令牌与密钥立即失效；最后一个管理员必须保留。 / Tokens and keys of a disabled user fail at once; the last admin has to stay one.',
  })
  @ApiOkResponse({ type: UserResponse })
  change(@CurrentPrincipal() principal: Principal, @OtherUser() id: number, @Body() body: UpdateUserRequest): Promise<UserResponse> {
    return this.users.change(principal, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @ApiOperation({
    summary: '删除用户 / Delete a user',
    description: '仍拥有图的用户不能删除，最后一个管理员也不能。 / A user who still owns graphs cannot be deleted, nor can the last admin.',
  })
  @ApiNoContentResponse()
  delete(@CurrentPrincipal() principal: Principal, @OtherUser() id: number): Promise<void> {
    return this.users.delete(principal, id);
  }

  @Post(':id/reset-password')
  @HttpCode(200)
  @ApiOperation({
    summary: '重置为默认密码 / Reset to the default password',
    description: '其令牌随即失效，下次登录须修改密码。 / The tokens of the user end, and the next login has to change the password.',
  })
  @ApiOkResponse({ type: UserResponse })
  resetPassword(@CurrentPrincipal() principal: Principal, @OtherUser() id: number): Promise<UserResponse> {
    return this.users.resetPassword(principal, id);
  }
}
