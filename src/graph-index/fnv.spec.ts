import { hashBytes, hashText } from './fnv.js';

describe('FNV-1a', () => {
  it('gives the published values, for texts and for bytes', () => {
    expect([hashText(''), hashText('a'), hashText('foobar')]).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
    expect(hashBytes(Buffer.from('foobar'))).toBe(0xbf9cf968);
  });
});
