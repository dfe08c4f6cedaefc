import { EventEmitter } from 'node:events';
import { type Request } from 'express';
import { TokenKey } from '../access/token-key.js';
import { createLog } from '../common/logging/log.js';
import { readSettings } from '../config/settings.js';
import { AdmissionService } from './admission.service.js';
import { ClientAddressService } from './client-address.service.js';
import { KnownCallersService } from './known-callers.service.js';

const settings = readSettings({ JWT_SECRET_KEY: 'b3f1c7a9d2e84f6a90c1b2d3e4f5a6b7c8d9e0f1a2b3c4d5' });

function showing(key: string): Request {
  const res = Object.assign(new EventEmitter(), { writableFinished: false });
  return { headers: { 'x-api-key': key }, socket: { remoteAddress: '192.0.2.1' }, res } as unknown as Request;
}

describe('AdmissionService', () => {
  const callers = new KnownCallersService(new TokenKey(settings));
  for (const [key, userId] of [
    ['a1', 1],
    ['a2', 1],
    ['b', 2],
  ] as const)
    callers.remember(showing(key), { userId, subject: `key:${key}` });
  let admission: AdmissionService;
  let admitted: string[];
  let leave: (() => void)[];

  beforeEach(() => {
    admission = new AdmissionService(callers, new ClientAddressService(settings, createLog('silent')));
    [admitted, leave] = [[], []];
  });

  const ask = (request: Request): Promise<void> =>
    admission.run(request, () => {
      admitted.push(request.headers['x-api-key'] as string);
      return new Promise(resolve => leave.push(resolve));
    });
  const settle = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

  it('lets another user in beside a burst of many keys of one', async () => {
    const asked = Array.from({ length: 100 }, (_, i) => ask(showing(i % 2 === 0 ? 'a1' : 'a2')));
    await settle();
    expect(admitted.length).toBeLessThan(64);
    asked.push(ask(showing('b')), ask(showing('unknown')));
    await settle();
    expect(admitted.slice(-2)).toEqual(['b', 'unknown']);
    for (let one = leave.shift(); one; one = leave.shift()) {
      one();
      await settle();
    }
    await Promise.all(asked);
    expect(admitted).toHaveLength(102);
  });

  it('refuses a request beyond the line of its own caller, and lets others in', async () => {
    const mostAtOnce = 32;
    const asked = Array.from({ length: mostAtOnce + 1_000 }, () => ask(showing('a1')));
    await expect(ask(showing('a2'))).rejects.toMatchObject({ code: 'admission_busy', status: 503, headers: { 'Retry-After': '1' } });
    asked.push(ask(showing('b')));
    await settle();
    expect(admitted.at(-1)).toBe('b');
    for (let left = asked.length; left > 0; left -= leave.length, leave.splice(0).forEach(one => one())) await settle();
    await Promise.all(asked);
  });

  it('forgets a request whose caller has gone while it waited', async () => {
    const asked = Array.from({ length: 64 }, () => ask(showing('a1')));
    const gone = showing('a2');
    const left = ask(gone);
    gone.res!.emit('close');
    await expect(left).rejects.toMatchObject({ code: 'caller_gone' });
    for (let one = leave.shift(); one; one = leave.shift()) {
      one();
      await settle();
    }
    await Promise.all(asked);
    expect(admitted).not.toContain('a2');
  });
});
