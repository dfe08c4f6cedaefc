import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { adminPassword, client, startTestApp, type TestApp } from './support/app.js';
import { type CommandResult, ended, runDemo } from './support/commands.js';
import { examplesOf } from './support/swagger-examples.js';

const root = path.resolve(__dirname, '..');
const read = (file: string) => readFileSync(path.join(root, file), 'utf8');
const hasShell = ['bash', 'curl'].every(command => spawnSync(command, ['--version']).status === 0);

/**
 * The blocks of shell commands of a page that `isChosen` accepts. By default those with npm are left out: they start the service or the
 * tests.
 */
function commandsOf(page: string, isChosen = (block: string) => !block.includes('npm ')): string {
  const blocks = [...page.matchAll(/```sh\n(.*?)```/gs)].map(([, block]) => block!);
  return blocks.filter(isChosen).join('\n');
}

const pages = [
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md'],
  ...['docs', 'docs/decisions'].flatMap(folder =>
    readdirSync(path.join(root, folder)).flatMap(file => (file.endsWith('.md') ? [`${folder}/${file}`] : [])),
  ),
];

/** The anchors of a page's headings, as GitHub makes them. */
function anchorsOf(page: string): string[] {
  const headings = [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!);
  return headings.map(heading =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  );
}

const isCode = (file: string) => /\.(?:ts|mjs)$/.test(file) && !/node_modules|openapi-tools\/generated/.test(file);

describe('the documents', () => {
  it.each(pages)('%s links to pages and headings that are there', page => {
    const links = [...read(page).matchAll(/\]\((?!https?:)([^)\s]+)\)/g)].map(([, link]) => link!);
    const broken = links.filter(link => {
      const [file, anchor] = link.split('#') as [string, string?];
      const target = file === '' ? page : path.join(path.dirname(page), file);
      return !existsSync(path.join(root, target)) || (anchor !== undefined && !anchorsOf(target).includes(anchor));
    });
    expect(broken).toEqual([]);
  });

  it.each(pages)('%s names files that are there', page => {
    const named = [...read(page).matchAll(/`((?:src|test|docs|bench|scripts|examples)\/[\w./-]+)`/g)].map(([, file]) => file!);
    expect(named.filter(file => !existsSync(path.join(root, file)))).toEqual([]);
  });

  it('the README has 120 lines at most, and each decision half a page', () => {
    const linesOf = (page: string) => read(page).trimEnd().split('\n').length;
    expect(linesOf('README.md')).toBeLessThanOrEqual(120);
    expect(pages.filter(page => page.startsWith('docs/decisions/') && linesOf(page) > 30)).toEqual([]);
  });

  it('no sentence of pages and comments begins with a word that hides its subject', () => {
    const words = '(?:Of|What|Whatever|Where|Whoever|Whom) (?!.*\\?)';
    const inPage = new RegExp(`^(?:[-*>\\d. ]+)?${words}|[^.][.:] ${words}`);
    const inComment = new RegExp(`(?://|\\*) (?:.*[^.][.:] )?${words}`);
    const landed = (file: string) => file.startsWith('src/database/migrations/0');
    const files = ['src', 'test', 'bench'].flatMap(folder =>
      readdirSync(path.join(root, folder), { recursive: true, encoding: 'utf8' }).map(file => `${folder}/${file}`),
    );
    const found = [...pages.map(page => [page, inPage] as const), ...files.flatMap(file => (isCode(file) ? [[file, inComment] as const] : []))]
      .filter(([file]) => !landed(file))
      .flatMap(([file, pattern]) => read(file).replace(/```.*?```/gs, '').split('\n').filter(line => pattern.test(line)).map(line => `${file}: ${line.trim()}`)); // prettier-ignore
    expect(found).toEqual([]);
  });

  it('the index lists every page and decision', () => {
    const index = read('docs/README.md');
    const missing = pages
      .filter(page => page.startsWith('docs/') && page !== 'docs/README.md')
      .filter(page => !index.includes(`(${page.slice('docs/'.length)})`));
    expect(missing).toEqual([]);
  });
});

