import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { Authenticated } from '../../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../access/principal.js';
import { SuggestBindingRequest, SuggestBindingResponse } from './binding-suggestion.dto.js';
import { BindingSuggestionsService } from './binding-suggestions.service.js';

@ApiTags('metrics')
@Controller('metrics/bindings')
export class BindingSuggestionsController {
  constructor(private readonly suggestions: BindingSuggestionsService) {}

  @Post('suggest')
  @HttpCode(200)
  @Authenticated()
  @ApiOperation({
    summary: '由表起草绑定 / Draft a binding from a table',
    description:
      '读取表的列、主键与外键：主键成为粒度，外键成为多对一连接，文本与布尔列成为维度，日期或时间列成为时间。没有声明外键的表（如上传的表）按列名推测引用，并以数据核对，列在 guessed_joins 中。名称像密码、令牌、证件号的列不列入。给出 formula 或 metric_id 时，为其中的列名找到对应的列。草稿可直接交给 PUT /metrics/{id}/binding。不创建任何东西。 / Reads the columns, the primary key and the foreign keys of a table: the primary key becomes the grain, foreign keys become many-to-one joins, text and boolean columns dimensions, a date or a timestamp the time. A table that declares no foreign key, such as an upload, is joined where names propose it and the data confirms it, see guessed_joins. Columns named like passwords, tokens and numbers of documents are left out. With formula or metric_id the names in it are matched to columns. The draft can go to PUT /metrics/{id}/binding as it is. Nothing is created.',
  })
  @ApiOkResponse({ type: SuggestBindingResponse })
  @ApiResponse({ status: 400, description: 'FormulaParseError' })
  @ApiResponse({ status: 404, description: '没有这个连接或指标 / no such connection or metric' })
  @ApiResponse({ status: 422, description: '没有这样的表 / no such table' })
  suggest(@CurrentPrincipal() principal: Principal, @Body() body: SuggestBindingRequest): Promise<SuggestBindingResponse> {
    return this.suggestions.suggest(principal, body);
  }
}
