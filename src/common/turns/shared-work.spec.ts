import { ApiError } from '../errors/api-error.js';
import { SharedWork } from './shared-work.js';

class ShareUsedUpError extends ApiError {
  constructor() {
    super(503, 'retrieval_busy', { zh: '忙', en: 'busy' });
  }
}

describe('shared work', () => {
  const stays = new AbortController().signal;

  /** Work that ends when the test says so. */
  function aWork() {
    const state = { began: 0, aborted: 0, end: (_: string | Error) => undefined as void };
    const gate = new Promise<string>(
      (resolve, reject) => (state.end = value => (typeof value === 'string' ? resolve(value) : reject(value))),
    );
    const begin = (signal: AbortSignal): Promise<string> => {
      state.began++;
      signal.addEventListener('abort', () => state.aborted++);
      return Promise.race([
        gate,
        new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error))),
      ]);
    };
    return { state, begin };
  }

  it('is done once for all who ask meanwhile, and anew for who asks later', async () => {
    const [work, { state, begin }] = [new SharedWork<string>(), aWork()];
    const answers = [1, 2, 3].map(caller => work.join('a', caller, begin, stays));
    const other = work.join('b', 1, () => Promise.resolve('other'), stays);
    state.end('x');
    expect([await Promise.all(answers), await other, state.began]).toEqual([['x', 'x', 'x'], 'other', 1]);
    await work.join('a', 1, begin, stays);
    expect(state.began).toBe(2);
  });

  it('goes on for those who stay, and stops when the last one leaves', async () => {
    const [work, { state, begin }] = [new SharedWork<string>(), aWork()];
    const leaving = [new AbortController(), new AbortController()];
    const asked = leaving.map(({ signal }, caller) => work.join('a', caller, begin, signal));
    leaving[0]!.abort(new Error('gone'));
    await expect(asked[0]).rejects.toThrow('gone');
    expect(state.aborted).toBe(0);
    leaving[1]!.abort(new Error('gone too'));
    await expect(asked[1]).rejects.toThrow('gone too');
    expect(state.aborted).toBe(1);
    // A new caller does not join work that has stopped.
    expect(await work.join('a', 3, () => Promise.resolve('new'), stays)).toBe('new');
  });

  it('fails for all who joined, but a caller without a share fails alone', async () => {
    const ask = async (error: Error) => {
      const [work, { state, begin }] = [new SharedWork<string>(), aWork()];
      const own = () => Promise.resolve('own');
      const asked = [work.join('a', 1, begin, stays), work.join('a', 1, own, stays), work.join('a', 2, own, stays)];
      await new Promise(setImmediate);
      state.end(error);
      return (await Promise.allSettled(asked)).map(({ status }) => status);
    };
    expect(await ask(new Error('no such column'))).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await ask(new ShareUsedUpError())).toEqual(['rejected', 'rejected', 'fulfilled']);
  });

  it('is not begun by a caller who has gone', async () => {
    const { state, begin } = aWork();
    await expect(new SharedWork<string>().join('a', 1, begin, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
    expect(state.began).toBe(0);
  });
});
