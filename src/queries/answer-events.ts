import { setTimeout as sleep } from 'node:timers/promises';
import { toErrorBody } from '../common/errors/error-body.js';
import { toApiError } from '../common/errors/to-api-error.js';

const heartbeatMs = 10_000;

/**
 * An event of an answer under way: `answer` with its rows before they are put into words, a `sentence` each, then `end` with all of it,
 * or `error` with what the same request would have got. A comment keeps a quiet stream open.
 */
export type AnswerEvent = { type: 'answer' | 'sentence' | 'end' | 'error'; data: object } | { comment: string };

/**
 * Gives the events of work while it goes on.
 * @param begin begins the work, which pushes events and ends with the data of the last one
 * @throws what the work throws before the first event
 */
export async function* answerEvents(
  begin: (push: (event: AnswerEvent) => void) => Promise<object>,
  gone: AbortSignal,
): AsyncGenerator<AnswerEvent> {
  const events: AnswerEvent[] = [];
  let wake = (): void => undefined;
  const push = (event: AnswerEvent): void => {
    events.push(event);
    wake();
  };
  let isOver = false;
  let sent = 0;
  let failure: unknown;
  void begin(push)
    .then(
      data => events.push({ type: 'end', data }),
      (error: unknown) => (failure = error),
    )
    .finally(() => {
      isOver = true;
      wake();
    });
  while (!gone.aborted) {
    for (let event = events.shift(); event; event = events.shift()) {
      sent += 1;
      yield event;
    }
    if (isOver) break;
    const woken = new Promise<'woken'>(resolve => (wake = () => resolve('woken')));
    const quiet = new AbortController();
    const first = await Promise.race([
      woken,
      sleep(heartbeatMs, 'quiet' as const, { signal: AbortSignal.any([gone, quiet.signal]) }).catch(() => 'gone' as const),
    ]);
    quiet.abort();
    if (first === 'quiet') events.push({ comment: 'alive' });
  }
  if (failure === undefined || gone.aborted) return;
  if (sent === 0) throw failure as Error;
  const error = toApiError(failure);
  yield { type: 'error', data: { status: error.status, body: toErrorBody(error, false) } };
}
