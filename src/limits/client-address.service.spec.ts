import { readTrustedProxies, trustNobody } from '../config/trusted-proxies.js';
import { pino } from 'pino';
import { type Request } from 'express';
import { readSettings } from '../config/settings.js';
import { ClientAddressService, findClientAddress, unknownClient } from './client-address.service.js';

type Case = [title: string, trust: string, peer: string | undefined, forwardedFor: string | undefined, expected: string];

const cases: Case[] = [
  ['IPv4 as it is', '0', '203.0.113.7', undefined, '203.0.113.7'],
  ['IPv4 mapped into IPv6 as IPv4', '0', '::ffff:203.0.113.7', undefined, '203.0.113.7'],
  ['IPv4 mapped into IPv6, in hexadecimal', '0', '::ffff:cb00:7107', undefined, '203.0.113.7'],
  ['IPv6 by its /64', '0', '2001:db8:1:2:aaaa:bbbb:cccc:dddd', undefined, '2001:db8:1:2::/64'],
  ['two spellings of one /64 alike', '0', '2001:DB8:0001:0002::1', undefined, '2001:db8:1:2::/64'],
  ['another /64 apart', '0', '2001:db8:1:3::1', undefined, '2001:db8:1:3::/64'],
  ['a link-local address without its zone', '0', 'fe80::1%eth0', undefined, 'fe80::/64'],
  ['loopback', '0', '::1', undefined, '::1'],
  ['a socket that is gone', '0', undefined, '198.51.100.1', unknownClient],
  ['a Unix socket', '1', '', '198.51.100.1', unknownClient],

  ['no forged header when nobody is trusted', '0', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['no forged header of a sender outside the networks', '10.0.0.0/8', '203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['whom one proxy saw', '1', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['whom one proxy saw, not what the client wrote before it', '1', '10.0.0.1', '1.1.1.1, 198.51.100.1', '198.51.100.1'],
  ['whom the outer of two proxies saw', '2', '10.0.0.1', '1.1.1.1, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
  ['the leftmost entry where there are fewer than hops', '3', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['the peer where a trusted proxy says nothing', '1', '10.0.0.1', undefined, '10.0.0.1'],
  ['the last sender outside the networks', '10.0.0.0/8', '10.0.0.1', '1.1.1.1, 198.51.100.1, 10.2.3.4', '198.51.100.1'],
  ['the furthest trusted sender if all are', '10.0.0.0/8', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['a mapped peer in an IPv4 network', '10.0.0.0/8', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
  ['an IPv6 network', 'fd00::/8', 'fd12::1', '2001:db8::9', '2001:db8::/64'],
  ['a single address', '192.0.2.1', '192.0.2.1', '198.51.100.1', '198.51.100.1'],
  ['not its neighbour', '192.0.2.1', '192.0.2.2', '198.51.100.1', '192.0.2.2'],
  ['several networks', '192.0.2.0/24, fd00::/8', 'fd00::1', '198.51.100.1, 192.0.2.9', '198.51.100.1'],

  ['an entry with a port', '1', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
  ['an IPv6 entry in brackets', '1', '10.0.0.1', '[2001:db8::9]', '2001:db8::/64'],
  ['an IPv6 entry in brackets with a port', '1', '10.0.0.1', '[2001:db8::9]:443', '2001:db8::/64'],
  ['the proxy when its entry is not an address', '1', '10.0.0.1', '198.51.100.1, unknown', '10.0.0.1'],
  ['the proxy when its entry is empty', '1', '10.0.0.1', '198.51.100.1, ', '10.0.0.1'],
  ['the proxy when its entry is an address out of range', '1', '10.0.0.1', '300.1.1.1', '10.0.0.1'],
  ['the inner proxy when the outer entry is not an address', '2', '10.0.0.1', 'x"><script>, 10.0.0.2', '10.0.0.2'],
];

describe('the address under which a request is counted', () => {
  it.each(cases)('is %s', (_, trust, peer, forwardedFor, expected) => {
    expect(findClientAddress(peer, forwardedFor, readTrustedProxies(trust))).toBe(expected);
  });

  it('stays one for 10,000 forged headers and for 10,000 addresses of one /64', () => {
    const seen = new Set<string>();
    for (let count = 0; count < 10_000; count++) {
      const forged = `198.51.${count >> 8}.${count & 255}`;
      seen.add(findClientAddress('203.0.113.7', forged, trustNobody));
      seen.add(findClientAddress('10.0.0.1', `${forged}, 203.0.113.7`, { hops: 1 }));
      seen.add(findClientAddress('10.0.0.1', `${forged}, 203.0.113.7`, readTrustedProxies('10.0.0.0/8')));
    }
    expect([...seen]).toEqual(['203.0.113.7']);
    seen.clear();
    for (let count = 0; count < 10_000; count++)
      seen.add(findClientAddress(`2001:db8:1:2:${count.toString(16)}::1`, undefined, trustNobody));
    expect([...seen]).toEqual(['2001:db8:1:2::/64']);
  });

  it('is found in three headers of 8 kB without going through them again and again', () => {
    const startedAt = performance.now();
    findClientAddress('10.0.0.1', '10.0.0.2,'.repeat(900), readTrustedProxies('10.0.0.0/8'));
    findClientAddress('10.0.0.1', ','.repeat(8_000), readTrustedProxies('10.0.0.0/8'));
    findClientAddress('10.0.0.1', '['.repeat(8_000), readTrustedProxies('1'));
    expect(performance.now() - startedAt).toBeLessThan(5_000);
  });
});

describe('the network in whose line a request waits', () => {
  const addresses = new ClientAddressService(readSettings({}), pino({ level: 'silent' }));
  const networkOf = (remoteAddress?: string) => addresses.networkOf({ headers: {}, socket: { remoteAddress } } as unknown as Request);

  it('is one for all /64 of a /48, and the address of IPv4', () => {
    const seen = new Set(Array.from({ length: 1_000 }, (_, i) => networkOf(`2001:db8:1:${i.toString(16)}::1`)));
    expect([...seen]).toEqual(['2001:db8:1::/48']);
    expect(networkOf('2001:db8:2::1')).toBe('2001:db8:2::/48');
    expect([networkOf('203.0.113.7'), networkOf('::1'), networkOf()]).toEqual(['203.0.113.7', '::1', unknownClient]);
  });
});
