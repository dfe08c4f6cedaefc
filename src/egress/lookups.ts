import { AsyncLocalStorage } from 'node:async_hooks';
import { type LookupAddress, type LookupAllOptions } from 'node:dns';
import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { type Claim, FairShare } from '../common/turns/fair-share.js';
import { LookupsBusyError } from './egress.errors.js';

export type AskSystem = (host: string, options: LookupAllOptions) => Promise<LookupAddress[]>;

/** A caller's lookups under way. */
const mostPerCaller = 2;
/** Shorter than the time of a connection test, which then tells why it fails. */
const patienceMs = 3_000;
const keptMs = 5_000;
/** A connection is tried at each address, and each is checked. An answer of DNS holds thousands. */
const mostAddresses = 32;

const callers = new AsyncLocalStorage<Claim['caller']>();

/** Does work in which the lookups of hosts count against the caller. Drivers connect where nothing can be handed to them. */
export function lookingUpFor<T>(caller: Claim['caller'], work: () => T): T {
  return callers.run(caller, work);
}

/**
 * Asks the system for the addresses of hosts. A lookup occupies a thread until the name server answers or the system gives up, and
 * nothing can end it. Libuv gives lookups half of its threads (https://docs.libuv.org/en/v1.x/threadpool.html). One of those stays
 * free of users' hosts, for the hosts of the service itself.
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

  /** The addresses of a user's host, the first 32 of them. @throws LookupsBusyError, errors of the lookup */
  of(host: string, options: Omit<LookupAllOptions, 'all'>): Promise<LookupAddress[]> {
    return this.share.run({ caller: callers.getStore() ?? 'nobody' }, async () =>
      (await this.ask(host, { ...options, all: true })).slice(0, mostAddresses),
    );
  }

  /** The addresses of a host of the service itself, at most some seconds old. While its name cannot be looked up, they are the former ones. */
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
