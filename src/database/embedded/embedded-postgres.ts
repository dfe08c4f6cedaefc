import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chown, mkdir, mkdtemp, open, rename, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { quoteIdentifier } from '../../sql/quote-identifier.js';
import { logMegabytesOf, roomOf } from '../disk-room.js';
import { keepSecret, socketDirectory, socketsOf } from './data-directory.js';
import { requireSameMajor } from './cluster-major.js';
import { type DirectoryLock } from './directory-lock.js';
import { endOrphans, takeDirectory } from './former-server.js';
import { choosePostgresAccount, type PostgresAccount, type ServerCommand, withBoundedMemory } from './postgres-account.js';
import { findPostgresBinaries, majorOf } from './postgres-binaries.js';
import { waitUntilReady } from './wait-until-ready.js';

const stopTimeoutMs = 30_000;
const connectTimeoutMs = 10_000;
const firstPauseMs = 100;
const longestPauseMs = 10_000;
/** If the server has run for at least this many milliseconds, the pause before its next restart is `firstPauseMs` again. */
const wellAfterMs = 30_000;
const user = 'graph';
const passwordFileName = 'postgres.password';

/** The name of the service's database on its embedded server. */
export const embeddedDatabase = 'graph_service';

export interface EmbeddedPostgresOptions {
  /** The directory that will hold `postgres/`, the server's log and its password. The directory must exist. */
  dataDirectory: string;
  /** PostgreSQL settings in addition to the service's own, such as `{ fsync: 'off' }` for throw-away databases. */
  settings?: Record<string, string>;
  /** Limit on the private memory of each server process, in MiB; effective on Linux only. Default: 1024. */
  processMemoryMb?: number;
}

/**
 * A PostgreSQL server that belongs to the service and is reachable only by a private Unix socket. Its data directory is locked, so that
 * nobody else can take it, for as long as one of the server's processes lives. A server that dies is started again in the same directory,
 * first after 0.1 s and then after twice as long each time, up to 10 s.
 */
export class EmbeddedPostgres {
  private child: ChildProcess | null = null;
  private exited: Promise<void> = Promise.resolve();
  private failure: Error | undefined;
  private stopping = false;
  private readonly onExits: ((reason: Error, pauseMs: number) => void)[] = [];

  private constructor(
    /** Connection URL of the server's `postgres` database. */
    readonly url: string,
    private readonly dataDirectory: string,
    private readonly cluster: string,
    private readonly command: ServerCommand,
    private readonly lock: DirectoryLock,
  ) {}

