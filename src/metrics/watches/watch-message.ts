import { type WatchRow } from './watches.repository.js';

/**
 * The kind of watches among the targets of schedules and webhooks. When a watch is deleted, the database deletes the schedule and the
 * webhook with this kind and its id.
 */
export const watchKind = 'metric_watch';

export const watchTarget = (watchId: number) => ({ kind: watchKind, targetId: watchId });

/** The events of a watch that a webhook can receive. */
export const watchEvents = ['watch.fired', 'watch.recovered', 'watch.failed'];

/** Maximum characters of an error in a message. A longer error is cut: it may contain long names of the formula. */
const maxSentence = 1_000;

/** The event of a check, or null. With `notify: change`, a condition that held before a failed check and holds after it is not an event. */
export function eventOf(before: Pick<WatchRow, 'held' | 'failures'>, after: Pick<WatchRow, 'held' | 'error' | 'notify'>): string | null {
  const isAlways = after.notify === 'always';
  if (after.error !== null) return isAlways || before.failures === 0 ? 'watch.failed' : null;
  if (after.held === true) return isAlways || before.held !== true ? 'watch.fired' : null;
  return before.held === true ? 'watch.recovered' : null;
}

/** The body of a webhook delivery about a check. */
export function watchMessage({
  id,
  metric_id,
  metric,
  graph_id,
  condition,
  held,
  result,
  error,
  failures,
}: WatchRow): Record<string, unknown> {
  const found = error === null ? result : null;
  return {
    watch_id: id,
    metric_id,
    metric,
    graph_id,
    condition,
    held,
    columns: found?.columns ?? null,
    rows: found?.rows ?? null,
    error: error && { code: error.code, zh: error.zh.slice(0, maxSentence), en: error.en.slice(0, maxSentence) },
    failures,
    location: `/api/metrics/${metric_id}/watches/${id}`,
  };
}
