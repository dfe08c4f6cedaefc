import { isLarge, JsonPieces } from '../../common/json/write-in-turns.js';
import { StreamedAnswer } from './large-answers.js';

/** A server-sent event, or a comment. The event's type, id and retry contain no line breaks. */
export type ServerSentEvent = { type: string; id?: string; retry?: number; data: object } | { comment: string };

const headers = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'private, no-cache, no-store, must-revalidate, max-age=0, no-transform',
  // Keeps nginx from buffering events.
  'X-Accel-Buffering': 'no',
};

/**
 * Answers with events until they end or the reader goes. An error before the first event becomes an ordinary error answer, and a stream
 * without events becomes a 204. Nest's own event streams can do neither, because they send their headers at once.
 * @param begin begins the events; its signal aborts when the reader goes
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
  return [Buffer.from(`${lines.join('\n')}\ndata: `), ...(await jsonOf(data)), Buffer.from('\n\n')];
}

/** Cache of the JSON of events, by the data object. Streams that send the same object share its JSON. */
const made = new WeakMap<object, Promise<Buffer[]>>();

function jsonOf(data: object): Promise<Buffer[]> {
  let json = made.get(data);
  if (!json) made.set(data, (json = makeJson(data)));
  return json;
}

async function makeJson(data: object): Promise<Buffer[]> {
  if (!isLarge(data)) return [Buffer.from(JSON.stringify(data))];
  const json = new JsonPieces();
  await json.object(data);
  return json.end();
}
