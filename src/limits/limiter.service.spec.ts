import { type ThrottlerStorage } from '@nestjs/throttler';
import { type Response } from 'express';
import { readSettings } from '../config/settings.js';
import { type Charge, windowMs } from './charge.js';
import { LimiterService } from './limiter.service.js';
import { LimitsUnavailableError, TooManyRequestsError } from './limits.errors.js';
import { MemoryStorage } from './storage/memory.storage.js';

const charge: Charge = { name: 'login', limit: 3, subject: 'a' };

/** The part of a response that the limiter uses. */
function aResponse(): { response: Response; headers: string[] } {
  const headers: string[] = [];
  return { headers, response: { appendHeader: (name: string, value: string) => headers.push(`${name}: ${value}`) } as unknown as Response };
}

/** The memory storage behind a network with a latency of `delayMs` in each direction. */
function remote(delayMs: number): ThrottlerStorage & { asked: number } {
  const memory = new MemoryStorage();
  const storage = {
    asked: 0,
    async increment(...request: Parameters<ThrottlerStorage['increment']>) {
      storage.asked += 1;
      jest.advanceTimersByTime(delayMs);
      const record = await memory.increment(...request);
      jest.advanceTimersByTime(delayMs);
      return record;
    },
  };
  return storage;
}

describe('LimiterService', () => {
  beforeEach(() => void jest.useFakeTimers({ doNotFake: ['nextTick', 'queueMicrotask'] }));
  afterEach(() => void jest.useRealTimers());

  const limiterOn = (storage: ThrottlerStorage, environment = {}) => new LimiterService(storage, readSettings(environment));

  it('asks the storage nothing about a client that is known to be blocked', async () => {
    const storage = remote(5);
    const limiter = limiterOn(storage);
    for (let count = 0; count < 3; count++) await limiter.admit(charge, aResponse().response);
    for (let count = 0; count < 50; count++)
      await expect(limiter.admit(charge, aResponse().response)).rejects.toThrow(TooManyRequestsError);
    expect(storage.asked).toBe(4);
    expect(limiter.isBlocked(charge)).toBe(true);
    expect(limiter.isBlocked({ ...charge, subject: 'b' })).toBe(false);
    expect(limiter.isBlocked({ ...charge, limit: 4 })).toBe(false);
  });

  it('admits at the first possible moment, however slow the answer that gave it', async () => {
    const limiter = limiterOn(remote(700));
    const startedAt = performance.now();
    for (let count = 0; count < 3; count++) await limiter.admit(charge, aResponse().response);
    await expect(limiter.admit(charge, aResponse().response)).rejects.toThrow(TooManyRequestsError);
    // The first hit was counted 700 ms after the start, and the next hit also needs 700 ms to reach the storage.
    jest.advanceTimersByTime(startedAt + windowMs - performance.now());
    await limiter.admit(charge, aResponse().response);
  });

  it('names the policy, the requests left, and the whole seconds until there is one more', async () => {
    const limiter = limiterOn(new MemoryStorage());
    const first = aResponse();
    await limiter.admit(charge, first.response);
    expect(first.headers).toEqual(['RateLimit-Policy: "login";q=3;w=60', 'RateLimit: "login";r=2;t=60']);
    jest.advanceTimersByTime(17_001);
    await limiter.admit(charge, aResponse().response);
    await limiter.admit(charge, aResponse().response);
    const refused = aResponse();
    const error = await limiter.admit(charge, refused.response).catch((thrown: unknown) => thrown as TooManyRequestsError);
    expect(refused.headers).toEqual(['RateLimit-Policy: "login";q=3;w=60', 'RateLimit: "login";r=0;t=43']);
    expect(error).toMatchObject({
      status: 429,
      headers: { 'Retry-After': '43' },
      context: { bucket: 'login', limit: 3, retry_after_s: 43 },
    });
  });

  it('refuses everybody while the storage fails', async () => {
    const limiter = limiterOn({ increment: () => Promise.reject(new Error('connection to secret-host lost')) });
    const error = await limiter.admit(charge, aResponse().response).catch((thrown: unknown) => thrown as LimitsUnavailableError);
    expect(error).toBeInstanceOf(LimitsUnavailableError);
    expect(error).toMatchObject({ status: 500, code: 'limits_unavailable' });
    expect((error as Error).message).not.toContain('secret-host');
  });

  it('multiplies every limit by RATE_LIMIT_SCALE, and says so', async () => {
    const limiter = limiterOn(new MemoryStorage(), { RATE_LIMIT_SCALE: '10' });
    const { response, headers } = aResponse();
    await limiter.admit(charge, response);
    expect(headers[0]).toBe('RateLimit-Policy: "login";q=30;w=60');
  });
});
