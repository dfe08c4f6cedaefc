import { isIP } from 'node:net';
import { normalizeIp } from '@nestjs/throttler';
import { type TrustedProxies } from '../config/trusted-proxies.js';

/** All requests without a readable sender share one bucket: a limit that is met too early, never one that is not met. */
export const unknownClient = 'unknown';

/**
 * The address that a request is counted under: IPv4 whole, IPv6 by its /64 (one household or host, which may use any address
 * in it), IPv4 mapped into IPv6 as IPv4. `X-Forwarded-For` is read from its right end, where each trusted proxy wrote whom it
 * saw, and only as far as the senders are trusted; what stands further left is the client's own text.
 *
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
      // A proxy that does not say whom it saw stands for all of its clients.
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

/** An address without its port, brackets and zone; null for anything else, such as `unknown` or `_hidden`. */
function readAddress(text: string | undefined): string | null {
  const bare = text?.trim().replace(/%.*$/, '') ?? '';
  if (isIP(bare) !== 0) return bare;
  const [, address = ''] = /^\[([^\]]+)\](?::\d{1,5})?$/.exec(bare) ?? /^([\d.]+):\d{1,5}$/.exec(bare) ?? [];
  return isIP(address) === 0 ? null : address;
}
