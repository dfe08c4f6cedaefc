import { type LookupAddress } from 'node:dns';
import { setImmediate as turn } from 'node:timers/promises';
import { lookingUpFor, Lookups } from './lookups.js';

const place = { address: '10.0.0.1', family: 4 };

describe('lookups of hosts', () => {
  /** The slow lookups under way, each with the function that ends it. */
  let slow: { host: string; end: () => void }[];
  const ask = jest.fn<Promise<LookupAddress[]>, [host: string]>();
  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    slow = [];
    ask.mockReset().mockImplementation(host => {
      if (!host.startsWith('slow')) return Promise.resolve([place]);
      return new Promise(resolve => slow.push({ host, end: () => resolve([place]) }));
    });
  });
  afterEach(() => jest.useRealTimers());

  const begin = (lookups: Lookups, caller: number, host: string) => {
    const found = lookingUpFor(caller, () => lookups.of(host, {}));
    found.catch(() => undefined);
    return found;
  };
  const beginMany = (lookups: Lookups, caller: number) => Array.from({ length: 20 }, () => begin(lookups, caller, `slow.of${caller}`));

  it('hold up no other caller while a slow name server holds them up (risk: one user keeps everybody from connecting)', async () => {
    const lookups = new Lookups(16, ask);
    const all = beginMany(lookups, 1);
    expect(await begin(lookups, 2, 'fast')).toEqual([place]);
    expect(slow).toHaveLength(2);
    while (slow.length > 0) {
      slow.pop()!.end();
      await turn();
    }
    expect(await Promise.all(all)).toHaveLength(20);
  });

  it.each([
    [4, 1],
    [16, 7],
  ])('take, with %s threads, at most %s of the half that Node gives them, and the service finds one free', async (threads, most) => {
    const lookups = new Lookups(threads, ask);
    for (let caller = 1; caller <= 10; caller++) void beginMany(lookups, caller);
    expect(await lookups.ofOwn('database')).toEqual(['10.0.0.1']);
    expect(slow).toHaveLength(most);
  });

  it('give the first addresses of a name that has thousands', async () => {
    const many = Array.from({ length: 4_000 }, (_, index) => ({ address: `10.0.${index >> 8}.${index & 255}`, family: 4 }));
    expect(await new Lookups(16, () => Promise.resolve(many)).of('many', {})).toEqual(many.slice(0, 32));
  });

  it('wait three seconds for their turn, are then refused, and never begin', async () => {
    const lookups = new Lookups(16, ask);
    const [first, , third] = beginMany(lookups, 1);
    await jest.advanceTimersByTimeAsync(2_999);
    const late = begin(lookups, 1, 'slow.late');
    await jest.advanceTimersByTimeAsync(1);
    await expect(third).rejects.toMatchObject({ status: 503, code: 'lookups_busy', headers: { 'Retry-After': expect.any(String) } });
    slow[0]!.end();
    expect(await first).toEqual([place]);
    await turn();
    expect(slow.map(({ host }) => host)).toEqual(['slow.of1', 'slow.of1', 'slow.late']);
    slow[2]!.end();
    expect(await late).toEqual([place]);
  });

  it('ask once in five seconds for the service itself, and keep to the last answer while there is none', async () => {
    const lookups = new Lookups(4, ask);
    expect(await Promise.all([lookups.ofOwn('database'), lookups.ofOwn('database')])).toEqual([['10.0.0.1'], ['10.0.0.1']]);
    await jest.advanceTimersByTimeAsync(4_999);
    expect(await lookups.ofOwn('database')).toEqual(['10.0.0.1']);
    expect(ask).toHaveBeenCalledTimes(1);
    await jest.advanceTimersByTimeAsync(1);
    ask.mockRejectedValueOnce(new Error('EAI_AGAIN'));
    expect(await lookups.ofOwn('database')).toEqual(['10.0.0.1']);
    expect(ask).toHaveBeenCalledTimes(2);
    await jest.advanceTimersByTimeAsync(5_000);
    ask.mockResolvedValueOnce([{ address: '10.0.0.2', family: 4 }]);
    expect(await lookups.ofOwn('database')).toEqual(['10.0.0.2']);
    expect(await lookups.ofOwn('10.9.9.9')).toEqual(['10.9.9.9']);
    expect(ask).toHaveBeenCalledTimes(3);
  });
});
