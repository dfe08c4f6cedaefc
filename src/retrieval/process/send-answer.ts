import { once } from 'node:events';
import { type ServerResponse } from 'node:http';
import { headers, protocolVersion, type RetrievalFailure } from '../protocol.js';

/** An answer of at most this many bytes is sent only when it is complete, with its length. */
const heldBytes = 524_288;
const json = 'application/json; charset=utf-8';

/** Sends a whole answer, unless an answer has already begun: a stopping process may have answered. */
export function send(response: ServerResponse, status: number, pieces: Uint8Array[]): void {
  if (response.headersSent || response.destroyed) return;
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  response.writeHead(status, { 'Content-Type': json, 'Content-Length': length, [headers.version]: protocolVersion });
  for (const piece of pieces) response.write(piece);
  response.end();
}

/** Sends a failure: as the answer, or as a trailer if an answer has already begun. */
export function sendFailure(response: ServerResponse, failure: RetrievalFailure): void {
  const body = Buffer.from(JSON.stringify(failure));
  if (!response.headersSent) {
    send(response, failure.status, [body]);
  } else if (!response.writableEnded) {
    response.addTrailers({ [headers.failure]: body.toString('base64') });
    response.end();
  }
}

/**
 * Sends an answer piece by piece while it is written. The next piece is written only after the caller has read enough.
 * @throws what `pieces` throws, and the signal's reason once it has aborted
 */
export async function sendPieces(response: ServerResponse, pieces: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  const held: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.length;
    signal.throwIfAborted();
    if (response.headersSent) {
      await write(response, piece, signal);
      continue;
    }
    held.push(piece);
    if (bytes <= heldBytes) continue;
    response.writeHead(200, { 'Content-Type': json, [headers.version]: protocolVersion, Trailer: headers.failure });
    for (const first of held) await write(response, first, signal);
  }
  if (response.headersSent) response.end();
  else send(response, 200, held);
}

async function write(response: ServerResponse, piece: Uint8Array, signal: AbortSignal): Promise<void> {
  if (response.writableEnded) throw new Error('The answer was ended by the stop of the process');
  if (response.write(piece)) return;
  await once(response, 'drain', { signal }).catch((error: unknown) => {
    signal.throwIfAborted();
    throw error;
  });
}
