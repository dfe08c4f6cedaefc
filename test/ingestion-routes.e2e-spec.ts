import { keyClient, type TestApp, startTestApp } from './support/app.js';
import { aGraph, aJob, runToEnd, upload } from './support/ingestion.js';

let test: TestApp;
beforeAll(async () => {
  test = await startTestApp();
});
afterAll(() => test.close());

describe('the routes of ingestion', () => {
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
    await upload(test, 'route_rows', 'id,n\n1,1\n=2,"a ""quoted"", one"\n3,x\n', 'id:text,n:text');
    graphId = await aGraph(test);
    jobId = await aJob(test, graphId, mapping);
    run = await runToEnd(test, jobId);
  });

  describe('jobs', () => {
    it('answers 201 with the record, named after the mapping', async () => {
      const { body } = await test.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: mapping }).expect(201);
      expect(body).toMatchObject({
        graph_id: graphId,
        name: '测试',
        connection: 'pg_mirror',
        mapping_yaml: mapping,
        last_run: null,
        warnings: [],
      });
      const named = await test.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, name: '甲', mapping_yaml: mapping }).expect(201);
      expect(named.body.name).toBe('甲');
    });

    it('answers 422 with every problem and its line', async () => {
      const { body } = await test.admin
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
      await test.admin.post('/api/ingestion/jobs').send({ graph_id: graphId }).expect(400);
      await test.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: 7 }).expect(422);
    });

    it.each(['put', 'delete'] as const)('answers 501 to %s, whatever the id, the query and the body, for every authenticated caller', async method => {
    const stranger = await test.asUser('stranger');
    const key = await stranger.post('/api/graphs').send({ name: 'own' }).expect(201).then(({ body: { id } }) => stranger.post('/api/api-keys').send({ name: 'k', graph_ids: [id] }).expect(201)); // prettier-ignore
    for (const caller of [test.admin, stranger, keyClient(test.url, key.body.raw_key)]) {
      for (const id of [jobId, 999_999, 0, 'abc', '%F0%9F%98%80', '99999999999']) {
        for (const sent of ['{}', '{"name":1}', '{"name"', 'null']) {
          const { body } = await caller[method](`/api/ingestion/jobs/${id}?x=1`).type('json').send(sent).expect(501);
          expect(body).toMatchObject({ code: 'not_implemented', detail: expect.stringContaining('not implemented') });
        }
      }
    }
    await test.anonymous[method](`/api/ingestion/jobs/${jobId}`).expect(401);
    await test.admin.get(`/api/ingestion/jobs/${jobId}`).expect(200);
  }); // prettier-ignore

    it('shows jobs and runs to members of the graph only', async () => {
      const stranger = await test.asUser('stranger');
      await stranger.get(`/api/ingestion/jobs/${jobId}`).expect(403);
      await stranger.post(`/api/ingestion/jobs/${jobId}/run`).expect(403);
      await stranger.get(`/api/ingestion/runs/${run.id}`).expect(403);
      await stranger.get(`/api/ingestion/runs/${run.id}/rejected`).expect(403);
      await stranger.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: mapping }).expect(403);
      await stranger.get(`/api/ingestion/jobs?graph_id=${graphId}`).expect(403);
      expect((await stranger.get('/api/ingestion/jobs').expect(200)).body.items).toEqual([]);
      expect((await test.admin.get(`/api/ingestion/jobs?graph_id=${graphId}`).expect(200)).body.items.length).toBeGreaterThan(0);
      await test.admin.get('/api/ingestion/jobs/999999').expect(404);
      await test.admin.get('/api/ingestion/runs/999999').expect(404);
    });
  });

  describe('rejected rows', () => {
    it('come in pages', async () => {
      const { body } = await test.admin.get(`/api/ingestion/runs/${run.id}/rejected?limit=1`).expect(200);
      expect(body.items).toHaveLength(1);
      expect(body.items[0]).toMatchObject({ target: '行', row_no: 2, source_key: '=2', sample: { id: '=2', n: 'a "quoted", one' } });
      const { body: next } = await test.admin.get(`/api/ingestion/runs/${run.id}/rejected?limit=1&cursor=${body.next_cursor}`).expect(200);
      expect(next).toMatchObject({ items: [{ row_no: 3 }], next_cursor: null });
      expect((await test.admin.get(`/api/ingestion/runs/${run.id}/rejected?target=nothing`).expect(200)).body.items).toEqual([]);
    });

    it('come as NDJSON by Accept', async () => {
      const response = await test.admin.get(`/api/ingestion/runs/${run.id}/rejected`).set('Accept', 'application/x-ndjson').buffer(true);
      expect(response.headers['content-type']).toContain('application/x-ndjson');
      expect(response.text.trim().split('\n')).toHaveLength(2);
    });

    it('come as CSV, quoted, with formulas made harmless', async () => {
      const response = await test.admin.get(`/api/ingestion/runs/${run.id}/rejected?format=csv`).buffer(true);
      expect(response.headers['content-type']).toContain('text/csv');
      const [header, first] = response.text.split('\r\n');
      expect(header).toBe('target,row_no,source_key,reasons_zh,reasons_en,sample');
      expect(first).toContain(`行,2,'=2,`);
      expect(first).toContain(`"column 'n': cannot read 'a ""quoted"", one' as int"`);
    });

    it('end a page early if their reasons are long, and come all as NDJSON', async () => {
      const rows = 60;
      const columns = Array.from(
        { length: 32 },
        (_, n) => `{column: n, property: p${n}, rules: [{min_length: 9, message: ${'字'.repeat(500)}}]}`,
      );
      const long = `version: 1
name: 长
defaults: {on_error: quarantine, max_error_rate: 1}
nodes:
  - {id: r, label: 长, table: long_rows, key: [id], columns: [{column: id}, ${columns.join(', ')}]}
`;
      await upload(test, 'long_rows', `id,n\n${Array.from({ length: rows }, (_, n) => `${n},x\n`).join('')}`, 'id:text,n:text');
      const { id } = await runToEnd(test, await aJob(test, graphId, long));
      const path = `/api/ingestion/runs/${id}/rejected`;
      const { body: first } = await test.admin.get(`${path}?limit=200`).expect(200);
      expect(first.items.length).toBeLessThan(rows);
      const { body: second } = await test.admin.get(`${path}?limit=200&cursor=${first.next_cursor}`).expect(200);
      expect([first.items.length + second.items.length, second.next_cursor]).toEqual([rows, null]);
      const { text } = await test.admin.get(`${path}?format=ndjson`).buffer(true).expect(200);
      expect(
        text
          .trim()
          .split('\n')
          .map(line => JSON.parse(line)),
      ).toEqual([...first.items, ...second.items]);
    });

    it('refuse an unknown format', async () => {
      await test.admin.get(`/api/ingestion/runs/${run.id}/rejected?format=xml`).expect(422);
    });
  });

  describe('events', () => {
    it('end with the final record', async () => {
      const response = await test.admin.get(`/api/ingestion/runs/${run.id}/events`).buffer(true).expect(200);
      expect(response.headers['content-type']).toContain('text/event-stream');
      const text = response.text ?? response.body.toString();
      expect(text).toContain('event: end');
      expect(JSON.parse(/^data: (.*)$/m.exec(text)![1]!)).toMatchObject({ id: run.id, status: 'succeeded' });
    });
  });
});

