import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { type Logger } from 'pino';
import { logToken } from '../common/logging/log.js';
import { Settings } from '../config/settings.js';
import { Egress } from '../egress/egress.js';
import { lookingUpFor } from '../egress/lookups.js';
import { SecretBox } from '../secrets/secret-box.js';
import { SecretUnreadableError } from '../secrets/secrets.errors.js';
import { Telemetry } from '../telemetry/telemetry.service.js';
import { joined } from '../text/bilingual.js';
import { type ClaimedDelivery, DeliveriesRepository } from './deliveries.repository.js';
import { PostingThreads } from './posting-thread.js';
import { type SendFailure, sendFailures, sendMessage, type SendResult } from './send-message.js';
import { signatureHeaders } from './sign-message.js';
import { secretOwner } from './webhooks.service.js';

const lookEveryMs = 1_000;
/**
 * Maximum number of attempts at the same time in this process: of all webhooks, of one user, and of one webhook. With these bounds a slow
 * receiver does not delay the messages to others.
 */
const places = { all: 16, user: 4, webhook: 2 };

/** Checks whether the user who saved a webhook may still receive messages about its target. */
export type Entitled = (userId: number, targetId: number) => Promise<boolean>;

/** Sends the messages of the outbox. Any number of processes may do so at the same time. */
@Injectable()
export class WebhooksWorker implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly active = new Map<ClaimedDelivery, Promise<void>>();
  private readonly entitled = new Map<string, Entitled>();
  private readonly stop = new AbortController();
  private timer: NodeJS.Timeout | undefined;
  private claiming: Promise<void> | null = null;

  constructor(
    private readonly deliveries: DeliveriesRepository,
    private readonly secrets: SecretBox,
    private readonly egress: Egress,
    private readonly posting: PostingThreads,
    private readonly settings: Settings,
    @Inject(logToken) private readonly log: Logger,
    private readonly telemetry: Telemetry,
  ) {}

  /** Registers the check that runs before each attempt for targets of a kind. Call this method before the application has started. */
  register(kind: string, entitled: Entitled): void {
    this.entitled.set(kind, entitled);
  }

  onApplicationBootstrap(): void {
    if (this.settings.worker !== 'off') this.timer = setInterval(() => this.wake(), lookEveryMs).unref();
  }

  /** Aborts the attempts under way. Their messages are sent again later, with the same ids. */
  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.timer);
    this.stop.abort();
    await this.claiming;
    await Promise.all(this.active.values());
  }

  private wake(): void {
    if (!this.stop.signal.aborted) this.claiming ??= this.claimAll().finally(() => (this.claiming = null));
  }

  /** Starts attempts until no delivery is due or no place is free. Never rejects. */
  private async claimAll(): Promise<void> {
    try {
      for (const lost of await this.deliveries.giveUpLost()) this.noteEnd(lost, 'failed', 'sender_lost');
      while (this.active.size < places.all && !this.stop.signal.aborted) {
        const going = [...this.active.keys()].map(({ userId }) => userId);
        const claimed = await this.deliveries.claim(going, {
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

  /**
   * Makes one attempt of a delivery and records its result. Never rejects. An attempt whose result cannot be recorded counts as lost, and
   * the message is sent again.
   */
  private async attempt(claimed: ClaimedDelivery): Promise<void> {
    try {
      const result = await this.send(claimed);
      if (result === 'broken off') await this.deliveries.release(claimed);
      else this.noteEnd(claimed, await this.deliveries.end(claimed, result), result.failure);
    } catch (cause) {
      this.log.warn({ cause, delivery: claimed.id }, 'The delivery of a webhook could not be recorded; it is sent again');
    }
  }

  /** Counts an attempt whose result was recorded, and logs a message that was given up. */
  private noteEnd(
    { id, webhookId }: Pick<ClaimedDelivery, 'id' | 'webhookId'>,
    status: 'delivered' | 'failed' | 'pending' | null,
    failure: SendFailure | null,
  ): void {
    if (status === null) return;
    this.telemetry.workEnded('delivery', status);
    if (status !== 'failed' || failure === null) return;
    const facts = { delivery: id, webhook: webhookId, code: failure, sentence: joined(sendFailures[failure]) };
    this.log.warn(facts, 'A message of a webhook was given up');
  }

  private async send(delivery: ClaimedDelivery): Promise<SendResult | 'broken off'> {
    const { userId, kind, targetId, url, messageId, payload, seconds } = delivery;
    try {
      if ((await this.entitled.get(kind)?.(userId, targetId)) === false) return { answered: null, failure: 'access_lost' };
      const headers = signatureHeaders(await this.openSecrets(delivery), messageId, seconds, payload);
      return await lookingUpFor(userId, () => sendMessage(this.egress, this.posting.of(userId), url, headers, payload, this.stop.signal));
    } catch (error) {
      if (error instanceof SecretUnreadableError) return { answered: null, failure: 'secret_unreadable' };
      if (this.stop.signal.aborted) return 'broken off';
      throw error;
    }
  }

  /**
   * Opens the secrets that sign a delivery. A former secret that cannot be opened is left out.
   * @throws SecretUnreadableError if the current secret cannot be opened
   */
  private async openSecrets({ webhookId, secretSealed, formerSecretSealed }: ClaimedDelivery): Promise<string[]> {
    const secrets = [await this.secrets.open(secretSealed, secretOwner(webhookId))];
    if (formerSecretSealed === null) return secrets;
    const former = await this.secrets.open(formerSecretSealed, secretOwner(webhookId)).catch((error: unknown) => {
      if (error instanceof SecretUnreadableError) return [];
      throw error;
    });
    return secrets.concat(former);
  }
}
