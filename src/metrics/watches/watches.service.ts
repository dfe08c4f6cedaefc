import { Injectable, type OnModuleInit } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Principal } from '../../access/principal.js';
import { AuditService } from '../../audit/audit.service.js';
import { type FieldProblem, SchemaError } from '../../common/errors/api-error.js';
import { GraphAccessService } from '../../graphs/graph-access.service.js';
import { type Page, type PageQuery } from '../../http/paging/page.js';
import { ScheduleNotFoundError } from '../../schedules/schedules.errors.js';
import { SchedulesService } from '../../schedules/schedules.service.js';
import { type Started, SchedulesWorker } from '../../schedules/schedules.worker.js';
import { type DeliveryResponse, type WebhookResponse } from '../../webhooks/webhook-body.js';
import { WebhooksService } from '../../webhooks/webhooks.service.js';
import { WebhooksWorker } from '../../webhooks/webhooks.worker.js';
import { type ExecuteHaving } from '../select-rows.dto.js';
import { MetricRunsService } from '../metric-runs.service.js';
import { type Condition, orderFor } from './judge-rows.js';
import { watchEvents, watchKind, watchTarget } from './watch-message.js';
import {
  type ChangeWatchRequest,
  type CreateWatchRequest,
  type NewWatchResponse,
  toWatchCheckResponse,
  toWatchResponse,
  type WatchCheckResponse,
  type WatchResponse,
} from './watches.dto.js';
import { WatchesWorker } from './watches.worker.js';
import { CheckActiveError, WatchNotFoundError } from './watches.errors.js';
import { type WatchDefinition, WatchesRepository, type WatchRow } from './watches.repository.js';

const maxRequestCharacters = 20_000;

/** Watches of metrics. Each watch has one schedule and one webhook, and belongs to the user who saved the watch last. */
@Injectable()
export class WatchesService implements OnModuleInit {
  constructor(
    private readonly watches: WatchesRepository,
    private readonly worker: WatchesWorker,
    private readonly runs: MetricRunsService,
    private readonly schedules: SchedulesService,
    private readonly schedulesWorker: SchedulesWorker,
    private readonly webhooks: WebhooksService,
    private readonly webhooksWorker: WebhooksWorker,
    private readonly access: GraphAccessService,
    private readonly audit: AuditService,
  ) {}

  onModuleInit(): void {
    this.schedulesWorker.register(watchKind, (client, principal, id) => this.start(client, principal, id));
    this.webhooksWorker.register(watchKind, async (userId, id) => {
      const watch = await this.watches.find(id);
      return watch !== null && this.access.mayStill(userId, watch.graph_id, 'editor');
    });
  }

  /** @throws SchemaError, TooManyWatchesError, and the errors of executing the metric with `dry_run` */
  async create(principal: Principal, metricId: number, body: CreateWatchRequest): Promise<NewWatchResponse> {
    const { request = {}, notify = 'change', condition, url, secret, ...schedule } = body;
    const definition = { request, notify, condition: readCondition(condition) };
    await this.check(principal, metricId, definition);
    const id = await this.watches.nextId();
    const webhook = await this.webhooks.prepare(principal, watchTarget(id), watchEvents, { url, ...(secret !== undefined && { secret }) });
    await this.schedules.save(principal, watchKind, id, schedule, async client => {
      await this.watches.create(client, id, metricId, principal.userId, definition);
      await webhook.write(client);
    });
    return { ...(await this.get(metricId, id)), secret: webhook.secret };
  }

  async list(metricId: number): Promise<Page<WatchResponse>> {
    const items: WatchResponse[] = [];
    for (const watch of await this.watches.list(metricId)) {
      const described = await this.describe(watch);
      if (described) items.push(described);
    }
    return { items, next_cursor: null };
  }

  /** @throws WatchNotFoundError */
  async get(metricId: number, id: number): Promise<WatchResponse> {
    const described = await this.describe(await this.watches.get(metricId, id));
    if (!described) throw new WatchNotFoundError();
    return described;
  }

  /**
   * Changes the given fields, and makes the caller the owner of the watch.
   * @throws WatchNotFoundError, and the errors of `create`
   */
  async change(principal: Principal, metricId: number, id: number, body: ChangeWatchRequest): Promise<NewWatchResponse> {
    const watch = await this.watches.get(metricId, id);
    const { cron, timezone, enabled } = await this.schedules.get(watchKind, id);
    const definition = {
      request: body.request ?? watch.request,
      condition: body.condition ? readCondition(body.condition) : watch.condition,
      notify: body.notify ?? watch.notify,
    };
    // The request is checked only when it matters, so that a watch can be disabled even if its metric can no longer be executed.
    if (body.request || body.condition || body.enabled) await this.check(principal, metricId, definition);
    const { id: webhookId } = await this.webhookOf(id);
    const { url, secret, rotate_secret } = body;
    const webhook = await this.webhooks.prepareChange(principal, watchTarget(id), watchEvents, webhookId, {
      ...(url !== undefined && { url }),
      ...(secret !== undefined && { secret }),
      ...(rotate_secret !== undefined && { rotate_secret }),
    });
    const schedule = { cron: body.cron ?? cron, timezone: body.timezone ?? timezone, enabled: body.enabled ?? enabled };
    await this.schedules.save(principal, watchKind, id, schedule, async client => {
      await this.watches.change(client, watch, principal.userId, definition);
      await webhook.write(client);
    });
    return { ...(await this.get(metricId, id)), secret: webhook.secret };
  }