describe('a mapping as a YAML body', () => {
  const mapping = `version: 1
name: 测试   # a comment stays
nodes:
  - {id: r, label: 行, table: yaml_rows, key: [id], columns: [{column: id}, {column: n, type: int}]}
`;
  let graphId: number;
  beforeAll(async () => {
    await upload(test, 'yaml_rows', 'id,n\n1,1\n', 'id:text,n:int');
    graphId = await aGraph(test);
  });

  const post = (path: string, body: string | Buffer, type = 'application/yaml') =>
    test.admin.post(`/api/ingestion/${path}`).set('Content-Type', type).send(body);
  const errorsOf = ({ body }: { body: any }) => body.detail.errors;
  it.each(['application/yaml', 'application/yaml; charset=UTF-8', 'text/yaml', 'application/x-yaml'])(
    'makes the job that the same mapping in JSON makes, as %s',
    async type => {
      const { body: fromYaml } = await post(`jobs?graph_id=${graphId}&name=%E7%94%B2`, mapping, type).expect(201);
      const sent = { graph_id: graphId, name: '甲', mapping_yaml: mapping };
      const { body: fromJson } = await test.admin.post('/api/ingestion/jobs').send(sent).expect(201);
      const own = { id: expect.any(Number), created_at: expect.any(String) };
      expect(fromYaml).toEqual({ ...fromJson, ...own });
      expect(fromYaml).toMatchObject({ name: '甲', mapping_yaml: mapping });
    },
  );

  it('is validated, also with a byte order mark and Windows line ends', async () => {
    const { body } = await post('mappings/validate', `\ufeff${mapping.replaceAll('\n', '\r\n')}`).expect(200);
    expect(body).toMatchObject({ valid: true, targets: [{ target: '行' }] });
  });

  it('has the same problems with the same places', async () => {
    const wrong = mapping.replace('type: int', 'type: itn');
    const fromYaml = await post(`jobs?graph_id=${graphId}`, wrong).expect(422);
    const fromJson = await test.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: wrong }).expect(422);
    expect(fromYaml.body).toEqual(fromJson.body);
    expect(errorsOf(fromYaml)[0]).toMatchObject({ line: 4, type: 'unknown_type', path: 'nodes[0].columns[1].type' });
    expect(errorsOf(await post('mappings/validate', '').expect(422))[0]).toMatchObject({ type: 'not_a_map' });
  });

  it('has the same bounds of size', async () => {
    const long = (bytes: number) => `${mapping}#${'x'.repeat(bytes - Buffer.byteLength(mapping) - 1)}`;
    await post('mappings/validate', long(256 * 1024)).expect(200);
    expect(errorsOf(await post('mappings/validate', long(256 * 1024 + 1)).expect(422))[0].msg).toContain('256 KiB');
    expect(errorsOf(await post('mappings/validate', long(600 * 1024)).expect(422))[0]).toMatchObject({ loc: ['body', 'mapping_yaml'] });
    await post('mappings/validate', long(1_048_577)).expect(413);
  });

  it('is refused where it is not UTF-8, or holds NUL', async () => {
    const gb18030 = Buffer.from([...Buffer.from('version: 1\nname: '), 0xb2, 0xe2, 0xca, 0xd4]);
    expect(errorsOf(await post('mappings/validate', gb18030).expect(422))).toEqual([
      { loc: ['body', 'mapping_yaml'], type: 'not_utf8', msg: expect.stringContaining('save the file as UTF-8') },
    ]);
    await post('mappings/validate', mapping, 'application/yaml; charset=gbk').expect(415);
    expect(errorsOf(await post('mappings/validate', `${mapping}\0`).expect(422))[0]).toMatchObject({ type: 'nul_character' });
  });

  it('says where the graph is named, and finds misspelt parameters', async () => {
    const { body: missing } = await post('jobs', mapping).expect(400);
    expect(missing).toMatchObject({ code: 'missing_field', detail: expect.stringContaining('?graph_id=…') });
    const [misspelt] = errorsOf(await post('jobs?graf_id=1', mapping).expect(422)).filter((each: any) => each.type === 'unknown_field');
    expect(misspelt).toMatchObject({ loc: ['query', 'graf_id'], msg: expect.stringContaining("did you mean 'graph_id'?") });
    expect(errorsOf(await post('jobs?graph_id=one', mapping).expect(422))).toMatchObject([
      { loc: ['query', 'graph_id'], type: 'int_type' },
    ]);
    expect(errorsOf(await post('mappings/validate?mapping_yaml=1', mapping).expect(422))[0]).toMatchObject({
      loc: ['query', 'mapping_yaml'],
    });
    const { body: form } = await post('jobs', mapping, 'application/x-www-form-urlencoded').expect(415);
    expect(form.detail).toContain('application/json, application/yaml');
  });

  it('needs the right on the graph of the query, and no body can name another one', async () => {
    const stranger = await test.asUser('stranger');
    await stranger.post(`/api/ingestion/jobs?graph_id=${graphId}`).set('Content-Type', 'application/yaml').send(mapping).expect(403);
    const { body: own } = await stranger.post('/api/graphs').send({ name: 'own' }).expect(201);
    const both = await stranger
      .post(`/api/ingestion/jobs?graph_id=${own.id}`)
      .send({ graph_id: graphId, mapping_yaml: mapping })
      .expect(422);
    expect(errorsOf(both)).toMatchObject([{ loc: ['query', 'graph_id'], type: 'given_twice' }]);
    await test.admin.post(`/api/ingestion/jobs?graph_id=${graphId}`).send({ graph_id: graphId, mapping_yaml: mapping }).expect(201);
  });

  it('is not taken by other routes', async () => {
    await test.admin.post('/api/graphs').set('Content-Type', 'application/yaml').send('name: a').expect(415);
  });

  it('gets the first answer again under the same Idempotency-Key, and a 422 with another graph', async () => {
    const keyed = (graph: number) => post(`jobs?graph_id=${graph}`, mapping).set('Idempotency-Key', 'yaml-1');
    const first = await keyed(graphId).expect(201);
    const again = await keyed(graphId).expect(201);
    expect([again.body.id, again.headers['idempotent-replayed']]).toEqual([first.body.id, 'true']);
    await keyed(await aGraph(test)).expect(422);
  });
});
