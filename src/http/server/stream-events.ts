import { isLarge, JsonPieces } from '../../common/json/write-in-turns.js';
import { StreamedAnswer } from './large-answers.js';

/** A server-sent event. Its type, id and retry contain no line breaks. */
export type ServerSentEvent = { type: string; id?: string; retry?: number; data: object } | { comment: string };

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'private, no-cache, no-store, must-revalidate, max-age=0, no-transform',
  // Keeps nginx from gathering events.
  'X-Accel-Buffering': 'no',
};

/**
 * Answers with events until they end or the reader goes. What is thrown before the first event becomes an answer of its own, and no
 * event at all is a 204; the framework's own streams send their headers before either can be known.
 * @param begin gets a signal that aborts when the reader goes
 */
export function streamEvents(begin: (gone: AbortSignal) => AsyncGenerator<ServerSentEvent>): StreamedAnswer {
  return new StreamedAnswer(headers, async (write, gone) => {
    for await (const event of begin(gone)) await write(await toPieces(event));
  });
}

async function toPieces(event: ServerSentEvent): Promise<Buffer[]> {
  if ('comment' in event) return [Buffer.from(`: ${event.comment}\n\n`)];
  const { type, id, retry, data } = event;
  const lines = [`event: ${type}`, ...(id === undefined ? [] : [`id: ${id}`]), ...(retry === undefined ? [] : [`retry: ${retry}`])];
  const json = new JsonPieces().text(`${lines.join('\n')}\ndata: `);
  if (isLarge(data)) await json.object(data);
  else json.text(JSON.stringify(data));
  return json.text('\n\n').end();
}
