import { Injectable } from '@nestjs/common';
import { type PoolClient } from 'pg';
import { type Principal } from '../access/principal.js';
import { AuditService } from '../audit/audit.service.js';
import { type FieldProblem, SchemaError } from '../common/errors/api-error.js';
import { Quotas } from '../database/quotas.js';
import { ServicePool } from '../database/service-pool.js';
import { BlockedAddressError } from '../egress/egress.errors.js';
import { Egress } from '../egress/egress.js';
import { afterId, type Page, pageOfRows, type PageQuery } from '../http/paging/page.js';
import { SecretBox } from '../secrets/secret-box.js';
import { SecretUnreadableError } from '../secrets/secrets.errors.js';
import { readHttpUrl } from '../text/http-url.js';
import { DeliveriesRepository } from './deliveries.repository.js';
import { hostOf, portOf } from './send-message.js';
import { isSecret, newSecret } from './sign-message.js';
import {
  type ChangeWebhookRequest,
  type CreateWebhookRequest,
  type DeliveryResponse,
  type NewWebhookResponse,
  toDeliveryResponse,
  toWebhookResponse,
  type WebhookResponse,
} from './webhook-body.js';
import { WebhookDisabledError } from './webhooks.errors.js';
import { type Target, WebhooksRepository } from './webhooks.repository.js';

const resealedAtOnce = 100;

/**
 * Manages webhooks on targets of any kind; a target is identified by its kind and id. The feature to which a kind belongs checks access,
 * defines the kind's events, and calls `tell` in the transaction in which an event happens.
 */
@Injectable()
export class WebhooksService {
  constructor(
    private readonly pool: ServicePool,
    private readonly webhooks: WebhooksRepository,
    private readonly deliveries: DeliveriesRepository,
    private readonly quotas: Quotas,
    private readonly secrets: SecretBox,
    private readonly egress: Egress,
    private readonly audit: AuditService,
  ) {}

  /**
   * Writes a message for each webhook of the target that wants the event. The messages are sent after the transaction has committed.
   * @returns the ids of the deliveries
   */
  async tell(client: PoolClient, target: Target, event: string, at: Date, body: Record<string, unknown>): Promise<number[]> {
    return this.deliveries.record(client, target, event, messageOf(event, at, body));
  }

  /** @throws SchemaError, TooManyWebhooksError, QuotaReachedError */
  async create(principal: Principal, target: Target, known: string[], request: CreateWebhookRequest): Promise<NewWebhookResponse> {
    const { id, secret, write } = await this.prepare(principal, target, known, request);
    await this.pool.transaction(write);
    return { ...toWebhookResponse(await this.webhooks.get(target, id)), secret };
  }

  /**
   * Checks a new webhook. The result's `write` stores the webhook in a transaction of the caller, such as the one that creates its target.
   * @throws SchemaError
   */
  async prepare(principal: Principal, target: Target, known: string[], request: CreateWebhookRequest): Promise<PreparedWebhook> {
    const { url, events = known, secret = newSecret() } = request;
    await this.check(known, { url, events, secret });
    const id = await this.webhooks.nextId();
    const secretSealed = await this.secrets.seal(secret, secretOwner(id));
    const context = { webhook: id, place: new URL(url).host, events };
    return {
      id,
      secret: request.secret === undefined ? secret : null,
      write: async client => {
        await this.quotas.ask(client, 'webhooks', principal.userId, principal);
        await this.webhooks.create(client, target, { id, url, events, secretSealed, createdBy: principal.userId });
        const { kind, targetId } = target;
        await this.audit.record({ action: 'webhook.created', actor: principal, target: kind, targetId, context }, client);
      },
    };
  }

  async list(target: Target): Promise<Page<WebhookResponse>> {
    return { items: (await this.webhooks.list(target)).map(toWebhookResponse), next_cursor: null };
  }

  /** @throws SchemaError, WebhookNotFoundError, QuotaReachedError */
  async change(
    principal: Principal,
    target: Target,
    known: string[],
    id: number,
    request: ChangeWebhookRequest,
  ): Promise<NewWebhookResponse> {
    const { secret, write } = await this.prepareChange(principal, target, known, id, request);
    await this.pool.transaction(write);
    return { ...toWebhookResponse(await this.webhooks.get(target, id)), secret };
  }

