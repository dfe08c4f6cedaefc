import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import { compare, getRounds, hash } from 'bcrypt';
import { FairShare } from '../common/turns/fair-share.js';
import { Settings } from '../config/settings.js';
import { ClientAddressService } from '../limits/client-address.service.js';
import { Telemetry } from '../telemetry/telemetry.service.js';
import { HashingBusyError } from './users.errors.js';

/**
 * One core stays free for the event loop: requests go on while logins flood in. One of libuv's four threads stays free for
 * names and files.
 */
const concurrency = Math.min(3, Math.max(1, availableParallelism() - 1));
/** At a quarter of a second each, who waits longest waits some eight seconds behind others, and four behind their own address. */
const waiting = 32 * concurrency;
const waitingPerCaller = 16 * concurrency;
const patienceMs = 10_000;

/** bcrypt over a pre-hash: 72 bytes is all bcrypt reads, and a SHA-384 in base64 has 64, so no character is cut. */
@Injectable()
export class PasswordHasher {
  private readonly cost: number;
  /** Hashing takes a thread for a quarter of a second: unbounded, a flood of logins would queue for minutes. */
  private readonly share = new FairShare({
    places: concurrency,
    waitingPerCaller,
    waiting,
    patienceMs,
    refuse: retryAfterS => new HashingBusyError(retryAfterS),
  });
  /** Compared with when there is no user, so that an unknown name takes the time of a wrong password. */
  private readonly nobody: Promise<string>;

  constructor(
    { bcryptCost }: Settings,
    telemetry: Telemetry,
    private readonly addresses: ClientAddressService,
  ) {
    this.cost = bcryptCost;
    telemetry.watch('password_hashing_waiting', 'Passwords that wait to be hashed', () => this.share.waiting);
    this.nobody = hash(preHash('nobody'), this.cost);
  }

  /** @throws HashingBusyError when too many from the client's address wait already. */
  hash(password: string): Promise<string> {
    return this.inTurn(() => hash(preHash(password), this.cost));
  }

  /**
   * False, after the work of today's cost, for a wrong password and where there is no stored hash: the time tells neither
   * which names exist nor which have not logged in since the cost was raised. (After it was lowered, a hash that is still of
   * the higher cost takes longer.) @throws HashingBusyError
   */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const against = stored ?? (await this.nobody);
    const matches = await this.inTurn(async () => {
      if (await compare(preHash(password), against)) return true;
      // 2^c + (2^c + 2^(c+1) + … + 2^(C-1)) = 2^C: what a hash of a lower cost has left to do.
      for (let rounds = getRounds(against); rounds < this.cost; rounds++) await hash(preHash(password), rounds);
      return false;
    });
    return matches && stored !== undefined;
  }

  /** Whether a stored hash was made with another cost than today's. */
  isOutdated(stored: string): boolean {
    return getRounds(stored) !== this.cost;
  }

  /** Shared by address: who logs in is not known before, and many names are easily made. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.share.run({ caller: this.addresses.current() }, work);
  }
}

function preHash(password: string): string {
  return createHash('sha384').update(password, 'utf8').digest('base64');
}
