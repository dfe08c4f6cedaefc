import { once } from 'node:events';
import { type Writable } from 'node:stream';

/**
 * Writes a piece, and resolves when the reader has taken the written bytes.
 * @throws the error that `stalled` makes after `patienceMs`; the signal's reason when it aborts
 */
export async function writeSlowly(
  to: Writable,
  piece: string | Buffer,
  { patienceMs, signal, stalled }: { patienceMs: number; signal: AbortSignal; stalled: () => Error },
): Promise<void> {
  signal.throwIfAborted();
  if (to.write(piece)) return;
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(stalled()), patienceMs);
  const end = AbortSignal.any([signal, late.signal]);
  try {
    await once(to, 'drain', { signal: end });
  } catch (error) {
    end.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
