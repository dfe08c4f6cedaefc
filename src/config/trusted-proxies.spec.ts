import { InvalidSettingsError } from './settings-reader.js';
import { readSettings } from './settings.js';

describe('TRUST_PROXY', () => {
  it('trusts nobody by default, and nobody when empty', () => {
    expect(readSettings({}).trustProxy).toEqual({ hops: 0 });
    expect(readSettings({ TRUST_PROXY: '' }).trustProxy).toEqual({ hops: 0 });
  });

  it('takes a hop count as a number', () => {
    expect(readSettings({ TRUST_PROXY: '1' }).trustProxy).toEqual({ hops: 1 });
    expect(readSettings({ TRUST_PROXY: ' 2 ' }).trustProxy).toEqual({ hops: 2 });
  });

  it.each(['10.0.0.0/8', '10.0.0.0/8, fd00::/8,192.0.2.7', '::1', '2001:db8::/32'])('takes the networks %s', text => {
    expect(readSettings({ TRUST_PROXY: text }).trustProxy).toHaveProperty('networks');
  });

  it.each([
    'true',
    'false',
    'yes',
    '*',
    'all',
    'loopback',
    '-1',
    '1.5',
    '33',
    '1e1',
    '１',
    '1,2',
    '10.0.0.0/8 fd00::/8',
    '10.0.0.0/8,',
    '0.0.0.0/0',
    '::/0',
    '10.0.0.0/33',
    'fd00::/129',
    '10.0.0/8',
    '10.0.0.0/',
    '10.0.0.0/x',
    'fe80::1%eth0',
    'proxy.example.com',
    '300.0.0.0/8',
  ])('refuses %s at start', text => {
    // prettier-ignore
    expect(() => readSettings({ TRUST_PROXY: text })).toThrow(InvalidSettingsError);
  });
});

describe('REDIS_URL', () => {
  it('takes redis and rediss', () => {
    expect(readSettings({ REDIS_URL: 'redis://127.0.0.1:6379/1' }).redisUrl).toBe('redis://127.0.0.1:6379/1');
    expect(readSettings({ REDIS_URL: 'rediss://user:word@redis.example.com' }).redisUrl).toBeDefined();
    expect(readSettings({}).redisUrl).toBeUndefined();
  });

  it.each(['127.0.0.1:6379', 'http://127.0.0.1', 'redis', '//host'])('refuses %s, without repeating it', text => {
    expect(() => readSettings({ REDIS_URL: text })).toThrow(InvalidSettingsError);
    expect(() => readSettings({ REDIS_URL: 'canary-word@' })).not.toThrow(/canary/);
  });
});