  /**
   * Starts the server in its data directory.
   * @throws DataDirectoryInUseError, ForeignServerError, DirectoryNotLockableError, ClusterOfOtherMajorError
   */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const native = await findPostgresBinaries();
    const lock = await takeDirectory(options.dataDirectory);
    try {
      return await EmbeddedPostgres.startIn(lock, native, options);
    } catch (error) {
      lock.release();
      throw error;
    }
  }

  private static async startIn(
    lock: DirectoryLock,
    native: string,
    { dataDirectory, settings = {}, processMemoryMb = 1024 }: EmbeddedPostgresOptions,
  ): Promise<EmbeddedPostgres> {
    const cluster = path.join(dataDirectory, 'postgres');
    const sockets = await socketDirectory(dataDirectory);
    const account = choosePostgresAccount([path.join(native, 'bin', 'postgres'), cluster, path.join(sockets, 'x')]);
    if (account.uid !== undefined) await chown(sockets, account.uid, account.uid);
    const password = await keepSecret(path.join(dataDirectory, passwordFileName));
    if (holdsCluster(dataDirectory)) requireSameMajor(cluster, await majorOf(native));
    else await createCluster({ native, cluster, account, password, lock });

    const serverSettings: Record<string, string> = {
      listen_addresses: '',
      unix_socket_directories: sockets,
      unix_socket_permissions: '0700',
      max_connections: '100',
      shared_buffers: '256MB',
      // A dump locks all tables at once, and each graph has two tables: a setting of 256 suffices for 10,000 graphs, 64 does not.
      max_locks_per_transaction: '256',
      max_wal_size: `${logMegabytesOf(await roomOf(dataDirectory))}MB`,
      checkpoint_timeout: '15min',
      jit: 'off',
      // A query may use parallel workers only if two cores are left for everything else.
      max_parallel_workers: String(Math.max(0, os.availableParallelism() - 2)),
      // The server ends a statement whose client is gone. Otherwise the statement would run on without a client. If the server died, that
      // statement's process would also keep a new server from starting. PostgreSQL refuses the setting on Windows.
      ...(process.platform === 'win32' ? {} : { client_connection_check_interval: '2s' }),
      // The disk space that sorts and joins of one server process may use. The sorts of a run of millions of rows fit; those of a cross
      // product do not.
      temp_file_limit: '8GB',
      // The server's log leaves out errors of statements, because their texts and details quote values of rows. The client gets these
      // errors and logs them with less detail.
      log_min_messages: 'log',
      log_min_error_statement: 'panic',
      log_error_verbosity: 'terse',
      log_checkpoints: 'off',
      log_line_prefix: '%m [%p] ',
      ...settings,
    };
    const args = ['-D', cluster, ...Object.entries(serverSettings).flatMap(([name, value]) => ['-c', `${name}=${value}`])];
    const url = serverUrl(sockets, password);
    const server = new EmbeddedPostgres(
      url,
      dataDirectory,
      cluster,
      withBoundedMemory(account.command(path.join(native, 'bin', 'postgres'), args), processMemoryMb),
      lock,
    );
    await server.spawn();
    void server.keepAlive();
    return server;
  }

  /** URL of the server that another process runs on this data directory. */
  static async urlOf(dataDirectory: string): Promise<string> {
    return serverUrl(socketsOf(dataDirectory), await keepSecret(path.join(dataDirectory, passwordFileName)));
  }

  /** Creates the database unless it is there, and returns its URL. */
  async createDatabase(database: string): Promise<string> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: connectTimeoutMs });
    await client.connect();
    try {
      const { rowCount } = await client.query('SELECT FROM pg_database WHERE datname = $1', [database]);
      if (rowCount === 0) await client.query(`CREATE DATABASE ${quoteIdentifier(database)}`);
    } finally {
      await client.end();
    }
    return this.databaseUrl(database);
  }

  /** Runs a checkpoint: the server writes its tables to disk, and can then delete files of its write-ahead log. */
  async checkpoint(): Promise<void> {
    const client = new pg.Client({ connectionString: this.url, connectionTimeoutMillis: connectTimeoutMs });
    client.on('error', () => undefined);
    try {
      await client.connect();
      await client.query('CHECKPOINT');
    } finally {
      await client.end();
    }
  }

  /** URL of another database of this server. */
  databaseUrl(database: string): string {
    return databaseUrl(this.url, database);
  }

  /** Calls `handler` with the reason and the milliseconds until the restart whenever the server ends without being stopped. */
  onUnexpectedExit(handler: (reason: Error, pauseMs: number) => void): void {
    this.onExits.push(handler);
  }

  /**
   * Stops the server by a fast shutdown: open transactions are rolled back, committed ones are kept. A server that still runs after 30 s is
   * ended at once.
   */
  async stop(): Promise<void> {
    this.kill();
    const timer = setTimeout(() => this.child?.kill('SIGQUIT'), stopTimeoutMs);
    await this.exited;
    clearTimeout(timer);
    this.lock.release();
  }

  /** Asks for a fast shutdown without waiting for it, for a process that is about to end. */
  kill(): void {
    this.stopping = true;
    this.child?.kill('SIGINT');
  }

  /** Starts the server process. Resolves when the server accepts connections. @throws when the server ends before that */
  private async spawn(): Promise<void> {
    const log = await open(path.join(this.dataDirectory, 'postgres.log'), 'a', 0o600);
    if (this.stopping) return log.close();
    const { file, args, ...owner } = this.command;
    // The child is detached so that Ctrl-C reaches only the service, which stops the database after the last request.
    const child = spawn(file, args, { ...owner, detached: true, stdio: ['ignore', log.fd, log.fd, this.lock.descriptor] });
    this.child = child;
    if (child.pid !== undefined) this.lock.noteServer(child.pid);
    this.failure = undefined;
    this.exited = new Promise<void>(resolve => {
      child.once('error', error => {
        this.failure = error;
        resolve();
      });
      child.once('exit', (code, signal) => {
        this.failure ??= new Error(
          `内置 PostgreSQL 退出（${signal ?? code}），原因见 ${this.dataDirectory}/postgres.log / ` +
            `The embedded PostgreSQL exited (${signal ?? code}); see ${this.dataDirectory}/postgres.log`,
        );
        resolve();
      });
    });
    // The log file is closed only after the listeners are added. Otherwise the exit of a server that ends at once would be missed while
    // this function waits for the close.
    await log.close();
    await waitUntilReady(this.url, () => this.failure);
  }

  /** Restarts the server whenever it ends, until it is stopped. */
  private async keepAlive(): Promise<void> {
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      const startedAt = performance.now();
      await this.exited;
      if (this.stopping) return;
      if (performance.now() - startedAt > wellAfterMs) pauseMs = firstPauseMs;
      for (const handler of this.onExits) handler(this.failure!, pauseMs);
      await sleep(pauseMs);
      if (this.stopping) return;
      await endOrphans(this.cluster);
      // Orphans that `endOrphans` cannot find keep the directory busy for a moment, and this start then fails. A later start succeeds once
      // they have ended.
      await this.spawn().catch(() => undefined);
    }
  }
}

