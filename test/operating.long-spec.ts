import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { deriveUrl } from '../src/database/roles/database-access.js';
import { type CommandResult, ended, runDemo } from './support/commands.js';
import { freePort } from './support/free-port.js';
import { findEngine, PostgresEngine } from './support/postgres-engine.js';

const root = path.resolve(__dirname, '..');
const page = readFileSync(path.join(root, 'docs', 'operating.md'), 'utf8');
const patienceMs = 60_000;

/** The shell commands in the first block below a heading of docs/operating.md, without comments and with continued lines joined. */
function commandsBelow(heading: string): string[] {
  const [, section] = page.split(`\n## ${heading}\n`);
  const [, block] = /```sh\n(.*?)```/s.exec(section!)!;
  const lines = block!
    .replaceAll('\\\n', '')
    .replaceAll(/(^|\s)#.*$/gm, '')
    .split('\n');
  return lines.filter(line => line.trim() !== '');
}

/**
 * Runs the commands of the page in bash against one PostgreSQL server. Only hosts, ports and folders are replaced. `psql` is a script that
 * uses Node's client, because the embedded PostgreSQL comes without `psql`.
 */
describe('the commands of docs/operating.md', () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'operating-'));
  let server: PostgresEngine;
  let queryPort: number;
  let ownerUrl: string;
  beforeAll(async () => {
    chmodSync(folder, 0o755);
    server = await PostgresEngine.start((await findEngine(18))!);
    queryPort = await freePort();
    ownerUrl = server.url.replace(/\/\/.*@\/postgres\?/, '//graph_owner:change%20me@/graph?');
    const programs = {
      npm: `#!/bin/sh\nexec ${pathOf('npm')} --prefix '${root}' "$@"\n`,
      psql: `#!${process.execPath}
const [, , , database, , sql] = process.argv;
const client = new (require('${root}/node_modules/pg').Client)({ connectionString: process.env.SERVER_URL.replace('/postgres?', \`/\${database}?\`) });
client.connect().then(() => client.query(sql)).then(() => client.end());\n`,
    };
    for (const [name, text] of Object.entries(programs)) writeFileSync(path.join(folder, name), text, { mode: 0o755 });
    writeFileSync(path.join(folder, 'key'), 'a key for retrieval processes, of 32 bytes or more');
    symlinkSync(path.join(root, 'dist'), path.join(folder, 'dist'));
  });
  afterAll(async () => {
    await server.remove();
    rmSync(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });

  /** Starts a command of the page, with hosts, ports and folders of the test. */
  function start(command: string, environment: NodeJS.ProcessEnv = {}): ChildProcess {
    const here = command
      .replaceAll('postgresql://graph_owner:change%20me@db.example.com/graph', ownerUrl)
      .replaceAll('postgresql://graph_owner:change%20me@db.example.com/empty', ownerUrl.replace('/graph?', '/empty?'))
      .replaceAll('postgresql://…', deriveUrl(ownerUrl, 'retrieval'))
      .replaceAll(':8090', `:${queryPort}`)
      .replaceAll(/query-(\d)/g, '127.0.0.$1')
      .replaceAll(/ (\/backups|\/srv)\//g, ` ${folder}/`)
      .replaceAll('=/srv/', `=${folder}/`);
    const { PATH, HOME } = process.env;
    const env = { PATH: `${folder}:${PATH}`, HOME, SERVER_URL: server.url, BCRYPT_COST: '4', RATE_LIMIT_SCALE: '1000000', ...environment };
    return spawn('bash', ['-c', `set -eo pipefail; ${here}`], { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
  }

  const run = (command: string, environment?: NodeJS.ProcessEnv): Promise<CommandResult> => ended(start(command, environment));

  /** Starts a command that keeps running, and waits until `url` answers. Returns a function that stops it. */
  async function serve(command: string, url: string, environment: NodeJS.ProcessEnv = {}): Promise<() => Promise<void>> {
    const child = start(command, environment);
    let output = '';
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (text: Buffer) => (output += text.toString()));
    const exit = once(child, 'exit');
    const answers = () => fetch(url).then(() => true, () => false); // prettier-ignore
    for (const deadline = Date.now() + patienceMs; !(await answers()); await sleep(50)) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`It does not answer:\n${command}\n${output}`);
    }
    return async () => {
      process.kill(-child.pid!, 'SIGTERM');
      await exit;
    };
  }

  const startService = async (command: string, environment: NodeJS.ProcessEnv = {}) => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    const stop = await serve(command, `${url}/health`, { PORT: String(port), DATA_DIR: path.join(folder, `data-${port}`), ...environment });
    return { url, stop };
  };

  it("make a database of one's own, in which the service runs", async () => {
    const [createRole, createDatabase, startCommand] = commandsBelow('A PostgreSQL of your own');
    for (const command of [createRole!, createDatabase!]) expect(await run(command)).toEqual({ code: 0, stdout: '', stderr: '' });
    const { url, stop } = await startService(startCommand!);
    expect(await runDemo(url)).toMatchObject({ code: 0, stderr: '' });
    await stop();
  });

  it('start a retrieval process, which an API process asks under three names', async () => {
    const [retrieval, api] = commandsBelow('Several retrieval processes');
    const stopRetrieval = await serve(retrieval!, `http://127.0.0.1:${queryPort}/v1/health`);
    const { url, stop } = await startService(api!, { DATABASE_URL: ownerUrl });
    const ready = (await (await fetch(`${url}/health/ready`)).json()) as { checks: Record<string, unknown> };
    expect(ready.checks).toMatchObject({ retrieval: 'ok', retrieval_processes: ['ok', 'ok', 'ok'] });
    await stop();
    await stopRetrieval();
  });

  it('back the service up and restore it, into a directory and into an empty database', async () => {
    const [backup] = commandsBelow('Backup');
    expect(await run(backup!, { DATABASE_URL: ownerUrl })).toMatchObject({ code: 0, stderr: expect.stringContaining('Backed up') });
    const file = path.join(folder, `graph-${new Date().toISOString().slice(0, 10)}.tar.gz`);
    await run("psql -d postgres -c 'CREATE DATABASE empty OWNER graph_owner TEMPLATE template0'");
    const commands = commandsBelow('Restore');
    expect(commands).toHaveLength(2);
    for (const command of commands) {
      const here = command.replace(/\/backups\/graph-[\d-]+\.tar\.gz/, file);
      expect(await run(here)).toMatchObject({ code: 0, stderr: expect.stringContaining('Restored') });
    }
  });
});

function pathOf(command: string): string {
  return spawnSync('sh', ['-c', `command -v ${command}`], { encoding: 'utf8' }).stdout.trim();
}