  /** Removes the watch with its schedule and its webhook. @throws WatchNotFoundError */
  async delete(principal: Principal, metricId: number, id: number): Promise<void> {
    await this.audit.recordWith(
      client => this.watches.delete(client, metricId, id),
      () => ({ action: 'schedule.deleted', actor: principal, target: watchKind, targetId: id, context: { metric: metricId } }),
    );
  }

  /** Checks the watch now, in addition to its schedule. @throws WatchNotFoundError, ChecksBusyError */
  async checkNow(metricId: number, id: number): Promise<WatchCheckResponse> {
    await this.watches.get(metricId, id);
    return toWatchCheckResponse(await this.worker.checkNow(id));
  }

  /** @throws WatchNotFoundError, TooManyDeliveriesError */
  async test(metricId: number, id: number): Promise<DeliveryResponse> {
    const { id: webhookId } = await this.requireWebhook(metricId, id);
    return this.webhooks.test(watchTarget(id), webhookId);
  }

  /** @throws WatchNotFoundError */
  async listDeliveries(metricId: number, id: number, query: PageQuery): Promise<Page<DeliveryResponse>> {
    const { id: webhookId } = await this.requireWebhook(metricId, id);
    return this.webhooks.listDeliveries(watchTarget(id), webhookId, query);
  }

  /** @throws WatchNotFoundError, DeliveryNotFoundError, DeliveryPendingError, TooManyDeliveriesError */
  async redeliver(metricId: number, id: number, deliveryId: number): Promise<DeliveryResponse> {
    const { id: webhookId } = await this.requireWebhook(metricId, id);
    return this.webhooks.redeliver(watchTarget(id), webhookId, deliveryId);
  }

  /** Queues a scheduled check, if the user of the watch still may edit the graph. */
  private async start(client: PoolClient, principal: Principal, id: number): Promise<Started> {
    const watch = await this.watches.find(id);
    if (!watch) throw new WatchNotFoundError();
    await this.access.require(principal, watch.graph_id, 'editor');
    return (await this.watches.queue(client, id)) ? { runId: null } : { skipped: new CheckActiveError() };
  }

  /** Compiles the request of a watch, so that an invalid request fails when it is saved and not at the first check. */
  private async check(principal: Principal, metricId: number, { request, condition }: WatchDefinition): Promise<void> {
    if (JSON.stringify(request).length > maxRequestCharacters) {
      const text = { zh: `至多 ${maxRequestCharacters} 个字符`, en: `may have ${maxRequestCharacters} characters at most` };
      throw new SchemaError([{ loc: ['body', 'request'], text, type: 'too_long' }]);
    }
    const { columns } = await this.runs
      .execute(principal, metricId, { ...request, ...orderFor(condition), dry_run: true })
      .catch((error: unknown) => {
        if (!(error instanceof SchemaError)) throw error;
        throw new SchemaError(error.problems.map(problem => ({ ...problem, loc: placeOf(problem.loc) })));
      });
    const known = columns.filter(({ role }) => role === 'value').map(({ name }) => name);
    if (known.includes(condition.by)) return;
    const list = known.join(', ');
    const text = { zh: `没有值“${condition.by}”，可用：${list}`, en: `there is no value '${condition.by}'; known: ${list}` };
    throw new SchemaError([{ loc: ['body', 'condition', 'by'], text, type: 'unknown_column', known }]);
  }

  /** Adds the schedule and the webhook to a watch. Null for a watch that was deleted in the meantime. */
  private async describe(watch: WatchRow): Promise<WatchResponse | null> {
    try {
      return toWatchResponse(watch, await this.schedules.get(watchKind, watch.id), await this.webhookOf(watch.id));
    } catch (error) {
      if (error instanceof ScheduleNotFoundError || error instanceof WatchNotFoundError) return null;
      throw error;
    }
  }

  private async requireWebhook(metricId: number, id: number): Promise<WebhookResponse> {
    await this.watches.get(metricId, id);
    return this.webhookOf(id);
  }

  private async webhookOf(id: number): Promise<WebhookResponse> {
    const [webhook] = (await this.webhooks.list(watchTarget(id))).items;
    if (!webhook) throw new WatchNotFoundError();
    return webhook;
  }
}

function readCondition({ by, op, value }: ExecuteHaving): Condition {
  return { by: by ?? 'value', op, value: String(value) };
}

/** Maps the place of a problem in the compiled request to its place in the body that saves the watch. */
function placeOf([, field, ...rest]: FieldProblem['loc']): FieldProblem['loc'] {
  return field === 'order' ? ['body', 'condition', 'by'] : ['body', 'request', ...(field === undefined ? [] : [field]), ...rest];
}
