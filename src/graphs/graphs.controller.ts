import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { type Page, PageOf, PageQuery } from '../http/paging/page.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { GraphAccess } from './graph-access.decorator.js';
import {
  CreateGraphRequest,
  GraphResponse,
  GraphSchemaResponse,
  NeighborResponse,
  NodeResponse,
  UpdateGraphRequest,
} from './graphs.dto.js';
import { GraphsService } from './graphs.service.js';

@ApiTags('graphs')
@Controller('graphs')
export class GraphsController {
  constructor(private readonly graphs: GraphsService) {}

  @Get()
  @Authenticated({ keys: true })
  @ApiOperation({
    summary: '我可以使用的图 / The graphs I may use',
    description:
      '自己的图与作为成员的图；管理员看到全部，密钥只看到其图。 / Those I own or am a member of; an admin sees all, a key only its own.',
  })
  @ApiOkResponse({ type: PageOf(GraphResponse) })
  list(@CurrentPrincipal() principal: Principal, @Query() query: PageQuery): Promise<Page<GraphResponse>> {
    return this.graphs.list(principal, query);
  }

  @Post()
  @Authenticated()
  @Idempotent()
  @ApiOperation({
    summary: '创建图 / Create a graph',
    description:
      '创建者成为所有者；图起初为空，由导入任务写入。 / The creator owns it; it is empty until a run of an ingestion job fills it.',
  })
  @ApiCreatedResponse({ type: GraphResponse })
  @ApiResponse({ status: 409, description: '您拥有的图过多 / you own too many graphs' })
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateGraphRequest): Promise<GraphResponse> {
    return this.graphs.create(principal, body);
  }

  @Get(':id')
  @GraphAccess('viewer')
  @ApiOperation({
    summary: '一个图 / One graph',
    description: '含版本、节点数、边数与调用者的角色。 / With its version, its counts of nodes and edges, and the role of the caller.',
  })
  @ApiOkResponse({ type: GraphResponse })
  get(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<GraphResponse> {
    return this.graphs.get(principal, id);
  }

  @Patch(':id')
  @GraphAccess('manager')
  @ApiOperation({
    summary: '修改名称或说明 / Change name or description',
    description: '省略的字段保持不变。 / Fields that are left out stay as they are.',
  })
  @ApiOkResponse({ type: GraphResponse })
  update(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Body() body: UpdateGraphRequest): Promise<GraphResponse> {
    return this.graphs.update(principal, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @GraphAccess('owner')
  @ApiOperation({
    summary: '删除图及其全部数据（仅所有者） / Delete a graph and all in it (owner only)',
    description: '任务、运行、指标、成员与答案随之删除，无法恢复。 / Its jobs, runs, metrics, members and answers go with it, for good.',
  })
  @ApiNoContentResponse()
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<void> {
    return this.graphs.delete(principal, id);
  }

  @Get(':id/schema')
  @GraphAccess('viewer')
  @ApiOperation({
    summary: '标签、关系、属性及其来源表 / Labels, relations, properties and their source tables',
    description:
      '写 Cypher 或提问前可先看：每种节点与边有多少、来自哪张表。 / Read it before writing Cypher: how many nodes and edges of each kind there are, and the table behind each.',
  })
  @ApiOkResponse({ type: GraphSchemaResponse })
  schema(@IdParam() id: number): Promise<GraphSchemaResponse> {
    return this.graphs.schema(id);
  }

  @Get(':id/nodes/:node_id')
  @GraphAccess('viewer')
  @ApiOperation({
    summary: '一个节点 / One node',
    description: '按图内的 id 读取节点及其全部属性。 / By its id in the graph, with all its properties.',
  })
  @ApiOkResponse({ type: NodeResponse })
  node(@IdParam() id: number, @Param('node_id') nodeId: string): Promise<NodeResponse> {
    return this.graphs.node(id, nodeId);
  }

  @Get(':id/nodes/:node_id/neighbors')
  @GraphAccess('viewer')
  @ApiOperation({
    summary: '节点的邻居 / The neighbours of a node',
    description: '出边与入边各端的节点，一页一页地读。 / The nodes at the other ends of its edges, in both directions, page by page.',
  })
  @ApiOkResponse({ type: PageOf(NeighborResponse) })
  neighbors(@IdParam() id: number, @Param('node_id') nodeId: string, @Query() query: PageQuery): Promise<Page<NeighborResponse>> {
    return this.graphs.neighbors(id, nodeId, query);
  }
}
