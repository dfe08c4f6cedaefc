import { type Readable, type Writable } from 'node:stream';

/**
 * The bytes that come out of `output` when those of `source` are written to `sink`. No more is taken from `source` than the reader asks for,
 * and a reader who stops lets go of `source` at once, which `stream.pipeline` does only with its next chunk.
 * @param output is asked again and again, since a parser finds its output only on the way
 * @throws what `source` throws, and the error of `sink`
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
