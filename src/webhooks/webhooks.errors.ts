import { ApiError } from '../common/errors/api-error.js';

export class WebhookNotFoundError extends ApiError {
  constructor() {
    super(404, 'webhook_not_found', { zh: 'Webhook 不存在', en: 'There is no such webhook' });
  }
}

export class DeliveryNotFoundError extends ApiError {
  constructor() {
    super(404, 'delivery_not_found', { zh: '该 Webhook 没有这次投递', en: 'The webhook has no such delivery' });
  }
}

/** 409: the target has the maximum number of webhooks. */
export class TooManyWebhooksError extends ApiError {
  constructor(most: number) {
    super(
      409,
      'too_many_webhooks',
      { zh: `已有 ${most} 个 Webhook；请先删除不再使用的`, en: `There are ${most} webhooks already; delete one that is no longer used` },
      { context: { most } },
    );
  }
}

/** 409: the webhook has the maximum number of waiting deliveries. */
export class TooManyDeliveriesError extends ApiError {
  constructor(most: number) {
    super(
      409,
      'too_many_deliveries',
      {
        zh: `该 Webhook 已有 ${most} 次投递在等待；请待其结束，或删除该 Webhook`,
        en: `${most} deliveries of the webhook are waiting; let them end, or delete the webhook`,
      },
      { context: { most } },
    );
  }
}

/** 409: the webhook is disabled, so it sends nothing. */
export class WebhookDisabledError extends ApiError {
  constructor() {
    super(409, 'webhook_disabled', {
      zh: '该 Webhook 已停用，不会发送；请先用 PATCH {"enabled": true} 启用',
      en: 'The webhook is disabled and sends nothing; enable it first with PATCH {"enabled": true}',
    });
  }
}

/** 409: the delivery has not ended yet, so it cannot be repeated. */
export class DeliveryPendingError extends ApiError {
  constructor() {
    super(409, 'delivery_pending', {
      zh: '这次投递尚未结束，会自动重试',
      en: 'This delivery is still under way and is tried again by itself',
    });
  }
}
