import { Body, Controller, HttpCode, HttpStatus, Post, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiResponse, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { type Response } from 'express';
import { Authenticated } from '../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { answerWithSuggestion, draftExample, SuggestMappingRequest, SuggestMappingResponse } from './suggestions.dto.js';
import { SuggestionsService } from './suggestions.service.js';

@ApiTags('ingestion')
@ApiExtraModels(SuggestMappingResponse)
@Controller('ingestion/mappings')
export class SuggestionsController {
  constructor(private readonly suggestions: SuggestionsService) {}

  @Post('suggest')
  @HttpCode(HttpStatus.OK)
  @Authenticated()
  @ApiOperation({
    summary: '由表起草映射 / Draft a mapping from tables',
    externalDocs: { url: '/docs/mapping', description: '映射语言 / The mapping language' },
    description:
      '读取表的列、主键与外键：有键的表成为节点，外键与关联表成为关系；没有声明之处按名称推测，并以数据核对，推测在注释与 guesses 中标出。草稿可直接交给 mappings/validate 与 jobs。不创建任何东西；至多约 20 秒；Accept: application/yaml 时只返回 YAML。 / Reads the columns, keys and foreign keys of tables: a table with a key becomes a node, foreign keys and link tables become edges. Keys that are not declared are guessed from names and checked with the data; comments and `guesses` mark them. The draft can go to mappings/validate and jobs as it is. Nothing is created. It takes some 20 seconds at most. With Accept: application/yaml the answer is the YAML alone.',
  })
  @ApiOkResponse({
    description: '映射草稿 / the draft',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(SuggestMappingResponse) } },
      'application/yaml': { schema: { type: 'string' }, example: draftExample },
    },
  })
  @ApiResponse({ status: 404, description: '没有这个连接 / no such connection' })
  @ApiResponse({ status: 422, description: 'tables 中有不存在的表，或没有可映射的表 / an unknown table, or none that can be mapped' })
  @ApiResponse({ status: 503, description: '正在起草的映射过多 / too many drafts at once' })
  async suggest(
    @CurrentPrincipal() principal: Principal,
    @Body() body: SuggestMappingRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<SuggestMappingResponse | string> {
    return answerWithSuggestion(response, await this.suggestions.suggest(principal, body));
  }
}
