import { type BlockList } from 'node:net';
import { readNetworks } from './networks.js';

/**
 * The proxies whose `X-Forwarded-For` is trusted: the last `hops` senders, or senders in the given networks. `{ hops: 0 }` trusts no proxy.
 */
export type TrustedProxies = { hops: number } | { networks: BlockList };

export const trustNobody: TrustedProxies = { hops: 0 };

const maxHops = 32;

/**
 * Reads `TRUST_PROXY`: a hop count (`1`) or a list of addresses and networks (`10.0.0.0/8, fd00::/8, 192.0.2.7`). Words such as `true`, and
 * networks that cover the whole internet, are refused, because with them anything that a client writes would be believed. Express's own
 * setting is not used: it would take `"1"` from an environment for an address.
 * @throws Error with the sentence for the list of problems.
 */
export function readTrustedProxies(text: string): TrustedProxies {
  if (/^\d{1,3}$/.test(text) && Number(text) <= maxHops) return { hops: Number(text) };
  try {
    return { networks: readNetworks(text) };
  } catch {
    throw new Error(
      `应为 0 到 ${maxHops} 的跳数，或以逗号分隔的地址与网段（如 10.0.0.0/8） / must be a hop count from 0 to ${maxHops}, or a comma-separated list of addresses and networks such as 10.0.0.0/8, not /0`,
    );
  }
}
