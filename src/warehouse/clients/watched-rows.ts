import { SourceSilentError } from './copy-failure.js';

const lineBreak = 0x0a;

/**
 * Passes on bytes of COPY text, and counts the bytes and the rows. Each line break ends a row, since a line break inside a value is
 * escaped. Only the time spent waiting for the next bytes counts as silence: neither the time in which the consumer is busy nor the time
 * before the first bytes counts. The source's own time-out limits the first wait, because a view may have to sort before it answers.
 */
export function watched(silenceMs: number, onBytes: (bytes: Buffer, rows: number) => Promise<void>) {
  return async function* (source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    const chunks = source[Symbol.asyncIterator]();
    try {
      let next = await chunks.next();
      while (!next.done) {
        await onBytes(next.value, countLines(next.value));
        yield next.value;
        next = await unlessSilent(chunks.next(), silenceMs);
      }
    } finally {
      // Destroys the source if the consumer stops early. A silent source may take long to end, so its end is not awaited.
      void chunks.return?.().catch(() => undefined);
    }
  };
}

async function unlessSilent<T>(next: Promise<T>, silenceMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new SourceSilentError(silenceMs)), silenceMs);
  });
  try {
    return await Promise.race([next, silence]);
  } finally {
    clearTimeout(timer);
    next.catch(() => undefined);
  }
}

export function countLines(bytes: Buffer): number {
  let lines = 0;
  for (let at = bytes.indexOf(lineBreak); at !== -1; at = bytes.indexOf(lineBreak, at + 1)) lines++;
  return lines;
}
