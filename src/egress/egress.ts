import { ADDRCONFIG, type LookupAddress, type LookupOptions } from 'node:dns';
import { isIP, Socket, type LookupFunction } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type Settings } from '../config/settings.js';
import { BlockedAddressError } from './egress.errors.js';
import { holds, judgeAddress, plainAddress } from './address-table.js';
import { type AskSystem, Lookups } from './lookups.js';
import './peers.js';

interface Place {
  host: string;
  port: number;
}

/** Default ports by URL scheme, for URLs in the service's own settings that have no port. */
const defaultPorts: Record<string, number> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
  'http:': 80,
  'https:': 443,
};

/**
 * Decides to which addresses the service connects on behalf of its users. At every connection, every address of a host name is checked, and
 * the connection goes to one of the checked addresses. So a name cannot change its address between check and connection.
 */
export class Egress {
  private readonly own: Place[];
  private readonly lookups: Lookups;

  constructor(
    private readonly settings: Settings,
    askSystem?: AskSystem,
  ) {
    this.lookups = new Lookups(settings.threads, askSystem);
    const { databaseUrl, databaseUrls, databaseReadUrl, redisUrl, retrievalUrls } = settings;
    this.own = [databaseUrl, ...Object.values(databaseUrls), databaseReadUrl, redisUrl, ...retrievalUrls].flatMap(
      url => placeOf(url) ?? [],
    );
  }

  /** A socket that connects like `net.Socket`, but only to allowed addresses. To others it fails with BlockedAddressError. */
  socket(): Socket {
    return new CheckedSocket(this);
  }

  /**
   * A lookup function for the socket options of `net`, `tls` and `http`, for connections to `port`. Node calls no lookup for a host that is
   * an address: call `check` for it.
   */
  lookup(port: number): LookupFunction {
    return (hostname, options, callback) => {
      this.find(hostname, options, port).then(
        found => (options.all ? callback(null, found) : callback(null, found[0]!.address, found[0]!.family)),
        (refusal: NodeJS.ErrnoException) => callback(refusal, []),
      );
    };
  }

  private async find(host: string, options: LookupOptions, port: number): Promise<LookupAddress[]> {
    const found = await this.lookups.of(host, options);
    await this.checkAll(host, found, port);
    return found;
  }

  /** The checked addresses of a host name or of an address. @throws BlockedAddressError, LookupsBusyError, errors of the lookup */
  async addressesOf(host: string, port: number): Promise<LookupAddress[]> {
    if (isIP(host) === 0) return this.find(host, { hints: ADDRCONFIG }, port);
    const found = [{ address: host, family: isIP(host) }];
    await this.checkAll(host, found, port);
    return found;
  }

  /** Checks a host that is an address. A host name is checked later, when `lookup` has found its addresses. @throws BlockedAddressError */
  async check(host: string, port: number): Promise<void> {
    if (isIP(host) !== 0) await this.addressesOf(host, port);
  }

  private async checkAll(host: string, found: LookupAddress[], port: number): Promise<void> {
    const own = (await Promise.all(this.own.filter(place => place.port === port).map(place => this.lookups.ofOwn(place.host))))
      .flat()
      .map(plainAddress);
    const interfaces = interfaceAddresses();
    for (const { address } of found) {
      const plain = plainAddress(address);
      if (plain !== null && own.includes(plain))
        throw new BlockedAddressError(host, { zh: '本服务自己的数据库', en: "the service's own database" });
      if (plain !== null && this.settings.warehouseAllowedAddresses && holds(this.settings.warehouseAllowedAddresses, plain)) continue;
      const verdict = judgeAddress(address);
      if (verdict.kind === 'never') throw new BlockedAddressError(host, verdict.reason);
      if (verdict.kind === 'private' && this.settings.warehousePrivateNetworks === 'deny') {
        throw new BlockedAddressError(host, { zh: '内网地址', en: 'an address of a private network' });
      }
      if (plain !== null && interfaces.includes(plain)) {
        throw new BlockedAddressError(host, { zh: '本机地址', en: 'an address of the machine itself' });
      }
    }
  }
}

/** The time in ms that the other side gets to close the connection after this side has ended it. */
const closingMs = 1_000;

class CheckedSocket extends Socket {
  constructor(private readonly egress: Egress) {
    super();
    // The other side may never close its end. Without this timer, such a socket would stay open for ever.
    this.once('finish', () => setTimeout(() => this.destroy(), closingMs).unref());
  }

  /** Connects with the arguments that database drivers pass: port and host. */
  override connect(...given: unknown[]): this {
    const [port, host] = given as [number, string];
    this.egress.check(host, port).then(
      // The socket may have been destroyed meanwhile.
      () => this.destroyed || super.connect({ port, host, lookup: this.egress.lookup(port), autoSelectFamily: true }),
      (refusal: Error) => this.destroy(refusal),
    );
    return this;
  }
}

/** The host and port of a URL in the service's settings. Null for a Unix socket, which no user's connection can reach. */
function placeOf(url: string | undefined): Place | null {
  if (url === undefined || !URL.canParse(url)) return null;
  const { protocol, hostname, port } = new URL(url);
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  return host === '' ? null : { host, port: port === '' ? (defaultPorts[protocol] ?? 0) : Number(port) };
}

function interfaceAddresses(): (string | null)[] {
  return Object.values(networkInterfaces()).flatMap(addresses => (addresses ?? []).map(({ address }) => plainAddress(address)));
}
