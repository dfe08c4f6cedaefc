import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { exampleMapping } from '../src/ingestion/mapping-example.js';
import { tableExamples } from '../src/warehouse/tables/table-examples.js';
import { adminPassword, startTestApp, type TestApp } from './support/app.js';
import { hasOpenApiTools, runTool, toolsFolder } from './support/openapi-tools.js';

const generated = path.join(toolsFolder, 'generated');
const document = path.join(generated, 'openapi.json');

(hasOpenApiTools() ? describe : describe.skip)('the OpenAPI document that the service serves', () => {
  let test: TestApp;
  beforeAll(async () => {
    test = await startTestApp();
    await mkdir(generated, { recursive: true });
    await writeFile(document, await (await fetch(`${test.url}/openapi.json`)).text());
  });
  afterAll(() => test.close());

  it('breaks no rule of Redocly', async () => {
    const printed = await runTool('@redocly/cli/bin/cli.js', 'lint', document, '--config', 'redocly.yaml', '--format', 'json');
    expect(JSON.parse(printed)).toMatchObject({ totals: { errors: 0, warnings: 0, ignored: 0 } });
  }, 120_000);

  it('breaks no rule of Spectral', async () => {
    const printed = await runTool('@stoplight/spectral-cli/dist/index.js', 'lint', document, '--ruleset', 'spectral.yaml', '--fail-severity', 'hint'); // prettier-ignore
    expect(printed).toContain('No results');
  }, 120_000);

  it('makes a client that compiles strictly and sends the requests of the README', async () => {
    const { body: graph } = await test.admin.post('/api/graphs').send({ name: '图' }).expect(201);
    for (const [table, { value }] of Object.entries(tableExamples)) {
      await test.admin.put(`/api/warehouse/connections/1/tables/${table}`).type('text/csv').send(value).expect(201);
    }
    const { body: job } = await test.admin
      .post('/api/ingestion/jobs')
      .send({ graph_id: graph.id, mapping_yaml: exampleMapping })
      .expect(201);

    await runTool('openapi-typescript/bin/cli.js', document, '--output', path.join(generated, 'api.d.ts'));
    await runTool('typescript/bin/tsc', '--project', '.');
    const world = { url: test.url, username: 'admin', password: adminPassword, graphId: graph.id, jobId: job.id };
    await writeFile(
      path.join(generated, 'run.js'),
      `import { sendRequestsOfReadme } from './client.js';\nconsole.log(JSON.stringify(await sendRequestsOfReadme(${JSON.stringify(world)})));\n`,
    );
    const printed = await runTool('../generated/run.js');
    expect(JSON.parse(printed)).toEqual({
      wrongLogin: 'wrong_login',
      right: 'read',
      uploadedRows: 2,
      runStatus: 'succeeded',
      columns: ['name'],
      rowCount: 3,
    });
  }, 180_000);
});
