import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { type Page, PageOf, PageQuery } from '../http/paging/page.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { ChangeRoleRequest, GrantRequest, MemberResponse } from './permissions.dto.js';
import { PermissionsService } from './permissions.service.js';

const graph = { of: 'graph', param: 'id' } as const;

@ApiTags('permissions')
@Controller('permissions/graphs/:id/members')
export class PermissionsController {
  constructor(private readonly permissions: PermissionsService) {}

  @Get()
  @GraphAccess('manager', graph, { keys: false })
  @ApiOperation({
    summary: '图的成员 / The members of a graph',
    description: '成员及其角色；所有者不在其中。 / Members and their roles; the owner is not among them.',
  })
  @ApiOkResponse({ type: PageOf(MemberResponse) })
  list(@IdParam() id: number, @Query() query: PageQuery): Promise<Page<MemberResponse>> {
    return this.permissions.list(id, query);
  }

  @Post()
  @GraphAccess('manager', graph, { keys: false })
  @Idempotent()
  @ApiOperation({
    summary: '授权用户使用图；再次授权即修改角色 / Grant access; granting again changes the role (200)',
    description:
      '以 username 指定用户；user_id 只供管理员使用。新成员为 201，修改角色为 200。 / Name the user by username; user_id is for admins. A new member is a 201, a changed role a 200.',
  })
  @ApiBody({ type: GrantRequest, examples: { byName: { value: { username: 'li.lei', role: 'viewer' } }, byId: { value: { user_id: 2 } } } })
  @ApiCreatedResponse({ type: MemberResponse })
  @ApiOkResponse({ type: MemberResponse })
  @ApiResponse({ status: 409, description: '图的成员过多 / the graph has too many members' })
  async grant(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Body() body: GrantRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MemberResponse> {
    const { created, member } = await this.permissions.grant(principal, id, body);
    response.status(created ? 201 : 200);
    return member;
  }

  @Patch(':user_id')
  @GraphAccess('manager', graph, { keys: false })
  @ApiOperation({
    summary: '修改成员角色 / Change the role of a member',
    description: '新角色从下一个请求起生效。 / The new role holds from the next request on.',
  })
  @ApiOkResponse({ type: MemberResponse })
  changeRole(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @IdParam('user_id') userId: number,
    @Body() { role }: ChangeRoleRequest,
  ): Promise<MemberResponse> {
    return this.permissions.changeRole(principal, id, userId, role);
  }

  @Delete(':user_id')
  @HttpCode(204)
  @GraphAccess('manager', graph, { keys: false })
  @ApiOperation({
    summary: '移除成员 / Remove a member',
    description: '从下一个请求起不能再使用该图。 / From the next request on, the user may no longer use the graph.',
  })
  @ApiNoContentResponse()
  revoke(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @IdParam('user_id') userId: number): Promise<void> {
    return this.permissions.revoke(principal, id, userId);
  }
}
