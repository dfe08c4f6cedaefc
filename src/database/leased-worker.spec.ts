import { SchemaError } from '../common/errors/api-error.js';
import { createLog } from '../common/logging/log.js';
import { RunFailure } from '../common/errors/run-failure.js';
import { type Settings } from '../config/settings.js';
import { type Interruption, LeasedWorker, type WorkEnd } from './leased-worker.js';
import { type ServicePool } from './service-pool.js';

interface Piece {
  id: number;
}

/** Has one piece of work, which lasts until it is interrupted, and whose claim lasts until `claimed` is called. */
class OnePieceWorker extends LeasedWorker<Piece, object> {
  readonly events: string[] = [];
  readonly counted: WorkEnd[] = [];
  claimed = (): void => undefined;
  private isLeft = true;

  constructor(log = createLog('silent')) {
    super('piece of work', {} as ServicePool, { worker: 'on' } as unknown as Settings, log);
  }

  protected async claimNext(): Promise<{ claimed: Piece; attempt: number; isCancelled: boolean } | null> {
    if (!this.isLeft) return null;
    this.isLeft = false;
    await new Promise<void>(resolve => (this.claimed = resolve));
    return { claimed: { id: 1 }, attempt: 1, isCancelled: false };
  }

  protected renewLease(): Promise<{ isCancelled: boolean } | null> {
    return Promise.resolve({ isCancelled: false });
  }

  protected carryOut(_claimed: Piece, _report: object, { signal }: Interruption): Promise<void> {
    this.events.push('began');
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  }

  protected end(_claimed: Piece, status: string): Promise<void> {
    this.events.push(status);
    return Promise.resolve();
  }

  protected release(_claimed: Piece, returned: 0 | 1): Promise<'released'> {
    this.events.push(`released, with ${returned} attempt returned`);
    return Promise.resolve('released');
  }

  protected count(end: WorkEnd): void {
    this.counted.push(end);
  }

  protected toFailure(): RunFailure {
    return new RunFailure('failed', { zh: '失败', en: 'failed' });
  }
}

/** Has one piece of work, which fails at once with `error`. */
class FailingWorker extends OnePieceWorker {
  readonly lines: Record<string, unknown>[];
  private readonly failure: Error;

  constructor(error: Error) {
    const lines: Record<string, unknown>[] = [];
    super(createLog('info', { destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) } }));
    this.lines = lines;
    this.failure = error;
  }

  protected override carryOut(): Promise<void> {
    return Promise.reject(this.failure);
  }

  protected override idsOf({ id }: Piece): Record<string, number> {
    return { id, graph: 7 };
  }

  protected override toFailure(error?: unknown): RunFailure {
    return error instanceof RunFailure ? error : super.toFailure();
  }
}

/** Loses its lease, and its statement then ends with an error of the database. */
class LosingWorker extends OnePieceWorker {
  protected override renewLease(): Promise<null> {
    return Promise.resolve(null);
  }

  protected override carryOut(_claimed: Piece, _report: object, { signal }: Interruption): Promise<void> {
    const cancelled = Object.assign(new Error('canceling statement due to user request'), { code: '57014' });
    return new Promise((_, reject) => signal.addEventListener('abort', () => reject(cancelled)));
  }
}

async function failed(error: Error): Promise<FailingWorker> {
  const worker = new FailingWorker(error);
  const woken = worker.wake();
  worker.claimed();
  await woken;
  await worker.beforeApplicationShutdown();
  return worker;
}

describe('LeasedWorker', () => {
  it('writes one line about work that fails, with its ids, code and sentence, and counts it', async () => {
    const worker = await failed(new RunFailure('too_many_errors', { zh: '太多', en: 'too many' }, { sample: 'a value' }));
    expect(worker.lines).toEqual([
      { level: 40, time: expect.any(String), kind: 'piece of work', id: 1, graph: 7, code: 'too_many_errors', sentence: '太多 / too many', msg: 'Work failed' }, // prettier-ignore
    ]);
    expect([worker.counted, worker.events]).toEqual([['failed'], ['failed']]);
  });

  it('adds the cause to the line about an error that nobody foresaw', async () => {
    const { lines } = await failed(new TypeError('x is undefined'));
    expect(lines).toEqual([expect.objectContaining({ code: 'failed', cause: expect.objectContaining({ type: 'TypeError' }) })]);
  });

  it('writes the sentence of a refused request without its problems, which may quote values (risk: values in the log)', async () => {
    const problem = { loc: ['body'], text: { zh: '值 张三', en: 'the value Alice' }, type: 'wrong' };
    const { lines } = await failed(new SchemaError([problem]));
    expect(JSON.stringify(lines)).not.toMatch(/Alice|张三/);
    expect(lines).toHaveLength(1);
  });

  it('puts back what is under way when it stops', async () => {
    const worker = new OnePieceWorker();
    const woken = worker.wake();
    worker.claimed();
    await woken;
    await worker.beforeApplicationShutdown();
    expect(worker.events).toEqual(['began', 'released, with 1 attempt returned']);
    expect(worker.counted).toEqual(['released']);
  });

  it('neither counts nor records work whose lease is lost (risk: the worker that took it over records the end)', async () => {
    const worker = new LosingWorker();
    const woken = worker.wake();
    worker.claimed();
    await woken;
    await worker.beat();
    await worker.untilEnd(1, 1_000);
    expect([worker.counted, worker.events]).toEqual([[], []]);
  });

  it('tells who waits for its end at once', async () => {
    const worker = new OnePieceWorker();
    const woken = worker.wake();
    worker.claimed();
    await woken;
    await worker.untilEnd(1, 10.5);
    const told = worker.untilEnd(1, 60_000).then(() => worker.events.at(-1));
    await worker.beforeApplicationShutdown();
    expect(await told).toBe('released, with 1 attempt returned');
  });

  it('puts back work that it claims while it stops, and begins none of it', async () => {
    const worker = new OnePieceWorker();
    const woken = worker.wake();
    let hasStopped = false;
    const stopping = worker.beforeApplicationShutdown().then(() => (hasStopped = true));
    await new Promise(setImmediate);
    expect(hasStopped).toBe(false);
    worker.claimed();
    await Promise.all([woken, stopping]);
    expect(worker.events).toEqual(['released, with 1 attempt returned']);
  });
});
