import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { AdminOnly, Authenticated } from '../../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../access/principal.js';
import { Idempotent } from '../../idempotency/idempotent.decorator.js';
import { page, PageOf, PageQuery, type Page } from '../../http/paging/page.js';
import { IdParam } from '../../http/validation/positive-int.pipe.js';
import { ConnectionAccess } from './connection-access.decorator.js';
import { ConnectionsService } from './connections.service.js';
import { connectionExamples } from './connection-examples.js';
import {
  ChangeConnectionRequest,
  ConnectionResponse,
  ConnectionTestResponse,
  CreateConnectionRequest,
  ResealResponse,
  toConnectionResponse,
} from './connections.dto.js';

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
      '保存时不连接数据库，请随后调用 POST …/test。DSN 加密保存，不再返回。pg_mirror 连接共用服务自己的镜像库，没有 DSN。 / Saves without connecting: call POST …/test next. The DSN is sealed and never sent back. Connections of type pg_mirror read the mirror of the service and have no DSN.',
  })
  @ApiCreatedResponse({ type: ConnectionResponse })
  @ApiBody({ type: CreateConnectionRequest, examples: connectionExamples })
  @ApiResponse({ status: 422, description: 'pg_mirror connections must not provide a DSN; all others need one' })
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

  @Post('reseal')
  @AdminOnly()
  @HttpCode(200)
  @ApiOperation({
    summary: '用新密钥重新加密所有 DSN 与 Webhook 密钥 / Seal all DSNs and secrets of webhooks with the first key',
    description:
      '更换密钥：把新密钥放在 SECRET_ENCRYPTION_KEY 最前并重启，调用本接口，再删除旧密钥。 / To rotate the key, put a new one first in SECRET_ENCRYPTION_KEY and restart, call this, then remove the old one.',
  })
  @ApiOkResponse({ type: ResealResponse })
  async reseal(@CurrentPrincipal() actor: Principal): Promise<ResealResponse> {
    return this.connections.reseal(actor);
  }

  @Patch(':id')
  @AdminOnly()
  @ApiOperation({
    summary: '修改数仓连接 / Change a warehouse connection',
    description: '省略的字段保持不变；类型不能修改。 / Fields that are left out stay as they are; the type cannot be changed.',
  })
  @ApiOkResponse({ type: ConnectionResponse })
  @ApiResponse({ status: 422, description: 'A DSN or an option that does not fit the type' })
  async change(
    @CurrentPrincipal() actor: Principal,
    @IdParam() id: number,
    @Body() body: ChangeConnectionRequest,
  ): Promise<ConnectionResponse> {
    return toConnectionResponse(await this.connections.change(actor, id, body));
  }

  @Delete(':id')
  @AdminOnly()
  @HttpCode(204)
  @ApiOperation({
    summary: '删除数仓连接 / Delete a warehouse connection',
    description:
      '默认连接与仍被任务、指标或复制使用的连接不能删除。 / Not the default one, nor one that a job, a metric or a copy still uses.',
  })
  @ApiNoContentResponse()
  @ApiResponse({ status: 422, description: 'The default connection, or one that a job, a metric or a copy references' })
  async delete(@CurrentPrincipal() actor: Principal, @IdParam() id: number): Promise<void> {
    await this.connections.delete(actor, id);
  }

  @Post(':id/test')
  @AdminOnly()
  @HttpCode(200)
  @ApiOperation({
    summary: '测试数仓连接 / Test a warehouse connection',
    description:
      '另建一个连接并读取一次，至多 5 秒。失败也是 200，ok 为 false，并给出步骤（address、tcp、tls、login、rights）与原因。 / Makes a new connection and reads once, in 5 seconds at most. A failure is a 200 too: `ok` is false, with the stage and the reason.',
  })
  @ApiOkResponse({ type: ConnectionTestResponse })
  async test(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<ConnectionTestResponse> {
    return this.connections.test(principal, id);
  }
}
