import { Controller, type ExecutionContext, Get, Headers, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiHeader, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiProduces, ApiResponse, ApiTags } from '@nestjs/swagger';
import { CurrentCall } from '../access/current-call.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { lineFormatOf } from '../http/line-formats.js';
import { type Page, PageOf } from '../http/paging/page.js';
import { type StreamedAnswer } from '../http/server/large-answers.js';
import { streamEvents } from '../http/server/stream-events.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { ListRejectedQuery, RejectedRowResponse, RunResponse } from './ingestion.dto.js';
import { eventsDescription, exampleEvents } from './run-events-example.js';
import { RunsService } from './runs.service.js';

const run = { of: 'run', param: 'id' } as const;

@ApiTags('ingestion')
@Controller('ingestion/runs')
export class RunsController {
  constructor(private readonly runs: RunsService) {}

  @Get(':id')
  @GraphAccess('viewer', run)
  @ApiOperation({
    summary: '一次运行及其报告 / One run and its report',
    description:
      'report 逐项列出读取、写入与拒绝的行数，以及删除与失去属性的元素；失败时 error 说明原因。 / report counts the rows read, written and rejected of each target, and the elements removed or left with fewer properties; error says why a run failed.',
  })
  @ApiOkResponse({ type: RunResponse })
  get(@IdParam() id: number): Promise<RunResponse> {
    return this.runs.get(id);
  }

  @Get(':id/rejected')
  @GraphAccess('viewer', run)
  @ApiOperation({
    summary: '被拒绝的行及原因 / Rejected rows and their reasons',
    description: 'JSON 一页一页地读；ndjson 与 csv 一次给出全部。 / As JSON page by page; ndjson and csv give all of them at once.',
  })
  @ApiProduces('application/json', 'application/x-ndjson', 'text/csv')
  @ApiOkResponse({ type: PageOf(RejectedRowResponse) })
  async rejected(
    @IdParam() id: number,
    @Query() query: ListRejectedQuery,
    @Headers('accept') accept: string | undefined,
    @CurrentCall() call: ExecutionContext,
  ): Promise<Page<RejectedRowResponse> | StreamedAnswer> {
    const format = lineFormatOf(query.format, accept);
    return format === null ? this.runs.listRejected(id, query) : this.runs.exportRejected(id, query.target, format, call);
  }

  @Get(':id/events')
  @GraphAccess('viewer', run)
  @ApiOperation({
    summary: '运行进度（事件流） / Progress of a run as server-sent events',
    description: eventsDescription,
  })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: '已收到的最后一个事件的 id / the id of the last event received' })
  @ApiOkResponse({
    content: { 'text/event-stream': { schema: { type: 'string' }, example: exampleEvents } },
    description: 'progress, end: GET /api/ingestion/runs/{id}; access_lost: {detail, code}',
  })
  @ApiNoContentResponse({ description: '已收到 end，没有更多事件 / the reader has the end already' })
  @ApiResponse({ status: 503, description: '同时观察的运行过多 / too many runs are watched at once' })
  events(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @CurrentCall() call: ExecutionContext,
    @Headers('last-event-id') lastId: string | undefined,
  ): StreamedAnswer {
    return streamEvents(gone => this.runs.watch(principal, id, call, { lastId, gone }));
  }

  @Post(':id/cancel')
  @HttpCode(HttpStatus.ACCEPTED)
  @GraphAccess('editor', run)
  @ApiOperation({
    summary: '取消运行 / Cancel a run',
    description:
      '进行中的一步会先停下，图保持运行前的样子。 / The step that is going on is stopped, and the graph stays as it was before the run.',
  })
  @ApiResponse({ status: 202, type: RunResponse })
  @ApiResponse({ status: 409, description: '已经结束 / it has ended already' })
  cancel(@IdParam() id: number): Promise<RunResponse> {
    return this.runs.cancel(id);
  }
}
