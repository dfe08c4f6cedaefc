import { Body, Controller, Delete, Get, Headers, HttpCode, HttpStatus, Post, Put, Query, Res } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { Authenticated } from '../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { type Page, PageOf, PageQuery } from '../http/paging/page.js';
import { grantWait } from '../http/server/preferences.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { Unread } from '../http/validation/unread.decorator.js';
import { YamlBody } from '../http/validation/yaml-body.decorator.js';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { Bucket } from '../limits/bucket.decorator.js';
import {
  CreatedJobResponse,
  CreateJobRequest,
  JobResponse,
  ListJobsQuery,
  RunJobQuery,
  RunResponse,
  ValidateMappingRequest,
  ValidateMappingResponse,
  nameDescription,
} from './ingestion.dto.js';
import { JobChangeNotImplementedError } from './ingestion.errors.js';
import { JobsService } from './jobs.service.js';
import { RunsService } from './runs.service.js';
import { answerWithRun, StartsRun } from './starts-run.decorator.js';

const idSchema = { type: 'integer', minimum: 1, maximum: 2_147_483_647, example: 1 } as const;
const nameSchema = { type: 'string', minLength: 1, maxLength: 200 } as const;
const job = { of: 'job', param: 'id' } as const;

@ApiTags('ingestion')
@Controller('ingestion')
export class JobsController {
  constructor(
    private readonly jobs: JobsService,
    private readonly runs: RunsService,
  ) {}

  @Get('jobs')
  @Authenticated({ keys: true })
  @ApiOperation({
    summary: '导入任务 / Ingestion jobs of the graphs I may see',
    description: '可用 graph_id 只看一个图的任务。 / Give graph_id for those of one graph.',
  })
  @ApiOkResponse({ type: PageOf(JobResponse) })
  list(@CurrentPrincipal() principal: Principal, @Query() query: ListJobsQuery): Promise<Page<JobResponse>> {
    return this.jobs.list(principal, query);
  }

  @Post('jobs')
  @GraphAccess('editor', { of: 'body' })
  @Idempotent()
  @YamlBody('mapping_yaml', { graph_id: 'integer', name: 'text' })
  @ApiOperation({
    summary: '由映射创建任务 / Create a job from a mapping',
    externalDocs: { url: '/docs/mapping', description: '映射语言 / The mapping language' },
    description:
      '先检查映射，再保存；运行时以创建者的名义读取数仓。请求体可以是映射本身（application/yaml），其余字段写在查询串中。 / The mapping is checked, then saved; its runs read the warehouse in the name of the creator. The body may be the mapping itself (application/yaml), with the other fields in the query string.',
  })
  @ApiQuery({ name: 'name', required: false, schema: nameSchema, description: nameDescription })
  @ApiQuery({ name: 'graph_id', required: false, schema: idSchema, description: 'YAML 请求体时必填 / required with a YAML body' })
  @ApiCreatedResponse({ type: CreatedJobResponse })
  @ApiResponse({ status: 409, description: '图的任务或映射过多 / the graph has too many jobs or mappings' })
  @ApiResponse({ status: 422, description: 'mapping_yaml validation failed: detail.errors[{loc, msg, type, line, column}]' })
  create(@CurrentPrincipal() principal: Principal, @Body() body: CreateJobRequest): Promise<CreatedJobResponse> {
    return this.jobs.create(principal, body);
  }

  @Post('mappings/validate')
  @HttpCode(HttpStatus.OK)
  @Authenticated()
  @YamlBody('mapping_yaml')
  @ApiOperation({
    summary: '只检查映射 / Check a mapping without creating anything',
    externalDocs: { url: '/docs/mapping', description: '映射语言 / The mapping language' },
    description:
      '与创建任务时的检查相同，列出全部错误及其行列。 / The same checks as for a job, with every problem and its line and column.',
  })
  @ApiOkResponse({ type: ValidateMappingResponse })
  @ApiResponse({ status: 422, description: 'mapping_yaml validation failed: detail.errors[{loc, msg, type, line, column}]' })
  validate(@CurrentPrincipal() principal: Principal, @Body() body: ValidateMappingRequest): Promise<ValidateMappingResponse> {
    return this.jobs.validate(principal, body.mapping_yaml);
  }

