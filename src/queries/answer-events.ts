import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { toErrorBody } from '../common/errors/error-body.js';
import { toApiError } from '../common/errors/to-api-error.js';

const heartbeatMs = 10_000;

/**
 * An event of an answer under way: `answer` with its rows before they are put into words, a `sentence` each, then `end` with all of it,
 * or `error` with what the same request would have got. A comment keeps a quiet stream open.
 */
export type AnswerEvent = { type: 'answer' | 'sentence' | 'end' | 'error'; data: object } | { comment: string };

/**
 * Gives the events of work while it goes on. Whoever goes does not end the work.
 * @param begin begins the work, which pushes events and ends with the data of the last one
 * @throws what the work throws before the first event
 */
export async function* answerEvents(
  log: Logger,
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
  const work = begin(push)
    .then(
      data => {
        push({ type: 'end', data });
        return null;
      },
      (thrown: unknown) => ({ thrown }),
    )
    .finally(() => {
      isOver = true;
      wake();
    });
  let sent = 0;
  while (!gone.aborted) {
    for (let event = events.shift(); event; event = events.shift()) {
      sent += 1;
      yield event;
    }
    if (isOver) break;
    if (await isQuiet(new Promise(resolve => (wake = resolve)), gone)) events.push({ comment: 'alive' });
  }
  const failure = gone.aborted ? null : await work;
  if (!failure) return;
  if (sent === 0) throw failure.thrown as Error;
  yield errorEvent(log, failure.thrown);
}

/** Whether nothing happens for so long that the reader should hear of it. */
async function isQuiet(woken: Promise<void>, gone: AbortSignal): Promise<boolean> {
  const over = new AbortController();
  const wait = sleep(heartbeatMs, true, { signal: AbortSignal.any([gone, over.signal]) }).catch(() => false);
  try {
    return await Promise.race([woken.then(() => false), wait]);
  } finally {
    over.abort();
  }
}

/** The filter of errors does not see what comes after the head of an answer. */
function errorEvent(log: Logger, thrown: unknown): AnswerEvent {
  const error = toApiError(thrown);
  if (error.status === 500) log.error({ cause: error.cause ?? thrown, code: error.code }, 'An answer in events failed');
  return { type: 'error', data: { status: error.status, retry_after_s: error.retryAfterS, body: toErrorBody(error, false) } };
}
