import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { Injectable } from '@nestjs/common';
import bcrypt from 'bcrypt';
import { FairShare } from '../common/turns/fair-share.js';
import { Settings } from '../config/settings.js';
import { ClientAddressService } from '../limits/client-address.service.js';
import { Telemetry } from '../telemetry/telemetry.service.js';
import { HashingBusyError } from './users.errors.js';

/**
 * The number of passwords hashed at once. One core stays free for the event loop, so that requests go on during a flood of logins.
 * One of libuv's four threads stays free for DNS and files.
 */
const concurrency = Math.min(3, Math.max(1, availableParallelism() - 1));
/** A hash takes a quarter of a second. The last in line waits about eight seconds in all, and four behind its own address. */
const waiting = 32 * concurrency;
const waitingPerCaller = 16 * concurrency;
const patienceMs = 10_000;

/** bcrypt reads only 72 bytes. It gets the SHA-384 of the password in base64, 64 bytes, so that no character is cut off. */
@Injectable()
export class PasswordHasher {
  private readonly cost: number;
  /** A hash occupies a thread for a quarter of a second. Without bounds, a flood of logins would queue for minutes. */
  private readonly share = new FairShare({
    places: concurrency,
    waitingPerCaller,
    waiting,
    patienceMs,
    refuse: retryAfterS => new HashingBusyError(retryAfterS),
  });
  /** The hash to compare with when the user does not exist, so that an unknown name takes as long as a wrong password. */
  private readonly nobody: Promise<string>;

  constructor(
    { bcryptCost }: Settings,
    telemetry: Telemetry,
    private readonly addresses: ClientAddressService,
  ) {
    this.cost = bcryptCost;
    telemetry.watch('password_hashing_waiting', 'Passwords that wait to be hashed', () => this.share.waiting);
    this.nobody = bcrypt.hash(preHash('nobody'), this.cost);
  }

  /** @throws HashingBusyError when too many passwords from the client's address are waiting. */
  hash(password: string): Promise<string> {
    return this.inTurn(() => bcrypt.hash(preHash(password), this.cost));
  }

  /**
   * Returns false for a wrong password, and for a `stored` that is undefined. Both take the work of today's cost, so the time tells
   * neither which names exist nor whose hash is older than a raised cost. A hash of a higher cost than today's takes longer.
   * @throws HashingBusyError
   */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const against = stored ?? (await this.nobody);
    const matches = await this.inTurn(async () => {
      if (await bcrypt.compare(preHash(password), against)) return true;
      // Adds what a hash of a lower cost c saved: 2^c + (2^c + 2^(c+1) + … + 2^(C-1)) = 2^C.
      for (let rounds = bcrypt.getRounds(against); rounds < this.cost; rounds++) await bcrypt.hash(preHash(password), rounds);
      return false;
    });
    return matches && stored !== undefined;
  }

  /** Tells whether a stored hash was made with another cost than today's. */
  isOutdated(stored: string): boolean {
    return bcrypt.getRounds(stored) !== this.cost;
  }

  /** Shares by network: the user is unknown before the login, and names are easy to make up. */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.share.run({ caller: this.addresses.currentNetwork() }, work);
  }
}

function preHash(password: string): string {
  return createHash('sha384').update(password, 'utf8').digest('base64');
}
