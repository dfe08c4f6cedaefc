import { Body, Controller, Delete, type ExecutionContext, Get, Headers, HttpCode, Patch, Post, Put, Query } from '@nestjs/common';
import {
  ApiBody,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiProduces,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { Authenticated } from '../access/access.decorator.js';
import { CurrentCall } from '../access/current-call.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { CallSignal } from '../http/call-signal.decorator.js';
import { type AnswerInPieces, type StreamedAnswer } from '../http/server/large-answers.js';
import { type Page, PageOf } from '../http/paging/page.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { CurrentGraph, type HeldGraph } from '../graphs/held-graph.js';
import { BindingRequest } from './binding/binding.dto.js';
import {
  bindMetricExamples,
  changeMetricExamples,
  createMetricExamples,
  executeMetricExamples,
  parseFormulaExamples,
  queryMetricsExamples,
} from './metric-examples.js';
import {
  ExecuteMetricRequest,
  ExecuteMetricResponse,
  QueryMetricsRequest,
  QueryMetricsResponse,
  ResultFormatQuery,
} from './execute.dto.js';
import { callOne, callSeveral } from './metric-planner.service.js';
import { fileFormatOf, ResultReplies } from './result-replies.service.js';
import { MetricDefinitionsService } from './metric-definitions.service.js';
import {
  CreateMetricRequest,
  ListMetricsQuery,
  MetricResponse,
  ParseFormulaRequest,
  ParseFormulaResponse,
  SaveMetricQuery,
  UpdateMetricRequest,
} from './metrics.dto.js';
import { MetricRunsService } from './metric-runs.service.js';
import { MetricsService } from './metrics.service.js';

const ofMetric = { of: 'metric', param: 'id' } as const;

@ApiTags('metrics')
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly definitions: MetricDefinitionsService,
    private readonly metrics: MetricsService,
    private readonly runs: MetricRunsService,
    private readonly replies: ResultReplies,
  ) {}

  @Get()
  @Authenticated({ keys: true })
  @ApiOperation({
    summary: '我可以使用的指标 / The metrics I may use',
    description: '可用 graph_id 只看一个图的指标。 / Give graph_id for those of one graph.',
  })
  @ApiOkResponse({ type: PageOf(MetricResponse) })
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListMetricsQuery): Promise<Page<MetricResponse>> {
    return this.definitions.list(principal, query);
  }

  @Post()
  @GraphAccess('editor', { of: 'body' })
  @Idempotent()
  @ApiOperation({
    summary: '定义指标 / Define a metric',
    externalDocs: { url: '/docs/formulas', description: '公式语言 / The formula language' },
    description:
      '公式可先保存后绑定；未绑定的指标不能执行。公式不符合任何模式时拒绝，draft=true 则仍保存，答案的 warnings 会说明，执行时报错。 / A formula may be saved before it is bound; a metric that is not bound cannot be executed. A formula that matches no pattern is refused; with draft=true it is saved, warnings say so, and execution fails.',
  })
  @ApiBody({ type: CreateMetricRequest, examples: createMetricExamples })
  @ApiCreatedResponse({ type: MetricResponse })
  @ApiResponse({ status: 400, description: 'FormulaParseError' })
  @ApiResponse({ status: 409, description: '图的指标或其绑定过多 / the graph has too many metrics or bindings of them' })
  create(
    @CurrentPrincipal() principal: Principal,
    @Body() body: CreateMetricRequest,
    @Query() query: SaveMetricQuery,
  ): Promise<MetricResponse> {
    return this.definitions.create(principal, body, query);
  }

  @Post('parse')
  @HttpCode(200)
  @Authenticated({ keys: true })
  @ApiOperation({
    summary: '识别公式的模式 / Tell which pattern a formula has',
    externalDocs: { url: '/docs/formulas', description: '公式语言 / The formula language' },
    description:
      '不保存任何内容；公式有错时说明位置与应有的内容。 / Nothing is saved; a wrong formula is answered with the place and what could stand there.',
  })
  @ApiBody({ type: ParseFormulaRequest, examples: parseFormulaExamples })
  @ApiOkResponse({ type: ParseFormulaResponse })
  @ApiResponse({ status: 400, description: 'FormulaParseError' })
  parse(@CurrentPrincipal() principal: Principal, @Body() body: ParseFormulaRequest): Promise<ParseFormulaResponse> {
    return this.metrics.parse(principal, body.formula);
  }

  @Post('query')
  @HttpCode(200)
  @GraphAccess('viewer', { of: 'body' })
  @ApiOperation({
    summary: '一次查询几个指标 / Query several metrics at once',
    description:
      '同一图中的指标成为同一结果的各列，每个绑定只扫描一遍；其余与执行一个指标相同。 / Metrics of one graph become columns of one result, with one scan for each binding; the rest is as for one metric.',
  })
  @ApiBody({ type: QueryMetricsRequest, examples: queryMetricsExamples })
  @ApiProduces('application/json', 'application/x-ndjson', 'text/csv', 'image/svg+xml')
  @ApiOkResponse({ type: QueryMetricsResponse })
  @ApiResponse({ status: 400, description: 'FormulaParseError, MissingBindingError, UnsafeFilterClauseError' })
  @ApiResponse({ status: 409, description: '绑定者已无权使用数仓连接 / whoever bound it may no longer use the connection' })
  async query(
    @CurrentPrincipal() principal: Principal,
    @CurrentGraph() held: HeldGraph,
    @Body() body: QueryMetricsRequest,
    @Query() { format }: ResultFormatQuery,
    @Headers('accept') accept: string | undefined,
    @CallSignal() signal: AbortSignal,
    @CurrentCall() context: ExecutionContext,
  ): Promise<QueryMetricsResponse | AnswerInPieces | StreamedAnswer> {
    const call = callSeveral(principal, held, body, signal);
    const file = fileFormatOf(format, accept);
    return file === null ? this.runs.runSeveral(call) : this.replies.send(call, file, context);
  }

  @Get(':id')
  @GraphAccess('viewer', ofMetric)
  @ApiOperation({
    summary: '一个指标 / One metric',
    description:
      '含公式、识别出的模式、绑定（仅给 editor 及以上）与可用的维度。 / With its formula, the pattern found in it, its binding (for editors and above) and its dimensions.',
  })
  @ApiOkResponse({ type: MetricResponse })
  get(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<MetricResponse> {
    return this.definitions.get(principal, id);
  }

  @Patch(':id')
  @GraphAccess('editor', ofMetric)
  @ApiOperation({
    summary: '修改指标 / Change a metric',
    externalDocs: { url: '/docs/formulas', description: '公式语言 / The formula language' },
    description:
      '省略的字段保持不变；绑定另用 PUT …/binding 修改。 / Fields that are left out stay as they are; PUT …/binding changes the binding.',
  })
  @ApiBody({ type: UpdateMetricRequest, examples: changeMetricExamples })
  @ApiOkResponse({ type: MetricResponse })
  @ApiResponse({ status: 400, description: 'FormulaParseError' })
  update(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Body() body: UpdateMetricRequest,
    @Query() query: SaveMetricQuery,
  ): Promise<MetricResponse> {
    return this.definitions.update(principal, id, body, query);
  }

  @Delete(':id')
  @HttpCode(204)
  @GraphAccess('editor', ofMetric)
  @ApiOperation({
    summary: '删除指标 / Delete a metric',
    description: '引用它的指标此后不能执行。 / Metrics that refer to it can no longer be executed.',
  })
  @ApiNoContentResponse()
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<void> {
    return this.definitions.delete(principal, id);
  }

  @Put(':id/binding')
  @GraphAccess('editor', ofMetric)
  @ApiOperation({
    summary: '把指标绑定到数仓的表 / Bind a metric to tables of the warehouse',
    description:
      '检查每张表、每一列与每个连接；指标此后以绑定者的名义读取数仓。 / Every table, column and join is checked; the metric then reads the warehouse in the name of whoever bound it.',
  })
  @ApiBody({ type: BindingRequest, examples: bindMetricExamples })
  @ApiOkResponse({ type: MetricResponse })
  @ApiResponse({ status: 409, description: '图的绑定过多 / the graph has too many bindings' })
  @ApiResponse({ status: 422, description: '没有这样的表或列；FanOutJoin / no such table or column; FanOutJoin' })
  bind(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Body() body: BindingRequest): Promise<MetricResponse> {
    return this.definitions.bind(principal, id, body);
  }

  @Post(':id/execute')
  @HttpCode(200)
  @GraphAccess('viewer', ofMetric)
  @ApiOperation({
    summary: '执行指标 / Execute a metric',
    description:
      '可按维度与时间分组、过滤、排序；dry_run 只编译。也可作为 CSV 或 NDJSON 给出：不写 limit 时，图的编辑者得到同一快照的全部行（边读边发；连接中断即不完整），其他人至多一万行。CSV 中空单元格是 null，空文本写作 ""。image/svg+xml 画成图，至多 500 个点。 / Grouped by dimensions and time, filtered and ordered as asked; dry_run only compiles. Also as CSV or NDJSON: without a limit, editors of the graph get all rows of one snapshot, sent as they are read, and a connection that breaks means that rows are missing; others get at most 10,000. An empty cell of CSV is null, and an empty text is "". image/svg+xml draws it, with at most 500 points.',
  })
  @ApiBody({ type: ExecuteMetricRequest, examples: executeMetricExamples })
  @ApiProduces('application/json', 'application/x-ndjson', 'text/csv', 'image/svg+xml')
  @ApiOkResponse({ type: ExecuteMetricResponse })
  @ApiResponse({ status: 400, description: 'FormulaParseError, MissingBindingError, UnsafeFilterClauseError' })
  @ApiResponse({ status: 409, description: '绑定者已无权使用数仓连接 / whoever bound it may no longer use the connection' })
  async execute(
    @CurrentPrincipal() principal: Principal,
    @CurrentGraph() held: HeldGraph,
    @IdParam() id: number,
    @Body() body: ExecuteMetricRequest,
    @Query() { format }: ResultFormatQuery,
    @Headers('accept') accept: string | undefined,
    @CallSignal() signal: AbortSignal,
    @CurrentCall() context: ExecutionContext,
  ): Promise<ExecuteMetricResponse | AnswerInPieces | StreamedAnswer> {
    const call = callOne(principal, held, id, body, signal);
    const file = fileFormatOf(format, accept);
    return file === null ? this.runs.runOne(call) : this.replies.send(call, file, context);
  }
}
