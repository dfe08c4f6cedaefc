import { isIP } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { normalizeIp } from '@nestjs/throttler';
import { type Request } from 'express';
import { type Logger } from 'pino';
import { logToken } from '../common/logging/log.js';
import { currentRequest } from '../common/logging/request-context.js';
import { Settings } from '../config/settings.js';
import { type TrustedProxies } from '../config/trusted-proxies.js';

/**
 * The address of all requests without a readable sender, which share one bucket. They may reach their limit too early, but can never avoid
 * it.
 */
export const unknownClient = 'unknown';

/** The addresses under which requests are counted. */
@Injectable()
export class ClientAddressService {
  private forwardingSeen = false;

  constructor(
    private readonly settings: Settings,
    @Inject(logToken) private readonly log: Logger,
  ) {}

  of({ headers: { 'x-forwarded-for': forwardedFor }, socket }: Request): string {
    if (forwardedFor !== undefined) this.warnOfProxy();
    const header = Array.isArray(forwardedFor) ? forwardedFor.join(',') : forwardedFor;
    return findClientAddress(socket.remoteAddress, header, this.settings.trustProxy);
  }

  /**
   * The network by which waiting requests are queued: an IPv4 address, or an IPv6 /48, the largest network that one customer usually gets.
   */
  networkOf(request: Request): string {
    const address = this.of(request);
    return address.endsWith('/64') ? normalizeIp(address.slice(0, -'/64'.length), 48) : address;
  }

  /** The network of the current request, for code that does not get the request as an argument. */
  currentNetwork(): string {
    const current = currentRequest();
    return current ? this.networkOf(current.request) : unknownClient;
  }

  /**
   * Warns once of a proxy that the settings do not trust: all clients behind such a proxy share its limits, which looks like a fault of the
   * service.
   */
  private warnOfProxy(): void {
    const { trustProxy } = this.settings;
    if (this.forwardingSeen || !('hops' in trustProxy) || trustProxy.hops > 0) return;
    this.forwardingSeen = true;
    this.log.warn('A request came with X-Forwarded-For, which is ignored: TRUST_PROXY is unset, so clients behind a proxy share one limit');
  }
}

/**
 * The address under which a request is counted: IPv4 whole, IPv6 by its /64 (one household or host, which may use any address of the /64),
 * and IPv4 mapped into IPv6 as IPv4. `X-Forwarded-For` is read from its right end, where each trusted proxy added the sender it saw, and
 * only as far as the senders are trusted. The text further left comes from the client itself.
 * @param peer address at the other end of the socket
 * @param forwardedFor the header's value, repeated headers joined by commas
 */
export function findClientAddress(peer: string | undefined, forwardedFor: string | undefined, trusted: TrustedProxies): string {
  let client = readAddress(peer);
  if (client === null) return unknownClient;
  if (forwardedFor !== undefined && isTrusted(trusted, client, 0)) {
    const senders = forwardedFor.split(',');
    for (let hop = 0; hop < senders.length && isTrusted(trusted, client, hop); hop++) {
      const sender = readAddress(senders[senders.length - 1 - hop]);
      // If a trusted proxy does not name its sender, all its clients count under the proxy's address.
      if (sender === null) break;
      client = sender;
    }
  }
  return normalizeIp(client);
}

function isTrusted(trusted: TrustedProxies, address: string, hop: number): boolean {
  if ('hops' in trusted) return hop < trusted.hops;
  return trusted.networks.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

/** An IP address without its port, brackets and zone. Null for a text that is not an address, such as `unknown` or `_hidden`. */
function readAddress(text: string | undefined): string | null {
  const bare = text?.trim().split('%', 1)[0] ?? '';
  if (isIP(bare) !== 0) return bare;
  const [, address = ''] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(bare) ?? /^([\d.]+):\d{1,5}$/.exec(bare) ?? [];
  return isIP(address) === 0 ? null : address;
}
