import { Body, Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { BodyFieldText, ExactNumbersIn } from '../http/validation/body-text.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { Bucket } from '../limits/bucket.decorator.js';
import { QueryRequest, QueryResponse } from './queries.dto.js';
import { QueriesService } from './queries.service.js';
import { queryExamples } from './query-examples.js';

@ApiTags('queries')
@Controller('graphs/:id')
export class QueriesController {
  constructor(private readonly queries: QueriesService) {}

  @Post('query')
  @Bucket('query')
  @HttpCode(200)
  @GraphAccess('viewer')
  @ApiOperation({
    summary: '检索、openCypher 或中英文提问 / Search, openCypher, or a question in Chinese or English',
    externalDocs: { url: '/docs/cypher', description: '支持的 openCypher / The supported part of openCypher' },
    description:
      '须且只能给出 question、search、cypher 之一；答案附有来源的行，并会保存。 / Give exactly one of question, search and cypher; the answer cites the rows that it rests on, and is stored.',
  })
  @ExactNumbersIn('parameters')
  @ApiBody({ type: QueryRequest, examples: queryExamples })
  @ApiOkResponse({ type: QueryResponse })
  @ApiResponse({ status: 502, description: '检索未及时完成，工作继续进行 / Retrieval did not answer in time; the work goes on' })
  @ApiResponse({ status: 503, description: '检索进程不可用 / The retrieval process is not available' })
  query(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Body() body: QueryRequest,
    @BodyFieldText('parameters') parametersText: string | null,
  ): Promise<QueryResponse> {
    return this.queries.query(principal, id, { ...body, parametersText });
  }

  @Get('queries/:query_id')
  @GraphAccess('viewer')
  @ApiOperation({
    summary: '已保存的答案 / A stored answer',
    description:
      '按 query_id 再次读取，不重新计算；新的答案取代旧的。 / By its query_id, without computing it again; newer answers replace older ones.',
  })
  @ApiOkResponse({ type: QueryResponse })
  get(@IdParam() id: number, @IdParam('query_id') queryId: number): Promise<QueryResponse> {
    return this.queries.get(id, queryId);
  }
}
