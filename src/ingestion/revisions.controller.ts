import { Body, Controller, Get, Headers, HttpCode, HttpStatus, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiQuery, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { type Page, PageOf, PageQuery } from '../http/paging/page.js';
import { grantWait } from '../http/server/preferences.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { YamlBody } from '../http/validation/yaml-body.decorator.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { RunResponse } from './ingestion.dto.js';
import { RevisionResponse, RevisionTextResponse, SavedRevisionResponse, SaveRevisionRequest } from './revisions.dto.js';
import { RevisionsService } from './revisions.service.js';
import { RunsService } from './runs.service.js';
import { answerWithRun, StartsRun } from './starts-run.decorator.js';

const job = { of: 'job', param: 'id' } as const;

/** Routes by which a job changes: a new revision of its mapping, and the end of the job. PUT and DELETE of jobs answer 501. */
@ApiTags('ingestion')
@Controller('ingestion/jobs/:id')
export class RevisionsController {
  constructor(
    private readonly revisions: RevisionsService,
    private readonly runs: RunsService,
  ) {}

  @Post('revisions')
  @HttpCode(HttpStatus.OK)
  @GraphAccess('editor', job)
  @Idempotent()
  @YamlBody('mapping_yaml', { dry_run: 'boolean' })
  @ApiOperation({
    summary: '更换任务的映射 / Give a job a new mapping',
    description:
      '检查与创建任务时相同；从下一次运行起生效，此前由该任务给出、而新映射不再给出的元素届时删除；运行以保存者的名义读取数仓。dry_run=true 时不保存，只列出差异，并试运行、回滚（至多一分钟）。 / The checks are those of a new job. The next run takes it, and removes what the job made and makes no longer; it reads the warehouse in the name of whoever saved it. With dry_run=true nothing is saved: the answer lists the differences and what a run would do, from one that is rolled back (a minute at most).',
    externalDocs: { url: '/docs/mapping', description: '映射语言 / The mapping language' },
  })
  @ApiQuery({
    name: 'dry_run',
    required: false,
    schema: { type: 'boolean', default: false },
    description: '只说明将有何变化 / only tell what would change',
  })
  @ApiOkResponse({ type: SavedRevisionResponse })
  @ApiResponse({
    status: 409,
    description: '任务已停用，或图的映射已达上限 / the job is retired, or the mappings of the graph are as many as they may be',
  })
  @ApiResponse({ status: 422, description: 'mapping_yaml validation failed: detail.errors[{loc, msg, type, line, column}]' })
  @ApiResponse({ status: 503, description: '同时进行的试运行过多 / too many dry runs at once' })
  save(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Body() body: SaveRevisionRequest): Promise<SavedRevisionResponse> {
    return this.revisions.save(principal, id, body);
  }

  @Get('revisions')
  @GraphAccess('viewer', job)
  @ApiOperation({
    summary: '任务的映射版本 / The revisions of a job, the newest first',
    description: '含保存者与时间，不含正文。 / With who saved each and when, without the texts.',
  })
  @ApiOkResponse({ type: PageOf(RevisionResponse) })
  list(@IdParam() id: number, @Query() query: PageQuery): Promise<Page<RevisionResponse>> {
    return this.revisions.list(id, query.limit, query.cursor);
  }

  @Get('revisions/:revision')
  @GraphAccess('viewer', job)
  @ApiOperation({ summary: '一个映射版本 / One revision with its text', description: '正文为 mapping_yaml。 / The text is mapping_yaml.' })
  @ApiOkResponse({ type: RevisionTextResponse })
  get(@IdParam() id: number, @IdParam('revision') revision: number): Promise<RevisionTextResponse> {
    return this.revisions.get(id, revision);
  }

  @Post('retire')
  @StartsRun()
  @ApiOperation({
    summary: '停用任务 / Retire a job',
    description:
      '以一次运行从图中删除只由该任务给出的元素；成功后任务不能再运行，所用连接也可以删除。取消或失败时，任务照旧。 / A run removes what only this job yields. After its success the job cannot run again, and its connection may be deleted. If it fails or is cancelled, the job stays as it was.',
  })
  @ApiResponse({ status: 409, description: '已停用，或已有运行 / retired already, or a run of this job is waiting or going on' })
  async retire(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Headers('prefer') prefer: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<RunResponse> {
    const options = { allowsDeletes: true, retires: true, isFull: true, startedBy: 'user' as const };
    return answerWithRun(response, await this.runs.start(principal, id, options, grantWait(prefer, response)));
  }
}
