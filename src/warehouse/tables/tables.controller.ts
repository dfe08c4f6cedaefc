import { Controller, Delete, type ExecutionContext, Get, HttpCode, Param, Put, Query, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiConsumes,
  ApiCreatedResponse,
  ApiExtension,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { type Request, type Response } from 'express';
import { CurrentCall } from '../../access/current-call.js';
import { CurrentPrincipal, type Principal } from '../../access/principal.js';
import { page, PageOf, PageQuery, type Page } from '../../http/paging/page.js';
import { StreamedBody } from '../../http/validation/streamed-body.decorator.js';
import { IdParam } from '../../http/validation/positive-int.pipe.js';
import { ConnectionAccess } from '../connections/connection-access.decorator.js';
import {
  DropTableQuery,
  TableResponse,
  TableSummaryResponse,
  toTableResponse,
  toTableSummaryResponse,
  toUploadResponse,
  UploadQuery,
  UploadResponse,
} from './tables.dto.js';
import { tableExamples } from './table-examples.js';
import { cursorAfter, TablesService } from './tables.service.js';
import { WriteRecheck } from './write-recheck.service.js';

@ApiTags('warehouse')
@Controller('warehouse/connections/:id/tables')
export class TablesController {
  constructor(
    private readonly tables: TablesService,
    private readonly recheck: WriteRecheck,
  ) {}

  @Get()
  @ConnectionAccess('read', { keys: 'tables:write' })
  @ApiOperation({
    summary: '表的列表 / List tables',
    description: '按名称排列，一页一页地读。 / In the order of their names, page by page.',
  })
  @ApiOkResponse({ type: PageOf(TableSummaryResponse) })
  async list(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Query() query: PageQuery,
  ): Promise<Page<TableSummaryResponse>> {
    const tables = await this.tables.list(principal, id, query);
    return page(tables.map(toTableSummaryResponse), query.limit, table => cursorAfter(table.name));
  }

  @Get(':table')
  @ConnectionAccess('read', { keys: 'tables:write' })
  @ApiParam({ name: 'table', example: 'customers' })
  @ApiOperation({
    summary: '表的列、键和样例 / Columns, keys and a sample of a table',
    description: '写映射与绑定前可先看；样例至多五行。 / Read it before writing a mapping or a binding; the sample has up to five rows.',
  })
  @ApiOkResponse({ type: TableResponse })
  async describe(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Param('table') table: string): Promise<TableResponse> {
    return toTableResponse(await this.tables.describe(principal, id, table));
  }

  @Put(':table')
  @ConnectionAccess('write', { keys: 'tables:write' })
  @ApiParam({ name: 'table', example: 'customers' })
  @ApiOperation({
    summary: '把 CSV、NDJSON 或 Parquet 装入镜像表 / Load CSV, NDJSON or Parquet into a mirror table',
    description:
      '请求体边收边写，类型按整个文件推断；某一行有错则返回 422 和行号，表保持原样。NDJSON 每行一个对象，每个键成为一列：数字保持原样，都是日期的字符串成为日期，对象成为 jsonb，文本或整数的列表成为列表。Parquet 带有自己的类型。也接受 gzip（请求头或文件开头即可识别）和只含一个文件的 multipart 表单。 / The body is streamed and types are inferred from the whole file; a broken line is a 422 with its number and leaves the table as it was. NDJSON has one object a line, and each key becomes a column: numbers stay exact, strings that are all dates become dates, objects jsonb, and lists of texts or whole numbers lists. Parquet brings its own types. Gzip is taken too, told by its header or its first bytes, and a multipart form with one file. 每个示例以其表名为路径中的 table。 / Each example is named for the `table` to put into the path.',
  })
  @StreamedBody()
  @ApiConsumes(...Object.keys(tableExamples), 'application/vnd.apache.parquet')
  // The schema has no `format: binary`: with it, Swagger UI would ask for a file and show none of the examples.
  @ApiBody({ required: true, schema: { type: 'string' } })
  @ApiExtension('x-body-examples', tableExamples)
  @ApiCreatedResponse({ type: UploadResponse, description: 'The table is new' })
  @ApiOkResponse({ type: UploadResponse, description: 'The table was replaced or added to' })
  @ApiResponse({ status: 408, description: 'Hardly anything arrives' })
  @ApiResponse({ status: 409, description: 'Too many tables, or too many bytes in them' })
  @ApiResponse({ status: 503, description: 'No place for another upload; see Retry-After' })
  @ApiResponse({ status: 422, description: 'A broken line, with `line`; or an option that breaks its schema' })
  async upload(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Param('table') table: string,
    @Query() query: UploadQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
    @CurrentCall() call: ExecutionContext,
  ): Promise<UploadResponse> {
    const { mode, result } = await this.tables.upload(principal, id, table, query, request, () => this.recheck.require(call));
    response.status(result.created ? 201 : 200);
    return toUploadResponse(table, mode, result);
  }

  @Delete(':table')
  @ConnectionAccess('write', { keys: 'tables:write' })
  @HttpCode(204)
  @ApiParam({ name: 'table', example: 'customers' })
  @ApiOperation({
    summary: '删除镜像表 / Drop a mirror table',
    description:
      '只能删除镜像中的表，无法恢复。仍有任务、指标或复制使用它时为 409，并列出它们；force=true 则仍然删除。 / Only tables of the mirror can be dropped, and for good. While jobs, metrics or copies use the table, it is a 409 that names them; force=true drops it nevertheless.',
  })
  @ApiNoContentResponse()
  @ApiResponse({
    status: 409,
    description: '仍在使用 / still in use: by jobs, metrics or copies (table_in_use), or by a long query (table_busy)',
  })
  async drop(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Param('table') table: string,
    @Query() query: DropTableQuery,
  ): Promise<void> {
    await this.tables.drop(principal, id, table, query.force === 'true');
  }
}
