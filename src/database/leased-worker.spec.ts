import { createLog } from '../common/logging/log.js';
import { RunFailure } from '../common/errors/run-failure.js';
import { type Settings } from '../config/settings.js';
import { type Interruption, LeasedWorker } from './leased-worker.js';
import { type ServicePool } from './service-pool.js';

interface Piece {
  id: number;
}

/** Has one piece of work, which lasts until it is interrupted, and whose claim lasts until `claimed` is called. */
class OnePieceWorker extends LeasedWorker<Piece, object> {
  readonly events: string[] = [];
  claimed = (): void => undefined;
  private isLeft = true;

  constructor() {
    super('piece of work', {} as ServicePool, { worker: 'on' } as unknown as Settings, createLog('silent'));
  }

  protected async claimNext(): Promise<{ claimed: Piece; attempt: number; isCancelled: boolean } | null> {
    if (!this.isLeft) return null;
    this.isLeft = false;
    await new Promise<void>(resolve => (this.claimed = resolve));
    return { claimed: { id: 1 }, attempt: 1, isCancelled: false };
  }

  protected renewLease(): Promise<{ isCancelled: boolean }> {
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

  protected release(_claimed: Piece, returned: 0 | 1): Promise<void> {
    this.events.push(`released, with ${returned} attempt returned`);
    return Promise.resolve();
  }

  protected toFailure(): RunFailure {
    return new RunFailure('failed', { zh: '失败', en: 'failed' });
  }
}

describe('LeasedWorker', () => {
  it('puts back what is under way when it stops', async () => {
    const worker = new OnePieceWorker();
    const woken = worker.wake();
    worker.claimed();
    await woken;
    await worker.beforeApplicationShutdown();
    expect(worker.events).toEqual(['began', 'released, with 1 attempt returned']);
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
