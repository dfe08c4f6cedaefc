import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
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
  @ApiOperation({ summary: '我可以使用的图 / The graphs I may use' })
  @ApiOkResponse({ type: PageOf(GraphResponse) })
  list(@CurrentPrincipal() principal: Principal, @Query() query: PageQuery): Promise<Page<GraphResponse>> {
    return this.graphs.list(principal, query);
  }

  @Post()
  @Authenticated()
  @ApiOperation({ summary: '创建图 / Create a graph' })
  @ApiCreatedResponse({ type: GraphResponse })
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateGraphRequest): Promise<GraphResponse> {
    return this.graphs.create(principal, body);
  }

  @Get(':id')
  @GraphAccess('viewer')
  @ApiOperation({ summary: '一个图 / One graph' })
  @ApiOkResponse({ type: GraphResponse })
  get(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<GraphResponse> {
    return this.graphs.get(principal, id);
  }

  @Patch(':id')
  @GraphAccess('manager')
  @ApiOperation({ summary: '修改名称或说明 / Change name or description' })
  @ApiOkResponse({ type: GraphResponse })
  update(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Body() body: UpdateGraphRequest): Promise<GraphResponse> {
    return this.graphs.update(principal, id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @GraphAccess('owner')
  @ApiOperation({ summary: '删除图及其全部数据（仅所有者） / Delete a graph and all in it (owner only)' })
  @ApiNoContentResponse()
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<void> {
    return this.graphs.delete(principal, id);
  }

  @Get(':id/schema')
  @GraphAccess('viewer')
  @ApiOperation({ summary: '标签、关系、属性及其来源表 / Labels, relations, properties and their source tables' })
  @ApiOkResponse({ type: GraphSchemaResponse })
  schema(@IdParam() id: number): Promise<GraphSchemaResponse> {
    return this.graphs.schema(id);
  }

  @Get(':id/nodes/:node_id')
  @GraphAccess('viewer')
  @ApiOperation({ summary: '一个节点 / One node' })
  @ApiOkResponse({ type: NodeResponse })
  node(@IdParam() id: number, @Param('node_id') nodeId: string): Promise<NodeResponse> {
    return this.graphs.node(id, nodeId);
  }

  @Get(':id/nodes/:node_id/neighbors')
  @GraphAccess('viewer')
  @ApiOperation({ summary: '节点的邻居 / The neighbours of a node' })
  @ApiOkResponse({ type: PageOf(NeighborResponse) })
  neighbors(@IdParam() id: number, @Param('node_id') nodeId: string, @Query() query: PageQuery): Promise<Page<NeighborResponse>> {
    return this.graphs.neighbors(id, nodeId, query);
  }
}
