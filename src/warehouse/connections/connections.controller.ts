import { Body, Controller, Delete, Get, HttpCode, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { AdminOnly, Authenticated } from '../../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../access/principal.js';
import { Idempotent } from '../../idempotency/idempotent.decorator.js';
import { page, PageOf, PageQuery, type Page } from '../../http/paging/page.js';
import { IdParam } from '../../http/validation/positive-int.pipe.js';
import { ConnectionAccess } from './connection-access.decorator.js';
import { ConnectionsService } from './connections.service.js';
import { ConnectionResponse, ConnectionTestResponse, CreateConnectionRequest, toConnectionResponse } from './connections.dto.js';

@ApiTags('warehouse')
@Controller('warehouse/connections')
export class ConnectionsController {
  constructor(private readonly connections: ConnectionsService) {}

  @Get()
  @Authenticated()
  @ApiOperation({
    summary: '我可以使用的数仓连接 / The warehouse connections I may use',
    description: '管理员看到全部；其他用户看到获得授权的连接。 / Admins see all, others those that they have a grant for.',
  })
  @ApiOkResponse({ type: PageOf(ConnectionResponse) })
  async list(@CurrentPrincipal() principal: Principal, @Query() query: PageQuery): Promise<Page<ConnectionResponse>> {
    return page((await this.connections.list(principal, query)).map(toConnectionResponse), query.limit, connection => connection.id);
  }

  @Post()
  @AdminOnly()
  @Idempotent()
  @ApiOperation({
    summary: '新建数仓连接 / Create a warehouse connection',
    description:
      '目前只能新建 pg_mirror 连接，它们共用服务自己的镜像库。 / Only pg_mirror connections are built so far; they read the mirror of the service.',
  })
  @ApiCreatedResponse({ type: ConnectionResponse })
  @ApiResponse({ status: 422, description: 'pg_mirror connections must not provide a DSN' })
  async create(@CurrentPrincipal() actor: Principal, @Body() body: CreateConnectionRequest): Promise<ConnectionResponse> {
    return toConnectionResponse(await this.connections.create(actor, body));
  }

  @Get(':id')
  @ConnectionAccess('read')
  @ApiOperation({
    summary: '查看数仓连接 / Show a warehouse connection',
    description: '含类型、选项与调用者的权限，不含密码。 / With its type, its options and the right of the caller, never a password.',
  })
  @ApiOkResponse({ type: ConnectionResponse })
  async get(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<ConnectionResponse> {
    return toConnectionResponse(await this.connections.get(principal, id));
  }

  @Delete(':id')
  @AdminOnly()
  @HttpCode(204)
  @ApiOperation({
    summary: '删除数仓连接 / Delete a warehouse connection',
    description: '默认连接与仍被任务或指标使用的连接不能删除。 / Not the default one, nor one that a job or a metric still uses.',
  })
  @ApiNoContentResponse()
  @ApiResponse({ status: 422, description: 'The default connection, or one that a job or a metric references' })
  async delete(@CurrentPrincipal() actor: Principal, @IdParam() id: number): Promise<void> {
    await this.connections.delete(actor, id);
  }

  @Post(':id/test')
  @AdminOnly()
  @HttpCode(200)
  @ApiOperation({
    summary: '测试数仓连接 / Test a warehouse connection',
    description: '实际读取一次，并说明所用角色能否写入。 / Reads once, and says whether its role could write.',
  })
  @ApiOkResponse({ type: ConnectionTestResponse })
  async test(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<ConnectionTestResponse> {
    return this.connections.test(principal, id);
  }

  @Post(':id/mirror')
  @AdminOnly()
  @ApiOperation({
    summary: '复制表到镜像（尚未提供）/ Copy tables into the mirror (not built yet)',
    description: '总是返回 501；请改用 PUT …/tables/{table} 上传 CSV。 / Always a 501; upload CSV with PUT …/tables/{table} instead.',
  })
  @ApiResponse({ status: 501, description: 'Not built yet' })
  async mirror(@IdParam() id: number): Promise<void> {
    await this.connections.copyIntoMirror(id);
  }
}
