import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Logger } from 'pino';
import { logToken } from '../common/logging/log.js';
import { Settings } from '../config/settings.js';
import { Egress } from '../egress/egress.js';
import { SecretBox } from '../secrets/secret-box.js';
import { SecretUnreadableError } from '../secrets/secrets.errors.js';
import { type ClaimedDelivery, DeliveriesRepository } from './deliveries.repository.js';
import { sendMessage, type SendResult } from './send-message.js';
import { signatureHeaders } from './sign-message.js';
import { secretOwner } from './webhooks.service.js';

const lookEveryMs = 1_000;
/** The deliveries under way in this process, for all, for one user, and for one webhook: a slow receiver holds up no other. */
const places = { all: 16, user: 4, webhook: 2 };

/** Sends what the outbox holds, in any number of processes. */
@Injectable()
export class WebhooksWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly active = new Map<ClaimedDelivery, Promise<void>>();
  private readonly stop = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private claiming: Promise<void> | null = null;

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly secrets: SecretBox,
    private readonly egress: Egress,
    private readonly settings: Settings,
    @Inject(logToken) private readonly log: Logger,
  ) {}

  onApplicationBootstrap(): void {
    if (this.settings.worker !== 'off') this.timer = setInterval(() => this.wake(), lookEveryMs).unref();
  }

  /** Breaks off what is under way. It is sent again, with the same id. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stop.abort();
    await this.claiming;
    await Promise.all(this.active.values());
  }

  private wake(): void {
    this.claiming ??= this.claimAll().finally(() => (this.claiming = null));
  }

  /** Never rejects. */
  private async claimAll(): Promise<void> {
    try {
      while (this.active.size < places.all && !this.stop.signal.aborted) {
        const claimed = await this.deliveries.claim({
          users: this.withFullShare('userId', places.user),
          webhooks: this.withFullShare('webhookId', places.webhook),
        });
        if (!claimed) return;
        this.active.set(
          claimed,
          this.attempt(claimed).finally(() => {
            this.active.delete(claimed);
            this.wake();
          }),
        );
      }
    } catch (cause) {
      this.log.warn({ cause }, 'Looking for deliveries of webhooks failed');
    }
  }

  private withFullShare(of: 'userId' | 'webhookId', most: number): number[] {
    const going = [...this.active.keys()].map(delivery => delivery[of]);
    return going.filter(id => going.filter(other => other === id).length >= most);
  }

  /** Never rejects. An attempt whose end cannot be recorded counts as lost, and is repeated. */
  private async attempt(claimed: ClaimedDelivery): Promise<void> {
    try {
      const result = await this.send(claimed);
      await (result === 'broken off' ? this.deliveries.release(claimed) : this.deliveries.end(claimed, result));
    } catch (cause) {
      this.log.warn({ cause, delivery: claimed.id }, 'The delivery of a webhook could not be recorded; it is sent again');
    }
  }

  private async send({ webhookId, url, secretSealed, messageId, payload, seconds }: ClaimedDelivery): Promise<SendResult | 'broken off'> {
    try {
      const secret = await this.secrets.open(secretSealed, secretOwner(webhookId));
      return await sendMessage(this.egress, url, signatureHeaders(secret, messageId, seconds, payload), payload, this.stop.signal);
    } catch (error) {
      if (error instanceof SecretUnreadableError) return { answered: null, failure: 'secret_unreadable' };
      if (this.stop.signal.aborted) return 'broken off';
      throw error;
    }
  }
}