function serverUrl(sockets: string, password: string): string {
  return `postgresql://${user}:${password}@/postgres?host=${encodeURIComponent(sockets)}`;
}

/** URL of another database of the same server. */
export function databaseUrl(url: string, database: string): string {
  return url.replace('@/postgres?', `@/${encodeURIComponent(database)}?`);
}

/** Whether the directory holds a cluster of an embedded server. */
export function holdsCluster(dataDirectory: string): boolean {
  return existsSync(path.join(dataDirectory, 'postgres', 'PG_VERSION'));
}

/**
 * Creates the cluster in another directory and moves it into place, so that an interrupted `initdb` leaves nothing that looks
 * complete.
 */
async function createCluster(from: {
  native: string;
  cluster: string;
  account: PostgresAccount;
  password: string;
  lock: DirectoryLock;
}): Promise<void> {
  const { native, cluster, account, password, lock } = from;
  const unfinished = `${cluster}.new`;
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  const secretFolder = await mkdtemp(path.join(os.tmpdir(), 'graph-service-'));
  const passwordFile = path.join(secretFolder, 'password');
  try {
    await writeFile(passwordFile, password, { mode: 0o600 });
    if (account.uid !== undefined) {
      for (const file of [unfinished, secretFolder, passwordFile]) await chown(file, account.uid, account.uid);
    }
    await run(account, lock, path.join(native, 'bin', 'initdb'), [
      '--pgdata', unfinished, '--username', user, '--pwfile', passwordFile, '--auth', 'scram-sha-256', '--encoding', 'UTF8',
      '--locale-provider', 'builtin', '--builtin-locale', 'C.UTF-8', '--locale', 'C', '--no-instructions',
    ]); // prettier-ignore
  } finally {
    await rm(secretFolder, { recursive: true, force: true });
  }
  await rename(unfinished, cluster);
}

async function run(account: PostgresAccount, lock: DirectoryLock, program: string, args: string[]): Promise<void> {
  const { file, args: argv, ...owner } = account.command(program, args);
  const child = spawn(file, argv, { ...owner, stdio: ['ignore', 'ignore', 'pipe', lock.descriptor] });
  let complaint = '';
  child.stderr!.on('data', (text: Buffer) => (complaint = (complaint + text.toString()).slice(-2000)));
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`无法创建内置数据库 / Cannot create the embedded database: ${complaint.trim()}`);
}
