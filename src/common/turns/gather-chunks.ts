import { type IncomingMessage } from 'node:http';

/** The chunks of a body that are looked at together. */
const window = 4_096;
/** On average of a window. To the event loop a chunk costs about as much as many bytes; its sender pays six. */
const fewestBytes = 16;

/**
 * Passes on the chunks of a message's body (`Transfer-Encoding: chunked`) once a turn of the event loop. To parse one costs a tenth of
 * what it costs to read it from the stream. In chunks of one byte each, 10 MB would even then hold the event loop for seconds.
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
      // The end is kept back as well, so that nobody takes the body for a whole one.
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

/** Counts a chunk and says whether it ends a window of chunks that are too small on average. */
function isTooSmall(seen: { chunks: number; bytes: number }, bytes: number): boolean {
  seen.bytes += bytes;
  if (++seen.chunks < window) return false;
  const isSmall = seen.bytes < window * fewestBytes;
  [seen.chunks, seen.bytes] = [0, 0];
  return isSmall;
}
