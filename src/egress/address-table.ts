import { BlockList, isIP } from 'node:net';
import { type Bilingual } from '../text/bilingual.js';

/** Whether the service may connect to an address: never, only if the settings allow private networks, or always. */
export type AddressVerdict = { kind: 'never'; reason: Bilingual } | { kind: 'private' } | { kind: 'public' };

const itself: Bilingual = { zh: '本机地址', en: 'an address of the machine itself' };
const metadata: Bilingual = { zh: '链路本地或云元数据地址', en: 'a link-local address or the metadata service of a cloud' };
const many: Bilingual = { zh: '组播或保留地址', en: 'a multicast or reserved address' };
const carrier: Bilingual = { zh: '运营商共享地址（100.64.0.0/10）', en: 'a carrier-shared address (100.64.0.0/10)' };
const tunnel: Bilingual = { zh: '隧道地址', en: 'an address of a tunnel' };
const documentation: Bilingual = { zh: '文档或测试专用地址', en: 'an address for documentation or benchmarks' };

/**
 * Networks to which the service never connects, or (`private`) connects only if private networks are allowed. The first network in the list
 * that contains an address decides. https://www.iana.org/assignments/iana-ipv4-special-registry, iana-ipv6-special-registry
 */
const networks: [network: string, verdict: Bilingual | 'private'][] = [
  ['0.0.0.0/8', itself],
  ['127.0.0.0/8', itself],
  ['10.0.0.0/8', 'private'],
  ['172.16.0.0/12', 'private'],
  ['192.168.0.0/16', 'private'],
  ['100.64.0.0/10', carrier],
  ['169.254.0.0/16', metadata],
  ['168.63.129.16/32', metadata],
  ['192.0.0.0/24', many],
  ['192.0.2.0/24', documentation],
  ['192.88.99.0/24', tunnel],
  ['198.18.0.0/15', documentation],
  ['198.51.100.0/24', documentation],
  ['203.0.113.0/24', documentation],
  ['224.0.0.0/4', many],
  ['240.0.0.0/4', many],
  ['::/96', itself],
  ['64:ff9b:1::/48', tunnel],
  ['100::/64', many],
  ['2001::/32', tunnel],
  ['2001:db8::/32', documentation],
  ['2002::/16', tunnel],
  ['3fff::/20', documentation],
  ['fd00:ec2::254/128', metadata],
  ['fd20:ce::254/128', metadata],
  ['fc00::/7', 'private'],
  ['fe80::/10', metadata],
  ['fec0::/10', many],
  ['ff00::/8', many],
];

/** IPv6 networks whose addresses hold an IPv4 address in their last four bytes. Packets to such an address arrive at the IPv4 address. */
const translated = toBlockList(['::ffff:0:0/96', '::ffff:0:0:0/96', '64:ff9b::/96']);

const rules = networks.map(([network, verdict]) => ({ list: toBlockList([network]), verdict }));

/** @param address an IPv4 or IPv6 address; any other text is judged as `never` */
export function judgeAddress(address: string): AddressVerdict {
  const plain = plainAddress(address);
  if (plain === null) return { kind: 'never', reason: many };
  const verdict = rules.find(({ list }) => holds(list, plain))?.verdict;
  if (verdict === undefined) return { kind: 'public' };
  return verdict === 'private' ? { kind: 'private' } : { kind: 'never', reason: verdict };
}

/**
 * The form in which addresses are compared: for a mapped or translated address the IPv4 address inside of it, otherwise the address as RFC
 * 5952 spells it. Null for a text that is not an address, or has a zone.
 */
export function plainAddress(address: string): string | null {
  if (isIP(address) === 0 || address.includes('%')) return null;
  if (isIP(address) === 4) return address;
  // The URL class spells every IPv6 address as RFC 5952 does, with the last four bytes as two groups.
  const spelt = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  if (!holds(translated, address)) return spelt;
  const groups = spelt.split('::').at(-1)!.split(':');
  const [high = 0, low = 0] = ['0', ...groups].slice(-2).map(group => Number.parseInt(group, 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

export function holds(list: BlockList, address: string): boolean {
  return list.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

function toBlockList(all: string[]): BlockList {
  const list = new BlockList();
  for (const network of all) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}
