import http from 'node:http';
import { headers, protocolVersion } from '../src/retrieval/protocol.js';
import { RetrievalSupervisor } from '../src/retrieval/retrieval.supervisor.js';
import { startTestApp, type TestApp } from './support/app.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';
import { until } from './support/slow-queries.js';

const mapping = `version: 1
nodes: [{id: w, label: 词, table: words, key: [id], display: t, columns: [{column: id}, {column: t}]}]`;
const words = (count: number) => `id,t\n${Array.from({ length: count }, (_, n) => `${n},词语${n} word${n * 7919}`).join('\n')}\n`;

describe('a run that makes a new version', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp({}, { own: true });
    await until(async () => (await health().catch(() => null)) !== null);
  });
  afterAll(() => test?.close());

  async function health(): Promise<{ graphs: number; bytes: number; working: number }> {
    const place = await test.app.get(RetrievalSupervisor).address();
    return new Promise((resolve, reject) => {
      http
        .get({ ...place, path: '/v1/health', headers: { [headers.version]: protocolVersion, [headers.timeout]: 5_000 } }, response => {
          let text = '';
          response.on('data', (part: Buffer) => (text += part.toString())).on('end', () => resolve(JSON.parse(text)));
        })
        .on('error', reject);
    });
  }

  it('has retrieval load what it had loaded of the old one, before anybody asks', async () => {
    await upload(test, 'words', words(50));
    const graphId = await aGraph(test);
    const jobId = await aJob(test, graphId, mapping);
    await runToEnd(test, jobId);
    const ask = async () => (await test.admin.post(`/api/graphs/${graphId}/query`).send({ search: 'word7919' }).expect(200)).body;
    expect((await ask()).graph_version).toBe(1);
    const { bytes: before } = await health();
    await upload(test, 'words', words(5_000));
    await runToEnd(test, jobId);
    await until(async () => (await health()).bytes > 5 * before);
    expect((await health()).graphs).toBe(1);
    expect(await ask()).toMatchObject({ graph_version: 2, cache: { status: 'miss' } });
  });

  it('leaves a graph alone that nobody has asked', async () => {
    await upload(test, 'words', words(100));
    const graphId = await aGraph(test, 'unasked');
    const before = await health();
    await runToEnd(test, await aJob(test, graphId, mapping));
    // Twenty requests show that nothing was loaded: each is answered only after earlier ones on its connection had their effect.
    for (let n = 0; n < 20; n++) expect((await health()).graphs).toBe(before.graphs);
  });
});
