import { Dice } from '../../../../test/support/dice.js';
import { MessageLengths, WholeMessages } from './whole-messages.js';

const int16 = (value: number): Buffer => {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
};
const int32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
};
/** A message whose length field states the length of the body, or `length`. */
const message = (code: string, parts: (Buffer | string)[] = [], length?: number): Buffer => {
  const body = Buffer.concat(parts.map(part => Buffer.from(part)));
  return Buffer.concat([Buffer.from(code), int32(length ?? body.length + 4), body]);
};
const rows = (count: number): Buffer => message('T', [int16(count), ...Array<Buffer>(count).fill(Buffer.from('a\0'.padEnd(20, '\0')))]);

const honest = [
  message('R', [int32(10), 'SCRAM-SHA-256\0\0']),
  message('R', [int32(11), 'r=1,s=2,i=4096']),
  message('R', [int32(12), 'v=1']),
  message('R', [int32(0)]),
  message('S', ['TimeZone\0UTC\0']),
  message('K', [int32(7), int32(8)]),
  message('Z', ['I']),
  message('N', ['SNOTICE\0Mhello\0\0']),
  message('1'),
  message('2'),
  message('t', [int16(1), int32(25)]),
  rows(2),
  message('D', [int16(2), int32(-1), int32(3), 'abc']),
  message('D', [int16(2), int32(0), int32(1), 'x']),
  message('C', ['SELECT 2\0']),
  message('H', ['\0', int16(2), int16(0), int16(0)]),
  message('E', ['SERROR\0C42P01\0Mno table\0\0']),
  message('A', [int32(1), 'channel\0payload\0']),
  message('v', [int32(0), int32(0)]),
];

describe('messages of PostgreSQL', () => {
  it('pass as they are, however they are cut', () => {
    const dice = new Dice(7);
    const all = Buffer.concat(honest);
    for (let time = 0; time < 200; time++) {
      const messages = new WholeMessages();
      const passed: Buffer[] = [];
      for (let at = 0; at < all.length;) {
        const next = at + dice.between(1, time % 2 === 0 ? 9 : 60);
        passed.push(messages.take(all.subarray(at, next)));
        at = next;
      }
      expect(Buffer.concat(passed).equals(all)).toBe(true);
    }
  });

  it('pass when they are whole, and a long one is not looked at before', () => {
    const messages = new WholeMessages();
    const long = Buffer.concat([rows(1), message('D', [int16(1), int32(1_000_000), 'x'.repeat(1_000_000)])]);
    const parts = Array.from({ length: 101 }, (_, index) => long.subarray(index * 10_000, (index + 1) * 10_000));
    const passed = parts.map(part => messages.take(part).length);
    expect(passed.slice(1, 100)).toEqual(Array(99).fill(0));
    expect(passed[0]! + passed[100]!).toBe(long.length);
  });

  it.each<[string, Buffer]>([
    ['an error without its end', message('E')],
    ['an error whose last text has no end', message('N', ['SNOTICE'])],
    ['an error with more behind its end', message('E', ['Mx\0\0y'])],
    ['a length of less than itself', message('Z', [], 3)],
    ['more columns than PostgreSQL has', rows(1_665)],
    ['fewer columns than said', message('T', [int16(3), Buffer.from('a\0'.padEnd(20, '\0'))])],
    ['a row of nothing', Buffer.concat([rows(2), message('D', [int16(0)])])],
    ['a row of more than was described', Buffer.concat([rows(1), message('D', [int16(2), int32(-1), int32(-1)])])],
    ['a row without a description', message('D', [int16(1), int32(-1)])],
    ['a value that ends behind its row', Buffer.concat([rows(1), message('D', [int16(1), int32(100)])])],
    ['a value of a negative length', Buffer.concat([rows(1), message('D', [int16(1), int32(-8), '12345678'])])],
    ['fewer parameters than said', message('t', [int16(9_000)])],
    ['fewer columns of COPY than said', message('H', ['\0', int16(9_000)])],
    ['a text without its end', message('C', ['SELECT'])],
    ['a setting without a value', message('S', ['TimeZone\0'])],
    ['mechanisms without an end', message('R', [int32(10), 'SCRAM-SHA-256\0'])],
    ['a second challenge of SCRAM', Buffer.concat([message('R', [int32(11), 'r=1']), message('R', [int32(11), 'r=1'])])],
  ])('do not pass with %s', (_what, bytes) => {
    // The second message gives node-postgres more bytes, which it would read as part of the malformed message.
    expect(() => new WholeMessages().take(Buffer.concat([bytes, message('Z', ['I'])]))).toThrow('protocol');
  });
});

it('a length that is shorter than itself is found, wherever the chunks are cut', () => {
  const all = Buffer.concat([message('H', ['\0', int16(0)]), message('d', ['1\n']), message('d', ['2'.repeat(90)])]);
  const bad = Buffer.concat([all, message('d', [], 0), message('d', ['3\n'])]);
  for (let size = 1; size < 40; size++) {
    const check = (bytes: Buffer): void => {
      const lengths = new MessageLengths();
      for (let at = 0; at < bytes.length; at += size) lengths.check(bytes.subarray(at, at + size));
    };
    expect(() => check(all)).not.toThrow();
    expect(() => check(bad)).toThrow('shorter than its length');
  }
});
