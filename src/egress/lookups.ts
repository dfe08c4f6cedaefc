import { AsyncLocalStorage } from 'node:async_hooks';
import { type LookupAddress, type LookupAllOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Claim, FairShare } from '../common/turns/fair-share.js';
import { LookupsBusyError } from './egress.errors.js';

export type AskSystem = (host: string, options: LookupAllOptions) => Promise<LookupAddress[]>;

/** The most lookups of one caller that run at once. */
const mostPerCaller = 2;
/** The longest wait for a lookup in ms. It is shorter than a connection test, so that the test can still report the reason. */
const patienceMs = 3_000;
const keptMs = 5_000;
/**
 * The most addresses of a host that are used. A DNS answer may hold thousands, and each address is checked and may be tried by a
 * connection.
 */
const mostAddresses = 32;

const callers = new AsyncLocalStorage<Claim['caller']>();

/**
 * Runs work whose host lookups count against a caller. The caller is kept in async context, because drivers connect in places where no
 * argument can be passed to them.
 */
export function lookingUpFor<T>(caller: Claim['caller'], work: () => T): T {
  return callers.run(caller, work);
}

/**
 * Asks the operating system for the addresses of hosts. A lookup occupies a thread until the name server answers or the system gives up,
 * and cannot be cancelled. Libuv gives lookups half of its threads (https://docs.libuv.org/en/v1.x/threadpool.html). One of those threads
 * is never used for users' hosts, so that the hosts of the service itself can be looked up.
 */
export class Lookups {
  private readonly share: FairShare;
  private readonly own = new Map<string, { addresses: Promise<string[]>; until: number }>();

  constructor(
    threads: number,
    private readonly ask: AskSystem = lookup,
  ) {
    const places = Math.max(1, Math.floor((threads + 1) / 2) - 1);
    const refuse = (retryAfterS: number): LookupsBusyError => new LookupsBusyError(retryAfterS);
    this.share = new FairShare({ places, mostPerCaller, waitingPerCaller: 32, waiting: 200, patienceMs, refuse });
  }

  /** The first 32 addresses of a user's host. @throws LookupsBusyError, errors of the lookup */
  of(host: string, options: Omit<LookupAllOptions, 'all'>): Promise<LookupAddress[]> {
    return this.share.run({ caller: callers.getStore() ?? 'nobody' }, async () =>
      (await this.ask(host, { ...options, all: true })).slice(0, mostAddresses),
    );
  }

  /** The addresses of a host from the service's own settings, at most 5 s old. If the lookup fails, the former addresses are returned. */
  ofOwn(host: string): Promise<string[]> {
    if (isIP(host) !== 0) return Promise.resolve([host]);
    const former = this.own.get(host);
    if (former && performance.now() < former.until) return former.addresses;
    const addresses = this.ask(host, { all: true }).then(
      found => found.map(({ address }) => address),
      () => former?.addresses ?? [],
    );
    const entry = { addresses, until: Infinity };
    this.own.set(host, entry);
    void addresses.then(() => (entry.until = performance.now() + keptMs));
    return addresses;
  }
}
