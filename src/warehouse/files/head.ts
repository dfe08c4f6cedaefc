/** Reads chunks until they have at least `least` bytes together, or until the source ends. */
export async function takeHead(chunks: AsyncIterator<Buffer>, least: number): Promise<Buffer[]> {
  const head: Buffer[] = [];
  for (let size = 0; size < least;) {
    const next = await chunks.next();
    if (next.done) break;
    head.push(next.value);
    size += next.value.length;
  }
  return head;
}

/** Yields the chunks of `head` and then those of `rest`, without the first `skipped` bytes. */
export async function* resume(head: Buffer[], skipped: number, rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer, void> {
  try {
    let left = skipped;
    for (const chunk of head.splice(0)) {
      if (chunk.length > left) yield chunk.subarray(left);
      left = Math.max(0, left - chunk.length);
    }
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}
