import { type Readable } from 'node:stream';
import { UploadAbortedError, UploadStalledError } from '../../warehouse.errors.js';

/** The bytes that a sender must send within `idleMs` of waiting. With fewer bytes the upload ends, and its place goes to the next one. */
const leastBytes = 32 * 1024;

/** The body of a request, with its bytes counted. Reading can stop without closing the socket, which still carries the answer. */
export class Received implements AsyncIterable<Buffer> {
  bytes = 0;

  constructor(
    private readonly body: Readable,
    private readonly idleMs: number,
    /** Called after each chunk. An error that it throws ends the reading. */
    private readonly check: () => void = () => undefined,
  ) {}

  /** @throws UploadAbortedError; UploadStalledError if the sender, and not the table, took too long over the last bytes */
  async *[Symbol.asyncIterator](): AsyncGenerator<Buffer, void> {
    const chunks = this.body.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
    try {
      for (let waitedMs = 0, expected = leastBytes; ;) {
        const askedAt = performance.now();
        const next = await this.within(this.idleMs - waitedMs, chunks.next());
        if (next.done) return;
        waitedMs += performance.now() - askedAt;
        this.bytes += next.value.length;
        if (this.bytes >= expected) [waitedMs, expected] = [0, this.bytes + leastBytes];
        this.check();
        yield next.value;
      }
    } finally {
      // Returning the iterator releases the body, which can then be drained. While the iterator waits for a stalled sender this happens
      // later, so it is not awaited.
      chunks.return?.().catch(() => undefined);
    }
  }

  private async within<T>(ms: number, chunk: Promise<T>): Promise<T> {
    let timer: NodeJS.Timeout | undefined;
    const stalled = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new UploadStalledError(this.idleMs / 1000)), Math.max(0, ms));
    });
    const arrived = chunk.catch((cause: unknown) => {
      throw new UploadAbortedError(cause);
    });
    try {
      return await Promise.race([arrived, stalled]);
    } finally {
      clearTimeout(timer);
    }
  }
}
