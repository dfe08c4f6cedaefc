import { Body, Controller, Delete, Get, HttpCode, HttpStatus, Patch, Post, Query } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiNoContentResponse,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '@nestjs/swagger';
import { CurrentPrincipal, type Principal } from '../../access/principal.js';
import { GraphAccess } from '../../graphs/graph-access.decorator.js';
import { Bucket } from '../../limits/bucket.decorator.js';
import { type Page, PageOf, PageQuery } from '../../http/paging/page.js';
import { IdParam } from '../../http/validation/positive-int.pipe.js';
import { Idempotent } from '../../idempotency/idempotent.decorator.js';
import { DeliveryResponse } from '../../webhooks/webhook-body.js';
import { ChangeWatchRequest, CreateWatchRequest, NewWatchResponse, WatchCheckResponse, WatchResponse } from './watches.dto.js';
import { WatchesService } from './watches.service.js';

const metric = { of: 'metric', param: 'id' } as const;

@ApiTags('metrics')
@Controller('metrics/:id/watches')
export class WatchesController {
  constructor(private readonly watches: WatchesService) {}

  @Get()
  @GraphAccess('editor', metric)
  @ApiOperation({
    summary: '指标的监视 / Watches of a metric',
    description: '至多 20 个，不含密钥。 / 20 at most, without their secrets.',
  })
  @ApiOkResponse({ type: PageOf(WatchResponse) })
  list(@IdParam() id: number): Promise<Page<WatchResponse>> {
    return this.watches.list(id);
  }

  @Post()
  @GraphAccess('editor', metric)
  @Idempotent({ secret: 'secret' })
  @ApiOperation({
    summary: '按计划检查指标，条件成立时通知 / Check a metric on a schedule, and tell a URL when a condition holds',
    description:
      '以保存者的名义、按执行指标的方式检查；每次只检查一次，无论有几个进程。消息签名、重试，与任务的 Webhook 相同。生成的密钥只在此显示一次。 / Checked in the name of the user who saved it, as the metric is executed, and once at each time however many processes there are. Messages are signed and tried again as those of webhooks of jobs are. A secret that the service makes is shown only here.',
  })
  @ApiCreatedResponse({ type: NewWatchResponse })
  @ApiResponse({
    status: 409,
    description:
      '该指标已有 20 个监视，或您已有 100 个，或已启用的计划、Webhook 过多 / the metric has 20 watches already, or you have 100, or too many schedules enabled or webhooks',
  })
  @ApiResponse({
    status: 422,
    description: 'cron、时区、请求、条件、地址或密钥无效 / a wrong cron expression, zone, request, condition, URL or secret',
  })
  create(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Body() body: CreateWatchRequest): Promise<NewWatchResponse> {
    return this.watches.create(principal, id, body);
  }

  @Get(':watch_id')
  @GraphAccess('editor', metric)
  @ApiOperation({
    summary: '一个监视与上一次检查的结果 / A watch, and what its last check found',
    description: '此后的五次，与最近 20 次是否启动。 / With the next five times, and whether the last 20 started.',
  })
  @ApiOkResponse({ type: WatchResponse })
  get(@IdParam() id: number, @IdParam('watch_id') watchId: number): Promise<WatchResponse> {
    return this.watches.get(id, watchId);
  }

