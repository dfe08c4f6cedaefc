import { WorkQueue } from './work-queue.js';

describe('WorkQueue', () => {
  const deferred = () => {
    let finish!: () => void;
    const promise = new Promise<void>(resolve => (finish = resolve));
    return { promise, finish };
  };

  it('runs no more at once than it may, lets the rest wait in order, and refuses what is beyond', async () => {
    const queue = new WorkQueue(2, 2, () => new Error('full'));
    const gates = [deferred(), deferred(), deferred(), deferred()];
    const started: number[] = [];
    const runs = gates.map((gate, index) =>
      queue.run(async () => {
        started.push(index);
        await gate.promise;
        return index;
      }),
    );
    await expect(queue.run(() => Promise.resolve(9))).rejects.toThrow('full');
    expect(started).toEqual([0, 1]);
    gates[1]!.finish();
    await runs[1];
    await new Promise(resolve => setImmediate(resolve));
    expect(started).toEqual([0, 1, 2]);
    for (const gate of gates) gate.finish();
    expect(await Promise.all(runs)).toEqual([0, 1, 2, 3]);
  });

  it('goes on after work that fails', async () => {
    const queue = new WorkQueue(1, 1, () => new Error('full'));
    await expect(queue.run(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    await expect(queue.run(() => Promise.resolve(1))).resolves.toBe(1);
  });
});
