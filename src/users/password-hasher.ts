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
 * The number of passwords that are hashed at once. One core stays free for the event loop, so that requests are served during a flood of
 * logins. One of libuv's four threads stays free for DNS and files.
 */
const concurrency = Math.min(3, Math.max(1, availableParallelism() - 1));
/**
 * The most passwords that wait, in all and from one network. A hash takes a quarter of a second, so the last password waits about eight
 * seconds, or four if only its own network waits.
 */
const waiting = 32 * concurrency;
const waitingPerCaller = 16 * concurrency;
const patienceMs = 10_000;

/**
 * Hashes passwords with bcrypt, which reads only 72 bytes. bcrypt gets the SHA-384 of the password in base64, 64 bytes, so that no
 * character is cut off.
 */
@Injectable()
export class PasswordHasher {
  private readonly cost: number;
  /**
   * Bounds the hashes at work and in the queue. A hash occupies a thread for a quarter of a second, so a flood of logins without bounds
   * would queue for minutes.
   */
  private readonly share = new FairShare({
    places: concurrency,
    waitingPerCaller,
    waiting,
    patienceMs,
    refuse: retryAfterS => new HashingBusyError(retryAfterS),
  });
  /** A hash to compare with when the user does not exist, so that an unknown name takes as long as a wrong password. */
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

  /** @throws HashingBusyError when too many passwords from the client's network are waiting. */
  hash(password: string): Promise<string> {
    return this.inTurn(() => bcrypt.hash(preHash(password), this.cost));
  }

  /**
   * Whether a password matches the hash `stored`; false also if `stored` is undefined. A wrong password and an undefined hash both take the
   * work of the current cost, so the time does not reveal which names exist, nor whose hash is older than a raised cost. A hash of a higher
   * cost than the current one takes longer.
   * @throws HashingBusyError
   */
  async verify(password: string, stored: string | undefined): Promise<boolean> {
    const against = stored ?? (await this.nobody);
    const matches = await this.inTurn(async () => {
      if (await bcrypt.compare(preHash(password), against)) return true;
      // Adds the work that a hash of a lower cost c has saved: 2^c + (2^c + 2^(c+1) + … + 2^(C-1)) = 2^C.
      for (let rounds = bcrypt.getRounds(against); rounds < this.cost; rounds++) await bcrypt.hash(preHash(password), rounds);
      return false;
    });
    return matches && stored !== undefined;
  }

  /** Whether a stored hash was made with another cost than the current one. */
  isOutdated(stored: string): boolean {
    return bcrypt.getRounds(stored) !== this.cost;
  }

  /**
   * Runs a hash in the turn of the client's network. The user is unknown before the login, and user names are easy to make up, so the queue
   * is shared out by network.
   */
  private inTurn<T>(work: () => Promise<T>): Promise<T> {
    return this.share.run({ caller: this.addresses.currentNetwork() }, work);
  }
}

function preHash(password: string): string {
  return createHash('sha384').update(password, 'utf8').digest('base64');
}
