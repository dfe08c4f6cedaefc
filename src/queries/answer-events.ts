import { setTimeout as sleep } from 'node:timers/promises';
import { type Logger } from 'pino';
import { type ApiError } from '../common/errors/api-error.js';
import { toErrorBody } from '../common/errors/error-body.js';
import { toApiError } from '../common/errors/to-api-error.js';
import { type AccessLost, accessLost } from '../graphs/event-streams.service.js';

const heartbeatMs = 10_000;
/** The interval, in milliseconds, at which the reader's access to the graph is checked. */
const lookEveryMs = 500;

/**
 * An event of an answer in progress, in this order: `answer` with the rows before they are put into words, a `sentence` for each sentence,
 * and `end` with the whole answer. The remaining events may be replaced by `error`, with the body that the same request would have got, or
 * by `access_lost`, with the reason why the reader may not see the rest. A comment keeps a quiet stream open.
 */
export type AnswerEvent = { type: 'answer' | 'sentence' | 'end' | 'error'; data: object } | AccessLost | { comment: string };

/**
 * Yields the events of work while the work goes on. The work continues even after its reader has disconnected.
 * @param findRefusal checks whether the reader has lost access, and returns the refusal if so
 * @param begin begins the work, which pushes events and resolves with the data of the last event
 * @throws the errors of the work before its first event
 */
export async function* answerEvents(
  log: Logger,
  findRefusal: () => Promise<ApiError | null>,
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
  let sentAt = performance.now();
  while (!gone.aborted) {
    const refusal = await findRefusal();
    if (refusal) {
      yield accessLost(refusal);
      return;
    }
    if (performance.now() - sentAt >= heartbeatMs) events.push({ comment: 'alive' });
    for (let event = events.shift(); event; event = events.shift()) {
      sent += 1;
      yield event;
      sentAt = performance.now();
    }
    if (isOver) break;
    await nextLook(new Promise(resolve => (wake = resolve)), gone);
  }
  const failure = gone.aborted ? null : await work;
  if (!failure) return;
  if (sent === 0) throw failure.thrown as Error;
  yield errorEvent(log, failure.thrown);
}

/** Resolves at the next event, or when the reader's access must be checked again. */
async function nextLook(woken: Promise<void>, gone: AbortSignal): Promise<void> {
  const over = new AbortController();
  const wait = sleep(lookEveryMs, undefined, { signal: AbortSignal.any([gone, over.signal]) }).catch(() => undefined);
  try {
    await Promise.race([woken, wait]);
  } finally {
    over.abort();
  }
}

/** The event for a failure. It is logged here, because the error filter does not see failures after the headers of an answer were sent. */
function errorEvent(log: Logger, thrown: unknown): AnswerEvent {
  const error = toApiError(thrown);
  if (error.status === 500) log.error({ cause: error.cause ?? thrown, code: error.code }, 'An answer in events failed');
  return { type: 'error', data: { status: error.status, retry_after_s: error.retryAfterS, body: toErrorBody(error, false) } };
}
