import { Body, Controller, Delete, Get, HttpCode, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { AdminOnly } from '../../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../access/principal.js';
import { Idempotent } from '../../idempotency/idempotent.decorator.js';
import { type Page, PageOf, PageQuery } from '../../http/paging/page.js';
import { IdParam } from '../../http/validation/positive-int.pipe.js';
import { ConnectionGrantResponse, GrantConnectionRequest } from './connection-grants.dto.js';
import { ConnectionGrantsService } from './connection-grants.service.js';
import { type Grantee, GranteeParam } from './grantee.js';

const examples = {
  everyone: { summary: '对所有用户开放 / Open it to every user', value: { user_id: 'everyone', right: 'read' } },
  byName: { value: { username: 'li.lei', right: 'write' } },
  byId: { value: { user_id: 2, right: 'read' } },
};

@ApiTags('permissions')
@Controller('permissions/connections/:id/users')
@AdminOnly()
export class ConnectionGrantsController {
  constructor(private readonly grants: ConnectionGrantsService) {}

  @Get()
  @ApiOperation({
    summary: '谁可以使用数仓连接 / Who may use a warehouse connection, besides admins',
    description: 'read 可查看、映射、绑定表；write 另可上传与删除表。 / read sees, maps and binds tables; write also loads and drops them.',
  })
  @ApiOkResponse({ type: PageOf(ConnectionGrantResponse) })
  list(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Query() query: PageQuery): Promise<Page<ConnectionGrantResponse>> {
    return this.grants.list(principal, id, query);
  }

  @Post()
  @Idempotent()
  @ApiOperation({
    summary: '授权使用数仓连接；再次授权即修改权限 / Grant a connection; granting again changes the right (200)',
    description:
      '以 username 或 user_id 指定用户；everyone 为所有用户。新授权为 201，修改权限为 200。 / Name the user by username or user_id; everyone stands for all users. A new grant is a 201, a changed right a 200.',
  })
  @ApiBody({ type: GrantConnectionRequest, examples })
  @ApiCreatedResponse({ type: ConnectionGrantResponse })
  @ApiOkResponse({ type: ConnectionGrantResponse })
  async grant(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Body() body: GrantConnectionRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ConnectionGrantResponse> {
    const { created, grant } = await this.grants.grant(principal, id, body);
    response.status(created ? 201 : 200);
    return grant;
  }

  @Delete(':user_id')
  @HttpCode(204)
  @ApiOperation({
    summary: '收回授权 / Take a grant back',
    description:
      '以该用户名义读取的任务与指标随后会说明权限已失。 / Jobs and metrics that read in the name of the user then say that the right is gone.',
  })
  @ApiNoContentResponse()
  revoke(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @GranteeParam() grantee: Grantee): Promise<void> {
    return this.grants.revoke(principal, id, grantee);
  }
}
