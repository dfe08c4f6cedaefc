import { type Telemetry } from '../telemetry/telemetry.service.js';
import { RetrievalPeer } from './retrieval-peer.js';
import { RetrievalPeers } from './retrieval-peers.js';
import { type RetrievalProcess } from './retrieval-process.js';
import { RetrievalPulse } from './retrieval.pulse.js';

/** A process that never listens. `looked` resolves at the next look of the pulse. */
class SilentProcess implements RetrievalProcess {
  readonly name = 'own';
  readonly isOwn = true;
  readonly generation = 1;
  hasEnded = false;
  private onLook = (): void => undefined;

  get isListening(): boolean {
    setImmediate(this.onLook);
    return false;
  }

  looked(): Promise<void> {
    return new Promise(resolve => (this.onLook = resolve));
  }

  address = () => Promise.reject(new Error('not asked'));
  onEnd = () => undefined;
  connectionBroke = () => Promise.resolve();
  markHanging = () => undefined;
  markAnswering = () => undefined;
}

it('shows no state of a process on its first start, and a 0 once a start has ended', async () => {
  let read: () => [string, number][] = () => [];
  const telemetry = { watchEach: (...[, , , of]: Parameters<Telemetry['watchEach']>) => (read = of) } as unknown as Telemetry;
  const process = new SilentProcess();
  const peer = new RetrievalPeer(process);
  const pulse = new RetrievalPulse(new RetrievalPeers([peer]), telemetry);
  pulse.onApplicationBootstrap();
  try {
    await process.looked();
    expect(read()).toEqual([]);
    process.hasEnded = true;
    await process.looked();
    expect(read()).toEqual([['own', 0]]);
  } finally {
    pulse.onApplicationShutdown();
    peer.close();
  }
});
