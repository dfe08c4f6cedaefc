import { type Readable } from 'node:stream';
import { UploadAbortedError, UploadStalledError } from '../../warehouse.errors.js';

/**
 * The bytes that a sender must send within `idleMs` of waiting. With fewer bytes the upload ends, which frees its place for another upload.
 */
const leastBytes = 32 * 1024;

/** The body of a request, with its bytes counted. Reading can stop without closing the socket, on which the answer is still sent. */
export class Received implements AsyncIterable<Buffer> {
  bytes = 0;

  constructor(
    private readonly body: Readable,
    private readonly idleMs: number,
    /** Called after each chunk. An error that it throws ends the reading. */
    private readonly check: () => void = () => undefined,
  ) {}

  /**
   * @throws UploadAbortedError; UploadStalledError if the sender needed too long for the last bytes. The consumer's own time does not count
   */
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
      // Returning the iterator releases the body, which can then be drained. If the iterator still waits for a stalled sender, the release
      // comes later, so it is not awaited.
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
