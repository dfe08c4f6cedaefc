import { createHmac } from 'node:crypto';
import { type Request } from 'express';
import { TokenKey } from '../access/token-key.js';
import { readSettings } from '../config/settings.js';
import { KnownCallersService } from './known-callers.service.js';

const secret = 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b7c8d9e0f1a2b3c4d5';
const showing = (headers: Record<string, string>) => ({ headers }) as unknown as Request;
const signed = (name: string) => `e30.${name}.${createHmac('sha256', secret).update(`e30.${name}`).digest('base64url')}`;
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

describe('known callers', () => {
  let callers: KnownCallersService;
  beforeEach(() => {
    callers = new KnownCallersService(new TokenKey(readSettings({ JWT_SECRET_KEY: secret })));
  });

  it('are those with a recently good credential, and those who show only a token of ours', () => {
    callers.remember(showing({ 'x-api-key': 'good' }), { userId: 1, subject: 'key:1', rateLimit: 60 });
    expect(callers.isLikelyGood(showing({ 'x-api-key': 'good' }))).toBe(true);
    expect(callers.isLikelyGood(showing(bearer(signed('YQ'))))).toBe(true);
    const none: Record<string, string>[] = [
      {},
      { 'x-api-key': 'other' },
      bearer('a.b.c'),
      ...['A', '=', '!', '==xyz', '*%*'].map(junk => bearer(signed('YQ') + junk)),
      bearer(signed('YQ').replace(/.$/, last => String.fromCharCode(last.charCodeAt(0) ^ 1))),
      bearer(signed('YQ').replace('.YQ.', '.YQ.!')),
      bearer(signed('YQ').replace('.YQ.', '.Yg.')),
      { ...bearer(signed('YQ')), 'x-api-key': 'x' },
      { authorization: signed('YQ') },
    ];
    for (const headers of none) expect([headers, callers.isLikelyGood(showing(headers))]).toEqual([headers, false]);
  });

  it('are the same callers in any case of the scheme', () => {
    const lower = (token: string) => ({ authorization: `bearer ${token}` });
    callers.remember(showing(bearer(signed('YQ'))), { userId: 1, subject: 'user:1', rateLimit: 60 });
    expect(callers.find(showing(lower(signed('YQ'))))).toMatchObject({ userId: 1 });
    expect(callers.isLikelyGood(showing(lower(signed('Yg'))))).toBe(true);
    callers.distrust(showing(lower(signed('YQ'))));
    expect([bearer, lower].map(shown => callers.isLikelyGood(showing(shown(signed('YQ')))))).toEqual([false, false]);
  });

  it('are no longer those who took part in a flood', () => {
    callers.remember(showing({ 'x-api-key': 'good' }), { userId: 1, subject: 'key:1', rateLimit: 60 });
    for (const headers of [{ 'x-api-key': 'good' }, bearer(signed('YQ'))]) {
      callers.distrust(showing(headers));
      expect(callers.isLikelyGood(showing(headers))).toBe(false);
    }
    expect(callers.isLikelyGood(showing(bearer(signed('Yg'))))).toBe(true);
  });

  it('are not displaced by junk, however much there is of it', () => {
    callers.remember(showing({ 'x-api-key': 'good' }), { userId: 1, subject: 'key:1', rateLimit: 60 });
    callers.distrust(showing(bearer(signed('ended'))));
    for (let count = 0; count < 50_000; count++) {
      callers.distrust(showing(count % 2 === 0 ? { 'x-api-key': `junk ${count}` } : bearer(`${signed('ended')}=${count}`)));
    }
    expect(callers.isLikelyGood(showing({ 'x-api-key': 'good' }))).toBe(true);
    expect(callers.isLikelyGood(showing(bearer(signed('ended'))))).toBe(false);
  });
});
