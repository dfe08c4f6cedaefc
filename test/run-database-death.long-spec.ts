import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { numbersCsv, slowMapping as slow } from './support/ingestion.js';
import { firstToken, ServiceProcess } from './support/service-process.js';

describe('a run whose PostgreSQL dies', () => {
  it('begins again when the server is back, not when its lease has ended', async () => {
    const service = await ServiceProcess.start();
    try {
      const token = await firstToken(service.url);
      const send = async (method: string, route: string, body?: object | string, type = 'application/json') => {
        const headers = { Authorization: `Bearer ${token}`, ...(body === undefined ? {} : { 'Content-Type': type }) };
        const text = typeof body === 'string' ? body : JSON.stringify(body);
        const response = await fetch(`${service.url}/api${route}`, { method, headers, ...(body === undefined ? {} : { body: text }) });
        return (await response.json()) as any;
      };
      await send('PUT', '/warehouse/connections/1/tables/numbers', numbersCsv, 'text/csv');
      const graph = await send('POST', '/graphs', { name: '图' });
      const job = await send('POST', '/ingestion/jobs', { graph_id: graph.id, mapping_yaml: slow });
      const { id } = await send('POST', `/ingestion/jobs/${job.id}/run`);
      const untilAttempt = async (wanted: number) => {
        for (const deadline = performance.now() + 60_000; performance.now() < deadline; await sleep(50)) {
          const { attempt, phase } = await send('GET', `/ingestion/runs/${id}`);
          if (attempt === wanted && /^staging/.test(phase ?? '')) return;
        }
        throw new Error(`The run did not come to attempt ${wanted}`);
      };
      await untilAttempt(1);
      const pid = () => Number.parseInt(readFileSync(path.join(service.dataDirectory, 'postgres', 'postmaster.pid'), 'utf8'), 10);
      const first = pid();
      process.kill(first, 'SIGKILL');
      // While the file is being written it may be empty or missing.
      const next = () => {
        try {
          return pid() || first;
        } catch {
          return first;
        }
      };
      while (next() === first) await sleep(10);
      while ((await send('GET', '/graphs')).items === undefined) await sleep(10);
      const backAt = performance.now();
      await untilAttempt(2);
      const waitedMs = Math.round(performance.now() - backAt);
      process.stdout.write(`the run began again ${waitedMs} ms after its PostgreSQL was back\n`);
      // The lease lasts 30 s, so a run that waited for its end would take longer than this.
      expect(waitedMs).toBeLessThan(15_000);
    } finally {
      await service.kill();
    }
  }, 150_000);
});
