import { Inject, Injectable } from '@nestjs/common';
import { type Logger } from 'pino';
import { logToken } from '../common/logging/log.js';
import { FairShare } from '../common/turns/fair-share.js';
import { Settings } from '../config/settings.js';
import { type ChatMessage, completeChat, type Completion, type ModelEndpoint } from './chat-completions.js';
import { FailureGate } from './failure-gate.js';
import { LanguageModelBusyError, LanguageModelError } from './language-model.errors.js';

/** Number of failures in a row after which calls to the model pause for `pauseMs` milliseconds. */
const failuresInRow = 5;
const pauseMs = 30_000;
const patienceMs = 5_000;
const waitingPerCaller = 2;

/** The user whose share of the model a call uses, and when the call has to end. */
export interface ModelCall {
  userId: number;
  /** Time at which the call has to end, in milliseconds of `performance.now()`. */
  deadline: number;
  signal: AbortSignal;
}

/** The language model that the operator has set, if any. */
@Injectable()
export class LanguageModel {
  private readonly endpoint: ModelEndpoint | null;
  private readonly share: FairShare;
  private readonly gate = new FailureGate(failuresInRow, pauseMs);

  constructor(
    private readonly settings: Settings,
    @Inject(logToken) private readonly log: Logger,
  ) {
    const { llmBaseUrl: baseUrl, llmModel: model, llmApiKey: apiKey, llmConcurrency: places } = settings;
    this.endpoint = baseUrl && model ? { baseUrl, model, apiKey } : null;
    this.share = new FairShare({ places, waitingPerCaller, patienceMs, refuse: seconds => new LanguageModelBusyError(seconds) });
  }

  /** URL and name of the model, which decide its answers. Null if none is configured. */
  get identity(): { url: string; model: string } | null {
    return this.endpoint && { url: this.endpoint.baseUrl, model: this.endpoint.model };
  }

  /** Whether calls to the model are paused for a moment, because the model failed again and again. */
  get isPaused(): boolean {
    return this.gate.isPaused;
  }

  /**
   * Asks the model for one completion, in the turn of the user.
   * @param onText gets the text piece by piece while the model writes
   * @throws LanguageModelError, LanguageModelBusyError, or the reason of the call's signal if it is aborted
   */
  async complete(
    messages: readonly ChatMessage[],
    { userId, deadline, signal }: ModelCall,
    onText?: (piece: string) => void,
  ): Promise<Completion> {
    const leftMs = () => deadline - performance.now();
    const leave = await this.share.enter({ caller: userId, signal, patienceMs: Math.max(1, leftMs()) });
    try {
      return await this.gate.run(() => this.ask(messages, leftMs(), signal, onText), {
        judge: error => (error instanceof LanguageModelError && !error.isOfCaller ? 'failed' : 'undecided'),
        refuse: () => new LanguageModelError('paused'),
      });
    } catch (error) {
      if (error instanceof LanguageModelError) this.log.warn({ cause: error.cause, fault: error.fault }, 'The language model failed');
      throw error;
    } finally {
      leave();
    }
  }

  private async ask(
    messages: readonly ChatMessage[],
    leftMs: number,
    signal: AbortSignal,
    onText?: (piece: string) => void,
  ): Promise<Completion> {
    const { llmTimeoutMs } = this.settings;
    // A timeout of a caller with less time than `llmTimeoutMs` does not count as a failure of the model.
    const isHurried = leftMs < llmTimeoutMs;
    if (!this.endpoint || leftMs < 1) throw new LanguageModelError('timeout', undefined, true);
    const late = AbortSignal.timeout(Math.floor(Math.min(llmTimeoutMs, leftMs)));
    try {
      return await completeChat(this.endpoint, messages, AbortSignal.any([signal, late]), onText);
    } catch (error) {
      signal.throwIfAborted();
      throw late.aborted ? new LanguageModelError('timeout', error, isHurried) : error;
    }
  }
}
