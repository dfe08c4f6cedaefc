import { startTestApp, type TestApp } from './support/app.js';
import { aGraph, aJob, uploadRequest } from './support/ingestion.js';

const rounds = 12;
const rows = 20_000;
const mapping = `version: 1
nodes:
  - {id: a, label: A, table: moving, key: [id], columns: [{column: id}, {column: v}]}
  - {id: b, label: B, table: moving, key: [id], columns: [{column: id}, {column: v}]}`;

/**
 * Shapes of the table: with the column `v`, which the mapping reads, as text or number, or without it. `mark` is another value in each
 * load, so that rows of two loads can be told apart.
 */
const shapes: [header: string, value: (mark: number) => string, types: string][] = [
  ['id,v', mark => `m${mark}`, 'v:text'],
  ['id,v', mark => String(mark), 'v:bigint'],
  ['id,w', mark => String(mark), 'w:bigint'],
  ['v,id,more', mark => String(mark), 'v:bigint'],
];

describe('a mirror table that changes its columns while runs read it', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.close());

  const load = async (round: number): Promise<void> => {
    const [header, value] = shapes[round % shapes.length]!;
    const cells = header.split(',');
    const lines = Array.from({ length: rows }, (_, id) => cells.map(cell => (cell === 'id' ? id : value(round + 1))).join());
    const { status, body } = await uploadRequest(app.admin, 'moving', `${header}\n${lines.join('\n')}\n`);
    if (status >= 300) throw new Error(JSON.stringify(body));
  };

  it('gives each run one version of it, or a reason, and never a half of two', async () => {
    await load(0);
    const graphId = await aGraph(app);
    const jobId = await aJob(app, graphId, mapping);
    const ends = new Set<string>();
    for (let round = 1; round <= rounds; round++) {
      const run = app.admin.post(`/api/ingestion/jobs/${jobId}/run`).set('Prefer', 'wait=60');
      const [{ body }] = await Promise.all([run, load(round)]);
      ends.add(body.error?.code ?? body.status);
      const { body: found } = await app.admin
        .post(`/api/graphs/${graphId}/query`)
        .send({ cypher: 'MATCH (n) RETURN DISTINCT labels(n) AS l, n.v AS v, count(*) AS n', cache: 'refresh' })
        .expect(200);
      expect(found.rows.map(([, , n]: [unknown, unknown, number]) => n)).toEqual(found.rows.map(() => rows));
      expect(new Set(found.rows.map(([, v]: [unknown, unknown]) => v)).size).toBeLessThanOrEqual(1);
    }
    expect(ends).toContain('succeeded');
    for (const end of ends) expect(['succeeded', 'source_changed']).toContain(end);
  }, 300_000);
});
