import { Body, Controller, Delete, type ExecutionContext, Get, Headers, HttpCode, HttpStatus, Post, Query, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { type Response } from 'express';
import { CurrentCall } from '../access/current-call.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { BodyFieldText, ExactNumbersIn } from '../http/validation/body-text.js';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { CurrentGraph, type HeldGraph } from '../graphs/held-graph.js';
import { type Page, PageOf } from '../http/paging/page.js';
import { type StreamedAnswer } from '../http/server/large-answers.js';
import { streamEvents } from '../http/server/stream-events.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { Bucket } from '../limits/bucket.decorator.js';
import { AnswersQuery } from './answers-query.decorator.js';
import { QueryRequest, QueryResponse } from './queries.dto.js';
import { QueriesService } from './queries.service.js';
import { answerEventsDescription, eventsDescription, exampleAnswerEvents, exampleEvents, queryExamples } from './query-examples.js';
import { QueryRunsService } from './query-runs.service.js';
import { answerSubmitted, answerWithQuery, ListQueriesQuery, QueryStateResponse } from './query-state.dto.js';
import { readPatience } from './read-patience.js';

@ApiTags('queries')
@ApiExtraModels(QueryResponse, QueryStateResponse)
@Controller('graphs/:id')
export class QueriesController {
  constructor(
    private readonly queries: QueriesService,
    private readonly runs: QueryRunsService,
  ) {}

  @Post('query')
  @Bucket('query')
  @GraphAccess('viewer')
  @AnswersQuery()
  @ApiOperation({
    summary: '检索、openCypher 或中英文提问 / Search, openCypher, or a question in Chinese or English',
    externalDocs: { url: '/docs/cypher', description: '支持的 openCypher / The supported part of openCypher' },
    description:
      '须且只能给出 question、search、cypher 之一；答案附有来源的行，并会保存。Prefer: respond-async 使查询立即返回 202，答案在 Location；已存的答案仍立即返回 200。 / Give exactly one of question, search and cypher; the answer cites the rows that it rests on, and is stored. With Prefer: respond-async a query answers 202 at once and has its answer at the Location; a stored answer is still a 200.',
  })
  @ExactNumbersIn('parameters')
  @ApiBody({ type: QueryRequest, examples: queryExamples })
  async query(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Body() body: QueryRequest,
    @BodyFieldText('parameters') parametersText: string | null,
    @CurrentCall() call: ExecutionContext,
    @Headers('prefer') prefer: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<QueryResponse | QueryStateResponse> {
    const patience = readPatience(prefer, response);
    const answer = await this.queries.query(principal, id, { ...body, parametersText }, call, patience);
    return answerSubmitted(response, answer, patience.asynchronous);
  }

  @Post('query/events')
  @HttpCode(HttpStatus.OK)
  @Bucket('query')
  @GraphAccess('viewer')
  @ExactNumbersIn('parameters')
  @ApiOperation({ summary: '以事件流作答 / The answer as server-sent events', description: answerEventsDescription })
  @ApiBody({ type: QueryRequest, examples: queryExamples })
  @ApiOkResponse({
    content: { 'text/event-stream': { schema: { type: 'string' }, example: exampleAnswerEvents } },
    description: 'answer, end: QueryResponse; sentence: {text, rows}; error: {status, retry_after_s, body}; access_lost: {detail, code}',
  })
  @ApiResponse({ status: 503, description: '同时观察的过多 / too many are watched at once' })
  stream(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Body() body: QueryRequest,
    @BodyFieldText('parameters') parametersText: string | null,
    @CurrentCall() call: ExecutionContext,
  ): StreamedAnswer {
    return streamEvents(gone => this.queries.stream(principal, id, { ...body, parametersText }, call, gone));
  }

  @Get('queries')
  @GraphAccess('viewer')
  @ApiOperation({
    summary: '自己的查询 / Your own queries, the newest first',
    description:
      '为您计算而保存的答案，以及比请求更久的查询（包括失败与取消的）；由他人的答案回答的不在其中。 / The answers that were computed for you and are stored, and the queries that outlasted their request, failed and cancelled ones too; not those that were answered by what was stored for others.',
  })
  @ApiOkResponse({ type: PageOf(QueryStateResponse) })
  list(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Query() query: ListQueriesQuery,
  ): Promise<Page<QueryStateResponse>> {
    return this.runs.list(principal, id, query);
  }

  @Get('queries/:query_id')
  @GraphAccess('viewer')
  @ApiOperation({
    summary: '查询的答案或状态 / The answer of a query, or its state',
    description:
      '按 query_id 再次读取，不重新计算：仍是当时的答案及其 graph_version，保存至 ANSWERS_KEPT_DAYS；图此后已更新时有警告。进行中的查询为 202；失败或取消的为 200，error 即同一请求本会得到的错误；这些状态只有提交者可见。已存的答案对图的所有读者可见。 / By its query_id, without computing it again: the answer as it was, with its graph_version, for ANSWERS_KEPT_DAYS; a warning says that the graph has changed since. 202 while it is under way; 200 with the error that the same request would have got once it has failed; these states are seen by whoever sent it only. A stored answer is seen by all who may read the graph.',
  })
  @ApiOkResponse({
    schema: { anyOf: [{ $ref: getSchemaPath(QueryResponse) }, { $ref: getSchemaPath(QueryStateResponse) }] },
    description: '答案，或失败、取消的查询 / the answer, or the query that failed or was cancelled',
  })
  @ApiAcceptedResponse({ type: QueryStateResponse, description: '进行中 / under way' })
  async get(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @IdParam('query_id') queryId: number,
    @Res({ passthrough: true }) response: Response,
  ): Promise<QueryResponse | QueryStateResponse> {
    return answerWithQuery(response, await this.queries.get(principal, id, queryId));
  }

  @Get('queries/:query_id/events')
  @GraphAccess('viewer')
  @ApiOperation({ summary: '查询的状态（事件流） / The state of a query as server-sent events', description: eventsDescription })
  @ApiHeader({ name: 'Last-Event-ID', required: false, description: '已收到的最后一个事件的 id / the id of the last event received' })
  @ApiOkResponse({
    content: { 'text/event-stream': { schema: { type: 'string' }, example: exampleEvents } },
    description: 'progress, end: QueryStateResponse; access_lost: {detail, code}',
  })
  @ApiNoContentResponse({ description: '已收到 end，没有更多事件 / the reader has the end already' })
  @ApiResponse({ status: 503, description: '同时观察的过多 / too many are watched at once' })
  events(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @IdParam('query_id') queryId: number,
    @CurrentCall() call: ExecutionContext,
    @Headers('last-event-id') lastId: string | undefined,
  ): StreamedAnswer {
    return streamEvents(gone => this.runs.watch(principal, id, queryId, call, { lastId, gone }));
  }

  @Delete('queries/:query_id')
  @HttpCode(HttpStatus.OK)
  @GraphAccess('viewer')
  @ApiOperation({
    summary: '取消查询 / Cancel a query',
    description:
      '由提交者或图的管理者；其语句随即停止，除非另有人在等同一结果。自己的查询结束后保持不变，可重复取消。 / By whoever sent it, or a manager of the graph; its statement stops, unless somebody else waits for the same. One of your own that has ended stays as it is, and cancelling twice does no harm.',
  })
  @ApiOkResponse({ type: QueryStateResponse })
  cancel(
    @CurrentPrincipal() principal: Principal,
    @CurrentGraph() graph: HeldGraph,
    @IdParam() _id: number,
    @IdParam('query_id') queryId: number,
  ): Promise<QueryStateResponse> {
    return this.runs.cancel(principal, graph, queryId);
  }
}
