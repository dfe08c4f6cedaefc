import { keyIdOf, open, seal, sealingKey } from './sealed-text.js';

describe('a sealed text', () => {
  const key = sealingKey('a secret of more than thirty-two bytes');
  const other = sealingKey('another secret of more than thirty-two bytes');
  const text = 'postgres://u:密码@db/sales';
  const sealed = seal(text, 'connection 7', key);

  it('opens for its owner with its key', () => {
    expect(open(sealed, 'connection 7', key)).toBe(text);
    expect(sealed).toMatch(/^v1:[\w-]{8}:[\w-]{16}:[\w-]+:[\w-]{22}$/);
    expect(keyIdOf(sealed)).toBe(key.id);
  });

  it('is another text each time', () => {
    expect(seal(text, 'connection 7', key)).not.toBe(sealed);
  });

  it('does not open in another row, with another key, or after a change (risk: ciphertexts are swapped between rows)', () => {
    expect(() => open(sealed, 'connection 8', key)).toThrow();
    expect(() => open(sealed, 'connection 7', other)).toThrow();
    const parts = sealed.split(':');
    for (const part of [2, 3, 4]) {
      const bytes = Buffer.from(parts[part]!, 'base64url');
      bytes[0]! ^= 1;
      expect(() => open(parts.with(part, bytes.toString('base64url')).join(':'), 'connection 7', key)).toThrow();
    }
    expect(() => open(parts.with(4, parts[4]!.slice(0, 6)).join(':'), 'connection 7', key)).toThrow();
  });

  it('gives null as the id of the key for other texts', () => {
    expect([keyIdOf(''), keyIdOf('v2:a:b:c:d'), keyIdOf('v1:a:b')]).toEqual([null, null, null]);
  });
});