  /**
   * Checks a change to an existing webhook. The result's `write` stores the change in a transaction of the caller. @throws SchemaError,
   * WebhookNotFoundError
   */
  async prepareChange(
    principal: Principal,
    target: Target,
    known: string[],
    id: number,
    { url, events, enabled, secret, rotate_secret: rotates }: ChangeWebhookRequest,
  ): Promise<PreparedWebhook> {
    await this.webhooks.get(target, id);
    const made = rotates === true && secret === undefined ? newSecret() : null;
    await this.check(known, { url, events, secret });
    const sealed = made ?? secret;
    const changes = {
      url: url ?? null,
      events: events ?? null,
      enabled: enabled ?? null,
      // A user who only disables a webhook does not become its owner.
      userId: enabled === false && [url, events, sealed].every(each => each === undefined) ? null : principal.userId,
      secretSealed: sealed === undefined ? null : await this.secrets.seal(sealed, secretOwner(id)),
    };
    const changed = Object.entries({ url, events, enabled, secret: sealed }).flatMap(([name, value]) =>
      value === undefined ? [] : [name],
    );
    const context = { webhook: id, changed, ...(url === undefined ? {} : { place: new URL(url).host }) };
    return {
      id,
      secret: made,
      write: async client => {
        if (changes.userId !== null && !(await this.webhooks.lockIfSavedBy(client, id, principal.userId)))
          await this.quotas.ask(client, 'webhooks', principal.userId, principal);
        await this.webhooks.change(client, target, id, changes);
        const { kind, targetId } = target;
        await this.audit.record({ action: 'webhook.changed', actor: principal, target: kind, targetId, context }, client);
      },
    };
  }

  /** Removes a webhook with its deliveries. @throws WebhookNotFoundError */
  async delete(principal: Principal, target: Target, id: number): Promise<void> {
    await this.audit.recordWith(
      client => this.webhooks.delete(client, target, id),
      () => ({
        action: 'webhook.deleted',
        actor: principal,
        target: target.kind,
        targetId: target.targetId,
        context: { webhook: id },
      }),
    );
  }

  /** A page of the webhook's deliveries, the newest first. @throws WebhookNotFoundError */
  async listDeliveries(target: Target, id: number, { limit, cursor }: PageQuery): Promise<Page<DeliveryResponse>> {
    await this.webhooks.get(target, id);
    const before = afterId(cursor);
    const rows = await this.deliveries.list(id, before === 0 ? null : before, limit);
    return pageOfRows(rows, delivery => delivery.id, toDeliveryResponse);
  }

  /** Sends a message of type `webhook.test`. @throws WebhookNotFoundError, WebhookDisabledError, TooManyDeliveriesError */
  async test(target: Target, id: number): Promise<DeliveryResponse> {
    await this.requireEnabled(target, id);
    const event = 'webhook.test';
    const delivery = await this.deliveries.request(id, event, messageOf(event, new Date(), { webhook: id }));
    return toDeliveryResponse(await this.deliveries.get(id, delivery));
  }

  /**
   * Sends the message of an earlier delivery again. @throws WebhookNotFoundError, WebhookDisabledError, DeliveryNotFoundError,
   * DeliveryPendingError, TooManyDeliveriesError
   */
  async redeliver(target: Target, id: number, deliveryId: number): Promise<DeliveryResponse> {
    await this.requireEnabled(target, id);
    await this.deliveries.get(id, deliveryId);
    await this.deliveries.repeat(id, deliveryId);
    return toDeliveryResponse(await this.deliveries.get(id, deliveryId));
  }

  /** Removes at most `most` deliveries that ended more than `keptDays` ago. @returns how many were removed */
  removeOld(client: PoolClient, keptDays: number, most: number): Promise<number> {
    return this.deliveries.removeOld(client, keptDays, most);
  }

  /**
   * Removes at most `most` ended deliveries of users who have more deliveries than are kept for one user. @returns how many were removed
   */
  removeBeyondShare(client: PoolClient, most: number): Promise<number> {
    return this.deliveries.removeBeyondShare(client, most);
  }

