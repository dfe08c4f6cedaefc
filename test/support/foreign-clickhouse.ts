import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

/** `error`, `tagged`: the error stands behind the rows, as older and newer servers write it. `end`, `cut`: there is none. */
export interface Fault {
  kind: 'error' | 'tagged' | 'end' | 'cut';
  afterBytes: number;
}

const server = path.resolve('test/support/clickhouse-server.mjs');

/** Describes tests that need ClickHouse's engine. A machine without it says so and skips them; in CI they fail. */
export function describeOnClickHouse(name: string, tests: () => void): void {
  const isInstalled = existsSync(path.resolve('test/engines/node_modules/chdb'));
  if (!isInstalled) process.stderr.write('Skipped: ClickHouse is not on this machine; npm run test:engines installs it\n');
  (isInstalled || process.env.CI ? describe : describe.skip)(name, tests);
}

/** A ClickHouse of somebody else: the engine of the package chdb in a process of its own, behind HTTP on 127.0.0.1. */
export class ForeignClickHouse {
  private constructor(
    private readonly child: ChildProcess,
    private readonly folder: string,
    readonly port: number,
  ) {}

  static async start(): Promise<ForeignClickHouse> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'foreign-clickhouse-'));
    const child = fork(server, [folder], { execArgv: [], env: { PATH: process.env.PATH } });
    const [{ port }] = (await once(child, 'message')) as [{ port: number }];
    const foreign = new ForeignClickHouse(child, folder, port);
    await foreign.run('CREATE DATABASE sales', 'default');
    return foreign;
  }

  /** A DSN for the reader, with the parts that a test changes. */
  dsn({ user = 'reader:p%40ss%2Fword', host = '127.0.0.1', database = 'sales', query = '?sslmode=disable' } = {}): string {
    return `clickhouse://${user}@${host}:${this.port}/${database}${query}`;
  }

  /** Runs one statement as a user who may do everything, and gives the answer as text. */
  async run(sql: string, database = 'sales'): Promise<string> {
    const authorization = `Basic ${Buffer.from('admin:rules').toString('base64')}`;
    const url = `http://127.0.0.1:${this.port}/?database=${database}`;
    const response = await fetch(url, { method: 'POST', body: sql, headers: { authorization } });
    const text = await response.text();
    if (!response.ok) throw new Error(text);
    return text;
  }

  /** Lets the next long answer fail. */
  async break(fault: Fault): Promise<void> {
    await this.ask({ fault });
  }

  /** How many statements are under way. */
  async running(): Promise<number> {
    return (await this.ask({})).running;
  }

  /** Ends the server at once, as a crash would. */
  /** Ends the server, and waits until it is gone. */
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
