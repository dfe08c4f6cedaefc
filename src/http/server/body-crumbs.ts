import { type IncomingMessage } from 'node:http';

/** The chunks of a body that are looked at together. */
const window = 4_096;
/** On average of a window. To the event loop a chunk costs about as much as many bytes; its sender pays six. */
const fewestBytes = 16;

interface Chunks {
  count: number;
  bytes: number;
  areTooSmall: boolean;
}

const chunksOf = new WeakMap<IncomingMessage, Chunks>();

/**
 * Counts a chunk of a body (`Transfer-Encoding: chunked`): in chunks of one byte each, 10 MB would hold the event loop for seconds.
 * @returns whether those of the body are too small, with this one
 */
export function addChunk(request: IncomingMessage, bytes: number): boolean {
  if (request.headers['transfer-encoding'] === undefined) return false;
  const chunks = chunksOf.get(request) ?? { count: 0, bytes: 0, areTooSmall: false };
  chunksOf.set(request, chunks);
  chunks.bytes += bytes;
  if (++chunks.count === window) {
    chunks.areTooSmall ||= chunks.bytes < window * fewestBytes;
    [chunks.count, chunks.bytes] = [0, 0];
  }
  return chunks.areTooSmall;
}