  @Patch(':watch_id')
  @GraphAccess('editor', metric)
  @ApiOperation({
    summary: '修改监视，或更换密钥 / Change a watch, or its secret',
    description:
      '省略的字段保持不变；此后以您的名义检查。请求或条件改变后，从头判断是否开始成立。 / Fields that are left out stay as they are; from now on it is checked in your name. Once the request or the condition is another one, whether it begins to hold is judged anew.',
  })
  @ApiOkResponse({ type: NewWatchResponse })
  @ApiResponse({
    status: 409,
    description:
      '您已有 100 个监视，或已启用的计划、Webhook 过多 / you have 100 watches already, or too many schedules enabled or webhooks',
  })
  @ApiResponse({
    status: 422,
    description: 'cron、时区、请求、条件、地址或密钥无效 / a wrong cron expression, zone, request, condition, URL or secret',
  })
  change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @IdParam('watch_id') watchId: number,
    @Body() body: ChangeWatchRequest,
  ): Promise<NewWatchResponse> {
    return this.watches.change(principal, id, watchId, body);
  }

  @Delete(':watch_id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @GraphAccess('editor', metric)
  @ApiOperation({
    summary: '删除监视 / Delete a watch',
    description: '等待中的投递一并删除。 / Deliveries that wait go with it.',
  })
  @ApiNoContentResponse()
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @IdParam('watch_id') watchId: number): Promise<void> {
    return this.watches.delete(principal, id, watchId);
  }

  @Post(':watch_id/check')
  @Bucket('run')
  @HttpCode(HttpStatus.OK)
  @GraphAccess('editor', metric)
  @ApiOperation({
    summary: '立即检查一次 / Check the watch now',
    description:
      '与到时的检查相同：以保存者的名义，按 notify 通知；之后的时间不变。检查失败时 error 写明原因。 / As at its times: in the name of the user who saved it, and it tells as `notify` has it. The times to come stay as they are. Where the check fails, error says why.',
  })
  @ApiOkResponse({ type: WatchCheckResponse })
  @ApiResponse({
    status: 503,
    description:
      '该监视、其用户的另一个监视，或足够多的其他监视正在检查，见 Retry-After / it, another watch of its user, or as many others as are checked at once are being checked just now; see Retry-After',
  })
  check(@IdParam() id: number, @IdParam('watch_id') watchId: number): Promise<WatchCheckResponse> {
    return this.watches.checkNow(id, watchId);
  }

  @Post(':watch_id/test')
  @HttpCode(HttpStatus.ACCEPTED)
  @GraphAccess('editor', metric)
  @ApiOperation({
    summary: '发送一次测试 / Send a test',
    description: '类型为 webhook.test，与其他投递一样签名与重试。 / A delivery of type webhook.test, signed and retried like any other.',
  })
  @ApiAcceptedResponse({ type: DeliveryResponse })
  @ApiResponse({ status: 409, description: '等待的投递过多 / too many deliveries wait' })
  test(@IdParam() id: number, @IdParam('watch_id') watchId: number): Promise<DeliveryResponse> {
    return this.watches.test(id, watchId);
  }

  @Get(':watch_id/deliveries')
  @GraphAccess('editor', metric)
  @ApiOperation({
    summary: '监视的投递记录 / Deliveries of a watch, the newest first',
    description: '结束的投递保留 RUNS_KEPT_DAYS 天。 / Those that have ended are kept for RUNS_KEPT_DAYS.',
  })
  @ApiOkResponse({ type: PageOf(DeliveryResponse) })
  deliveries(@IdParam() id: number, @IdParam('watch_id') watchId: number, @Query() query: PageQuery): Promise<Page<DeliveryResponse>> {
    return this.watches.listDeliveries(id, watchId, query);
  }

  @Post(':watch_id/deliveries/:delivery_id/redeliver')
  @HttpCode(HttpStatus.ACCEPTED)
  @GraphAccess('editor', metric)
  @ApiOperation({
    summary: '再次投递 / Deliver again',
    description: '内容与 webhook-id 不变。 / With the same content and webhook-id.',
  })
  @ApiAcceptedResponse({ type: DeliveryResponse })
  @ApiResponse({ status: 409, description: '尚未结束，或等待的投递过多 / still under way, or too many deliveries wait' })
  redeliver(
    @IdParam() id: number,
    @IdParam('watch_id') watchId: number,
    @IdParam('delivery_id') deliveryId: number,
  ): Promise<DeliveryResponse> {
    return this.watches.redeliver(id, watchId, deliveryId);
  }
}
