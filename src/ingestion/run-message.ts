import { type RunFailure } from '../common/errors/run-failure.js';
import { type RunReport } from './run/run-report.js';

/**
 * The kind of jobs among the targets of schedules and webhooks. The database removes schedules and webhooks of this kind together with
 * their job.
 */
export const jobKind = 'ingestion_job';

export const jobTarget = (jobId: number) => ({ kind: jobKind, targetId: jobId });

/** The events of a job that its webhooks can report. */
export const runEvents = ['run.succeeded', 'run.failed', 'run.cancelled'];

/** The most characters of a sentence in a message. A sentence may contain names from the mapping, which may be long. */
const maxSentence = 1_000;

interface EndedRun {
  id: number;
  job_id: number;
  graph_id: number;
  status: string;
  report: Partial<RunReport>;
}

/** The facts of an ended run that webhooks report: counts and states, but no values of rows. */
export function runMessage({ id, job_id, graph_id, status, report }: EndedRun, failure: RunFailure | null): Record<string, unknown> {
  return {
    run_id: id,
    job_id,
    graph_id,
    status,
    graph_version: status === 'succeeded' ? (report.graph_version ?? null) : null,
    totals: report.totals ?? null,
    error: failure && { code: failure.code, zh: failure.text.zh.slice(0, maxSentence), en: failure.text.en.slice(0, maxSentence) },
    location: `/api/ingestion/runs/${id}`,
  };
}
