import { judgeAddress, plainAddress } from './address-table.js';

describe('the addresses to which a connection may go', () => {
  it.each([
    ['0.0.0.0'],
    ['0.1.2.3'],
    ['127.0.0.1'],
    ['127.255.255.254'],
    ['::'],
    ['::1'],
    ['::127.0.0.1'],
    ['::ffff:127.0.0.1'],
    ['::ffff:7f00:1'],
    ['::ffff:0:127.0.0.1'],
    ['0:0:0:0:0:ffff:7f00:0001'],
    ['64:ff9b::127.0.0.1'],
    ['64:ff9b::a9fe:a9fe'],
    ['64:ff9b:1::1'],
    ['169.254.169.254'],
    ['::ffff:169.254.169.254'],
    ['168.63.129.16'],
    ['100.64.0.1'],
    ['100.100.100.200'],
    ['192.0.0.192'],
    ['192.0.2.1'],
    ['198.18.0.1'],
    ['198.51.100.7'],
    ['203.0.113.9'],
    ['224.0.0.1'],
    ['239.255.255.255'],
    ['240.0.0.1'],
    ['255.255.255.255'],
    ['fe80::1'],
    ['fe80::1%eth0'],
    ['fec0::1'],
    ['fd00:ec2::254'],
    ['fd20:ce::254'],
    ['ff02::1'],
    ['2002:7f00:1::'],
    ['2001::1'],
    ['2001:db8::1'],
    ['100::1'],
    ['not an address'],
    [''],
  ])('never %s', address => {
    expect(judgeAddress(address)).toMatchObject({ kind: 'never' });
  });

  it.each(['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12:3456::1', '::ffff:10.0.0.1', '64:ff9b::10.0.0.1'])(
    '%s if private networks are allowed',
    address => {
      expect(judgeAddress(address)).toEqual({ kind: 'private' });
    },
  );

  it.each([
    '8.8.8.8',
    '172.15.0.1',
    '172.32.0.1',
    '100.63.0.1',
    '100.128.0.1',
    '169.253.0.1',
    '2606:4700::1111',
    '::ffff:8.8.8.8',
    '2001:4860::1',
  ])('always %s', address => {
    expect(judgeAddress(address)).toEqual({ kind: 'public' });
  });

  it('takes the IPv4 address out of one that holds it', () => {
    expect(['::ffff:1.2.3.4', '::FFFF:102:304', '64:ff9b::1.2.3.4', '64:ff9b::', '::ffff:0:1'].map(plainAddress)).toEqual([
      '1.2.3.4',
      '1.2.3.4',
      '1.2.3.4',
      '0.0.0.0',
      '0.0.0.1',
    ]);
    expect(['2606:4700::1', 'fe80::1%eth0', 'x'].map(plainAddress)).toEqual(['2606:4700::1', null, null]);
  });

  it('writes every spelling of an address in one form', () => {
    const spellings = ['fd00::2', 'FD00::2', 'fd00:0::2', 'fd00::0002', 'fd00:0:0:0:0:0:0:2', 'fd00:0000:0000::0.0.0.2'];
    expect(new Set(spellings.map(plainAddress))).toEqual(new Set(['fd00::2']));
  });
});
