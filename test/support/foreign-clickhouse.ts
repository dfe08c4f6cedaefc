import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** `error` and `tagged` write the error after the rows, as older and newer servers do. `end` and `cut` stop without an error. */
export interface Fault {
  kind: 'error' | 'tagged' | 'end' | 'cut';
  afterBytes: number;
}

const server = path.resolve('test/support/clickhouse-server.mjs');

/** Describes tests that need ClickHouse's engine. Without it, they are skipped with a message; in CI they fail. */
export function describeOnClickHouse(name: string, tests: () => void): void {
  const isInstalled = existsSync(path.resolve('test/engines/node_modules/chdb'));
  if (!isInstalled) process.stderr.write('Skipped: ClickHouse is not on this machine; npm run test:engines installs it\n');
  (isInstalled || process.env.CI ? describe : describe.skip)(name, tests);
}

/** A foreign ClickHouse: the engine of the package chdb in a child process, behind HTTP on 127.0.0.1. */
export class ForeignClickHouse {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly port: number,
  ) {}

  static async start(): Promise<ForeignClickHouse> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'foreign-clickhouse-'));
    const child = fork(server, [folder], { execArgv: [], env: { PATH: process.env.PATH } });
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`The engine of ClickHouse ended with code ${code}; npm ci --prefix test/engines installs it`);
    });
    const [{ port }] = (await Promise.race([once(child, 'message'), ended])) as [{ port: number }];
    ended.catch(() => undefined);
    const foreign = new ForeignClickHouse(child, folder, port);
    await foreign.run('CREATE DATABASE sales', 'default');
    return foreign;
  }

  /** A DSN for the user `reader`. A test may replace its parts. */
  dsn({ user = 'reader:p%40ss%2Fword', host = '127.0.0.1', database = 'sales', query = '?sslmode=disable' } = {}): string {
    return `clickhouse://${user}@${host}:${this.port}/${database}${query}`;
  }

  /** Runs one statement as a user who may do everything, and returns the answer as text. */
  async run(sql: string, database = 'sales'): Promise<string> {
    const authorization = `Basic ${Buffer.from('admin:rules').toString('base64')}`;
    const url = `http://127.0.0.1:${this.port}/?database=${database}`;
    const response = await fetch(url, { method: 'POST', body: sql, headers: { authorization } });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  }

  /** Makes the next answer fail that has at least `afterBytes`. */
  async break(fault: Fault): Promise<void> {
    await this.ask({ fault });
  }

  /** The number of statements that are running. */
  async running(): Promise<number> {
    return (await this.ask({})).running;
  }

  /** Kills the server, as a crash would, and waits until its process is gone. */
  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    const exit = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await exit;
  }

  async remove(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  private async ask(message: object): Promise<{ running: number }> {
    const answered = once(this.child, 'message');
    this.child.send(message);
    return ((await answered) as [{ running: number }])[0];
  }
}
