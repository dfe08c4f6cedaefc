import { Body, Controller, Delete, Get, Headers, HttpCode, HttpStatus, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiNoContentResponse, ApiOkResponse, ApiOperation, ApiResponse, ApiTags } from '@nestjs/swagger';
import { type Response } from 'express';
import { Authenticated } from '../../access/access.decorator.js';
import { CurrentPrincipal, type Principal } from '../../access/principal.js';
import { type Page, PageOf, PageQuery } from '../../http/paging/page.js';
import { grantWait } from '../../http/server/preferences.js';
import { IdParam } from '../../http/validation/positive-int.pipe.js';
import { answerWithStarted, WaitsForEnd } from '../../http/waits-for-end.decorator.js';
import { Idempotent } from '../../idempotency/idempotent.decorator.js';
import { Bucket } from '../../limits/bucket.decorator.js';
import { ConnectionAccess } from '../connections/connection-access.decorator.js';
import { CopyRunResponse } from './copy-runs.dto.js';
import { copyExamples } from './copy-examples.js';
import { CopyTablesRequest, MirrorCopyResponse } from './mirror-copies.dto.js';
import { hasCopyEnded, MirrorCopiesService } from './mirror-copies.service.js';

@ApiTags('warehouse')
@Controller('warehouse')
export class MirrorCopiesController {
  constructor(private readonly copies: MirrorCopiesService) {}

  @Post('connections/:id/mirror')
  @WaitsForEnd(MirrorCopyResponse)
  @ConnectionAccess('read')
  @Bucket('run')
  @Idempotent({ listedAt: '/warehouse/mirror-copies' })
  @ApiOperation({
    summary: '复制表到镜像 / Copy tables into the mirror',
    description:
      '需要该连接的 read 与镜像的 write。先在来源查看各表与列：缺少或无法复制的，422 逐一指出；来源 3 秒内没有应答则先接受，由运行检查。所有表先复制到旁边，再同时替换；失败时一张也不变。列的类型、注释、主键与 NOT NULL 一并保留，无法对应的列略去并列出。保存后可用 POST /warehouse/mirror-copies/{id}/run 再次运行；同一请求再发一次也是如此。Prefer: wait=N 时，若在 N 秒内结束则返回 200。 / Needs read on this connection and write on the mirror. The source is asked for the tables and columns first: what is missing or cannot be copied is named in a 422, all at once. If it gives no answer within 3 s, the copy is accepted and its run asks again. All tables are copied aside and then swapped in at one moment; a failure changes none of them. Types, comments, the primary key and NOT NULL come along; columns without a counterpart are left out and named. It is saved, and runs again with POST /warehouse/mirror-copies/{id}/run, or when the same request is sent again. With Prefer: wait=N it is a 200 if the copy ends within N seconds.',
  })
  @ApiBody({ type: CopyTablesRequest, examples: copyExamples })
  @ApiResponse({ status: 409, description: 'A table of that name is there; another copy fills it; or the copy waits or is going on' })
  @ApiResponse({
    status: 422,
    description: 'The connection is the mirror itself; or a table or column that the source does not have or that cannot be copied',
  })
  async create(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Body() body: CopyTablesRequest,
    @Headers('prefer') prefer: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MirrorCopyResponse> {
    return answerWithCopy(response, await this.copies.create(principal, id, body, grantWait(prefer, response)));
  }

  @Get('mirror-copies')
  @Authenticated()
  @ApiOperation({
    summary: '我的复制 / My copies into the mirror',
    description: '管理员看到全部。 / Admins see those of everybody.',
  })
  @ApiOkResponse({ type: PageOf(MirrorCopyResponse) })
  list(@CurrentPrincipal() principal: Principal, @Query() query: PageQuery): Promise<Page<MirrorCopyResponse>> {
    return this.copies.list(principal, query);
  }

  @Get('mirror-copies/:id')
  @Authenticated()
  @ApiOperation({
    summary: '一个复制及其最近一次运行 / A copy and its last run',
    description: '逐表列出状态、行数、字节、速度与问题。 / With the state, rows, bytes, rate and problem of each table.',
  })
  @ApiOkResponse({ type: MirrorCopyResponse })
  get(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<MirrorCopyResponse> {
    return this.copies.get(principal, id);
  }

  @Get('mirror-copies/:id/runs')
  @Authenticated()
  @ApiOperation({
    summary: '一个复制的各次运行 / The runs of a copy, the newest first',
    description: '最近一次与之前的 20 次。 / The last one and the 20 before it.',
  })
  @ApiOkResponse({ type: PageOf(CopyRunResponse) })
  listRuns(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Query() query: PageQuery): Promise<Page<CopyRunResponse>> {
    return this.copies.listRuns(principal, id, query);
  }

  @Post('mirror-copies/:id/run')
  @WaitsForEnd(MirrorCopyResponse)
  @Authenticated()
  @Bucket('run')
  @Idempotent({ listedAt: '/warehouse/mirror-copies' })
  @ApiOperation({
    summary: '再次运行一个复制 / Run a copy again',
    description: '以保存者的名义读取。 / It reads in the name of the user who saved it.',
  })
  @ApiResponse({ status: 409, description: '正在排队或进行 / it waits or is going on' })
  async run(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @Headers('prefer') prefer: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MirrorCopyResponse> {
    return answerWithCopy(response, await this.copies.run(principal, id, grantWait(prefer, response)));
  }

  @Post('mirror-copies/:id/cancel')
  @HttpCode(HttpStatus.ACCEPTED)
  @Authenticated()
  @ApiOperation({
    summary: '取消一次复制 / Cancel a copy',
    description: '镜像保持复制之前的样子。 / The mirror stays as it was before the copy.',
  })
  @ApiResponse({ status: 202, type: MirrorCopyResponse })
  @ApiResponse({ status: 409, description: '已经结束 / it has ended already' })
  cancel(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<MirrorCopyResponse> {
    return this.copies.cancel(principal, id);
  }

  @Delete('mirror-copies/:id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @Authenticated()
  @ApiOperation({
    summary: '删除一个复制 / Delete a copy',
    description: '镜像中的表会保留，连接可以随后删除。 / Its tables stay in the mirror, and the connection can be deleted afterwards.',
  })
  @ApiNoContentResponse()
  @ApiResponse({ status: 409, description: '正在排队或进行 / it waits or is going on' })
  async delete(@CurrentPrincipal() principal: Principal, @IdParam() id: number): Promise<void> {
    await this.copies.delete(principal, id);
  }
}

function answerWithCopy(response: Response, copy: MirrorCopyResponse): MirrorCopyResponse {
  return answerWithStarted(response, copy, { location: `/api/warehouse/mirror-copies/${copy.id}`, hasEnded: hasCopyEnded(copy) });
}