/** Skipped if bash or curl is missing. CI has both, so there the tests always run. */
(hasShell || process.env.CI ? describe : describe.skip)('the commands of the documents', () => {
  let test: TestApp;
  let folder: string;
  const password = 'demo-Graph-2026';
  beforeAll(async () => {
    test = await startTestApp({}, { own: true });
    await test.admin.put('/api/auth/password').send({ old_password: adminPassword, new_password: password }).expect(200);
    const demo = await runDemo(test.url);
    expect(demo).toMatchObject({ code: 0, stderr: '' });
    folder = mkdtempSync(path.join(os.tmpdir(), 'documented-commands-'));
    symlinkSync(path.join(root, 'examples'), path.join(folder, 'examples'));
    // curl exits with an error if the status of the answer is one, and this ends the script.
    writeFileSync(path.join(folder, 'curl'), `#!/bin/sh\nexec ${pathOf('curl')} --fail-with-body "$@"\n`);
    chmodSync(path.join(folder, 'curl'), 0o755);
  });
  afterAll(async () => {
    await test.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const run = (commands: string): Promise<CommandResult> => {
    const script = `set -eEo pipefail\ntrap 'echo "failed: $BASH_COMMAND" >&2' ERR\n${commands.replaceAll('http://127.0.0.1:8080', test.url)}`;
    const env = { ...process.env, PATH: `${folder}:${process.env.PATH}` };
    return ended(spawn('bash', ['-c', script], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'] }));
  };

  it('give the answer that the README shows', async () => {
    const readme = read('README.md');
    const { code, stdout, stderr } = await run(commandsOf(readme));
    expect([code, stderr]).toEqual([0, '']);
    const shown = /"answer": \{ "text": "([^"]*)"/.exec(readme)![1]!;
    expect(JSON.parse(stdout).answer.text).toBe(shown);
  });

  it('run one after the other in docs/using.md, with the requests of docs/operating.md', async () => {
    const requests = commandsOf(read('docs/operating.md'), block => block.includes('http://127.0.0.1:8080/api'));
    const commands = `${commandsOf(read('docs/using.md'))}\n${requests}`;
    expect(commands.match(/^(?:api|post|curl) /gm)!.length).toBeGreaterThan(30);
    const { code, stdout, stderr } = await run(commands);
    expect([code, stderr, code === 0 ? '' : stdout.slice(-2_000)]).toEqual([0, '', '']);
    for (const shown of ['unchanged_source', '"name":"Once"', '"name":"sales"', '"cron":"*/15 * * * *"']) expect(stdout).toContain(shown);
  });

  it('leave room for the examples of Swagger UI, and keep the password that they show', async () => {
    const { body: document } = await test.anonymous.get('/openapi.json').expect(200);
    const [, [, login]] = examplesOf(document, 'post', '/api/auth/login') as [unknown, [string, object]];
    const admin = client(test.url, (await test.anonymous.post('/api/auth/login').send(login).expect(200)).body.token);
    const tables = '/api/warehouse/connections/{id}/tables/{table}';
    for (const [table, csv] of examplesOf(document, 'put', tables, 'text/csv')) {
      await admin.put(`/api/warehouse/connections/1/tables/${table}`).type('text/csv').send(csv).expect(201);
    }
    const makers = Object.entries<any>(document.paths).filter(([, { post }]) => post?.responses['201'] && post.requestBody?.content['application/json']); // prettier-ignore
    expect(makers.length).toBeGreaterThan(8);
    const refused: unknown[] = [];
    for (const [path] of makers) {
      for (const [name, body] of examplesOf(document, 'post', path)) {
        const answer = await admin.post(path.replace('{id}', '1')).send(body);
        if (answer.status >= 300) refused.push([path, name, answer.status, answer.body.code]);
      }
    }
    expect(refused).toEqual([]);
    await test.anonymous.post('/api/auth/login').send(login).expect(200);
  });
});

function pathOf(command: string): string {
  return spawnSync('sh', ['-c', `command -v ${command}`], { encoding: 'utf8' }).stdout.trim();
}
