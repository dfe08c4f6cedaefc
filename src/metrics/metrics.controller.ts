import { Body, Controller, Delete, Get, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import { ApiBody, ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { type Page, PageOf } from '../http/paging/page.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { BindingRequest } from './binding/binding.dto.js';
import { bindMetricExamples, createMetricExamples, executeMetricExamples, parseFormulaExamples } from './metric-examples.js';
import { ExecuteMetricRequest, ExecuteMetricResponse } from './execute.dto.js';
import { MetricDefinitionsService } from './metric-definitions.service.js';
import {
  CreateMetricRequest,
  ListMetricsQuery,
  MetricResponse,
  ParseFormulaRequest,
  ParseFormulaResponse,
  UpdateMetricRequest,
} from './metrics.dto.js';
import { MetricsService } from './metrics.service.js';

const ofMetric = { of: 'metric', param: 'id' } as const;

@ApiTags('metrics')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly definitions: MetricDefinitionsService,
    private readonly metrics: MetricsService,
  ) {}

  @Get()
  @Authenticated({ keys: true })
  @ApiOperation({ summary: '我可以使用的指标 / The metrics I may use' })
  @ApiOkResponse({ type: PageOf(MetricResponse) })
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListMetricsQuery): Promise<Page<MetricResponse>> {
    return this.definitions.list(principal, query);
  }

  @Post()
  @GraphAccess('editor', { of: 'body' })
  @ApiOperation({ summary: '定义指标 / Define a metric' })
  @ApiBody({ type: CreateMetricRequest, examples: createMetricExamples })
  @ApiCreatedResponse({ type: MetricResponse })
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateMetricRequest): Promise<MetricResponse> {
    return this.definitions.create(principal, body);
  }

  @Post('parse')
  @HttpCode(200)
  @Authenticated({ keys: true })
  @ApiOperation({ summary: '识别公式的模式 / Tell which pattern a formula has' })
  @ApiBody({ type: ParseFormulaRequest, examples: parseFormulaExamples })
  @ApiOkResponse({ type: ParseFormulaResponse })
  @ApiResponse({ status: 400, description: 'FormulaParseError' })
  parse(@Body() body: ParseFormulaRequest): ParseFormulaResponse {
    return this.metrics.parse(body.formula);
  }

  @Get(':id')
  @GraphAccess('viewer', ofMetric)
  @ApiOperation({ summary: '一个指标 / One metric' })
  @ApiOkResponse({ type: MetricResponse })
  get(@IdParam() id: number): Promise<MetricResponse> {
    return this.definitions.get(id);
  }

  @Patch(':id')
  @GraphAccess('editor', ofMetric)
  @ApiOperation({ summary: '修改指标 / Change a metric' })
  @ApiOkResponse({ type: MetricResponse })
  update(@IdParam() id: number, @Body() body: UpdateMetricRequest): Promise<MetricResponse> {
    return this.definitions.update(id, body);
  }

  @Delete(':id')
  @HttpCode(204)
  @GraphAccess('editor', ofMetric)
  @ApiOperation({ summary: '删除指标 / Delete a metric' })
  @ApiNoContentResponse()
  delete(@IdParam() id: number): Promise<void> {
    return this.definitions.delete(id);
  }

  @Put(':id/binding')
  @GraphAccess('editor', ofMetric)
  @ApiOperation({ summary: '把指标绑定到数仓的表 / Bind a metric to tables of the warehouse' })
  @ApiBody({ type: BindingRequest, examples: bindMetricExamples })
  @ApiOkResponse({ type: MetricResponse })
  @ApiResponse({ status: 422, description: '没有这样的表或列；FanOutJoin / no such table or column; FanOutJoin' })
  bind(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Body() body: BindingRequest): Promise<MetricResponse> {
    return this.definitions.bind(principal, id, body);
  }

  @Post(':id/execute')
  @HttpCode(200)
  @GraphAccess('viewer', ofMetric)
  @ApiOperation({ summary: '执行指标 / Execute a metric' })
  @ApiBody({ type: ExecuteMetricRequest, examples: executeMetricExamples })
  @ApiOkResponse({ type: ExecuteMetricResponse })
  @ApiResponse({ status: 400, description: 'FormulaParseError, MissingBindingError, UnsafeFilterClauseError' })
  @ApiResponse({ status: 409, description: '绑定者已无权使用数仓连接 / whoever bound it may no longer use the connection' })
  @ApiResponse({ status: 501, description: '模式已识别，尚不能执行 / The pattern is recognised but not built yet' })
  execute(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Body() body: ExecuteMetricRequest,
  ): Promise<ExecuteMetricResponse> {
    return this.metrics.execute(principal, id, body);
  }
}
