import { type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, ingest, runToEnd, upload } from './support/ingestion.js';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await upload(app, 'ones', 'id\n1\n', 'id:int');
});
afterAll(() => app.close());

/** A mapping with `nodes` nodes from one table, each with `further` further labels. */
function mapping(name: string, nodes: number, further: number): string {
  const node = (index: number): string => {
    const labels = Array.from({ length: further }, (_, each) => `${name}${index}x${each}`);
    return `  - {id: n${index}, label: ${name}${index}, labels: [${labels.join(', ')}], table: ones, key: [id], columns: [{column: id, type: int}]}`;
  };
  return `version: 1\nnodes:\n${Array.from({ length: nodes }, (_, index) => node(index)).join('\n')}\n`;
}

const create = (graphId: number, yaml: string) => app.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: yaml });

describe('the schema of a graph', () => {
  it('has at most 2,000 labels and types, of all its jobs together', async () => {
    const graphId = await aGraph(app);
    const [first, second] = [await aJob(app, graphId, mapping('A', 62, 31)), await aJob(app, graphId, mapping('B', 1, 16))];
    expect(await runToEnd(app, first)).toMatchObject({ status: 'succeeded' });
    const { body } = await create(graphId, mapping('C', 1, 16)).expect(422);
    expect(body).toMatchObject({ code: 'graph_schema_too_large', context: { names: 2_001, aliases: 0, properties: 63 } });
    expect(body.detail).toMatch(/最多 2000 个.*共有 2001、0 与 63 个.* \/ .*at most 2000 labels and edge types.*would have 2001/);
    // This job was saved before the other job made its labels, so only its run finds that there are too many.
    expect(await runToEnd(app, second)).toMatchObject({ status: 'failed', error: { code: 'graph_schema_too_large' } });
    const revise = (further: number) =>
      app.admin.post(`/api/ingestion/jobs/${second}/revisions`).send({ mapping_yaml: mapping('B', 1, further) });
    await revise(17).expect(422);
    await revise(15).expect(200);
    expect(await runToEnd(app, second)).toMatchObject({ status: 'succeeded' });
    expect(await runToEnd(app, second, { full: true })).toMatchObject({ status: 'succeeded' });
  }, 120_000);

  it('has at most 10,000 aliases', async () => {
    const { graphId } = await ingest(app, mapping('L', 1, 2));
    await app.pool.query(
      `UPDATE graph_elements SET labels = jsonb_set(labels, '{1,aliases}', (SELECT jsonb_agg('a' || i) FROM generate_series(1, 9_999) i)) WHERE graph_id = $1`,
      [graphId],
    );
    const aliased = (aliases: string) => mapping('M', 1, 0).replace('table:', `aliases: [${aliases}], table:`);
    const { body } = await create(graphId, aliased('x, y')).expect(422);
    expect(body).toMatchObject({ code: 'graph_schema_too_large', context: { aliases: 10_001 } });
    await create(graphId, aliased('x')).expect(201);
  });

  it('has at most 20,000 properties', async () => {
    const { graphId } = await ingest(app, mapping('P', 1, 0));
    const has = (properties: number) =>
      app.pool.query(
        `UPDATE graph_elements SET properties = (SELECT jsonb_agg(jsonb_build_object('name', 'p' || i)) FROM generate_series(1, $2) i) WHERE graph_id = $1`,
        [graphId, properties],
      );
    await has(20_000);
    const { body } = await create(graphId, mapping('Q', 1, 0)).expect(422);
    expect(body).toMatchObject({ code: 'graph_schema_too_large', context: { names: 2, aliases: 0, properties: 20_001 } });
    await has(19_999);
    await create(graphId, mapping('Q', 1, 0)).expect(201);
  });
});
