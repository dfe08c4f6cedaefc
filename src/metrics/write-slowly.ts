import { once } from 'node:events';
import { type Writable } from 'node:stream';
import { ExportStalledError } from './metrics.errors.js';

/**
 * Writes a piece, and waits until the reader has taken what was written.
 * @throws ExportStalledError after `patienceMs`; the signal's reason when it aborts
 */
export async function writeSlowly(
  to: Writable,
  piece: string,
  { patienceMs, signal }: { patienceMs: number; signal: AbortSignal },
): Promise<void> {
  signal.throwIfAborted();
  if (to.write(piece)) return;
  const stalled = new AbortController();
  const timer = setTimeout(() => stalled.abort(new ExportStalledError()), patienceMs);
  const end = AbortSignal.any([signal, stalled.signal]);
  try {
    await once(to, 'drain', { signal: end });
  } catch (error) {
    end.throwIfAborted();
    throw error;
  } finally {
    clearTimeout(timer);
  }
}
