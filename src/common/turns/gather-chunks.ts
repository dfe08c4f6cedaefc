import { type IncomingMessage } from 'node:http';

/** The number of chunks of a body whose sizes are averaged. */
const window = 4_096;
/**
 * The least average bytes of a chunk in a window. To the event loop a chunk costs about as much as this many bytes, while its sender pays
 * only six bytes for it.
 */
const fewestBytes = 16;

/**
 * Passes on the chunks of a message's body (`Transfer-Encoding: chunked`) joined, once a turn of the event loop. Parsing a chunk costs a
 * tenth of reading it from the stream. Even so, 10 MB in chunks of one byte each would hold the event loop for seconds.
 * @param refuse called once, instead of passing on the rest, when the chunks are too small
 */
export function gatherChunks(message: IncomingMessage, refuse: () => void): void {
  if (message.headers['transfer-encoding'] === undefined) return;
  const push = message.push.bind(message);
  const seen = { chunks: 0, bytes: 0 };
  let gathered: Buffer[] = [];
  let size = 0;
  const pass = (): void => {
    if (size === 0) return;
    const bytes = gathered.length === 1 ? gathered[0]! : Buffer.concat(gathered, size);
    [gathered, size] = [[], 0];
    push(bytes);
  };
  message.push = (chunk: Buffer | null) => {
    if (chunk === null) {
      pass();
      return push(null);
    }
    if (isTooSmall(seen, chunk.length)) {
      // The end of the body is kept back too. Otherwise a reader would take the body for complete.
      message.push = () => false;
      [gathered, size] = [[], 0];
      refuse();
      return false;
    }
    if (size === 0) setImmediate(pass);
    gathered.push(chunk);
    size += chunk.length;
    return message.readableLength + size < message.readableHighWaterMark;
  };
}

/** Counts a chunk. True if it ends a window whose chunks are too small on average. */
function isTooSmall(seen: { chunks: number; bytes: number }, bytes: number): boolean {
  seen.bytes += bytes;
  if (++seen.chunks < window) return false;
  const isSmall = seen.bytes < window * fewestBytes;
  [seen.chunks, seen.bytes] = [0, 0];
  return isSmall;
}
