import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { adminPassword, startTestApp, type TestApp } from './support/app.js';
import { runDemo } from './support/commands.js';
import { hasOpenApiTools, runTool, toolsFolder } from './support/openapi-tools.js';

const root = path.resolve(__dirname, '..');
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
  });

  it('breaks no rule of Spectral', async () => {
    const printed = await runTool('@stoplight/spectral-cli/dist/index.js', 'lint', document, '--ruleset', 'spectral.yaml', '--fail-severity', 'hint'); // prettier-ignore
    expect(printed).toContain('No results');
  });

  it('makes a client that compiles strictly and does what the manual describes', async () => {
    const password = 'demo-Graph-2026';
    await test.admin.put('/api/auth/password').send({ old_password: adminPassword, new_password: password }).expect(200);
    await test.asUser('li.lei');
    expect(await runDemo(test.url)).toMatchObject({ code: 0, stderr: '' });

    await runTool('openapi-typescript/bin/cli.js', document, '--output', path.join(generated, 'api.d.ts'));
    await runTool('typescript/bin/tsc', '--project', '.');
    const world = { url: test.url, password, mapping: await readFile(path.join(root, 'examples/demo/mapping.yaml'), 'utf8') };
    await writeFile(
      path.join(generated, 'run.js'),
      `import { useService } from './client.js';\nconsole.log(JSON.stringify(await useService(${JSON.stringify(world)})));\n`,
    );
    expect(JSON.parse(await runTool('../generated/run.js'))).toEqual({
      wrongLogin: 'wrong_login',
      answer: '2 products for Alpine Dairy GmbH: Alpine Butter, Mountain Cheese.',
      isOneGraph: true,
      draftIsValid: true,
      jobName: '贸易图谱',
      rights: ['write', 'read'],
      uploadedRows: 2,
      runStatus: 'succeeded',
    });
  }, 240_000);
});
