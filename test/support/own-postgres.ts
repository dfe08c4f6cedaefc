import { execFile as execFileWithCallback } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rename, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { EmbeddedPostgres } from '../../src/database/embedded/embedded-postgres.js';
import { prepareDatabase } from '../../src/database/prepare-database.js';
import { prepareServer } from '../../src/database/roles/prepare-server.js';

const execFile = promisify(execFileWithCallback);

/** A PostgreSQL server that belongs to one test, which may stop it, freeze it and kill it. */
export class OwnPostgres {
  private constructor(
    private server: EmbeddedPostgres,
    private readonly dataDirectory: string,
    /** The URL of an empty database. */
    readonly url: string,
  ) {}

  static async start(): Promise<OwnPostgres> {
    const dataDirectory = await newDirectory(path.join(os.tmpdir(), 'own-postgres-'));
    await execFile('cp', ['-a', `${await newCluster()}/.`, dataDirectory]);
    const server = await start(dataDirectory);
    return new OwnPostgres(server, dataDirectory, await server.createDatabase('service'));
  }

  /** Lets `cloneDatabase` clone from this server from now on, in this test file only. */
  async serveClones(): Promise<void> {
    const access = await prepareDatabase(await prepareServer(this.server, 'test_template'));
    process.env.TEST_POSTGRES_URL = this.server.url;
    process.env.TEST_POSTGRES_ACCESS = JSON.stringify(access);
  }

  /** Sends a signal to the server and to each of its processes, because each has a process group of its own. */
  signalAll(signal: NodeJS.Signals): void {
    const { pid } = this;
    for (const process of [pid, ...childrenOf(pid)]) kill(process, signal);
  }

  /**
   * Signals the postmaster: SIGINT is a fast shutdown, SIGQUIT an immediate one, SIGKILL a crash. It restarts after SIGQUIT and SIGKILL.
   */
  signal(signal: NodeJS.Signals): void {
    kill(this.pid, signal);
  }

  /** The server's own log. */
  get log(): string {
    return readFileSync(path.join(this.dataDirectory, 'postgres.log'), 'utf8');
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }

  async startAgain(): Promise<void> {
    this.server = await start(this.dataDirectory);
  }

  /** Resolves once the server accepts connections, after any restart. */
  async accepts(): Promise<void> {
    for (;;) {
      const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: 1_000 });
      client.on('error', () => undefined);
      try {
        await client.connect();
        await client.end();
        return;
      } catch {
        await sleep(10);
      }
    }
  }

  async remove(): Promise<void> {
    await this.server.stop();
    await rm(this.dataDirectory, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }

  private get pid(): number {
    return Number.parseInt(readFileSync(path.join(this.dataDirectory, 'postgres', 'postmaster.pid'), 'utf8'), 10);
  }
}

async function newDirectory(prefix: string): Promise<string> {
  const directory = await mkdtemp(prefix);
  await chmod(directory, 0o711);
  return directory;
}

/** A directory with a new cluster, which tests only copy: a copy takes a tenth of the time of `initdb`. The first caller makes it. */
async function newCluster(): Promise<string> {
  const cluster = path.join(process.env.TEST_DIRECTORY!, 'new-cluster');
  if (existsSync(cluster)) return cluster;
  const made = await newDirectory(`${cluster}-`);
  const server = await start(made);
  await server.createDatabase('service');
  await server.stop();
  await rename(made, cluster).catch(async (error: NodeJS.ErrnoException) => {
    // Another worker has made the directory first.
    if (error.code !== 'ENOTEMPTY' && error.code !== 'EEXIST') throw error;
    await rm(made, { recursive: true });
  });
  return cluster;
}

function start(dataDirectory: string): Promise<EmbeddedPostgres> {
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', shared_buffers: '32MB' };
  return EmbeddedPostgres.start({ dataDirectory, settings });
}

function kill(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    // A backend may end between the listing and its signal.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

function childrenOf(parent: number): number[] {
  return readFileSync(`/proc/${parent}/task/${parent}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
