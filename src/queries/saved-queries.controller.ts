import {
  Body,
  Controller,
  Delete,
  type ExecutionContext,
  Get,
  Headers,
  HttpCode,
  HttpStatus,
  Patch,
  Post,
  Query,
  Res,
} from '@nestjs/common';
import { ApiCreatedResponse, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { CurrentCall } from '../access/current-call.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { type Page, PageOf, PageQuery } from '../http/paging/page.js';
import { BodyFieldText, ExactNumbersIn } from '../http/validation/body-text.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import { Bucket } from '../limits/bucket.decorator.js';
import { AnswersQuery } from './answers-query.decorator.js';
import { type QueryResponse } from './queries.dto.js';
import { answerSubmitted, type QueryStateResponse } from './query-state.dto.js';
import { readPatience } from './read-patience.js';
import { ChangeSavedQueryRequest, CreateSavedQueryRequest, RunSavedQueryRequest, SavedQueryResponse } from './saved-queries.dto.js';
import { SavedQueriesService } from './saved-queries.service.js';

@ApiTags('queries')
@Controller('graphs/:id/saved-queries')
export class SavedQueriesController {
  constructor(private readonly saved: SavedQueriesService) {}

  @Get()
  @GraphAccess('viewer')
  @ApiOperation({ summary: '已保存的查询 / Saved queries', description: '只有您自己的。 / Only your own.' })
  @ApiOkResponse({ type: PageOf(SavedQueryResponse) })
  list(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Query() query: PageQuery): Promise<Page<SavedQueryResponse>> {
    return this.saved.list(principal, id, query);
  }

  @Post()
  @GraphAccess('viewer')
  @ExactNumbersIn('request')
  @Idempotent()
  @ApiOperation({
    summary: '保存查询 / Save a query under a name',
    description:
      '只有您自己可见；每个用户至多 200 个，每个图至多 2000 个。请求现在就按查询检查，但不执行。 / Only you see it; 200 of a user and 2,000 of a graph at most. The request is checked as a query is, and not run.',
  })
  @ApiCreatedResponse({ type: SavedQueryResponse })
  @ApiResponse({ status: 409, description: '名称已用，或已存过多 / the name is taken, or too many are saved' })
  create(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Body() body: CreateSavedQueryRequest,
    @BodyFieldText('request') requestText: string | null,
  ): Promise<SavedQueryResponse> {
    return this.saved.create(principal, id, body, requestText);
  }

  @Get(':saved_query_id')
  @GraphAccess('viewer')
  @ApiOperation({ summary: '一个已保存的查询 / A saved query', description: '只有您自己的。 / Only your own.' })
  @ApiOkResponse({ type: SavedQueryResponse })
  get(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @IdParam('saved_query_id') savedId: number,
  ): Promise<SavedQueryResponse> {
    return this.saved.get(principal, id, savedId);
  }

  @Patch(':saved_query_id')
  @GraphAccess('viewer')
  @ExactNumbersIn('request')
  @ApiOperation({
    summary: '修改已保存的查询 / Change a saved query',
    description: '省略的字段保持不变；request 整个取代。 / Fields that are left out stay as they are; request is replaced as a whole.',
  })
  @ApiOkResponse({ type: SavedQueryResponse })
  @ApiResponse({ status: 409, description: '名称已用 / the name is taken' })
  change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @IdParam('saved_query_id') savedId: number,
    @Body() body: ChangeSavedQueryRequest,
    @BodyFieldText('request') requestText: string | null,
  ): Promise<SavedQueryResponse> {
    return this.saved.change(principal, id, savedId, body, requestText);
  }

  @Delete(':saved_query_id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @GraphAccess('viewer')
  @ApiOperation({ summary: '删除已保存的查询 / Delete a saved query', description: '已有的答案不变。 / Answers that it has had stay.' })
  @ApiNoContentResponse()
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @IdParam('saved_query_id') savedId: number): Promise<void> {
    return this.saved.delete(principal, id, savedId);
  }

  @Post(':saved_query_id/run')
  @ExactNumbersIn('parameters')
  @Bucket('query')
  @GraphAccess('viewer')
  @AnswersQuery()
  @ApiOperation({
    summary: '执行已保存的查询 / Run a saved query',
    description:
      '与提交同一请求相同：共用已存的答案，计入同一限额；parameters 取代所存的同名参数。 / The same as sending its request: it shares the stored answer and counts against the same limit; parameters take the place of saved ones of the same names.',
  })
  async run(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @IdParam('saved_query_id') savedId: number,
    @Body() body: RunSavedQueryRequest,
    @BodyFieldText('parameters') parametersText: string | null,
    @CurrentCall() call: ExecutionContext,
    @Headers('prefer') prefer: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<QueryResponse | QueryStateResponse> {
    const patience = readPatience(prefer, response);
    const answer = await this.saved.run(principal, id, savedId, body, parametersText, call, patience);
    return answerSubmitted(response, answer, patience.asynchronous);
  }
}
