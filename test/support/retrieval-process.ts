import { type ChildProcess, spawn } from 'node:child_process';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { exchange } from '../../src/retrieval/exchange.js';
import { RemoteRetrieval } from '../../src/retrieval/remote-retrieval.js';
import { readTlsFiles, type TlsMaterial } from '../../src/retrieval/tls-material.js';
import { freePort } from './free-port.js';
import { certificateFolder } from './tls-front.js';

const entry = path.resolve(__dirname, '..', '..', 'dist', 'src', 'retrieval.main.js');
const startPatienceMs = 30_000;

export const retrievalKey = 'a key for retrieval processes, of 32 bytes or more';

/** Certificates for the two sides of mutual TLS, and a stranger's that no authority has signed. */
export const tlsFiles = {
  process: { cert: file('cert.pem'), key: file('key.pem'), ca: file('cert.pem') },
  api: { cert: file('api-cert.pem'), key: file('api-key.pem'), ca: file('cert.pem') },
  stranger: { cert: file('stranger-cert.pem'), key: file('stranger-key.pem'), ca: file('cert.pem') },
};

export function tlsOf(side: keyof typeof tlsFiles): TlsMaterial {
  return readTlsFiles(tlsFiles[side]).material;
}

function file(name: string): string {
  return path.join(certificateFolder, name);
}

/** A retrieval process as an operator deploys one: started from `dist`, and configured only by its environment. */
export class DeployedRetrieval {
  output = '';
  private child: ChildProcess | null = null;

  private constructor(
    readonly url: string,
    private readonly environment: Record<string, string>,
  ) {}

  /** Starts a process and waits until it listens. @param environment at least the URL of a database */
  static async start(environment: Record<string, string>): Promise<DeployedRetrieval> {
    const port = await freePort();
    const scheme = environment.RETRIEVAL_TLS_CERT === undefined ? 'http' : 'https';
    const process = new DeployedRetrieval(`${scheme}://127.0.0.1:${port}`, {
      RETRIEVAL_LISTEN: `127.0.0.1:${port}`,
      LOG_LEVEL: 'error',
      ...environment,
    });
    await process.startAgain();
    return process;
  }

  /** Starts the process again at the same address, after it has ended. */
  async startAgain(): Promise<void> {
    const { PATH, HOME } = process.env;
    // The process runs outside the repository, so that a developer's `.env` is not read.
    const child = spawn(process.execPath, [entry], {
      cwd: os.tmpdir(),
      env: { PATH, HOME, ...this.environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child = child;
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (this.output += text.toString()));
    for (const deadline = Date.now() + startPatienceMs; !(await this.answers()); await sleep(50)) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error(`The retrieval process did not start:\n${this.output}`);
    }
  }

  get pid(): number {
    return this.child!.pid!;
  }

  /** Sends the signal, and resolves when the process has ended. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    const { child } = this;
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise(resolve => child.once('exit', resolve));
    child.kill(signal);
    await ended;
  }

  private async answers(): Promise<boolean> {
    const address = await new RemoteRetrieval(this.url, tlsOf('api')).address();
    const request = { ...address, agent: false as const, method: 'GET', path: '/v1/health' };
    return exchange(request, { timeoutMs: 1_000, key: this.environment.RETRIEVAL_KEY }).then(
      ({ status }) => status === 200,
      () => false,
    );
  }
}

/** Runs a command that must refuse to start, to its end. */
export async function refusedStart(environment: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const { PATH, HOME } = process.env;
  const child = spawn(process.execPath, [entry], {
    cwd: os.tmpdir(),
    env: { PATH, HOME, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()));
  const late = setTimeout(() => child.kill('SIGKILL'), startPatienceMs);
  const code = await new Promise<number | null>(resolve => child.once('close', resolve));
  clearTimeout(late);
  return { code, output };
}
