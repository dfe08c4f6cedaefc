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
import { CurrentPrincipal, type Principal } from '../access/principal.js';
import { GraphAccess } from '../graphs/graph-access.decorator.js';
import { type Page, PageOf, PageQuery } from '../http/paging/page.js';
import { IdParam } from '../http/validation/positive-int.pipe.js';
import { Idempotent } from '../idempotency/idempotent.decorator.js';
import {
  ChangeWebhookRequest,
  CreateWebhookRequest,
  DeliveryResponse,
  NewWebhookResponse,
  WebhookResponse,
} from '../webhooks/webhook-body.js';
import { WebhooksService } from '../webhooks/webhooks.service.js';
import { jobTarget, runEvents } from './run-message.js';

const job = { of: 'job', param: 'id' } as const;

@ApiTags('ingestion')
@Controller('ingestion/jobs/:id/webhooks')
export class JobWebhooksController {
  constructor(private readonly webhooks: WebhooksService) {}

  @Get()
  @GraphAccess('editor', job)
  @ApiOperation({
    summary: '任务的 Webhook / Webhooks of a job',
    description: '至多 10 个，不含密钥。 / 10 at most, without their secrets.',
  })
  @ApiOkResponse({ type: PageOf(WebhookResponse) })
  list(@IdParam() id: number): Promise<Page<WebhookResponse>> {
    return this.webhooks.list(jobTarget(id));
  }

  @Post()
  @GraphAccess('editor', job)
  @Idempotent({ secret: 'secret' })
  @ApiOperation({
    summary: '运行结束时通知一个地址 / Tell a URL when runs of the job end',
    description:
      '按 Standard Webhooks 签名；失败后重试约 8 小时。生成的密钥只在此显示一次。 / Signed as Standard Webhooks has it; tried again for some 8 hours. A secret that the service makes is shown only here.',
  })
  @ApiCreatedResponse({ type: NewWebhookResponse })
  @ApiResponse({ status: 409, description: '已有 10 个，或您的 Webhook 已达上限 / there are 10 already, or you have the most allowed' })
  @ApiResponse({ status: 422, description: '地址、事件或密钥无效 / a wrong URL, event or secret' })
  create(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @Body() body: CreateWebhookRequest): Promise<NewWebhookResponse> {
    return this.webhooks.create(principal, jobTarget(id), runEvents, body);
  }

  @Patch(':webhook_id')
  @GraphAccess('editor', job)
  @ApiOperation({
    summary: '修改 Webhook，或更换密钥 / Change a webhook, or its secret',
    description:
      '省略的字段保持不变。更换密钥后，旧密钥同时签名 24 小时；再次更换则立即停用。 / Fields that are left out stay as they are. After a change of the secret the former one signs too for 24 hours, or until the next change.',
  })
  @ApiOkResponse({ type: NewWebhookResponse })
  @ApiResponse({ status: 409, description: '您的 Webhook 已达上限 / you have the most webhooks allowed' })
  @ApiResponse({ status: 422, description: '地址、事件或密钥无效 / a wrong URL, event or secret' })
  change(
    @CurrentPrincipal() principal: Principal,
    @IdParam() id: number,
    @IdParam('webhook_id') webhookId: number,
    @Body() body: ChangeWebhookRequest,
  ): Promise<NewWebhookResponse> {
    return this.webhooks.change(principal, jobTarget(id), runEvents, webhookId, body);
  }

  @Delete(':webhook_id')
  @HttpCode(HttpStatus.NO_CONTENT)
  @GraphAccess('editor', job)
  @ApiOperation({
    summary: '删除 Webhook / Delete a webhook',
    description: '等待中的投递一并删除。 / Deliveries that wait go with it.',
  })
  @ApiNoContentResponse()
  delete(@CurrentPrincipal() principal: Principal, @IdParam() id: number, @IdParam('webhook_id') webhookId: number): Promise<void> {
    return this.webhooks.delete(principal, jobTarget(id), webhookId);
  }

  @Post(':webhook_id/test')
  @HttpCode(HttpStatus.ACCEPTED)
  @GraphAccess('editor', job)
  @ApiOperation({
    summary: '发送一次测试 / Send a test',
    description: '类型为 webhook.test，与其他投递一样签名与重试。 / A delivery of type webhook.test, signed and retried like any other.',
  })
  @ApiAcceptedResponse({ type: DeliveryResponse })
  @ApiResponse({ status: 409, description: '已停用，或等待的投递过多 / it is disabled, or too many deliveries wait' })
  test(@IdParam() id: number, @IdParam('webhook_id') webhookId: number): Promise<DeliveryResponse> {
    return this.webhooks.test(jobTarget(id), webhookId);
  }

  @Get(':webhook_id/deliveries')
  @GraphAccess('editor', job)
  @ApiOperation({
    summary: '投递记录 / Deliveries, the newest first',
    description: '结束的投递保留 RUNS_KEPT_DAYS 天。 / Those that have ended are kept for RUNS_KEPT_DAYS.',
  })
  @ApiOkResponse({ type: PageOf(DeliveryResponse) })
  deliveries(@IdParam() id: number, @IdParam('webhook_id') webhookId: number, @Query() query: PageQuery): Promise<Page<DeliveryResponse>> {
    return this.webhooks.listDeliveries(jobTarget(id), webhookId, query);
  }

  @Post(':webhook_id/deliveries/:delivery_id/redeliver')
  @HttpCode(HttpStatus.ACCEPTED)
  @GraphAccess('editor', job)
  @ApiOperation({
    summary: '再次投递 / Deliver again',
    description: '内容与 webhook-id 不变。 / With the same content and webhook-id.',
  })
  @ApiAcceptedResponse({ type: DeliveryResponse })
  @ApiResponse({
    status: 409,
    description: '已停用，尚未结束，或等待的投递过多 / it is disabled, still under way, or too many deliveries wait',
  })
  redeliver(
    @IdParam() id: number,
    @IdParam('webhook_id') webhookId: number,
    @IdParam('delivery_id') deliveryId: number,
  ): Promise<DeliveryResponse> {
    return this.webhooks.redeliver(jobTarget(id), webhookId, deliveryId);
  }
}
