import { createHmac, generateKeyPairSync } from 'node:crypto';
import { readSettings } from '../src/config/settings.js';
import { startTestApp } from './support/app.js';

describe('the secret that signs tokens', () => {
  // jsonwebtoken takes a text that looks like this for a private key, and would refuse HS256 with it at the first login.
  it('is a key of bytes, also when it looks like a private key', async () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const secret = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    const test = await startTestApp({ JWT_SECRET_KEY: secret });
    try {
      await test.admin.get('/api/auth/me').expect(200);
      const [header, payload, signature] = test.admin.token!.split('.');
      expect(JSON.parse(Buffer.from(header!, 'base64url').toString())).toEqual({ alg: 'HS256', typ: 'JWT' });
      expect(signature).toBe(createHmac('sha256', secret.trim()).update(`${header}.${payload}`).digest('base64url'));
    } finally {
      await test.close();
    }
  });

  it.each([
    ['32 bytes', 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b7'],
    ['16 letters of two bytes', 'абвгдежзийклмноп'],
  ])('may have %s', (_, secret) => {
    expect(readSettings({ JWT_SECRET_KEY: secret }).jwtSecretKey).toBe(secret);
  });

  it.each([
    ['31 bytes', 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b'],
    ['one byte', 'a'],
  ])('must not have %s', (_, secret) => {
    expect(() => readSettings({ JWT_SECRET_KEY: secret })).toThrow(/^JWT_SECRET_KEY: .*32/);
  });
});