  @Get('jobs/:id')
  @GraphAccess('viewer', job)
  @ApiOperation({
    summary: '一个任务 / One job',
    description: '含映射、增量读取的位置与最近一次运行。 / With its mapping, where incremental reads go on, and its last run.',
  })
  @ApiOkResponse({ type: JobResponse })
  get(@IdParam() id: number): Promise<JobResponse> {
    return this.jobs.get(id);
  }

  @Put('jobs/:id')
  @Authenticated({ keys: true })
  @Unread()
  @ApiParam({ name: 'id', schema: { type: 'integer', minimum: 1 } })
  @ApiOperation({
    summary: '修改任务（尚未提供） / Change a job (not implemented)',
    description: '总是返回 501；请用 POST …/revisions 更换映射。 / Always a 501; give the job a new mapping with POST …/revisions.',
  })
  @ApiResponse({ status: 501, description: '尚未提供 / Not implemented' })
  replace(): never {
    throw new JobChangeNotImplementedError();
  }

  @Delete('jobs/:id')
  @Authenticated({ keys: true })
  @Unread()
  @ApiParam({ name: 'id', schema: { type: 'integer', minimum: 1 } })
  @ApiOperation({
    summary: '删除任务（尚未提供） / Delete a job (not implemented)',
    description: '总是返回 501；请用 POST …/retire 停用任务。 / Always a 501; end the job with POST …/retire.',
  })
  @ApiResponse({ status: 501, description: '尚未提供 / Not implemented' })
  remove(): never {
    throw new JobChangeNotImplementedError();
  }

  @Post('jobs/:id/run')
  @Bucket('run')
  @StartsRun()
  @ApiOperation({
    summary: '运行任务 / Run a job',
    description:
      '立即返回 202 与 Location；Prefer: wait=N 时，运行若在 N 秒内结束则返回 200。图随来源更新：来源中已没有的元素会被删除；其他任务仍给出的元素保留，只失去仅由此任务映射的属性（lost_properties）；若删除的超过某个标签的一半，运行会停止（too_many_deletes），除非 allow_deletes=true。镜像的表、映射与图自上次成功以来都没有变化时，运行立即成功，报告含 unchanged_source；其他数据库的表先复制，行都相同时运行随即成功；full=true 使其照常写入。 / Answers 202 with a Location at once; with Prefer: wait=N it is a 200 if the run ends within N seconds. The graph follows the source: what has left it is removed; what another job yields still stays, without the properties that only this job mapped (lost_properties). If more than half of a label would be removed, the run stops (too_many_deletes) unless allow_deletes=true. If the tables of the mirror, the mapping and the graph are as the last success left them, the run succeeds at once, with unchanged_source in its report; tables of other databases are copied first, and the run succeeds then if their rows are the same; full=true makes it write everything.',
  })
  @ApiResponse({ status: 409, description: '已有运行 / a run of this job is waiting or going on' })
  async run(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Query() query: RunJobQuery,
    @Headers('prefer') prefer: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RunResponse> {
    const options = {
      allowsDeletes: query.allow_deletes === 'true',
      retires: false,
      isFull: query.full === 'true',
      startedBy: 'user' as const,
    };
    return answerWithRun(response, await this.runs.start(principal, id, options, grantWait(prefer, response)));
  }

  @Get('jobs/:id/runs')
  @GraphAccess('viewer', job)
  @ApiOperation({
    summary: '任务的运行记录 / Runs of a job, the newest first',
    description: '早已结束的运行只保留一段时间（RUNS_KEPT_DAYS）。 / Runs that ended long ago are removed (RUNS_KEPT_DAYS).',
  })
  @ApiOkResponse({ type: PageOf(RunResponse) })
  listRuns(@IdParam() id: number, @Query() query: PageQuery): Promise<Page<RunResponse>> {
    return this.runs.list(id, query.limit, query.cursor);
  }
}
