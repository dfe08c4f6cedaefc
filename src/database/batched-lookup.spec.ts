import { BatchedLookup } from './batched-lookup.js';

describe('BatchedLookup', () => {
  const records = new Map([
    [1, { id: 1, name: 'a' }],
    [2, { id: 2, name: 'b' }],
  ]);

  function lookup() {
    const batches: number[][] = [];
    let end = (): void => undefined;
    const ended = new Promise<void>(resolve => (end = resolve));
    const batched = new BatchedLookup<number, { id: number; name: string }>(
      async keys => {
        batches.push(keys);
        await ended;
        return keys.flatMap(key => records.get(key) ?? []);
      },
      record => record.id,
    );
    return { batches, batched, end };
  }

  it('answers each caller with its own record, and null where there is none', async () => {
    const { batched, end } = lookup();
    end();
    expect(await Promise.all([2, 9, 1, 2].map(key => batched.get(key)))).toEqual([records.get(2), null, records.get(1), records.get(2)]);
  });

  it('asks once for keys that come together, and again for keys that come while a statement runs', async () => {
    const { batches, batched, end } = lookup();
    const first = Promise.all([batched.get(1), batched.get(1)]);
    while (batches.length === 0) await new Promise(setImmediate);
    const second = Promise.all([batched.get(1), batched.get(2)]);
    end();
    await Promise.all([first, second]);
    expect(batches).toEqual([[1], [1, 2]]);
  });

  it('reports a failed statement to the callers who waited for it, and goes on', async () => {
    let fail = true;
    const batched = new BatchedLookup<number, { id: number }>(
      keys => (fail ? Promise.reject(new Error('gone')) : Promise.resolve(keys.map(id => ({ id })))),
      ({ id }) => id,
    );
    await expect(batched.get(1)).rejects.toThrow('gone');
    fail = false;
    await expect(batched.get(1)).resolves.toEqual({ id: 1 });
  });
});
