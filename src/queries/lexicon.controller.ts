import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Post, Query } from '@nestjs/common';
import { ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { type Page, PageOf, PageQuery } from '../http/paging/page.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { AddSynonymsRequest, AddSynonymsResponse, SynonymResponse } from './lexicon.dto.js';
import { LexiconService } from './lexicon.service.js';

@ApiTags('queries')
@Controller('graphs/:id/lexicon')
export class LexiconController {
  constructor(private readonly lexicon: LexiconService) {}

  @Get()
  @GraphAccess('viewer')
  @ApiOperation({
    summary: '图的同义词 / The synonyms of a graph',
    description: '问题按它们理解；国家的中英文名称无需添加。 / Questions are read with them; countries have both languages without any.',
  })
  @ApiOkResponse({ type: PageOf(SynonymResponse) })
  list(@IdParam() id: number, @Query() query: PageQuery): Promise<Page<SynonymResponse>> {
    return this.lexicon.list(id, query);
  }

  @Post()
  @HttpCode(HttpStatus.OK)
  @GraphAccess('editor')
  @ApiOperation({
    summary: '添加同义词 / Add synonyms',
    description:
      '全部添加或全不添加；已有的不变。每个图至多 2000 个。 / Adds all or none; those that are there stay. A graph has at most 2,000.',
  })
  @ApiOkResponse({ type: AddSynonymsResponse })
  @ApiResponse({ status: 409, description: '图的同义词过多 / the graph has too many' })
  add(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Body() body: AddSynonymsRequest): Promise<AddSynonymsResponse> {
    return this.lexicon.add(principal, id, body);
  }

  @Delete(':synonym_id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @GraphAccess('editor')
  @ApiOperation({
    summary: '删除同义词 / Remove a synonym',
    description: '此后的问题不再用它；已存的答案不变。 / Later questions do without it; answers that are stored stay.',
  })
  @ApiNoContentResponse()
  remove(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @IdParam('synonym_id') synonymId: number): Promise<void> {
    return this.lexicon.remove(principal, id, synonymId);
  }
}
