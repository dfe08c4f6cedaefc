import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { adminPassword, startTestApp, type TestApp } from './support/app.js';
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

  it('makes a client that compiles strictly and sends exactly the requests of the README', async () => {
    const readme = await readFile(path.join(root, 'README.md'), 'utf8');
    const requests = requestsOf(readme);
    const password = JSON.parse(requests[0]!.body).password;
    await test.admin.put('/api/auth/password').send({ old_password: adminPassword, new_password: password }).expect(200);
    await test.asUser('li.lei');
    await promisify(execFile)(process.execPath, [path.join(root, 'examples/demo/run.mjs'), '--url', test.url, '--password', password]);

    await runTool('openapi-typescript/bin/cli.js', document, '--output', path.join(generated, 'api.d.ts'));
    await runTool('typescript/bin/tsc', '--project', '.');
    const world = { url: test.url, password, mapping: requests.find(({ path }) => path.startsWith('/api/ingestion/jobs?'))!.body };
    await writeFile(
      path.join(generated, 'run.js'),
      `import { sendRequestsOfReadme } from './client.js';\nconsole.log(JSON.stringify(await sendRequestsOfReadme(${JSON.stringify(world)})));\n`,
    );
    const { sent, ...seen } = JSON.parse(await runTool('../generated/run.js'));
    expect(sent.map(toComparable)).toEqual(
      requests
        .map(toComparable)
        .map(([method, route, body]) => [method, route, body === draftFile ? expect.stringMatching(/^nodes:$/m) : body]),
    );
    expect(seen).toEqual({
      wrongLogin: 'wrong_login',
      answer: readmeAnswer(readme),
      graphIds: [2, 2],
      draftIsValid: true,
      jobName: '贸易图谱',
      rights: ['write', 'read'],
      uploadedRows: 2,
      runStatus: 'succeeded',
    });
  }, 240_000);
});

/** What the service drafted just before; the repository has no such file. */
const draftFile = 'draft.yaml';

interface SentRequest {
  method: string;
  path: string;
  body: string;
}

/** The requests of the shell commands of the README, in their order. A command in a loop counts as often as it runs. */
function requestsOf(readme: string): SentRequest[] {
  const commands = [...readme.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block]) =>
    block!
      .replaceAll('\\\n', ' ')
      .replace(/\n {2,}/g, ' ')
      .split('\n'),
  );
  const grant = commands.find(command => command.startsWith('grant()'));
  const curls = commands.flatMap(command => {
    if (command === grant || !/curl|^grant /.test(command)) return [];
    if (command.startsWith('grant ')) return [grant!.replace('"$1"', command.slice('grant '.length))];
    const times = /^for attempt in ([\d ]+);/.exec(command)?.[1]!.split(' ').length ?? 1;
    return Array<string>(times).fill(command);
  });
  return curls.map(command => {
    const body = bodyOf(command);
    return {
      method: / -X (\w+)/.exec(command)?.[1] ?? (body === '' ? 'GET' : 'POST'),
      path: /http:\/\/127\.0\.0\.1:8080([^\s']+)/.exec(command)![1]!,
      body,
    };
  });
}

function bodyOf(command: string): string {
  const file = / --data-binary @(\S+)/.exec(command)?.[1];
  if (file === draftFile) return draftFile;
  if (file !== undefined) return readFileSync(path.join(root, file), 'utf8');
  const escaped = / --data-binary \$'([^']*)'/.exec(command)?.[1];
  return escaped?.replaceAll('\\n', '\n') ?? / -d '([^']*)'/.exec(command)?.[1] ?? '';
}

/** JSON may be written with blanks. */
function toComparable({ method, path, body }: SentRequest): [string, string, unknown] {
  return [method, path, body.startsWith('{') ? JSON.parse(body) : body];
}

/** The sentence that the README shows. */
function readmeAnswer(readme: string): string {
  return /"answer": \{ "text": "([^"]*)"/.exec(readme)![1]!;
}
