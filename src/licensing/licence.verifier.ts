import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Logger } from 'pino';
import { logToken } from '../common/logging/log.js';
import { Settings } from '../config/settings.js';
import { checkLicence } from './verification/check-licence.js';
import { dayMs, later, type LicenceProof, minuteMs, secondMs } from './verification/licence.js';
import { LicenceClockRepository } from './licence-clock.repository.js';
import { LicenceRefusedError } from './licensing.errors.js';
import { SteadyClock } from './steady-clock.js';
import { endsTheLicence } from './verification/online/check-online.js';

/** The known state of the licence. `proof` and `checkedAt` are null while the check is off. */
export interface LicenceState {
  proof: LicenceProof | null;
  checkedAt: Date | null;
  /** The reason why the last check of a running service brought no new proof; null if it brought one. */
  refusal: LicenceRefusedError | null;
}

const renewAfterMs = dayMs;
const longestWaitMs = 60 * minuteMs;
const timeNotKept = 'The time of the licence check could not be written to the database';

/**
 * The licence gate. The application starts only with a proof. While it runs, the gate asks for a new proof once a day (hourly when the last
 * proof is weak). After a check without a new proof, the last proof stays valid until its own end; then `lapsed` resolves. A signed refusal
 * ends the last proof at once.
 */
@Injectable()
export class LicenceVerifier implements OnApplicationBootstrap, OnApplicationShutdown {
  private proof: LicenceProof | null = null;
  private checkedAt: Date | null = null;
  private refusal: LicenceRefusedError | null = null;
  private steady: SteadyClock | null = null;
  private timer: NodeJS.Timeout | null = null;
  private ended = false;
  private lapse!: (refusal: LicenceRefusedError) => void;

  /** Resolves when the licence has ended while the service runs. The service must then stop. */
  readonly lapsed = new Promise<LicenceRefusedError>(resolve => (this.lapse = resolve));

  constructor(
    private readonly settings: Settings,
    private readonly clock: LicenceClockRepository,
    @Inject(logToken) private readonly log: Logger,
  ) {}

  /** @throws LicenceRefusedError, which `main.ts` turns into its exit code before the port opens. */
  async onApplicationBootstrap(): Promise<void> {
    if (!this.settings.licenseCheckEnabled) return;
    const latest = await this.clock.getLatest();
    const proven = await this.prove(new Date(), latest).catch((error: unknown) => {
      throw error instanceof LicenceRefusedError ? error : new LicenceRefusedError('check_failed', undefined, { cause: error });
    });
    await this.clock.remember(proven.at, proven.isFresh);
    this.wait(new Date());
  }

  onApplicationShutdown(): void {
    this.ended = true;
    if (this.timer) clearTimeout(this.timer);
  }

  state(): LicenceState {
    return { proof: this.proof, checkedAt: this.checkedAt, refusal: this.refusal };
  }

  /**
   * Checks the licence of a running service once. It asks for a new proof if the last proof is a day old, weak, or at its end. Setting the
   * clock back gains no time.
   */
  async look(now: Date): Promise<void> {
    if (this.proof === null || this.checkedAt === null || this.steady === null) return;
    const latest = this.steady.now();
    const at = later(now, latest);
    const holds = this.proof.holdsUntil === null || at < this.proof.holdsUntil;
    const young = at.getTime() - this.checkedAt.getTime() < renewAfterMs;
    if (holds && young && this.proof.status === 'valid' && this.refusal === null) return;
    try {
      const proven = await this.prove(now, latest);
      // The time of the check is also kept in memory. If this write fails, the next proof writes it.
      await this.clock.remember(proven.at, proven.isFresh).catch((cause: unknown) => this.log.warn({ cause }, timeNotKept));
    } catch (error) {
      const refusal = error as LicenceRefusedError;
      this.refusal = refusal;
      if (!holds || endsTheLicence(refusal)) {
        this.ended = true;
        this.lapse(refusal);
      } else this.log.error({ licence: refusal.reason, holds_until: this.proof.holdsUntil }, refusal.message);
    }
  }

  private wait(now: Date): void {
    if (this.ended) return;
    const at = later(now, this.steady?.now() ?? null);
    const leftMs = this.proof?.holdsUntil ? this.proof.holdsUntil.getTime() - at.getTime() : Infinity;
    const waitMs = Math.min(longestWaitMs, Math.max(leftMs, secondMs));
    this.timer = setTimeout(() => void this.look(new Date()).then(() => this.wait(new Date())), waitMs);
    this.timer.unref();
  }

  /**
   * Asks for a proof.
   * @returns the time of the proof, and whether the licence server has just signed it; a fresh signature shows that the clock is right
   */
  private async prove(now: Date, latestSeen: Date): Promise<{ at: Date; isFresh: boolean }> {
    const proof = await checkLicence(this.settings, now, { latestSeen });
    const isFresh = proof.mode === 'online' && proof.status === 'valid';
    const at = isFresh ? now : later(now, latestSeen);
    this.proof = proof;
    this.checkedAt = at;
    this.steady = new SteadyClock(at);
    this.refusal = null;
    for (const warning of proof.warnings) this.log.warn({ licence: proof.status, holds_until: proof.holdsUntil }, warning);
    return { at, isFresh };
  }
}
