import { BlockList, isIP } from 'node:net';

/**
 * Reads a list of addresses and networks: `10.0.0.0/8, fd00::/8, 192.0.2.7`. It refuses networks that cover the whole internet.
 * @throws Error with the sentence for the list of problems.
 */
export function readNetworks(text: string): BlockList {
  const networks = new BlockList();
  for (const item of text.split(',')) addNetwork(networks, item.trim());
  return networks;
}

function addNetwork(networks: BlockList, item: string): void {
  const [, address = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(item) ?? [];
  const version = isIP(address);
  const widest = version === 4 ? 32 : 128;
  const bits = prefix === undefined ? widest : Number(prefix);
  if (version === 0 || address.includes('%') || bits < 1 || bits > widest) {
    throw new Error(
      '应为以逗号分隔的地址与网段（如 10.0.0.0/8），不可为 /0 / must be a comma-separated list of addresses and networks such as 10.0.0.0/8, not /0',
    );
  }
  networks.addSubnet(address, bits, version === 4 ? 'ipv4' : 'ipv6');
}
