import { Batcher } from './batcher.js';

/** Makes a batcher whose statements run until the test calls their `end` or `fail`. */
function held(options?: ConstructorParameters<typeof Batcher>[1]) {
  const batches: { items: number[]; end: () => void; fail: (error: Error) => void }[] = [];
  const batcher = new Batcher<number, string>(
    items => new Promise((resolve, reject) => batches.push({ items, end: () => resolve(items.map(String)), fail: reject })),
    options,
  );
  return { batcher, batches, items: () => batches.map(batch => batch.items) };
}

/** Lets a batch begin that is due. */
const turns = async (): Promise<void> => {
  for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
};

describe('Batcher', () => {
  afterEach(() => jest.useRealTimers());

  it('takes items of one turn together, and later items into the next batch', async () => {
    const { batcher, batches, items } = held();
    const first = Promise.all([batcher.add(1), batcher.add(2)]);
    await turns();
    const second = Promise.all([batcher.add(3), batcher.add(1)]);
    await turns();
    expect(items()).toEqual([[1, 2]]);
    batches[0]!.end();
    expect(await first).toEqual(['1', '2']);
    await turns();
    batches[1]!.end();
    expect(await second).toEqual(['3', '1']);
    expect(items()).toEqual([
      [1, 2],
      [3, 1],
    ]);
  });

  it('starts the next statement beside a slow one, and no more than its width', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    const { batcher, batches, items } = held({ width: 2, patienceMs: 300 });
    const answers = [batcher.add(0)];
    await turns();
    answers.push(batcher.add(1));
    jest.advanceTimersByTime(299);
    await turns();
    expect(items()).toEqual([[0]]);
    jest.advanceTimersByTime(1);
    await turns();
    expect(items()).toEqual([[0], [1]]);
    answers.push(batcher.add(2));
    jest.advanceTimersByTime(10_000);
    await turns();
    expect(items()).toEqual([[0], [1]]);
    batches[1]!.end();
    await turns();
    expect(items()).toEqual([[0], [1], [2]]);
    for (const { end } of batches) end();
    expect(await Promise.all(answers)).toEqual(['0', '1', '2']);
    // The slow statements have ended, so statements run one at a time again.
    const later = [batcher.add(7)];
    await turns();
    later.push(batcher.add(8));
    await turns();
    expect(items().slice(3)).toEqual([[7]]);
    batches[3]!.end();
    await turns();
    batches[4]!.end();
    expect(await Promise.all(later)).toEqual(['7', '8']);
  });

  it('reports an error to everyone in its batch and to nobody else', async () => {
    const { batcher, batches } = held();
    const failed = Promise.allSettled([batcher.add(1), batcher.add(2)]);
    await turns();
    const next = batcher.add(3);
    batches[0]!.fail(new Error('gone'));
    expect((await failed).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await turns();
    batches[1]!.end();
    expect(await next).toBe('3');
  });
});