  /**
   * Seals all secrets that were sealed with an older key again with the first encryption key, including former secrets that still sign. A
   * secret whose encryption key is missing stays as it is, and its webhook is listed in `unreadable`.
   */
  async reseal(): Promise<{ resealed: number; unreadable: number[] }> {
    const result = { resealed: 0, unreadable: [] as number[] };
    for (let rows = await this.webhooks.listSecrets(0, resealedAtOnce); rows.length > 0;) {
      for (const { id, sealed } of rows.flatMap(row => row.sealed.map(sealed => ({ id: row.id, sealed })))) {
        try {
          if (!(await this.secrets.isOld(sealed))) continue;
          const fresh = await this.secrets.seal(await this.secrets.open(sealed, secretOwner(id)), secretOwner(id));
          if (await this.webhooks.reseal(id, sealed, fresh)) result.resealed++;
        } catch (error) {
          if (!(error instanceof SecretUnreadableError)) throw error;
          if (!result.unreadable.includes(id)) result.unreadable.push(id);
        }
      }
      rows = await this.webhooks.listSecrets(rows.at(-1)!.id, resealedAtOnce);
    }
    return result;
  }

  /** @throws WebhookNotFoundError, WebhookDisabledError */
  private async requireEnabled(target: Target, id: number): Promise<void> {
    const { enabled } = await this.webhooks.get(target, id);
    if (!enabled) throw new WebhookDisabledError();
  }

  /** @throws SchemaError */
  private async check(known: string[], { url, events, secret }: ChangeWebhookRequest): Promise<void> {
    const problems: FieldProblem[] = [];
    if (url !== undefined) problems.push(...(await this.checkUrl(url)));
    for (const [index, event] of (events ?? []).entries()) {
      if (known.includes(event)) continue;
      const text = { zh: `未知事件 '${event}'；可用 ${known.join('、')}`, en: `unknown event '${event}'; it can be ${known.join(', ')}` };
      problems.push({ loc: ['body', 'events', index], text, type: 'enum' });
    }
    if (secret !== undefined && !isSecret(secret)) {
      const text = {
        zh: '应为 whsec_ 与 24 至 64 字节的 base64；也可省略，由服务生成',
        en: 'must be whsec_ and the base64 of 24 to 64 bytes; leave it out and the service makes one',
      };
      problems.push({ loc: ['body', 'secret'], text, type: 'secret' });
    }
    if (problems.length > 0) throw new SchemaError(problems);
  }

  private async checkUrl(text: string): Promise<FieldProblem[]> {
    const problem = (zh: string, en: string): FieldProblem[] => [{ loc: ['body', 'url'], text: { zh, en }, type: 'url' }];
    const example = 'https://hooks.example/graph';
    const url = readHttpUrl(text);
    if (!url) {
      return problem(
        `应为 http 或 https 地址，不含空白与看不见的字符，例如 ${example}`,
        `must be an http or https URL without blanks and invisible characters, for example ${example}`,
      );
    }
    if (url.username !== '' || url.password !== '') {
      return problem('不可含用户名或密码；接收方请验证签名', 'must hold no user and password; the receiver verifies the signature instead');
    }
    try {
      // The name of a host is resolved at every attempt, and its addresses are checked then. Here only the host and port in the URL are
      // checked.
      await this.egress.check(hostOf(url), portOf(url));
    } catch (error) {
      if (!(error instanceof BlockedAddressError)) throw error;
      return problem(`不允许连接：${error.reason.zh}`, `connections there are not allowed: it is ${error.reason.en}`);
    }
    return [];
  }
}

/** A webhook, new or changed, that has been checked but not yet written. */
export interface PreparedWebhook {
  id: number;
  /** The secret if the service has just generated it, otherwise null. */
  secret: string | null;
  write: (client: PoolClient) => Promise<void>;
}

/** The context to which a webhook's secret is sealed. A sealed secret that is copied to another webhook cannot be opened. */
export function secretOwner(id: number): string {
  return `webhook ${id}`;
}

function messageOf(type: string, at: Date, body: Record<string, unknown>): string {
  return JSON.stringify({ type, timestamp: at.toISOString(), data: body });
}
