import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import mysql2, { type Connection } from 'mysql2';
import { freePort } from './free-port.js';
import { tellMissing } from './shared-data.js';

const server = ['/usr/sbin/mariadbd', '/usr/bin/mariadbd', '/usr/local/bin/mariadbd'].find(file => existsSync(file));

export const mariaDbIsThere = server !== undefined;

/** Whether this machine has MariaDB for tests. If not, logs how to install it. @throws Error in CI if it is missing */
export function hasMariaDb(): boolean {
  if (!mariaDbIsThere) tellMissing('`apt-get install mariadb-server-core mariadb-client-core` brings what this test needs');
  return mariaDbIsThere;
}

/** A MariaDB server of a test's own, on a port of 127.0.0.1, with a user who may only read the database `sales`. */
export class MariaDb {
  private constructor(
    private readonly process: ChildProcess,
    private readonly folder: string,
    readonly port: number,
    private readonly admin: Connection,
  ) {}

  static async start(settings: string[] = []): Promise<MariaDb> {
    const folder = await mkdtemp(path.join(os.tmpdir(), 'mariadb-'));
    // Each server has a folder of its own for temporary files: a server deletes all that it finds there, also those of another server.
    const files = [`--datadir=${path.join(folder, 'files')}`, `--tmpdir=${folder}`, `--user=${os.userInfo().username}`];
    execFileSync('mariadb-install-db', ['--no-defaults', ...files, '--auth-root-authentication-method=normal', '--skip-test-db'], {
      stdio: 'ignore',
    });
    const port = await freePort();
    const socket = path.join(folder, 'socket');
    const fast = ['--innodb-flush-log-at-trx-commit=0', '--innodb-buffer-pool-size=64M', '--skip-log-bin', '--skip-name-resolve'];
    const place = [`--port=${port}`, '--bind-address=127.0.0.1', `--socket=${socket}`, `--pid-file=${path.join(folder, 'pid')}`];
    const child = spawn(server!, ['--no-defaults', ...files, ...place, ...fast, ...settings], { stdio: 'ignore' });
    const db = new MariaDb(child, folder, port, await administrator(socket, child));
    await db.run('CREATE DATABASE sales CHARACTER SET utf8mb4');
    await db.run("CREATE USER reader@'%' IDENTIFIED BY 'p@ss/word'");
    await db.run("GRANT SELECT, SHOW VIEW ON sales.* TO reader@'%'");
    await db.run("CREATE USER writer@'%' IDENTIFIED BY 'writes'");
    await db.run("GRANT ALL ON `sal%`.* TO writer@'%'");
    await db.run('USE sales');
    return db;
  }

  /** A DSN for the user `reader`. A test may replace its parts. */
  dsn({ user = 'reader:p%40ss%2Fword', host = '127.0.0.1', database = 'sales', query = '?ssl-mode=disabled' } = {}): string {
    return `mysql://${user}@${host}:${this.port}/${database}${query}`;
  }

  /** Runs a statement as the administrator in the database `sales`. Returns its values as text. */
  run(sql: string): Promise<(string | null)[][]> {
    return new Promise((resolve, reject) => {
      const rows: (string | null)[][] = [];
      this.admin
        .query({ sql, rowsAsArray: true, typeCast: false })
        .on('result', row => Array.isArray(row) && rows.push(row.map((value: Buffer | null) => value?.toString('utf8') ?? null)))
        .on('error', reject)
        .on('end', () => resolve(rows));
    });
  }

  async remove(): Promise<void> {
    this.admin.end();
    const isGone = new Promise(resolve => this.process.once('exit', resolve));
    this.process.kill('SIGKILL');
    await isGone;
    await rm(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

async function administrator(socket: string, child: ChildProcess): Promise<Connection> {
  for (let tries = 0; tries < 300; tries++) {
    const connection = await connectTo(socket).catch(() => null);
    if (connection) return connection;
    if (child.exitCode !== null) throw new Error('MariaDB did not start');
    await sleep(100);
  }
  throw new Error('MariaDB did not answer in time');
}

function connectTo(socketPath: string): Promise<Connection> {
  return new Promise((resolve, reject) => {
    const connection = mysql2.createConnection({ socketPath, user: 'root', charset: 'utf8mb4' });
    connection.once('connect', () => resolve(connection));
    connection.on('error', reject);
  });
}
