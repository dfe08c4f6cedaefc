import { keyClient, type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';

let app: TestApp;
let jobId: number;
let graphId: number;
let run: any;

const mapping = `version: 1
name: 测试
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: r, label: 行, table: route_rows, key: [id], columns: [{column: id}, {column: n, type: int}]}
`;

beforeAll(async () => {
  app = await startTestApp();
  await upload(app, 'route_rows', 'id,n\n1,1\n=2,"a ""quoted"", one"\n3,x\n', 'id:text,n:text');
  graphId = await aGraph(app);
  jobId = await aJob(app, graphId, mapping);
  run = await runToEnd(app, jobId);
});
afterAll(async () => {
  await app.close();
});

describe('jobs', () => {
  it('answers 201 with the record, named after the mapping', async () => {
    const { body } = await app.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: mapping }).expect(201);
    expect(body).toMatchObject({
      graph_id: graphId,
      name: '测试',
      connection: 'pg_mirror',
      mapping_yaml: mapping,
      last_run: null,
      warnings: [],
    });
    const named = await app.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, name: '甲', mapping_yaml: mapping }).expect(201);
    expect(named.body.name).toBe('甲');
  });

  it('answers 422 with every problem and its line', async () => {
    const { body } = await app.admin
      .post('/api/ingestion/jobs')
      .send({ graph_id: graphId, mapping_yaml: mapping.replace('type: int', 'type: itn').replace('key: [id]', 'key: [di]') })
      .expect(422);
    expect(body).toEqual({
      detail: {
        errors: [
          expect.objectContaining({ type: 'key_not_mapped', line: 5, column: 48, loc: ['body', 'mapping_yaml', 'nodes', 0, 'key', 0] }),
          expect.objectContaining({
            type: 'unknown_type',
            line: 5,
            msg: expect.stringContaining('mapping_yaml validation failed at line 5, column 95'),
            documentation_url: '/docs/mapping#columns-type',
          }),
        ],
      },
    });
  });

  it('answers 400 for a missing field and 422 for one of the wrong type', async () => {
    await app.admin.post('/api/ingestion/jobs').send({ graph_id: graphId }).expect(400);
    await app.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: 7 }).expect(422);
  });

  it.each(['put', 'delete'] as const)('answers 501 to %s, whatever the id, the query and the body, for every authenticated caller', async method => {
    const stranger = await app.asUser('stranger');
    const key = await stranger.post('/api/graphs').send({ name: 'own' }).expect(201).then(({ body: { id } }) => stranger.post('/api/api-keys').send({ name: 'k', graph_ids: [id] }).expect(201)); // prettier-ignore
    for (const caller of [app.admin, stranger, keyClient(app.url, key.body.raw_key)]) {
      for (const id of [jobId, 999_999, 0, 'abc', '%F0%9F%98%80', '99999999999']) {
        for (const sent of ['{}', '{"name":1}', '{"name"', 'null']) {
          const { body } = await caller[method](`/api/ingestion/jobs/${id}?x=1`).type('json').send(sent).expect(501);
          expect(body).toMatchObject({ code: 'not_implemented', detail: expect.stringContaining('not implemented') });
        }
      }
    }
    await app.anonymous[method](`/api/ingestion/jobs/${jobId}`).expect(401);
    await app.admin.get(`/api/ingestion/jobs/${jobId}`).expect(200);
  }); // prettier-ignore

  it('shows jobs and runs to members of the graph only', async () => {
    const stranger = await app.asUser('stranger');
    await stranger.get(`/api/ingestion/jobs/${jobId}`).expect(403);
    await stranger.post(`/api/ingestion/jobs/${jobId}/run`).expect(403);
    await stranger.get(`/api/ingestion/runs/${run.id}`).expect(403);
    await stranger.get(`/api/ingestion/runs/${run.id}/rejected`).expect(403);
    await stranger.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: mapping }).expect(403);
    await stranger.get(`/api/ingestion/jobs?graph_id=${graphId}`).expect(403);
    expect((await stranger.get('/api/ingestion/jobs').expect(200)).body.items).toEqual([]);
    expect((await app.admin.get(`/api/ingestion/jobs?graph_id=${graphId}`).expect(200)).body.items.length).toBeGreaterThan(0);
    await app.admin.get('/api/ingestion/jobs/999999').expect(404);
    await app.admin.get('/api/ingestion/runs/999999').expect(404);
  });
});

describe('rejected rows', () => {
  it('come in pages', async () => {
    const { body } = await app.admin.get(`/api/ingestion/runs/${run.id}/rejected?limit=1`).expect(200);
    expect(body.items).toHaveLength(1);
    expect(body.items[0]).toMatchObject({ target: '行', row_no: 2, source_key: '=2', sample: { id: '=2', n: 'a "quoted", one' } });
    const { body: next } = await app.admin.get(`/api/ingestion/runs/${run.id}/rejected?limit=1&cursor=${body.next_cursor}`).expect(200);
    expect(next).toMatchObject({ items: [{ row_no: 3 }], next_cursor: null });
    expect((await app.admin.get(`/api/ingestion/runs/${run.id}/rejected?target=nothing`).expect(200)).body.items).toEqual([]);
  });

  it('come as NDJSON by Accept', async () => {
    const response = await app.admin.get(`/api/ingestion/runs/${run.id}/rejected`).set('Accept', 'application/x-ndjson').buffer(true);
    expect(response.headers['content-type']).toContain('application/x-ndjson');
    expect(response.text.trim().split('\n')).toHaveLength(2);
  });

  it('come as CSV, quoted, with formulas made harmless', async () => {
    const response = await app.admin.get(`/api/ingestion/runs/${run.id}/rejected?format=csv`).buffer(true);
    expect(response.headers['content-type']).toContain('text/csv');
    const [header, first] = response.text.split('\r\n');
    expect(header).toBe('target,row_no,source_key,reasons_zh,reasons_en,sample');
    expect(first).toContain(`行,2,'=2,`);
    expect(first).toContain(`"column 'n': cannot read 'a ""quoted"", one' as int"`);
  });

  it('refuse an unknown format', async () => {
    await app.admin.get(`/api/ingestion/runs/${run.id}/rejected?format=xml`).expect(422);
  });
});

describe('events', () => {
  it('end with the final record', async () => {
    const response = await app.admin.get(`/api/ingestion/runs/${run.id}/events`).buffer(true).expect(200);
    expect(response.headers['content-type']).toContain('text/event-stream');
    const text = response.text ?? response.body.toString();
    expect(text).toContain('event: end');
    expect(JSON.parse(/^data: (.*)$/m.exec(text)![1]!)).toMatchObject({ id: run.id, status: 'succeeded' });
  });
});
