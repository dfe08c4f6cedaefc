import { setTimeout as sleep } from 'node:timers/promises';
import { startTestApp, type TestApp } from './support/app.js';
import { freePort } from './support/free-port.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';
import { connectTo } from './support/mirror-copies.js';

/** The value of a row. No line of the log may contain it. */
const canary = 'Zhang-Wuji-4711';

let test: TestApp;
let metricsUrl: string;
const logged: Record<string, unknown>[] = [];

beforeAll(async () => {
  const port = await freePort();
  metricsUrl = `http://127.0.0.1:${port}/metrics`;
  const write = (lines: string): void =>
    lines.split('\n').forEach(line => line !== '' && logged.push(JSON.parse(line) as Record<string, unknown>)); // prettier-ignore
  test = await startTestApp({ METRICS_PORT: String(port), LOG_LEVEL: 'warn' }, { logTo: { write } });
});
afterAll(() => test.close());

const seriesOf = async (name: string): Promise<string[]> =>
  (await (await fetch(metricsUrl)).text()).split('\n').filter(line => line.startsWith(`${name}{`));
const failures = () => logged.filter(({ msg }) => msg === 'Work failed');

describe('retrieval_up', () => {
  it('is absent until the process has begun its first start, and 1 once it answers', async () => {
    expect(await seriesOf('retrieval_up')).toEqual([]);
    const graphId = await aGraph(test);
    await test.admin.post(`/api/graphs/${graphId}/query`).send({ cypher: 'MATCH (n) RETURN count(*) AS n' }).expect(200);
    let series: string[] = [];
    for (const until = Date.now() + 20_000; series.length === 0 && Date.now() < until; await sleep(50))
      series = await seriesOf('retrieval_up');
    expect(series).toEqual(['retrieval_up{process="own"} 1']);
  });
});

describe('work that fails', () => {
  it('in a run leaves one line in the log with its ids and its reason, no value of a row, and is counted', async () => {
    await upload(test, 'people', `id,age\n1,${canary}\n`);
    const graphId = await aGraph(test);
    const mapping =
      'version: 1\nnodes:\n  - {id: p, label: P, table: people, key: [id], columns: [{column: id}, {column: age, type: int}]}\n';
    const jobId = await aJob(test, graphId, mapping);
    const run = await runToEnd(test, jobId);
    expect(run).toMatchObject({ status: 'failed', error: { code: 'rows_rejected' } });
    expect(failures()).toEqual([
      expect.objectContaining({
        level: 40,
        kind: 'ingestion run',
        id: run.id,
        job: jobId,
        graph: graphId,
        code: 'rows_rejected',
        sentence: expect.stringMatching(/1 行不符合规则.* \/ 1 row of 'P' breaks a rule/),
      }),
    ]);
    expect(JSON.stringify(logged)).not.toContain(canary);
    expect(await seriesOf('ingestion_runs_total')).toEqual(['ingestion_runs_total{status="failed"} 1']);
  });

  it('in a copy does so too, and the request that starts a copy waits for its end', async () => {
    const port = await freePort();
    const far = await connectTo(test, 'postgres', `postgres://reader:${canary}@127.0.0.1:${port}/nowhere`, 'away');
    const path = `/api/warehouse/connections/${far}/mirror`;
    const { body: copy, headers } = await test.admin
      .post(path)
      .set('Prefer', 'wait=60')
      .send({ tables: [{ table: 'orders' }] })
      .expect(200);
    expect(copy).toMatchObject({ status: 'failed', error: { code: 'source_unreachable' } });
    expect(headers).toMatchObject({ 'preference-applied': 'wait=60', location: `/api/warehouse/mirror-copies/${copy.id}` });
    const { body: again } = await test.admin.post(`/api/warehouse/mirror-copies/${copy.id}/run`).set('Prefer', 'wait=60').expect(200);
    expect(again).toMatchObject({ id: copy.id, run: 2, status: 'failed' });
    const lines = failures().filter(({ kind }) => kind === 'copy into the mirror');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({ id: copy.id, code: 'source_unreachable', sentence: expect.stringContaining("connection 'away'") });
    expect(JSON.stringify(logged)).not.toContain(canary);
    expect(await seriesOf('mirror_copies_total')).toEqual(['mirror_copies_total{status="failed"} 2']);
  });
});
