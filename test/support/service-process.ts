import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './free-port.js';
import { checkStatements, notesStatements } from './statement-check.js';

checkStatements();

const root = path.resolve(__dirname, '..', '..');
const startPatienceMs = 60_000;

export interface ServiceOptions {
  /** Changes to the usual environment of a test service; undefined removes a variable. */
  environment?: Record<string, string | undefined>;
  /** Node arguments before the script: `['--require', file]`. */
  nodeArguments?: string[];
  /** Starts the service with `npm start` instead of the command that npm runs. */
  throughNpm?: boolean;
  /** Folder that holds `dist`, if it is another installation than the repository. */
  directory?: string;
  /** A command prefix that executes the command after it, such as `nice`. */
  through?: readonly string[];
}

/** The service as a user runs it: a process started from `dist`, configured by its environment. Tests read its output. */
export class ServiceProcess {
  readonly url: string;
  stdout = '';
  stderr = '';
  /** Settles when the process has ended. */
  readonly ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;

  private constructor(
    readonly child: ChildProcess,
    port: number,
    readonly dataDirectory: string,
  ) {
    this.url = `http://127.0.0.1:${port}`;
    child.stdout!.on('data', (text: Buffer) => (this.stdout += text.toString()));
    child.stderr!.on('data', (text: Buffer) => (this.stderr += text.toString()));
    this.ended = new Promise(resolve => child.once('exit', (code, signal) => resolve({ code, signal })));
  }

  /** Starts the process without waiting until it listens, see `listening`. */
  static async spawn({
    environment = {},
    nodeArguments = [],
    throughNpm = false,
    directory = root,
    through = [],
  }: ServiceOptions = {}): Promise<ServiceProcess> {
    const dataDirectory = await mkdtemp(path.join(os.tmpdir(), 'graph-service-process-'));
    const port = await freePort();
    const { PATH, HOME } = process.env;
    const env: NodeJS.ProcessEnv = {
      PATH, HOME, PORT: String(port), DATA_DIR: dataDirectory, BCRYPT_COST: '4', RATE_LIMIT_SCALE: '1000000', LOG_LEVEL: 'info',
      ...environment,
    }; // prettier-ignore
    for (const [name, value] of Object.entries(env)) if (value === undefined) delete env[name];
    // The service runs in its data directory, outside the repository, so that a developer's `.env` is not read.
    const script = path.join(directory, 'dist', 'src', 'main.js');
    const [command, ...args] = throughNpm
      ? ['npm', 'start', '--prefix', root]
      : [...through, process.execPath, ...notesStatements, ...nodeArguments, script];
    const child = spawn(command, args, { cwd: dataDirectory, env, stdio: ['ignore', 'pipe', 'pipe'] });
    return new ServiceProcess(child, port, dataDirectory);
  }

  static async start(options: ServiceOptions = {}): Promise<ServiceProcess> {
    const service = await ServiceProcess.spawn(options);
    await service.listening();
    return service;
  }

  /** Resolves once the service prints its address. @throws Error if it ends before that, or does not print it in time */
  async listening(): Promise<void> {
    for (const deadline = Date.now() + startPatienceMs; !this.stdout.includes('/ Listening'); await sleep(20)) {
      if (this.child.exitCode !== null || this.child.signalCode !== null || Date.now() > deadline) {
        await this.kill();
        throw new Error(`The service did not start:\n${this.stdout}\n${this.stderr}`);
      }
    }
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  /** The lines of the structured log so far. */
  get log(): Record<string, unknown>[] {
    return this.stdout
      .split('\n')
      .filter(line => line.startsWith('{'))
      .map(line => JSON.parse(line) as Record<string, unknown>);
  }

  /** Sends the signal. Resolves with the exit code, and the milliseconds until the process has ended. */
  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<{ code: number | null; ms: number }> {
    const startedAt = performance.now();
    this.child.kill(signal);
    const { code } = await this.ended;
    return { code, ms: performance.now() - startedAt };
  }

  /** Kills the process if it still runs, and removes its data directory. For `afterEach`. */
  async kill(): Promise<void> {
    if (this.isRunning) {
      this.child.kill('SIGKILL');
      await this.ended;
    }
    // The embedded PostgreSQL ends after its parent, and writes its last files meanwhile, so the removal is tried again.
    await rm(this.dataDirectory, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  }
}

/** Logs in as the first admin of a fresh database and changes the password. Returns the token that is valid from then on. */
export async function firstToken(url: string, password = 'correct-horse-7', firstPassword = 'admin@Graph123'): Promise<string> {
  const send = async (method: string, route: string, body: object, token?: string) => {
    const response = await fetch(`${url}/api${route}`, {
      method,
      headers: { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) },
      body: JSON.stringify(body),
    });
    if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`);
    return ((await response.json()) as { token: string }).token;
  };
  const token = await send('POST', '/auth/login', { username: 'admin', password: firstPassword });
  return send('PUT', '/auth/password', { old_password: firstPassword, new_password: password }, token);
}
