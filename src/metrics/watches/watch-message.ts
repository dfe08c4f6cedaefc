import { type WatchRow } from './watches.repository.js';

/** The kind of watches among the targets of schedules and webhooks. The database removes those of this kind with their watches. */
export const watchKind = 'metric_watch';

export const watchTarget = (watchId: number) => ({ kind: watchKind, targetId: watchId });

/** The events that a watch can tell of. */
export const watchEvents = ['watch.fired', 'watch.recovered', 'watch.failed'];

/** An error may hold names of the formula, which may be long. */
const maxSentence = 1_000;

/** The event that a check causes, or null. A condition that held before a failed check and still holds does not fire anew. */
export function eventOf(before: Pick<WatchRow, 'held' | 'failures'>, after: Pick<WatchRow, 'held' | 'error' | 'notify'>): string | null {
  const isAlways = after.notify === 'always';
  if (after.error !== null) return isAlways || before.failures === 0 ? 'watch.failed' : null;
  if (after.held === true) return isAlways || before.held !== true ? 'watch.fired' : null;
  return before.held === true ? 'watch.recovered' : null;
}

/** The facts of a check, for the webhook. */
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
