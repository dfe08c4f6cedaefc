// Runs ingestion jobs through the API, and watches what they take.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 50;

export async function runJob(api, graphId, mapping) {
  const job = await api.send('POST', '/api/ingestion/jobs', { graph_id: graphId, name: 'bench', mapping_yaml: mapping });
  return { jobId: job.id, ...(await rerun(api, job.id)) };
}

/** Starts a job and waits for its end. Returns the run, its milliseconds, and those of each phase as a client sees them. */
export async function rerun(api, jobId) {
  const startedAt = performance.now();
  const phases = {};
  let run = await api.send('POST', `/api/ingestion/jobs/${jobId}/run`);
  for (let seenAt = startedAt; run.status === 'queued' || run.status === 'running';) {
    await sleep(lookEveryMs);
    const phase = (run.phase ?? run.status).split(' ')[0];
    run = await api.send('GET', `/api/ingestion/runs/${run.id}`);
    const now = performance.now();
    phases[phase] = Math.round((phases[phase] ?? 0) + now - seenAt);
    seenAt = now;
  }
  if (run.status !== 'succeeded') throw new Error(`The run ended as ${run.status}: ${JSON.stringify(run.error)}`);
  return { run, ms: performance.now() - startedAt, phases };
}

/** Runs `work`, and returns how far the resident memory of a process rose above where it stood. */
export async function watchMemory(pid, work) {
  const idle = await residentMb(pid);
  let peak = idle;
  const timer = setInterval(() => void residentMb(pid).then(now => (peak = Math.max(peak, now))), lookEveryMs);
  try {
    const result = await work();
    return { result, risenMb: Math.round(Math.max(peak, await residentMb(pid)) - idle) };
  } finally {
    clearInterval(timer);
  }
}

/** NaN where the system does not say. */
async function residentMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}
