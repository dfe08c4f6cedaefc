import { startTestApp, type TestApp } from './support/app.js';
import { aGraph, upload } from './support/ingestion.js';

const mapping = `version: 1
name: 测试   # a comment stays
nodes:
  - {id: r, label: 行, table: yaml_rows, key: [id], columns: [{column: id}, {column: n, type: int}]}
`;

let app: TestApp;
let graphId: number;
beforeAll(async () => {
  app = await startTestApp();
  await upload(app, 'yaml_rows', 'id,n\n1,1\n', 'id:text,n:int');
  graphId = await aGraph(app);
});
afterAll(() => app.close());

const post = (path: string, body: string | Buffer, type = 'application/yaml') =>
  app.admin.post(`/api/ingestion/${path}`).set('Content-Type', type).send(body);
const errorsOf = ({ body }: { body: any }) => body.detail.errors;

describe('a mapping as a YAML body', () => {
  it.each(['application/yaml', 'application/yaml; charset=UTF-8', 'text/yaml', 'application/x-yaml'])(
    'makes the job that the same mapping in JSON makes, as %s',
    async type => {
      const { body: fromYaml } = await post(`jobs?graph_id=${graphId}&name=%E7%94%B2`, mapping, type).expect(201);
      const sent = { graph_id: graphId, name: '甲', mapping_yaml: mapping };
      const { body: fromJson } = await app.admin.post('/api/ingestion/jobs').send(sent).expect(201);
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
    const fromJson = await app.admin.post('/api/ingestion/jobs').send({ graph_id: graphId, mapping_yaml: wrong }).expect(422);
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
    const stranger = await app.asUser('stranger');
    await stranger.post(`/api/ingestion/jobs?graph_id=${graphId}`).set('Content-Type', 'application/yaml').send(mapping).expect(403);
    const { body: own } = await stranger.post('/api/graphs').send({ name: 'own' }).expect(201);
    const both = await stranger
      .post(`/api/ingestion/jobs?graph_id=${own.id}`)
      .send({ graph_id: graphId, mapping_yaml: mapping })
      .expect(422);
    expect(errorsOf(both)).toMatchObject([{ loc: ['query', 'graph_id'], type: 'given_twice' }]);
    await app.admin.post(`/api/ingestion/jobs?graph_id=${graphId}`).send({ graph_id: graphId, mapping_yaml: mapping }).expect(201);
  });

  it('is not taken by other routes', async () => {
    await app.admin.post('/api/graphs').set('Content-Type', 'application/yaml').send('name: a').expect(415);
  });

  it('gets the first answer again under the same Idempotency-Key, and a 422 with another graph', async () => {
    const keyed = (graph: number) => post(`jobs?graph_id=${graph}`, mapping).set('Idempotency-Key', 'yaml-1');
    const first = await keyed(graphId).expect(201);
    const again = await keyed(graphId).expect(201);
    expect([again.body.id, again.headers['idempotent-replayed']]).toEqual([first.body.id, 'true']);
    await keyed(await aGraph(app)).expect(422);
  });
});
