// Runs ingestion jobs through the API, and measures their time and memory.
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const lookEveryMs = 50;

export async function runJob(api, graphId, mapping) {
  const job = await api.send('POST', '/api/ingestion/jobs', { graph_id: graphId, name: 'bench', mapping_yaml: mapping });
  return { jobId: job.id, ...(await rerun(api, job.id)) };
}

/**
 * Runs a job and waits for the end of its run. Returns the run, its milliseconds, and the milliseconds of each phase as a client sees them.
 */
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

/** Runs `work`. Returns its result, and by how many MB the resident memory of the process rose above its value at the start. */
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

/** Resident memory in MB; NaN if the system does not report it. */
async function residentMb(pid) {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1]) / 1024;
}
