import { pipeline } from 'node:stream/promises';
import { type Response } from 'express';
import { isLarge, JsonPieces } from '../../common/json/write-in-turns.js';

/** A server-sent event. Its type, id and retry contain no line breaks. */
export type ServerSentEvent = { type: string; id?: string; retry?: number; data: object } | { comment: string };

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'private, no-cache, no-store, must-revalidate, max-age=0, no-transform',
  Connection: 'keep-alive',
  // Keeps nginx from gathering events.
  'X-Accel-Buffering': 'no',
};

/**
 * Sends events until they end or the reader goes. What is thrown before the first event becomes an answer of its own, and no event at
 * all is a 204; the framework's own streams send their headers before either can be known.
 * @param begin gets a signal that aborts when the reader goes
 */
export async function sendEvents(response: Response, begin: (gone: AbortSignal) => AsyncGenerator<ServerSentEvent>): Promise<void> {
  const gone = new AbortController();
  response.once('close', () => gone.abort());
  const events = begin(gone.signal);
  const first = await events.next();
  if (first.done) {
    response.status(204).end();
    return;
  }
  if (response.destroyed) return void events.return(undefined);
  response.writeHead(200, headers);
  if (response.req.method === 'HEAD') {
    await events.return(undefined);
    response.end();
    return;
  }
  try {
    await pipeline(textOf(first.value, events), response);
  } catch (error) {
    if (!gone.signal.aborted) throw error;
  }
}

async function* textOf(first: ServerSentEvent, rest: AsyncGenerator<ServerSentEvent>): AsyncGenerator<string | Buffer> {
  yield* toText(first);
  for await (const event of rest) yield* toText(event);
}

async function* toText(event: ServerSentEvent): AsyncGenerator<string | Buffer> {
  if ('comment' in event) {
    yield `: ${event.comment}\n\n`;
    return;
  }
  const { type, id, retry, data } = event;
  const lines = [`event: ${type}`, ...(id === undefined ? [] : [`id: ${id}`]), ...(retry === undefined ? [] : [`retry: ${retry}`])];
  yield `${lines.join('\n')}\ndata: `;
  if (isLarge(data)) yield* (await new JsonPieces().object(data)).end();
  else yield JSON.stringify(data);
  yield '\n\n';
}
