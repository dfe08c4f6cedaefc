import { type Readable, type Writable } from 'node:stream';

/**
 * Writes the bytes of `source` to `sink`, and yields the bytes that come out of `output`. Reads from `source` only when the consumer wants
 * more bytes. When the consumer stops, `source` is released at once; `stream.pipeline` would release it only with the next chunk.
 * @param output called repeatedly, since a parser may create its output only later
 * @throws the errors of `source`, and the error of `sink`
 */
export async function* passThrough(
  source: AsyncIterable<Buffer>,
  sink: Writable,
  output: () => Readable | null,
): AsyncGenerator<Buffer, void> {
  let failure: Error | null = null;
  let wake: () => void = () => undefined;
  const watched = new Set<Readable>();
  const fail = (error?: Error | null): void => {
    failure ??= error ?? null;
    wake();
  };
  sink.on('error', fail);

  async function* readUntil(isDone: () => boolean): AsyncGenerator<Buffer, void> {
    for (;;) {
      if (failure) throw failure;
      const stream = output();
      if (stream && !watched.has(stream)) {
        watched.add(stream);
        stream.on('readable', () => wake());
        stream.on('end', () => wake());
      }
      const bytes = stream?.read() as Buffer | null | undefined;
      if (bytes) yield bytes;
      else if (isDone()) return;
      else await new Promise<void>(resolve => (wake = resolve));
    }
  }

  try {
    for await (const chunk of source) {
      let isTaken = false;
      sink.write(chunk, error => {
        isTaken = true;
        fail(error);
      });
      yield* readUntil(() => isTaken);
    }
    let isFinished = false;
    sink.end((error?: Error | null) => {
      isFinished = true;
      fail(error);
    });
    yield* readUntil(() => isFinished && output()?.readableEnded !== false);
  } finally {
    sink.destroy();
  }
}
